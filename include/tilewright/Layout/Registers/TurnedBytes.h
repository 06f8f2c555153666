//===- TurnedBytes.h - Register layouts of bytes that are turned -*- C++
//-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of bytes go to shared memory along one dimension, and a product reads
// them along the other one. No instruction of the hardware turns bytes, so
// threads do: each has blocks of 16 x 4, reads 4 bytes of each of 16 rows, and
// writes 16 bytes of each of 4, which byte permutations make of them. 8 lanes
// write at once, two side by side where rows began, and four below each other:
// in rows of 128 bytes they are in all banks.
//
//   128 x 64, `to` 0, 4 warps:
//     register[16,4] lane[4,2] lane[1,4] warp[2,1] warp[1,2]
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_TURNEDBYTES_H
#define TILEWRIGHT_LAYOUT_REGISTERS_TURNEDBYTES_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright {

/// The layout of a matrix whose rows lie along the other dimension than `to`,
/// to which they are turned.
LinearLayout layOutTurnedBytes(llvm::ArrayRef<int64_t> shape, unsigned to,
                               unsigned numWarps);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_TURNEDBYTES_H
