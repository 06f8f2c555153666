//===- OffsetPointers.h - Pointers by a base and a number -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread accesses in a loop is a number of elements behind a base:
//
//   %p = llvm.getelementptr %base[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr, f32
//
// Passes over loops move such pointers on in place of computing each anew.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_OFFSETPOINTERS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_OFFSETPOINTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::tonvvm {

/// Whether one value says how far the pointer is behind its base.
inline bool hasOneOffset(mlir::LLVM::GEPOp pointer) {
  return pointer.getIndices().size() == 1 &&
         pointer.getDynamicIndices().size() == 1;
}

/// The pointer so many of the elements of `like` behind `base`.
inline mlir::Value advance(mlir::OpBuilder &builder, mlir::LLVM::GEPOp like,
                           mlir::Value base, mlir::Value elements) {
  return mlir::LLVM::GEPOp::create(
      builder, like.getLoc(), like.getType(), like.getElemType(), base,
      llvm::ArrayRef<mlir::LLVM::GEPArg>{elements});
}

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_OFFSETPOINTERS_H
