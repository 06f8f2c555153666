//===- View.cpp - What happened before, in all of the grid ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/View.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace tilewright::sim {

void joinClocks(std::vector<uint32_t> &into,
                const std::vector<uint32_t> &from) {
  into.resize(std::max(into.size(), from.size()), 0);
  for (size_t i = 0; i != from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

bool BlockView::covers(uint32_t warp, unsigned lane, uint32_t clock) const {
  if (warp < known.size() && known[warp] >= clock)
    return true;
  const auto found = find_if(
      lanes, [&](const Lanes &candidate) { return candidate.warp == warp; });
  if (found == lanes.end())
    return false;
  return lane < found->clocks.size() ? found->clocks[lane] >= clock
                                     : *min_element(found->clocks) >= clock;
}

uint32_t BlockView::furthest(uint32_t warp) const {
  uint32_t clock = warp < known.size() ? known[warp] : 0;
  for (const Lanes &candidate : lanes)
    if (candidate.warp == warp)
      clock = std::max(clock, *max_element(candidate.clocks));
  return clock;
}

static BlockView joinParts(BlockView left, const BlockView &right) {
  joinClocks(left.known, right.known);
  joinClocks(left.fenced, right.fenced);
  for (const BlockView::Lanes &more : right.lanes) {
    const auto found =
        find_if(left.lanes, [&](const BlockView::Lanes &candidate) {
          return candidate.warp == more.warp;
        });
    if (found == left.lanes.end()) {
      left.lanes.push_back(more);
      continue;
    }
    for (auto [into, from] : zip(found->clocks, more.clocks))
      into = std::max(into, from);
  }
  // Lanes that the whole warp has overtaken say nothing.
  erase_if(left.lanes, [&](const BlockView::Lanes &candidate) {
    return candidate.warp < left.known.size() &&
           *max_element(candidate.clocks) <= left.known[candidate.warp];
  });
  return left;
}

/// The bits of a block's number above `bit`.
static uint32_t above(uint32_t block, uint32_t bit) {
  return block & ~(2 * bit - 1);
}

bool View::isAbove(const View &other) const {
  return bit > other.bit && above(other.prefix, bit) == prefix;
}

const BlockView *View::find(uint32_t block) const {
  const View *at = this;
  while (!at->isLeaf()) {
    if (above(block, at->bit) != at->prefix)
      return nullptr;
    at = at->towards(block).get();
  }
  return at->prefix == block ? &at->own : nullptr;
}

ViewRef View::makeLeaf(uint32_t block, BlockView own) {
  auto leaf = std::make_shared<View>();
  leaf->prefix = block;
  leaf->own = std::move(own);
  return leaf;
}

ViewRef View::makeNode(uint32_t prefix, uint32_t bit, ViewRef zero,
                       ViewRef one) {
  auto node = std::make_shared<View>();
  node->prefix = prefix;
  node->bit = bit;
  node->zero = std::move(zero);
  node->one = std::move(one);
  return node;
}

ViewRef View::join(const ViewRef &left, const ViewRef &right) {
  if (!left || !right || left == right)
    return left ? left : right;
  if (left->isAbove(*right))
    return joinBelow(left, right, /*isLeftAbove=*/true);
  if (right->isAbove(*left))
    return joinBelow(right, left, /*isLeftAbove=*/false);
  if (left->bit != right->bit || left->prefix != right->prefix)
    return joinApart(left, right);
  return left->isLeaf() ? joinLeaves(left, right) : joinSides(left, right);
}

/// Joins two views of one block.
ViewRef View::joinLeaves(const ViewRef &left, const ViewRef &right) {
  BlockView both = joinParts(left->own, right->own);
  if (both == left->own)
    return left;
  return both == right->own ? right : makeLeaf(left->prefix, std::move(both));
}

/// They have no block in common.
ViewRef View::joinApart(const ViewRef &left, const ViewRef &right) {
  const uint32_t bit = bit_floor(left->prefix ^ right->prefix);
  const bool isLeftOne = (left->prefix & bit) != 0;
  return makeNode(above(left->prefix, bit), bit, isLeftOne ? right : left,
                  isLeftOne ? left : right);
}

/// All of `below` goes to one side of `node`.
ViewRef View::joinBelow(const ViewRef &node, const ViewRef &below,
                        bool isLeftAbove) {
  const ViewRef &side = node->towards(below->prefix);
  ViewRef joint = isLeftAbove ? join(side, below) : join(below, side);
  if (joint == side)
    return node;
  const bool isOne = &side == &node->one;
  return makeNode(node->prefix, node->bit, isOne ? node->zero : joint,
                  isOne ? joint : node->one);
}

ViewRef View::joinSides(const ViewRef &left, const ViewRef &right) {
  ViewRef zero = join(left->zero, right->zero);
  ViewRef one = join(left->one, right->one);
  if (zero == left->zero && one == left->one)
    return left;
  if (zero == right->zero && one == right->one)
    return right;
  return makeNode(left->prefix, left->bit, std::move(zero), std::move(one));
}

ViewRef View::with(const ViewRef &others, uint32_t block, BlockView own) {
  return join(others, makeLeaf(block, std::move(own)));
}

} // namespace tilewright::sim
