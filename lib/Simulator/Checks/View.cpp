//===- View.cpp - What happened before, in all of the grid ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/View.h"
#include "llvm/ADT/STLExtras.h"

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

const BlockView *View::find(uint32_t block) const {
  const auto found =
      lower_bound(parts, block, [](const Part &part, uint32_t block) {
        return part.first < block;
      });
  return found != parts.end() && found->first == block ? found->second.get()
                                                       : nullptr;
}

ViewRef View::join(const ViewRef &left, const ViewRef &right) {
  if (!left || !right || left == right)
    return left ? left : right;
  auto joint = std::make_shared<View>();
  joint->parts.reserve(std::max(left->parts.size(), right->parts.size()));
  bool isLeft = true, isRight = true;
  auto l = left->parts.begin(), r = right->parts.begin();
  while (l != left->parts.end() || r != right->parts.end()) {
    if (r == right->parts.end() ||
        (l != left->parts.end() && l->first < r->first)) {
      isRight = false;
      joint->parts.push_back(*l++);
      continue;
    }
    if (l == left->parts.end() || r->first < l->first) {
      isLeft = false;
      joint->parts.push_back(*r++);
      continue;
    }
    std::shared_ptr<const BlockView> part = l->second;
    if (part != r->second) {
      BlockView both = joinParts(*l->second, *r->second);
      if (!(both == *l->second))
        part = both == *r->second
                   ? r->second
                   : std::make_shared<const BlockView>(std::move(both));
    }
    isLeft &= part == l->second;
    isRight &= part == r->second;
    joint->parts.emplace_back(l->first, std::move(part));
    ++l;
    ++r;
  }
  return isLeft ? left : isRight ? right : ViewRef(std::move(joint));
}

ViewRef View::with(const ViewRef &others, uint32_t block, BlockView own) {
  auto single = std::make_shared<View>();
  single->parts.emplace_back(block,
                             std::make_shared<const BlockView>(std::move(own)));
  return join(others, single);
}

} // namespace tilewright::sim
