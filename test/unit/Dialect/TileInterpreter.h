//===- TileInterpreter.h - Integer tiles, computed --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the integers and pointers of a tile program one element at a time,
// with no shortcut, so that tests can compare what the analyses claim of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_DIALECT_TILEINTERPRETER_H
#define TILEWRIGHT_TEST_UNIT_DIALECT_TILEINTERPRETER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include <functional>

namespace tilewright::tile {

/// In row-major order; a scalar has one. Pointers are addresses of 64 bits.
using Elements = std::vector<llvm::APInt>;

/// Bits of an integer, an index or a pointer.
unsigned getElementBits(mlir::Type type);

class TileInterpreter {
public:
  /// `onValue` is called with each value that is computed, each time.
  explicit TileInterpreter(
      std::function<void(mlir::Value, const Elements &)> onValue)
      : onValue(std::move(onValue)) {}

  void set(mlir::Value value, Elements elements);
  /// Runs the ops of a block up to its terminator.
  void run(mlir::Block &block);

private:
  const Elements &get(mlir::Value value) const {
    return values.find(value)->second;
  }
  void visit(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitIf(mlir::scf::IfOp branch);
  Elements compute(mlir::Operation *op) const;
  /// Each element of the result from those of the operands at its position.
  Elements computeElementwise(mlir::Operation *op) const;
  /// Each element of the result is one of the source's, at another position.
  Elements computeMove(mlir::Operation *op) const;

  std::function<void(mlir::Value, const Elements &)> onValue;
  llvm::DenseMap<mlir::Value, Elements> values;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TEST_UNIT_DIALECT_TILEINTERPRETER_H
