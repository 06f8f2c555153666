//===- ViewTest.cpp - What releases hand to who acquires ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/View.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace tilewright::sim;

namespace {

/// A view, and what should be in it.
struct Pair {
  ViewRef view;
  std::map<uint32_t, BlockView> expected;
};

BlockView makeOwn(std::mt19937 &random) {
  BlockView own;
  own.known = {uint32_t(random() % 4), uint32_t(random() % 4)};
  own.fenced = {uint32_t(random() % 4)};
  if (random() % 2 == 0) {
    BlockView::Lanes lanes;
    lanes.warp = random() % 2;
    for (uint32_t &clock : lanes.clocks)
      clock = random() % 6;
    own.lanes.push_back(lanes);
  }
  return own;
}

/// What one block's views say together, by their own rules.
BlockView join(const BlockView &left, const BlockView &right) {
  const ViewRef both =
      View::join(View::with(nullptr, 0, left), View::with(nullptr, 0, right));
  return *both->find(0);
}

Pair join(const Pair &left, const Pair &right) {
  Pair both = {View::join(left.view, right.view), left.expected};
  for (const auto &[block, own] : right.expected) {
    const auto [place, isNew] = both.expected.try_emplace(block, own);
    if (!isNew)
      place->second = join(place->second, own);
  }
  return both;
}

/// Blocks beside each other, and far apart.
uint32_t drawBlock(std::mt19937 &random) {
  const uint32_t block = random() % 40;
  return random() % 4 == 0 ? block << 26 | block : block;
}

void expectRight(const Pair &pair) {
  for (const auto &[block, own] : pair.expected) {
    const BlockView *found = pair.view->find(block);
    ASSERT_NE(found, nullptr) << block;
    EXPECT_EQ(*found, own) << block;
  }
  for (uint32_t block = 0; block != 64; ++block)
    if (pair.expected.count(block) == 0 && pair.view)
      EXPECT_EQ(pair.view->find(block), nullptr) << block;
}

TEST(View, HasAllThatWasJoined) {
  std::mt19937 random(7);
  for (unsigned round = 0; round != 50; ++round) {
    std::vector<Pair> pairs(4);
    for (unsigned step = 0; step != 60; ++step) {
      Pair &into = pairs[random() % pairs.size()];
      const Pair &from = pairs[random() % pairs.size()];
      if (random() % 3 == 0) {
        into = join(into, from);
        expectRight(into);
        continue;
      }
      const uint32_t block = drawBlock(random);
      BlockView own = makeOwn(random);
      Pair single = {View::with(nullptr, block, own), {{block, own}}};
      const ViewRef with = View::with(into.view, block, own);
      into = join(into, single);
      expectRight(into);
      expectRight({with, into.expected});
    }
  }
}

/// So nobody joins what it has joined already.
TEST(View, IsTheOneThatHasAllOfTheOther) {
  BlockView early, late;
  early.known = {1, 1};
  late.known = {2, 2};
  const ViewRef small = View::with(nullptr, 5, early);
  const ViewRef large = View::with(View::with(small, 9, early), 5, late);
  EXPECT_EQ(View::join(small, large), large);
  EXPECT_EQ(View::join(large, small), large);
  EXPECT_EQ(View::join(large, large), large);
  EXPECT_EQ(View::join(nullptr, large), large);
  EXPECT_EQ(View::join(large, nullptr), large);
  EXPECT_EQ(View::with(large, 9, early), large);
}

/// Each of many blocks takes what the one before handed on, and adds itself: a
/// counter that all of them raise by acq_rel. In steps times blocks this does
/// not end.
TEST(View, GrowsByFewSteps) {
  constexpr uint32_t blocks = 1 << 18;
  BlockView own;
  own.known = {1};
  ViewRef flag;
  for (uint32_t block = 0; block != blocks; ++block)
    flag = View::join(flag, View::with(flag, block, own));
  for (uint32_t block = 0; block != blocks; ++block)
    ASSERT_NE(flag->find(block), nullptr) << block;
  EXPECT_EQ(flag->find(blocks), nullptr);
}

} // namespace
