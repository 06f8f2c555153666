//===- FmaLayout.h - Register layouts of products by FMA --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product without tensor cores is the outer products of columns of A with
// rows of B, one for each step along K. A thread that holds r rows and c
// columns of the result does r * c FMAs a step with r + c elements that it
// reads from shared memory: a square of registers, as large as possible, reads
// least.
//
// The lanes of a warp stand in 4 rows of 8, and each reads its rows and columns
// in runs of 4, 16 bytes of f32, wherever the operand is contiguous along them:
//
//   128 x 128, 8 warps:   register[4,4]               a block of 4 x 4
//                         lane[1,2] lane[2,1] lane[1,2] lane[2,1] lane[1,2]
//                         register[2,2]               4 such blocks, 8 x 8
//                         warp[4,2]
//
// Bits of rows and columns alternate in a lane's number for the sake of the
// banks. All 8 lanes of a row read the same elements of A. Hardware serves
// 16-byte reads in two halves of a warp, rather than in four quarters, where
// lanes l and l ^ 1 (or l and l ^ 2) have the same address (BankModel.h). Here
// they have, l ^ 1 for A and l ^ 2 for B.
//
// The operands' layouts follow from the accumulator's. A has its rows and all
// of K, B its columns and all of K, both as registers along K; lanes and warps
// beside one another hold copies.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_FMALAYOUT_H
#define TILEWRIGHT_LAYOUT_REGISTERS_FMALAYOUT_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright {

/// The accumulator of a tile of M x N, at least 4 x 8, over `numWarps` warps.
/// Warps that find nothing left hold copies. An operand that is computed of
/// nothing, as a triangle of ones, is not read: threads have as few elements of
/// the other one as they can.
LinearLayout fmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape,
                                  unsigned numWarps, bool readsA = true,
                                  bool readsB = true);

/// The layout that operand 0 (A, M x K) or 1 (B, K x N) needs beside this
/// accumulator.
LinearLayout fmaOperandLayout(unsigned operand, int64_t k,
                              const LinearLayout &accumulator);

/// Whether rows and columns go their own ways: each bit of the layout stands
/// for rows or for columns, or for copies.
bool isFmaAccumulatorLayout(const LinearLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_FMALAYOUT_H
