//===- RandomProgram.h - Kernels of random integer arithmetic ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of random ops on small tiles of integers and pointers, with loops and
// branches, over arguments with random promises; and values for the arguments
// that keep the promises. Numbers lean to powers of two and to the ends of the
// types, where analyses err.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_DIALECT_RANDOMPROGRAM_H
#define TILEWRIGHT_TEST_UNIT_DIALECT_RANDOMPROGRAM_H

#include "TileInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <random>

namespace tilewright::tile {

class RandomProgram {
public:
  RandomProgram(mlir::MLIRContext *context, unsigned seed);

  mlir::ModuleOp getModule() { return *module; }
  KernelOp getKernel() { return *module->getOps<KernelOp>().begin(); }
  /// A value for the argument that keeps its promise.
  Elements makeArgument(mlir::BlockArgument argument);

private:
  using Pool = std::vector<mlir::Value>;

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  }
  template <typename T> T pick(std::initializer_list<T> from) {
    return *(from.begin() + below(from.size()));
  }
  /// A value of the pool that is so, or null.
  mlir::Value pick(const Pool &pool, llvm::function_ref<bool(mlir::Type)> isSo);
  /// An integer that is likely to matter, in the bits of `type`.
  llvm::APInt makeNumber(mlir::Type type);
  mlir::Type makeElementType();
  llvm::SmallVector<int64_t> makeShape();

  // Each adds one op or more to the block, and their results to the pool.
  void addOps(mlir::OpBuilder &builder, Pool &pool, int count, int depth);
  mlir::Value makeSource(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeBinary(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeDivision(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeCompare(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeSelect(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeCast(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeMove(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makePointer(mlir::OpBuilder &builder, const Pool &pool);
  mlir::Value makeLoop(mlir::OpBuilder &builder, const Pool &pool, int depth);
  mlir::Value makeBranch(mlir::OpBuilder &builder, const Pool &pool, int depth);

  std::mt19937_64 random;
  mlir::Location loc;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TEST_UNIT_DIALECT_RANDOMPROGRAM_H
