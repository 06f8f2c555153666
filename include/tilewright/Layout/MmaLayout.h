//===- MmaLayout.h - Register layouts of mma.sync ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp multiplies with `mma.sync.m16n8kK`: 16 x K times K x 8 gives 16 x 8.
// Registers are 32-bit words; with w elements a word (2 of f16, 4 of i8, 1 of
// tf32), K = 8 * w, and the fragments are (PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and its siblings)
//
//   D, 16 x 8   register[1,2] lane[8,4] register[2,1]
//   A, 16 x K   register[1,w] lane[8,4] register[2,1] register[1,2]
//   B, K x 8    register[w,1] lane[4,1] lane[1,8] register[2,1]
//
// A tile is covered by repeating fragments over registers, then over warps. The
// layout of the accumulator decides; the operands' follow from it: A has its
// rows and all of K, B its columns and all of K.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_MMALAYOUT_H
#define TILEWRIGHT_LAYOUT_MMALAYOUT_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright {

/// Extents of one instruction, for elements of 1, 2 or 4 bytes.
struct MmaShape {
  int64_t m = 16, n = 8, k = 16;
  /// Elements a 32-bit word.
  int64_t perWord = 2;
  static MmaShape get(unsigned elementBytes) {
    int64_t perWord = 4 / static_cast<int64_t>(elementBytes);
    return {16, 8, 8 * perWord, perWord};
  }
  /// Registers, in elements, of one fragment of each matrix a thread.
  int64_t registersOfA() const { return 4 * perWord; }
  int64_t registersOfB() const { return 2 * perWord; }
  int64_t registersOfD() const { return 4; }
};

/// The accumulator of a tile of M x N, at least 16 x 8, over `numWarps` warps:
/// warps stand in the grid that makes their parts as square as they can be.
/// Warps that find nothing left hold copies.
LinearLayout mmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape,
                                  unsigned numWarps);

/// The layout that operand 0 (A, M x K) or 1 (B, K x N) needs beside this
/// accumulator. K is at least that of the instruction.
LinearLayout mmaOperandLayout(unsigned operand, int64_t k,
                              unsigned elementBytes,
                              const LinearLayout &accumulator);

/// Whether a layout is one that mmaAccumulatorLayout could make: fragments in
/// its first registers and lanes.
bool isMmaAccumulatorLayout(const LinearLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_MMALAYOUT_H
