//===- CarriedTiles.h - Tiles that go through region ops --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop or a branch hands values on as they are: what comes in at one place
// has one type at all places that it may come out of.
//
//   %r = scf.for ... iter_args(%x = %a) {   inputs   %x, %r
//     scf.yield %y                          feeders  %y, %a
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_CARRIEDTILES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_CARRIEDTILES_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace tilewright::tile {

/// A tile that a region op hands on, under all its names.
struct CarriedTile {
  /// Arguments of regions, then results of the op: at least one.
  llvm::SmallVector<mlir::Value> inputs;
  /// What they may be: operands of terminators, then of the op.
  llvm::SmallVector<mlir::OpOperand *> feeders;
};

/// All such tiles of an op.
llvm::SmallVector<CarriedTile>
getCarriedTiles(mlir::RegionBranchOpInterface op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_CARRIEDTILES_H
