//===- AsyncCopy.h - The instruction cp.async -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One copy of a thread from global to shared memory, which is PTX text: how it
// is written, and how passes read it and change what it hangs on.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ASYNCCOPY_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ASYNCCOPY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::tonvvm {

class AsyncCopy {
public:
  /// Copies `bytes` from `source` to `dest`, or zeros where `inside` is given
  /// and false; nothing where `mask` is.
  static void emit(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value dest, mlir::Value source, unsigned bytes,
                   mlir::Value inside, mlir::Value mask);

  static std::optional<AsyncCopy> get(mlir::Operation *op);

  mlir::LLVM::InlineAsmOp getOp() const { return op; }
  /// Whether it copies 16 bytes, past the first-level cache.
  bool isWide();

  /// The condition without which nothing is copied; null where there is none.
  mlir::Value getMask();

  /// The choice of how many bytes are read, of which the rest are zeros: all or
  /// none. Null where it always reads.
  mlir::arith::SelectOp getChoice();
  /// `choice` may be another one of the same numbers.
  void setChoice(mlir::arith::SelectOp choice);
  /// Has it take the condition itself in place of a number of bytes, or, before
  /// PTX 7.5, a number of which ptxas makes that condition again.
  void takeCondition(unsigned ptxVersion);

private:
  explicit AsyncCopy(mlir::LLVM::InlineAsmOp op) : op(op) {}

  mlir::LLVM::InlineAsmOp op;
};

/// Waits until bulk copies have stored what is in shared memory, or with `read`
/// until they have read it.
void emitWaitForStores(mlir::OpBuilder &builder, mlir::Location loc, bool read);
bool isWaitForStores(mlir::Operation &op);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ASYNCCOPY_H
