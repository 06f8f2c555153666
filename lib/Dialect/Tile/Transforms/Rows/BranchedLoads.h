//===- BranchedLoads.h - Loads that a branch makes or leaves ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop loads ahead is loaded in a branch, or is zeros behind the last
// iteration. A load of a view without elements is zeros as well, and needs no
// branch.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BRANCHEDLOADS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BRANCHEDLOADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {

/// Loads in front of a branch that loads or takes zeros, of a view that has no
/// elements where the branch would not load: those that are wanted, of which
/// nothing but the branch's result is made.
void loadWithoutBranch(
    mlir::scf::IfOp branch,
    llvm::function_ref<bool(GlobalAccessOpInterface)> isWanted);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BRANCHEDLOADS_H
