//===- View.h - What happened before, in all of the grid --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view is what a release hands to whoever acquires it: up to which clock the
// accesses of each warp, of whatever block, happened before. It lies at the
// address of the flag or the lock until then, so that two threads are ordered
// only if one has seen what the other has written:
//
//   block 0: st.global [x], 1; bar.sync; atom.exch.release [lock], 0
//            the lock has the view {block 0: all warps up to now}
//   block 1: atom.cas.acquire [lock] joins it to what block 1 knows, and its
//            ld.global [x] is ordered
//
// Without the barrier the view has only the warp that released, and the stores
// of the others race. Views never change once they are made, and share what
// they have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_CHECKS_VIEW_H
#define TILEWRIGHT_LIB_SIMULATOR_CHECKS_VIEW_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::sim {

/// The warps of one block in a view.
struct BlockView {
  /// A warp of which some lanes are further than all are.
  struct Lanes {
    uint32_t warp = 0;
    std::array<uint32_t, 32> clocks = {};
    bool operator==(const Lanes &other) const {
      return warp == other.warp && clocks == other.clocks;
    }
  };
  std::vector<uint32_t> known;  ///< by warp and warpgroup, as in Clocks
  std::vector<uint32_t> fenced; ///< by thread, as in Clocks
  std::vector<Lanes> lanes;

  /// True if the access of `lane` (32: of several lanes) at `clock` is in it.
  bool covers(uint32_t warp, unsigned lane, uint32_t clock) const;
  /// The clock of the lane of `warp` that is furthest.
  uint32_t furthest(uint32_t warp) const;
  bool operator==(const BlockView &other) const {
    return known == other.known && fenced == other.fenced &&
           lanes == other.lanes;
  }
};

class View;
using ViewRef = std::shared_ptr<const View>; ///< null: nothing

/// A tree over the bits of blocks' numbers, from the highest in which they
/// differ on. Where each of many blocks hands on what it got from the one
/// before, each view adds a few nodes to those that there are, and to join two
/// takes no look at what they have in common.
class View {
public:
  /// Null if the view has nothing of the block.
  const BlockView *find(uint32_t block) const;
  /// What is in either; one of the two if it has all of the other.
  static ViewRef join(const ViewRef &left, const ViewRef &right);
  /// `others` and, of `block`, what `own` has.
  static ViewRef with(const ViewRef &others, uint32_t block, BlockView own);

private:
  bool isLeaf() const { return bit == 0; }
  /// Whether a block, or all blocks of a node below, would be below this one.
  bool isAbove(const View &other) const;
  const ViewRef &towards(uint32_t block) const {
    return block & bit ? one : zero;
  }

  static ViewRef makeLeaf(uint32_t block, BlockView own);
  static ViewRef makeNode(uint32_t prefix, uint32_t bit, ViewRef zero,
                          ViewRef one);
  static ViewRef joinLeaves(const ViewRef &left, const ViewRef &right);
  static ViewRef joinApart(const ViewRef &left, const ViewRef &right);
  static ViewRef joinBelow(const ViewRef &node, const ViewRef &below,
                           bool isLeftAbove);
  static ViewRef joinSides(const ViewRef &left, const ViewRef &right);

  /// The block of a leaf; of a node the bits above `bit`, which all of its
  /// blocks have.
  uint32_t prefix = 0;
  /// The one that tells the two sides of a node apart; 0: a leaf.
  uint32_t bit = 0;
  BlockView own;     ///< of a leaf
  ViewRef zero, one; ///< of a node: neither is null
};

/// What whoever sees a value is ordered after: in any block, and in its own.
struct SyncViews {
  ViewRef device, block;
  void join(const SyncViews &other) {
    device = View::join(device, other.device);
    block = View::join(block, other.block);
  }
};

/// Raises each element of `into` to that of `from`.
void joinClocks(std::vector<uint32_t> &into, const std::vector<uint32_t> &from);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_CHECKS_VIEW_H
