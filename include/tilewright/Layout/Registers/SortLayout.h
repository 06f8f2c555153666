//===- SortLayout.h - Register layouts of rows in any order -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a sort compares stands next to each other more often than far apart. So
// a thread has neighbours, and few threads have a row. Memory is the other way
// round: lanes side by side have neighbours there. What is sorted may be in any
// order before, so that one is the other with places named anew.
//
//   4 x 256, 1 warp:   in memory   lane[1,8] lane[4,1] register[1,32]
//                      sorted      register[1,32] lane[1,8] lane[4,1]
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_SORTLAYOUT_H
#define TILEWRIGHT_LAYOUT_REGISTERS_SORTLAYOUT_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

/// Rows, along the last dimension, in as few threads as hold them.
LinearLayout layOutRows(llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// The same threads with places of rows that go by the registers of a vector
/// first, then by lanes, by warps, and by the other registers. Nothing where a
/// bit of a thread says more than a bit of a place.
std::optional<LinearLayout> spreadPlaces(const LinearLayout &rows,
                                         int64_t vector = 1);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_SORTLAYOUT_H
