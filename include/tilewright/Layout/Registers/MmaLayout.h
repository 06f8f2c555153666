//===- MmaLayout.h - Register layouts of mma.sync ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp multiplies with `mma.sync.m16n8kK`: 16 x K times K x 8 gives 16 x 8.
// With w elements in a 32-bit word (2 of f16, 4 of i8, 1 of tf32; f64 has words
// of its own, w = 1), K = 8 * w, and the fragments are (PTX ISA, "Matrix
// Fragments for mma.m16n8k16" and its siblings)
//
//   D, 16 x 8   register[1,2] lane[8,4] register[2,1]
//   A, 16 x K   register[1,w] lane[8,4] register[2,1] register[1,2]
//   B, K x 8    register[w,1] lane[4,1] lane[1,8] register[2,1]
//
// A tile is covered by repeating fragments over registers, then over warps. The
// layout of the accumulator decides; the operands' follow from it: A has its
// rows and all of K, B its columns and all of K.
//
// **Which** 16 rows, 8 columns and K steps along K an instruction takes is
// free: a product is the same with its rows, its columns or its steps in
// another order. So a bit of a fragment may stand for any bit of a row (or
// column) of the tile. That widens reads of operands whose contiguous dimension
// is not K, which ldmatrix turns for elements of 2 bytes only. Take f32 and an
// A that is contiguous along M. Above, a lane's two words in a column are those
// of rows r and r + 8. As rows 2r and 2r + 1,
//
//   A, 16 x K   register[2,1] lane[8,4] register[1,2]
//
// they are one read of 8 bytes, into two registers that stand side by side, as
// the instruction wants them. Longer runs of rows are shared out to several
// instructions, and runs of columns of B always are: they come in one read too,
// but each word has to be moved to its fragment. So a B that is contiguous
// along N had better be the instruction's A: the product is then made
// *transposed*, B^T times A^T, and its accumulator is D^T.
//
// Steps along K are renamed for f64, which ldmatrix does not move: a thread has
// steps 2t and 2t + 1, which one read gives, instead of t and t + 4.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_MMALAYOUT_H
#define TILEWRIGHT_LAYOUT_REGISTERS_MMALAYOUT_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright {

/// Extents of one instruction, for elements of 1, 2, 4 or 8 bytes.
struct MmaShape {
  int64_t m = 16, n = 8, k = 16;
  /// Elements a word: 32 bits, or one element of 64.
  int64_t perWord = 2;
  static MmaShape get(unsigned elementBytes) {
    int64_t perWord = elementBytes == 8 ? 1 : 4 / int64_t(elementBytes);
    return {16, 8, 8 * perWord, perWord};
  }
  /// Words of one fragment of each operand, and elements of one of D, a thread.
  static constexpr int64_t wordsOfA = 4, wordsOfB = 2, registersOfD = 4;
};

/// How many adjacent rows of A and columns of B a thread should have, and
/// whether the instruction makes D transposed: B's columns are then its rows.
struct MmaRuns {
  int64_t rows = 1, columns = 1;
  bool transposed = false;
};

/// The accumulator of a tile of M x N, at least 16 x 8, over `numWarps` warps:
/// warps stand in the grid that makes their parts as square as they can be.
/// Warps that find nothing left hold copies. Runs are powers of two, and are
/// cut to what the part of a warp has room for. With `gridShape` they stand as
/// they would over a tile of that shape, where each finds a part here, too.
LinearLayout mmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape,
                                  unsigned numWarps, MmaRuns runs = {},
                                  llvm::ArrayRef<int64_t> gridShape = {});

/// The layout that operand 0 (A, M x K) or 1 (B, K x N) needs beside this
/// accumulator. K is at least half of that of the instruction; of a half, the
/// other one is zeros that no register holds.
LinearLayout mmaOperandLayout(unsigned operand, int64_t k,
                              unsigned elementBytes,
                              const LinearLayout &accumulator);

/// Whether an accumulator's fragments are transposed ones, of B^T times A^T.
bool isTransposedMmaAccumulator(const LinearLayout &layout);

/// Whether each bit of the layout stands for rows where fragments of D have
/// rows, and for columns where they have columns, or all the other way round.
bool isMmaAccumulatorLayout(const LinearLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_MMALAYOUT_H
