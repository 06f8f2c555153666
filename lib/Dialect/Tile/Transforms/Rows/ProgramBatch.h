//===- ProgramBatch.h - Several programs as one -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs from program to program gets a dimension in front, one place for
// each program of the block; what all have alike stays as it is. With two
// programs a block,
//
//   %p = tile.program_id 0
//   %q = tile.addptr %x, %p : !tile.ptr<f32>, index
//   %v = tile.load %q : !tile.ptr<f32>
// becomes
//   %ps = %first + [0, 1] : tensor<2xindex>
//   %qs = tile.addptr %xs, %ps : tensor<2x!tile.ptr<f32>>, tensor<2xindex>
//   %vs = tile.load %qs mask %ps < %programs : tensor<2x!tile.ptr<f32>>
//
// A branch that programs take or not is done both ways, under masks, and each
// program has the results of its own; a loop whose trips differ runs while the
// first program has some left.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWS_PROGRAMBATCH_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWS_PROGRAMBATCH_H

#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"

namespace tilewright::tile {

/// Has each block run `numPrograms` programs that follow one another along an
/// axis. `differences` knows of that axis, and has found no obstacle.
void batchPrograms(KernelOp kernel, unsigned axis, int64_t numPrograms,
                   const ProgramDifferences &differences);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWS_PROGRAMBATCH_H
