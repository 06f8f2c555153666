//===- LayoutTestUtils.h - Layouts for tests --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H

#include "tilewright/Layout/Algebra/F2Span.h"
#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "tilewright/Layout/Shared/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <random>

namespace tilewright::test {

/// The same numbers on every machine: no standard distribution promises that.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  /// Uniform enough in 0 .. bound-1.
  uint64_t below(uint64_t bound) {
    return (uint64_t(engine()) << 32 | engine()) % bound;
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  llvm::SmallVector<int64_t, 4> shape(unsigned maxRank, unsigned maxBitsOfDim) {
    llvm::SmallVector<int64_t, 4> result(1 + below(maxRank));
    for (int64_t &extent : result)
      extent = int64_t(1) << below(maxBitsOfDim + 1);
    return result;
  }

  LinearLayout::Point point(llvm::ArrayRef<int64_t> shape) {
    LinearLayout::Point result;
    for (int64_t extent : shape)
      result.push_back(static_cast<int32_t>(below(extent)));
    return result;
  }

private:
  std::mt19937 engine;
};

inline LinearLayout::Point pointAt(uint64_t position,
                                   llvm::ArrayRef<int64_t> shape) {
  LinearLayout::Point point(shape.size());
  for (unsigned dim = shape.size(); dim-- > 0;) {
    point[dim] = static_cast<int32_t>(position % shape[dim]);
    position /= shape[dim];
  }
  return point;
}

inline int64_t elementsOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

inline LinearLayout layoutOf(std::vector<LinearLayout::Input> inputs,
                             llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(LinearLayout::create(std::move(inputs), shape));
}

inline LinearLayout productOf(llvm::ArrayRef<LayoutFactor> factors,
                              unsigned rank) {
  return llvm::cantFail(layoutFromFactors(factors, rank));
}

/// Any bases at all: neither surjective nor injective in general.
inline LinearLayout randomLayout(Random &random, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<llvm::StringRef> names,
                                 unsigned maxBitsOfInput) {
  std::vector<LinearLayout::Input> inputs;
  for (llvm::StringRef name : names) {
    inputs.push_back({name.str(), {}});
    for (uint64_t bits = random.below(maxBitsOfInput + 1); bits > 0; --bits)
      inputs.back().bases.push_back(random.point(shape));
  }
  return layoutOf(std::move(inputs), shape);
}

/// The bits of registers, 5 of lanes and some of warps dealt out at random
/// over a tile: each bit of the tile to one of them, and zero bases where too
/// few bits are left. With `mix`, an XOR with other bases on top.
inline LinearLayout randomRegisterLayout(Random &random,
                                         llvm::ArrayRef<int64_t> shape,
                                         unsigned warpBits, bool mix) {
  llvm::SmallVector<LinearLayout::Point> units;
  for (unsigned bit = 0; bit < llvm::Log2_64(elementsOf(shape)); ++bit)
    units.push_back(pointAt(uint64_t(1) << bit, shape));
  for (size_t left = units.size(); left > 1; --left)
    std::swap(units[left - 1], units[random.below(left)]);
  if (mix)
    for (size_t count = 0; count < units.size(); ++count) {
      size_t to = random.below(units.size()), from = random.below(units.size());
      if (to != from)
        for (auto [a, b] : llvm::zip(units[to], units[from]))
          a ^= b;
    }
  std::vector<LinearLayout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", {}}};
  LinearLayout::Point zero(shape.size(), 0);
  auto deal = [&](unsigned input, unsigned count) {
    for (; count > 0; --count) {
      bool copies = units.empty() || random.chance(5);
      inputs[input].bases.push_back(copies ? zero : units.pop_back_val());
    }
  };
  deal(1, 5);
  deal(2, warpBits);
  if (random.chance(10))
    deal(0, 1);
  deal(0, units.size());
  while (!units.empty())
    inputs[0].bases.push_back(units.pop_back_val());
  // Vectors need registers in order: let some layouts have them.
  if (!mix && random.chance(70))
    llvm::sort(inputs[0].bases, [](const auto &a, const auto &b) {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(),
                                          b.end());
    });
  return layoutOf(std::move(inputs), shape);
}

/// The bits of register and lane in another order.
inline LinearLayout randomOrderInWarps(Random &random,
                                       const LinearLayout &from) {
  llvm::SmallVector<LinearLayout::Point> pool(from.bases("register"));
  llvm::append_range(pool, from.bases("lane"));
  if (pool.empty())
    return from;
  for (unsigned swaps = 1 + random.below(6); swaps > 0; --swaps)
    std::swap(pool[random.below(pool.size())], pool[random.below(pool.size())]);
  unsigned numRegisters = from.numBits("register");
  return layoutOf({{"register", {pool.begin(), pool.begin() + numRegisters}},
                   {"lane", {pool.begin() + numRegisters, pool.end()}},
                   {"warp", from.bases("warp").vec()}},
                  from.shape());
}

/// A bijection from "offset" to the points of a tile.
inline SharedLayout randomSharedLayout(Random &random,
                                       llvm::ArrayRef<int64_t> shape) {
  unsigned bits = llvm::Log2_64(elementsOf(shape));
  SharedLayout layout = SharedLayout::rowMajor(shape);
  if (random.chance(30)) {
    llvm::SmallVector<int64_t, 4> order(shape.size());
    for (auto [index, dim] : llvm::enumerate(order))
      dim = index;
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random.below(left)]);
    layout = SharedLayout::ordered(shape, order);
  }
  if (random.chance(50))
    layout = layout.withSwizzle(1 + random.below(4), random.below(5),
                                1 + random.below(7));
  if (random.chance(10)) {
    F2Span span;
    LinearLayout::Input offset{"offset", {}};
    while (span.rank() < bits) {
      uint64_t vector = random.below(uint64_t(1) << bits);
      if (!span.contains(vector)) {
        span.insert(vector);
        offset.bases.push_back(pointAt(vector, shape));
      }
    }
    layout = llvm::cantFail(SharedLayout::create(layoutOf({offset}, shape)));
  }
  if (random.chance(40))
    layout = layout.withPadding(int64_t(1) << random.below(bits + 2),
                                random.chance(50) ? 1 << random.below(6)
                                                  : 1 + random.below(20));
  return layout;
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H
