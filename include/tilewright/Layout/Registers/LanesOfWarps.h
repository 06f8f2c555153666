//===- LanesOfWarps.h - The same elements in other lanes --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that have 8 elements side by side store them as two vectors of 4 f32,
// of which each instruction of a warp has every other one. Where lanes change
// elements first, an instruction stores what lies side by side:
//
//   register[8] lane[32] warp[4]   ->   register[4] lane[32] register[2]
//   warp[4]
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_LANESOFWARPS_H
#define TILEWRIGHT_LAYOUT_REGISTERS_LANESOFWARPS_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

/// The elements that each warp has in `registers` (inputs "register", "lane",
/// "warp"), as vectors of `vectorElements` (a power of two) along the last
/// dimension, which the lanes have side by side. None where lanes have copies,
/// or there are fewer elements.
std::optional<LinearLayout> coalescedByLanes(const LinearLayout &registers,
                                             unsigned vectorElements);

/// A name of which elements each warp has: layouts of one shape with the same
/// name give each warp the same ones. Empty where warps have copies.
llvm::SmallVector<int32_t> nameElementsOfWarps(const LinearLayout &registers);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_LANESOFWARPS_H
