//===- Clocks.h - What a warp is ordered after ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_CHECKS_CLOCKS_H
#define TILEWRIGHT_LIB_SIMULATOR_CHECKS_CLOCKS_H

#include "Checks/View.h"
#include <cstdint>
#include <vector>

namespace tilewright::sim {

/// A vector clock (see RaceShadow.h), and what travels with it from whoever
/// arrives at a barrier to whoever waits there.
struct Clocks {
  /// By warp, then by warpgroup, then by AsyncAgent: the clock up to which its
  /// accesses are ordered before now. A warpgroup has a clock of its own for
  /// the products that it started: they go on beside the warps, and end for all
  /// who know of a wait. So do copies.
  std::vector<uint32_t> known;
  /// By thread, then as `known` from the agents on: the clock up to which its
  /// writes are visible to the async proxy, by `fence.proxy.async`. Empty where
  /// there was none.
  std::vector<uint32_t> fenced;
  /// The same of other blocks; null, where nothing was acquired from any.
  ViewRef foreign;
  /// What a strong write hands over, by the fences before it. It stands here,
  /// as the fence may be that of another thread, in front of a barrier.
  SyncViews released;

  bool empty() const { return known.empty(); }
  void join(const Clocks &other) {
    joinClocks(known, other.known);
    joinClocks(fenced, other.fenced);
    foreign = View::join(foreign, other.foreign);
    released.join(other.released);
  }
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_CHECKS_CLOCKS_H
