//===- AxisScan.cpp - Who scans what along an axis ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/AxisScan.h"

#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

/// What one of many instructions costs that do arithmetic on what a warp has.
constexpr double cyclesPerCombination = 0.5;

std::optional<AxisScan> AxisScan::create(const LinearLayout &tile,
                                         unsigned axis) {
  AxisScan scan(tile, axis);
  if (!scan.collect())
    return std::nullopt;
  scan.splitIntoRuns();
  return scan;
}

LinearLayout AxisScan::preferred(ArrayRef<int64_t> shape, unsigned axis,
                                 unsigned numWarps) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  int64_t perThread = std::max<int64_t>(
      1, elements / (int64_t(lanesPerWarp) * int64_t(numWarps)));
  int64_t perLane = std::max<int64_t>(1, shape[axis] / lanesPerWarp);
  return coalescedRows(shape, axis, std::min(perThread, perLane), numWarps);
}

std::optional<LinearLayout> AxisScan::alongThreads(ArrayRef<int64_t> shape,
                                                   unsigned axis,
                                                   unsigned numWarps) {
  if (shape[axis] < int64_t(lanesPerWarp) * numWarps)
    return std::nullopt;
  auto alongAxis = [&](StringRef input, int64_t count) {
    SmallVector<int64_t, 4> extents(shape.size(), 1);
    extents[axis] = count;
    return LayoutFactor{input.str(), extents};
  };
  SmallVector<int64_t, 4> others(shape);
  others[axis] = 1;
  return cantFail(layoutFromFactors(
      {alongAxis("register", shape[axis] / lanesPerWarp / numWarps),
       LayoutFactor{"register", others}, alongAxis("lane", lanesPerWarp),
       alongAxis("warp", numWarps)},
      shape.size()));
}

bool AxisScan::collect() {
  bits.resize(Log2_64(tile.shape()[axis]));
  for (const LinearLayout::Input &input : tile.inputs())
    for (auto [bit, basis] : enumerate(input.bases)) {
      auto along = static_cast<uint32_t>(basis[axis]);
      if (along == 0)
        continue;
      bool movesAcross = any_of(enumerate(basis), [&](auto coordinate) {
        return coordinate.index() != axis && coordinate.value() != 0;
      });
      if (movesAcross || !isPowerOf2_32(along) ||
          !bits[Log2_32(along)].input.empty())
        return false;
      bits[Log2_32(along)] = {input.name, static_cast<unsigned>(bit)};
    }
  // Somebody has each element.
  if (any_of(bits, [](const AxisBit &bit) { return bit.input.empty(); }))
    return false;
  bool isBeyondWarps = false;
  int lastLane = -1;
  for (const AxisBit &bit : bits) {
    isBeyondWarps |= bit.input == "warp";
    if (bit.input != "lane")
      continue;
    if (isBeyondWarps || static_cast<int>(bit.bit) < lastLane)
      return false;
    lastLane = static_cast<int>(bit.bit);
  }
  return true;
}

void AxisScan::splitIntoRuns() {
  for (const AxisBit &bit : bits) {
    if (bit.input == "warp" || !partBits.empty()) {
      partBits.push_back(bit);
      continue;
    }
    bool isOfLanes = bit.input == "lane";
    if (runs.empty() || runs.back().isOfLanes != isOfLanes)
      runs.push_back({isOfLanes, {}});
    runs.back().masks.push_back(1u << bit.bit);
  }
}

SmallVector<AxisScan::PartBit> AxisScan::getPartBits(StringRef input) const {
  SmallVector<PartBit> found;
  for (auto [part, bit] : enumerate(partBits))
    if (bit.input == input)
      found.push_back({1u << bit.bit, 1u << part});
  return found;
}

unsigned AxisScan::registersOfRuns() const {
  unsigned inRuns = 0;
  for (const Run &run : runs)
    if (!run.isOfLanes)
      for (unsigned mask : run.masks)
        inRuns |= mask;
  return inRuns;
}

SmallVector<unsigned> AxisScan::firstOfParts() const {
  unsigned inRuns = registersOfRuns();
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < tile.inputSize("register"); ++reg)
    if ((reg & inRuns) == 0)
      registers.push_back(reg);
  return registers;
}

unsigned AxisScan::getTotalOf(unsigned reg) const {
  SmallVector<unsigned> registers = firstOfParts();
  return lower_bound(registers, reg & ~registersOfRuns()) - registers.begin();
}

LinearLayout AxisScan::make(std::vector<LinearLayout::Input> inputs) const {
  SmallVector<int64_t, 4> shape(tile.shape());
  shape[axis] = getNumParts();
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}

LinearLayout::Input AxisScan::replaceAxis(StringRef input, bool numbersParts,
                                          bool keepsBits) const {
  LinearLayout::Input result{input.str(), {}};
  for (auto [bit, basis] : enumerate(tile.bases(input))) {
    LinearLayout::Point point = basis;
    if (basis[axis] != 0) {
      const auto *part = find_if(partBits, [&, bit = bit](const AxisBit &one) {
        return one.input == input && one.bit == bit;
      });
      bool isOfPart = numbersParts && part != partBits.end();
      if (!isOfPart && !keepsBits)
        continue;
      point[axis] = isOfPart ? 1 << (part - partBits.begin()) : 0;
    }
    result.bases.push_back(point);
  }
  return result;
}

LinearLayout AxisScan::partTotals() const {
  return make({replaceAxis("register", /*numbersParts=*/true, false),
               replaceAxis("lane", true, /*keepsBits=*/true),
               replaceAxis("warp", true, /*keepsBits=*/true)});
}

LinearLayout::Point AxisScan::unit(unsigned number) const {
  LinearLayout::Point point(tile.rank(), 0);
  point[axis] = 1 << number;
  return point;
}

std::optional<LinearLayout>
AxisScan::gatheredTotals(unsigned bitsOfRegisters) const {
  LinearLayout::Input registers = replaceAxis("register", false, false);
  LinearLayout::Input lanes = replaceAxis("lane", false, /*keepsBits=*/true);
  // First in order, so that they can be read as a vector.
  for (unsigned bit = 0; bit < bitsOfRegisters; ++bit)
    registers.bases.insert(registers.bases.begin() + bit, unit(bit));
  unsigned bit = bitsOfRegisters;
  for (LinearLayout::Point &basis : lanes.bases)
    if (bit < partBits.size() && all_of(basis, [](auto x) { return x == 0; }))
      basis = unit(bit++);
  if (bit < partBits.size())
    return std::nullopt;
  return make({std::move(registers), std::move(lanes),
               replaceAxis("warp", false, /*keepsBits=*/true)});
}

std::vector<LinearLayout> AxisScan::homesOfTotals(unsigned elementBytes) const {
  std::vector<LinearLayout> homes;
  for (unsigned bits = partBits.size() + 1; bits-- > 0;)
    if (auto home = gatheredTotals(bits))
      homes.push_back(std::move(*home));
  if (tile.rank() > 1) {
    SmallVector<int64_t, 4> shape(tile.shape());
    shape[axis] = getNumParts();
    homes.push_back(
        spreadAcross(shape, axis, elementBytes, tile.inputSize("warp")));
  }
  return homes;
}

bool AxisScan::servesExclusive() const {
  return getNumParts() == 1 && runs.size() <= 2 &&
         (runs.size() < 2 || runs.back().isOfLanes);
}

double AxisScan::countCycles(int64_t warps) const {
  double cycles = 0;
  int64_t registers = tile.inputSize("register");
  // What is combined and not yet part of the blocks.
  int64_t blocks = registers;
  for (const Run &run : runs) {
    if (!run.isOfLanes) {
      blocks >>= run.masks.size();
      cycles += cyclesPerCombination * static_cast<double>(registers - blocks);
      continue;
    }
    // A total goes up through the lanes, and what they have before them to all
    // registers.
    auto steps = static_cast<double>(run.masks.size());
    cycles += static_cast<double>(blocks) *
              (steps * (1 + 2 * cyclesPerCombination) + 1);
    cycles += 2 * cyclesPerCombination * static_cast<double>(registers);
  }
  return cycles * static_cast<double>(warps);
}
