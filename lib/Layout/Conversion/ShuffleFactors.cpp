//===- ShuffleFactors.cpp - Which lane reads what in which step -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShuffleFactors.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "tilewright/Layout/Algebra/F2Subspace.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

static constexpr unsigned laneBits = ConstantLog2<lanesPerWarp>();

/// Calls `visit` with the number of each set bit.
template <typename Visit> static void forEachBit(uint64_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(static_cast<unsigned>(countr_zero(mask)));
}

static uint64_t imageOf(const LinearLayout &layout, StringRef input,
                        unsigned bit) {
  if (bit >= layout.numBits(input))
    return 0;
  return layout.flatten(layout.bases(input)[bit]);
}

Place ShuffleFactors::stepPlace(uint32_t step) const {
  Place sum;
  forEachBit(step, [&](unsigned bit) { sum ^= steps[bit]; });
  return sum;
}

bool ShuffleFactors::readsInPlace() const {
  for (auto [bit, place] : enumerate(readers.ofLaneBits))
    if (place.lane != 1u << bit)
      return false;
  return all_of(readers.ofWarpBits,
                [](const Place &place) { return place.lane == 0; });
}

OfferedRegisters::OfferedRegisters(const ShuffleFactors &factors) {
  // The reader of lane readers(l).lane wants readers(l).reg of it. Lanes that
  // nobody reads from may offer anything.
  F2Span lanes;
  ArrayRef<Place> readers = factors.readers.ofLaneBits;
  for (const Place &reader : readers)
    lanes.insert(reader.lane);
  for (unsigned bit = 0; bit < laneBits; ++bit)
    lanes.insert(1u << bit);
  auto wanted = [&](uint32_t lane) {
    uint32_t reg = 0;
    forEachBit(lanes.coordinates(lane), [&](unsigned number) {
      if (number < readers.size())
        reg ^= readers[number].reg;
    });
    return reg;
  };
  for (unsigned bit = 0; bit < laneBits; ++bit)
    ofThreads.ofLaneBits.push_back(wanted(1u << bit));
  for (const Place &reader : factors.readers.ofWarpBits)
    ofThreads.ofWarpBits.push_back(reader.reg ^ wanted(reader.lane));
  for (const Place &step : factors.steps)
    ofSteps.push_back(step.reg ^ wanted(step.lane));
}

namespace {

/// Where the elements of one warp are, by bits of the points of the tile.
class HeldElements {
public:
  explicit HeldElements(const LinearLayout &layout)
      : registerBits(layout.numBits("register")) {
    for (unsigned bit = 0; bit < registerBits; ++bit)
      places.insert(imageOf(layout, "register", bit));
    for (unsigned bit = 0; bit < laneBits; ++bit) {
      uint64_t image = imageOf(layout, "lane", bit);
      if (std::optional<Place> other = find(image))
        repeats.push_back(*other ^ Place{0, 1u << bit});
      places.insert(image);
    }
  }

  /// Never in a redundant register, nor in a lane for which another one has
  /// copies: where a lane has what register 0 of lane 0 has, none but lane 0 is
  /// given.
  std::optional<Place> find(uint64_t element) const {
    std::optional<uint64_t> bits = places.solve(element);
    if (!bits)
      return std::nullopt;
    return Place{
        static_cast<uint32_t>(*bits & maskTrailingOnes<uint64_t>(registerBits)),
        static_cast<uint32_t>(*bits >> registerBits)};
  }

  /// The places, but for redundant registers, that have the element of register
  /// 0 of lane 0: a basis of them, whose lanes are independent.
  ArrayRef<Place> copies() const { return repeats; }

private:
  unsigned registerBits;
  F2Span places;
  SmallVector<Place, laneBits> repeats;
};

/// Finds orders in which lanes may fill their registers.
class OrderFinder {
public:
  OrderFinder(const HeldElements &held) : copies(held.copies()) {}

  /// Reads the places off the layouts; false where a warp lacks an element.
  bool readPlaces(const HeldElements &held, const LinearLayout &from,
                  const LinearLayout &to);

  /// All lanes read from themselves, but for the constant of the step.
  std::optional<ShuffleFactors> fillInPlace() const;

  /// Lanes fill their registers in order, as far as they can. With `mayRepeat`,
  /// a lane reads what another one reads where the two want the same registers
  /// in another order; without, only where it must.
  ShuffleFactors fillInOrder(bool mayRepeat) const;

private:
  class InOrder;

  SmallVector<Place, laneBits> copies;
  /// The same factors, in no order.
  ShuffleFactors plain;
};

/// The sums of copies and steps, and how they are made of these.
class Reach {
public:
  Reach(ArrayRef<Place> copies, ArrayRef<Place> steps, bool lanesOnly)
      : numCopies(copies.size()), lanesOnly(lanesOnly) {
    for (const Place &place : copies)
      span.insert(asVector(place));
    for (const Place &place : steps)
      span.insert(asVector(place));
  }

  struct Sum {
    uint32_t ofCopies, ofSteps;
  };
  std::optional<Sum> find(const Place &place) const {
    std::optional<uint64_t> bits = span.solve(asVector(place));
    if (!bits)
      return std::nullopt;
    return Sum{
        static_cast<uint32_t>(*bits & maskTrailingOnes<uint64_t>(numCopies)),
        static_cast<uint32_t>(*bits >> numCopies)};
  }

private:
  uint64_t asVector(const Place &place) const {
    return lanesOnly ? place.lane : place.asVector();
  }

  F2Span span;
  unsigned numCopies;
  bool lanesOnly;
};

} // namespace

bool OrderFinder::readPlaces(const HeldElements &held, const LinearLayout &from,
                             const LinearLayout &to) {
  bool isHeld = true;
  auto add = [&](SmallVectorImpl<Place> &places, uint64_t element) {
    std::optional<Place> place = held.find(element);
    isHeld &= place.has_value();
    places.push_back(place.value_or(Place()));
  };
  int64_t redundant = to.zeroBasisMask("register");
  for (unsigned bit = 0; bit < to.numBits("register"); ++bit)
    if (!(redundant >> bit & 1))
      add(plain.steps, imageOf(to, "register", bit));
  for (unsigned bit = 0; bit < laneBits; ++bit)
    add(plain.readers.ofLaneBits, imageOf(to, "lane", bit));
  unsigned warpBits = std::max(from.numBits("warp"), to.numBits("warp"));
  for (unsigned bit = 0; bit < warpBits; ++bit)
    add(plain.readers.ofWarpBits,
        imageOf(to, "warp", bit) ^ imageOf(from, "warp", bit));
  plain.order.ofLaneBits.assign(laneBits, 0);
  plain.order.ofWarpBits.assign(warpBits, 0);
  return isHeld;
}

std::optional<ShuffleFactors> OrderFinder::fillInPlace() const {
  ShuffleFactors factors = plain;
  Reach reach(copies, factors.steps, /*lanesOnly=*/true);
  auto stay = [&](Place &reader, uint32_t &order, uint32_t lane) {
    auto sum = reach.find(reader ^ Place{0, lane});
    if (!sum)
      return false;
    forEachBit(sum->ofCopies,
               [&](unsigned number) { reader ^= copies[number]; });
    reader ^= factors.stepPlace(sum->ofSteps);
    order = sum->ofSteps;
    return true;
  };
  for (auto [bit, reader] : enumerate(factors.readers.ofLaneBits))
    if (!stay(reader, factors.order.ofLaneBits[bit], 1u << bit))
      return std::nullopt;
  for (auto [bit, reader] : enumerate(factors.readers.ofWarpBits))
    if (!stay(reader, factors.order.ofWarpBits[bit], 0))
      return std::nullopt;
  return factors;
}

/// Two lanes that read from one lane must want one register of it. The lanes
/// that bits of the reader's number lead to are made independent, but for bits
/// that lead to the same register too.
class OrderFinder::InOrder {
public:
  InOrder(const ShuffleFactors &plain, ArrayRef<Place> copies, bool mayRepeat)
      : factors(plain), plainReaders(plain.readers.ofLaneBits), copies(copies) {
    SmallVector<unsigned> clashes;
    for (unsigned bit = 0; bit < laneBits; ++bit)
      if (!(mayRepeat && repeatsOthers(bit)) && !claim(bit))
        clashes.push_back(bit);
    for (unsigned bit : clashes)
      resolve(bit);
    settleRepeats();
    spareOffers();
  }

  ShuffleFactors take() { return std::move(factors); }

private:
  Place &reader(unsigned bit) { return factors.readers.ofLaneBits[bit]; }
  uint32_t &order(unsigned bit) { return factors.order.ofLaneBits[bit]; }

  /// The lane that this bit leads to is its alone from now on, if no others
  /// lead there.
  bool claim(unsigned bit) {
    if (claimed.contains(reader(bit).lane))
      return false;
    claimed.insert(reader(bit).lane);
    claimers.push_back(bit);
    return true;
  }

  /// Whether bits before this one, with the steps, lead to the same places.
  bool repeatsOthers(unsigned bit) {
    SmallVector<Place> places(ArrayRef<Place>(factors.steps));
    append_range(places, ArrayRef(plainReaders).take_front(bit));
    auto sum =
        Reach(copies, places, /*lanesOnly=*/false).find(plainReaders[bit]);
    if (!sum)
      return false;
    repeats.push_back({bit, *sum});
    return true;
  }

  void settleRepeats() {
    for (const auto &[bit, sum] : repeats) {
      uint32_t numSteps = factors.steps.size() - factors.numSpare;
      reader(bit) = Place();
      order(bit) = sum.ofSteps & maskTrailingOnes<uint32_t>(numSteps);
      forEachBit(sum.ofSteps >> numSteps, [&, bit = bit](unsigned other) {
        reader(bit) ^= reader(other);
        order(bit) ^= order(other);
      });
    }
  }

  /// For a bit that leads to a lane which others lead to as well.
  void resolve(unsigned bit) {
    Place others;
    forEachBit(claimed.coordinates(reader(bit).lane),
               [&](unsigned number) { others ^= reader(claimers[number]); });
    Place difference = reader(bit) ^ others;
    if (difference.reg == 0) // It wants the same register.
      return;
    Reach reach(copies, factors.steps, /*lanesOnly=*/false);
    if (auto sum = reach.find(difference)) {
      // The same registers, in another order.
      order(bit) = sum->ofSteps;
      reader(bit) = others;
      return;
    }
    if (leadElsewhere(bit))
      return;
    // Steps for one register, and steps for the other.
    order(bit) = 1u << factors.steps.size();
    reader(bit) = others;
    factors.steps.push_back(difference);
    ++factors.numSpare;
  }

  /// Registers that spare steps tell apart need not be told apart by lanes when
  /// they are offered.
  void spareOffers() {
    unsigned first = factors.steps.size() - factors.numSpare;
    F2Span spare;
    F2Subspace registers;
    for (const Place &step : ArrayRef(factors.steps).drop_front(first)) {
      spare.insert(step.reg);
      registers.insert(step.reg);
    }
    for (unsigned bit = 0; bit < laneBits; ++bit) {
      uint32_t rest = registers.reduce(reader(bit).reg);
      order(bit) ^= spare.coordinates(reader(bit).reg ^ rest) << first;
      reader(bit).reg = rest;
    }
  }

  /// To a lane that has a copy, or that the reader needs in another step.
  bool leadElsewhere(unsigned bit) {
    for (const Place &copy : copies)
      if (!claimed.contains(reader(bit).lane ^ copy.lane)) {
        reader(bit) ^= copy;
        return claim(bit);
      }
    for (auto [number, step] : enumerate(factors.steps))
      if (!claimed.contains(reader(bit).lane ^ step.lane)) {
        reader(bit) ^= step;
        order(bit) ^= 1u << number;
        return claim(bit);
      }
    return false;
  }

  ShuffleFactors factors;
  SmallVector<Place, 10> plainReaders;
  ArrayRef<Place> copies;
  F2Span claimed;
  /// The bits whose lanes `claimed` has, in its order.
  SmallVector<unsigned, laneBits> claimers;
  SmallVector<std::pair<unsigned, Reach::Sum>> repeats;
};

ShuffleFactors OrderFinder::fillInOrder(bool mayRepeat) const {
  return InOrder(plain, copies, mayRepeat).take();
}

SmallVector<ShuffleFactors, 3>
tilewright::findShuffleFactors(const LinearLayout &from,
                               const LinearLayout &to) {
  if (from.shape() != to.shape())
    return {};
  HeldElements held(from);
  OrderFinder finder(held);
  if (!finder.readPlaces(held, from, to))
    return {};
  SmallVector<ShuffleFactors, 3> orders;
  if (std::optional<ShuffleFactors> inPlace = finder.fillInPlace())
    orders.push_back(std::move(*inPlace));
  orders.push_back(finder.fillInOrder(/*mayRepeat=*/false));
  orders.push_back(finder.fillInOrder(/*mayRepeat=*/true));
  return orders;
}
