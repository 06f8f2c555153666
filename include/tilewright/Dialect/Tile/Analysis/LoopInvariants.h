//===- LoopInvariants.h - What is the same in all trips ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scf.for %i = ... {
//     %a = arith.muli %n, %c4          // in: of values in front of the loop
//     %b = arith.addi %a, %c1          // in: of such
//     %c = arith.addi %b, %i           // not: %i differs
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LOOPINVARIANTS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LOOPINVARIANTS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright::tile {

/// The values of a loop's body that are the same in all trips, and can be
/// computed before them.
class LoopInvariants {
public:
  explicit LoopInvariants(mlir::LoopLikeOpInterface loop) : loop(loop) {}

  bool contains(mlir::Value value);
  /// Computes one of them before the loop.
  void hoist(mlir::Value value);

private:
  mlir::LoopLikeOpInterface loop;
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LOOPINVARIANTS_H
