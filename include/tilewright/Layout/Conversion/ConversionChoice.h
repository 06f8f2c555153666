//===- ConversionChoice.h - Registers, shuffles or memory -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile gets from one register layout to another in one of three ways:
//
//   * each thread has its elements already: other names for registers;
//   * each warp has them: shuffles (ShufflePlan.h);
//   * else, or where it takes fewer cycles, through shared memory.
//
// Shuffles and shared memory use the same data banks, a wavefront a cycle. So
// the two ways are compared by cycles of an SM that does nothing else:
//
//      shuffles   of all warps, 1 a shuffle, 1/2 a select or move
//      memory     1 a wavefront of the store and the load, and a barrier
//
// where the wavefronts are those of the best layout (SharedLayoutChoice.h).
// Equal ones go to shuffles: a shared tile takes bytes, and with them blocks.
//
// 4 x 32 floats in one warp, from register[4,1] lane[1,32] to
// lane[4,1] register[1,4] lane[1,8], exchange two bits: 4 shuffles and 12
// selects, 10 cycles, against 4 + 4 wavefronts and 14 for a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_CONVERSION_CONVERSIONCHOICE_H
#define TILEWRIGHT_LAYOUT_CONVERSION_CONVERSIONCHOICE_H

#include "tilewright/Layout/Conversion/ShufflePlan.h"

#include <string>

namespace tilewright {

/// Cycles from the first warp's bar.sync to the last one's next instruction:
/// 12 + 2 for each warp, on an H200 with one block on an SM, measured for 1, 4,
/// 8, 16 and 32 warps (14, 20, 28, 44, 76).
constexpr double cyclesOfBarrier(int64_t warps) { return 12.0 + 2.0 * warps; }

enum class ConversionWay { Registers, Shuffles, SharedMemory };

struct ConversionChoice {
  ConversionWay way = ConversionWay::SharedMemory;
  /// Where a warp has what it needs, but not each thread.
  std::optional<ShufflePlan> plan;
  int64_t warps = 1;
  /// Wavefronts of the store and the load of all warps; none without a plan,
  /// and where shared memory cannot hold the tile.
  std::optional<int64_t> wavefronts;

  /// Cycles of the shuffles of all warps; 0 without a plan.
  double getShuffleCycles() const {
    return plan ? static_cast<double>(warps) * plan->getCycles() : 0;
  }
  /// 0 without wavefronts.
  double getSharedCycles() const {
    return wavefronts
               ? static_cast<double>(*wavefronts) + cyclesOfBarrier(warps)
               : 0;
  }
  /// A clause with the numbers, without a capital or a full stop.
  std::string getReason() const;
};

/// Decides about a conversion of elements of 1, 2, 4, 8 or 16 bytes between
/// layouts with inputs "register", "lane" and "warp".
ConversionChoice chooseConversion(const LinearLayout &from,
                                  const LinearLayout &to,
                                  unsigned elementBytes);

/// The cycles of the way that is chosen; infinitely many where shared memory
/// would be it and cannot hold the tile.
double countConversionCycles(const LinearLayout &from, const LinearLayout &to,
                             unsigned elementBytes);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_CONVERSION_CONVERSIONCHOICE_H
