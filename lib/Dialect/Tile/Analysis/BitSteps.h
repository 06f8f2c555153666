//===- BitSteps.h - How far bits of coordinates move ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that are put together of bits of others, as a Fourier transform has
// the elements of its first step, are linear over bits: each bit of a
// coordinate, if it is set, moves them by a step of its own.
//
//   i = iota                   of 8: bits 0, 1, 2 move by 1, 2, 4
//   r = (i & 1) << 2 | i & 2 | i >> 2
//                              by 4, 2, 1
//   x + r                      neighbours are elements 0 and 4
//
// It is a guess, since what is added for all elements may carry: nothing that
// has to be right may hang on it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_BITSTEPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_BITSTEPS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

namespace tilewright::tile {

/// For each dimension, and each bit of the coordinate along it, the step.
using BitSteps = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// The steps of a tile of integers, or of pointers in elements; none where it
/// is not known to be linear.
std::optional<BitSteps> findBitSteps(mlir::Value tile,
                                     const AxisInfoAnalysis &axes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_BITSTEPS_H
