//===- ProgramLoop.h - A loop over programs ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a persistent kernel run one program after the other:
//
//   scf.for %program = %block to %programs step %blocks { ... } {tile.programs}
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMLOOP_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Makes the kernel persistent: puts what it does into a loop over its
/// programs, less what all of them compute alike. With `phases` a block takes
/// programs whose numbers differ by multiples of so many one after the other,
/// in a loop of their own:
///
///   scf.for %phase = %first to %end {
///     scf.for %program = %from to %to step %phases { ... } {tile.programs}
///   } {tile.programs}
///
/// Of programs that differ in no number that they ask for it runs one, or all
/// of them, in a loop around this one.
mlir::scf::ForOp makeProgramLoop(KernelOp kernel, int64_t phases = 1,
                                 bool runsAll = false);

/// Says of a loop that its iterations are programs, which have no order.
void markProgramLoop(mlir::scf::ForOp loop);

/// Takes what all programs of a loop compute alike out of it, but for tiles,
/// which would keep their registers all the time.
void moveOutOfPrograms(mlir::scf::ForOp loop);

/// Loops whose iterations are one program each.
llvm::SmallVector<mlir::scf::ForOp> findProgramLoops(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMLOOP_H
