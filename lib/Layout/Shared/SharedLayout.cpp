//===- SharedLayout.cpp - Where a tile stands in shared memory ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SharedLayout.h"

#include "tilewright/Layout/Algebra/OffsetBits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;
using namespace tilewright;

static constexpr int64_t maxPaddedElements = int64_t(1) << 40;

SharedLayout::SharedLayout(LinearLayout linear)
    : offsetToPoint(std::move(linear)), offsetOfPoint(offsetToPoint.invert()) {}

SharedLayout SharedLayout::rowMajor(ArrayRef<int64_t> shape) {
  return ordered(shape, to_vector<4>(reverse(seq<int64_t>(shape.size()))));
}

SharedLayout SharedLayout::ordered(ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> order) {
  assert(order.size() == shape.size() && "order is a permutation");
  LinearLayout::Input offset{"offset", {}};
  for (int64_t dim : order)
    for (unsigned bit = 0; bit < Log2_64(shape[dim]); ++bit) {
      offset.bases.emplace_back(shape.size(), 0);
      offset.bases.back()[dim] = static_cast<int32_t>(uint32_t(1) << bit);
    }
  return SharedLayout(cantFail(LinearLayout::create({offset}, shape)));
}

Expected<SharedLayout> SharedLayout::create(LinearLayout offsetToPoint,
                                            int64_t padInterval,
                                            int64_t padAmount) {
  if (offsetToPoint.inputs().size() != 1 || !offsetToPoint.hasInput("offset"))
    return createStringError(
        "a shared layout has one input, named 'offset'; this one is " +
        offsetToPoint.toString());
  if (!offsetToPoint.isBijective())
    return createStringError(
        "a shared layout must put each element of the tile at one offset of "
        "its own; this one does not: " +
        offsetToPoint.toString());
  if (padAmount < 0)
    return createStringError("padding of " + Twine(padAmount) +
                             " elements is negative");
  if (padAmount == 0)
    return SharedLayout(std::move(offsetToPoint));
  if (padInterval <= 0 || !isPowerOf2_64(padInterval))
    return createStringError("padding interval " + Twine(padInterval) +
                             " is not a power of two");
  int64_t gaps = (offsetToPoint.numElements() - 1) / padInterval;
  if (gaps && padAmount > maxPaddedElements / gaps)
    return createStringError("padding of " + Twine(padAmount) +
                             " elements makes the tile too large");
  return SharedLayout(std::move(offsetToPoint))
      .withPadding(padInterval, padAmount);
}

SharedLayout SharedLayout::withPadding(int64_t padInterval,
                                       int64_t padAmount) const {
  assert(padAmount >= 0 && "padding cannot be negative");
  assert((padAmount == 0 || isPowerOf2_64(padInterval)) &&
         "a padding interval is a power of two");
  SharedLayout result = *this;
  // No element lies behind a gap that is as far as the end of the tile.
  bool moves = padAmount != 0 && padInterval < numElements();
  result.interval = moves ? padInterval : 0;
  result.amount = moves ? padAmount : 0;
  return result;
}

SharedLayout SharedLayout::withSwizzle(unsigned bits, unsigned base,
                                       unsigned shift) const {
  assert(shift >= 1 && "a swizzle XORs bits into lower ones");
  std::vector<LinearLayout::Point> bases = linear().bases("offset").vec();
  // The swizzle is XORs of bit `to + shift` into bit `to`, lowest first; here
  // stands its inverse, from the new offset to the old one and its element.
  for (uint64_t to = base; to < uint64_t(base) + bits; ++to) {
    uint64_t from = to + shift;
    if (from >= bases.size())
      break;
    for (auto [coordinate, of] : zip_equal(bases[from], bases[to]))
      coordinate ^= of;
  }
  SharedLayout result(
      cantFail(LinearLayout::create({{"offset", std::move(bases)}}, shape())));
  result.interval = interval;
  result.amount = amount;
  return result;
}

int64_t SharedLayout::linearOffset(ArrayRef<int32_t> point) const {
  assert(point.size() == shape().size() && "one coordinate a dimension");
  int64_t offset = 0;
  for (auto [coordinate, input] : zip_equal(point, offsetOfPoint.inputs()))
    for (auto [bit, basis] : enumerate(input.bases))
      if (coordinate >> bit & 1)
        offset ^= basis[0];
  return offset;
}

bool SharedLayout::operator==(const SharedLayout &other) const {
  return offsetToPoint == other.offsetToPoint && interval == other.interval &&
         amount == other.amount;
}

//===----------------------------------------------------------------------===//
// Reading a layout
//===----------------------------------------------------------------------===//

/// The order of the dimensions, if the highest bit of each basis from a point
/// to its offset is as ordered() would have it.
static std::optional<SmallVector<int64_t, 4>>
orderOfHighestBits(const LinearLayout &pointToOffset) {
  // By bit of the offset: the dimension it belongs to.
  unsigned numBits = Log2_64(pointToOffset.numElements());
  SmallVector<int64_t, 32> dimOfBit(numBits, -1);
  for (auto [dim, input] : enumerate(pointToOffset.inputs()))
    for (auto [bit, basis] : enumerate(input.bases)) {
      unsigned highest = Log2_64(basis[0]);
      if (bit && highest != Log2_64(input.bases[bit - 1][0]) + 1)
        return std::nullopt;
      dimOfBit[highest] = dim;
    }
  if (is_contained(dimOfBit, -1))
    return std::nullopt;

  SmallVector<int64_t, 4> order(dimOfBit.begin(), dimOfBit.end());
  order.erase(llvm::unique(order), order.end());
  size_t rank = pointToOffset.inputs().size();
  if (is_sorted(order, std::greater<>()))
    return to_vector<4>(reverse(seq<int64_t>(rank)));
  for (int64_t dim : reverse(seq<int64_t>(rank)))
    if (!is_contained(order, dim))
      order.push_back(dim);
  return order;
}

std::optional<SharedLayout::Description> SharedLayout::describe() const {
  std::optional<SmallVector<int64_t, 4>> order =
      orderOfHighestBits(offsetOfPoint);
  if (!order)
    return std::nullopt;
  // What is left of each basis is one lower bit, where there is a swizzle.
  uint64_t swizzledBits = 0;
  unsigned shift = 0;
  for (const LinearLayout::Input &input : offsetOfPoint.inputs())
    for (const LinearLayout::Point &basis : input.bases) {
      unsigned highest = Log2_64(basis[0]);
      uint64_t rest = uint64_t(basis[0]) ^ (uint64_t(1) << highest);
      if (!rest)
        continue;
      swizzledBits |= rest;
      shift = highest - Log2_64(rest);
    }
  SharedLayout plain = ordered(shape(), *order);
  if (!swizzledBits)
    return Description{*order, std::nullopt};
  unsigned base = llvm::countr_zero(swizzledBits);
  unsigned bits = Log2_64(swizzledBits) - base + 1;
  if (plain.withSwizzle(bits, base, shift).linear() != linear())
    return std::nullopt;
  return Description{*order, std::array<unsigned, 3>{bits, base, shift}};
}

SmallVector<std::string, 3> SharedLayout::clauses() const {
  SmallVector<std::string, 3> clauses;
  if (std::optional<Description> description = describe()) {
    ArrayRef<int64_t> order = description->order;
    if (!is_sorted(order, std::greater<>()))
      clauses.push_back(
          "order [" +
          join(
              map_range(order, [](int64_t dim) { return std::to_string(dim); }),
              ",") +
          "]");
    if (description->swizzle) {
      auto [bits, base, shift] = *description->swizzle;
      clauses.push_back(formatv("swizzle<{0},{1},{2}>", bits, base, shift));
    }
  } else {
    clauses.push_back("bits [" + formatOffsetBits(offsetOfPoint) + "]");
  }
  if (isPadded())
    clauses.push_back(formatv("pad {0} every {1}", amount, interval));
  return clauses;
}

std::string SharedLayout::toString() const {
  SmallVector<std::string, 3> written = clauses();
  return written.empty() ? "row-major" : join(written, ", ");
}
