//===- LikelySteps.h - How far neighbours are apart, likely -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AxisInfo says what holds of neighbours in a tile of addresses; where that is
// nothing, lanes go along one of its dimensions all the same. Of a block of an
// image, which a convolution multiplies:
//
//   n = pixels // (H * W); h = pixels // W % H; w = pixels % W
//   x + n[:, None] * stride_n + channels[None, :] * stride_c
//     + h[:, None] * stride_h + w[:, None]
//
//   along pixels     1: mostly only `w` changes, as the remainder of a count
//   along channels   nothing is known of `stride_c`
//
// so that lanes of one line are those along pixels. It is a guess: nothing that
// has to be right may hang on it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_LIKELYSTEPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_LIKELYSTEPS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

namespace tilewright::tile {

/// What an unknown stride counts as: more than any that is known.
inline constexpr int64_t kFarStep = AxisInfo::kMaxDivisibility;

/// How far most neighbours along the dimension are apart in a tile of integers,
/// or of pointers, in elements: 0 where they are equal, at most kFarStep.
int64_t getLikelyStep(mlir::Value tile, unsigned dim,
                      const AxisInfoAnalysis &axes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_LIKELYSTEPS_H
