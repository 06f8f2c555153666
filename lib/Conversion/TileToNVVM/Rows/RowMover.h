//===- RowMover.h - What copies and stores of rows share --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves of rows that begin anywhere are made of: pieces of 16 bytes, words
// and single elements, between global and shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWMOVER_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWMOVER_H

#include "Rows/RowBlock.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tonvvm {

/// The dimensions of rows that are in `order`, without that along which they
/// go.
inline llvm::SmallVector<unsigned> getOthers(llvm::ArrayRef<int64_t> order,
                                             unsigned rowDim) {
  llvm::SmallVector<unsigned> others;
  for (int64_t dim : order)
    if (dim != rowDim)
      others.push_back(dim);
  return others;
}

/// What both ops have: numbers, and elements in both memories.
class RowMover : protected NumberBuilder {
protected:
  RowMover(mlir::ImplicitLocOpBuilder &builder, mlir::Value shared,
           mlir::Type elementType, int64_t numThreads)
      : NumberBuilder(builder), thread(builder, builder.getLoc()),
        shared(shared), bytes(tile::getElementBytes(elementType)),
        type(builder.getIntegerType(8 * bytes)), numThreads(numThreads) {}

  /// The insertion point is inside then, until a guard puts it back.
  void openIf(mlir::Value condition) {
    auto branch =
        mlir::scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  /// Returns what the loop counts.
  mlir::Value openLoop(mlir::Value from, int64_t to, int64_t step) {
    auto loop =
        mlir::scf::ForOp::create(builder, from, constant(to), constant(step));
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  mlir::Value getShared(mlir::Value byte) {
    return addBytes(builder, builder.getLoc(), shared, byte);
  }
  mlir::Value load(mlir::Value pointer) {
    return mlir::LLVM::LoadOp::create(builder, type, pointer);
  }
  void store(mlir::Value value, mlir::Value pointer) {
    mlir::LLVM::StoreOp::create(builder, value, pointer);
  }
  /// An element, in the low bits of a register of 32 where it has fewer.
  mlir::Value loadRegister(mlir::Value pointer);
  /// A word of the elements.
  mlir::Value pack(llvm::ArrayRef<mlir::Value> elements);
  /// Copies a piece of 16 bytes to a pointer of shared memory if `condition` is
  /// true; `isCached`: through the first-level cache. `fetchesLines`, i1 or
  /// null: whether the second-level cache is told to fetch the line around it.
  void copyWhole(mlir::Value dest, mlir::Value source, mlir::Value condition,
                 bool isCached, mlir::Value fetchesLines = nullptr);
  /// Copies elements of such a piece, all of them at once: those from `begin`
  /// to `end` of a row, of which the piece lies `at` so many bytes.
  void copyElements(mlir::Value at, mlir::Value source, mlir::Value dest,
                    mlir::Value begin, mlir::Value end);
  mlir::Value toBytes(mlir::Value elements) { return mul(elements, bytes); }
  mlir::Value toElements(mlir::Value number) {
    return make<mlir::arith::ShRUIOp>(number, llvm::Log2_64(bytes));
  }

  ThreadIndex thread;
  mlir::Value shared;
  int64_t bytes;
  mlir::IntegerType type;
  int64_t numThreads;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWMOVER_H
