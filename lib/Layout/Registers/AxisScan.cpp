//===- AxisScan.cpp - Who scans what along an axis ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/AxisScan.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

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

SmallVector<unsigned> AxisScan::firstOfParts() const {
  unsigned inRuns = 0;
  for (const Run &run : runs)
    if (!run.isOfLanes)
      for (unsigned mask : run.masks)
        inRuns |= mask;
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < tile.inputSize("register"); ++reg)
    if ((reg & inRuns) == 0)
      registers.push_back(reg);
  return registers;
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

LinearLayout AxisScan::allTotals() const {
  LinearLayout::Input registers = replaceAxis("register", false, false);
  for (unsigned bit = 0; bit < partBits.size(); ++bit) {
    LinearLayout::Point point(tile.rank(), 0);
    point[axis] = 1 << bit;
    registers.bases.insert(registers.bases.begin() + bit, point);
  }
  return make({std::move(registers),
               replaceAxis("lane", false, /*keepsBits=*/true),
               replaceAxis("warp", false, /*keepsBits=*/true)});
}
