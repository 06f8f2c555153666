//===- LayoutHalves.h - Tiles that threads halve by themselves --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of `stride` along an axis go to the lower and the upper half by turns.
// If one bit of the registers says which, each thread has its part of both
// halves in registers of its own, and nothing moves:
//
//   register[1,2] lane[4,8] register[2,1]       an 8 x 16 tile
//   axis 0, stride 4:                           rows 0 to 3, rows 4 to 7
//   register[1,2] lane[4,8]                     both halves, 4 x 16
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTHALVES_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTHALVES_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

struct LayoutHalves {
  /// Of both halves.
  LinearLayout half;
  /// For each register of a half, that of the whole.
  llvm::SmallVector<unsigned> lower, upper;
};

/// None where a thread would have to look elsewhere for its part of a half.
std::optional<LayoutHalves> halveLayout(const LinearLayout &whole,
                                        unsigned axis, int64_t stride);

/// The same with one bit exchanged, so that threads have both halves: what says
/// which one becomes the first bit of the registers, and what that was takes
/// its place.
///
///   lane[2,1] register[1,4] lane[4,4]           an 8 x 16 tile
///   axis 0, stride 1:
///   register[2,1] lane[1,2] register[1,2] lane[4,4]
///
/// None where no single bit says which half an element is in.
std::optional<LinearLayout> bringHalvesTogether(const LinearLayout &whole,
                                                unsigned axis, int64_t stride);

/// The layout of copies along an axis of extent 1: each thread has all those of
/// an element that it has, side by side.
LinearLayout repeatInRegisters(const LinearLayout &one, unsigned axis,
                               int64_t copies);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTHALVES_H
