//===- LoopNumbers.h - The loops that a report tells of ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_LOOPNUMBERS_H
#define TILEWRIGHT_LIB_COMPILER_LOOPNUMBERS_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright {

/// The loops that the report tells of: those around products and around copies
/// that run ahead, each the innermost one. That of a role that only copies is
/// the loop which reads what it copies.
class LoopNumbers {
public:
  explicit LoopNumbers(tile::KernelOp kernel);

  llvm::ArrayRef<mlir::LoopLikeOpInterface> get() const { return loops; }

  /// The number of the loop that the op stands in, without another one between.
  std::optional<unsigned> find(mlir::Operation *op) const;
  /// The number of the loop that reads the channel's slots.
  std::optional<unsigned> findReader(tile::ChannelOp channel) const;

private:
  void add(mlir::LoopLikeOpInterface loop);

  llvm::SmallVector<mlir::LoopLikeOpInterface> loops;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_LOOPNUMBERS_H
