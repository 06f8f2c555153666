//===- BatchLayout.h - Register layouts of several products -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of three dimensions are multiplied matrix by matrix. Their layouts are
// those of one matrix, and more bits that say which one it is: the upper bits
// of the warp as far as there are warps, the upper bits of the registers for
// the rest. So what a thread has of one matrix stands in a row.
//
//   8 x 16 x 16, 4 warps:   register[1,1,2] lane[1,8,4] register[1,2,2]
//                           warp[4,1,1] register[2,1,1]
//
// A warp by itself has whole matrices then, and shares no operand with others.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_BATCHLAYOUT_H
#define TILEWRIGHT_LAYOUT_REGISTERS_BATCHLAYOUT_H

#include "tilewright/Layout/Algebra/LinearLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright {

/// The accumulator of so many products over `numWarps` warps. `one` gives that
/// of one of them over fewer warps.
LinearLayout
batchAccumulatorLayout(int64_t batch, unsigned numWarps,
                       llvm::function_ref<LinearLayout(unsigned)> one);

/// The layout of one matrix. Warps that have others hold copies.
LinearLayout dropBatch(const LinearLayout &layout);

/// The layout of as many matrices as `batch` has, each of them in `matrix`.
LinearLayout addBatch(const LinearLayout &matrix, const LinearLayout &batch);

/// Whether bits that say which matrix it is say nothing else, and are the upper
/// ones of the registers, or those of warps.
bool isBatchLayout(const LinearLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_BATCHLAYOUT_H
