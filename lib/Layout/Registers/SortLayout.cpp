//===- SortLayout.cpp - Register layouts of rows in any order -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/SortLayout.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

using Bases = std::vector<LinearLayout::Point>;

LinearLayout tilewright::layOutRows(ArrayRef<int64_t> shape,
                                    unsigned numWarps) {
  int64_t elements = product_of(shape), row = shape.back();
  unsigned laneBits = Log2_32(lanesPerWarp), warpBits = Log2_32(numWarps);
  int64_t threads = int64_t(1) << (laneBits + warpBits);
  int64_t neighbours = std::min(row, std::max<int64_t>(1, elements / threads));
  Bases registers, lanes, warps;
  for (int64_t position = 1; position < elements; position *= 2) {
    Bases &bases = position < neighbours     ? registers
                   : lanes.size() < laneBits ? lanes
                   : warps.size() < warpBits ? warps
                                             : registers;
    bases.push_back(LinearLayout::unflatten(position, shape));
  }
  LinearLayout::Point none(shape.size(), 0);
  lanes.resize(laneBits, none);
  warps.resize(warpBits, none);
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", std::move(lanes)},
                                        {"warp", std::move(warps)}},
                                       shape));
}

std::optional<LinearLayout> tilewright::spreadPlaces(const LinearLayout &rows,
                                                     int64_t vector) {
  std::vector<LinearLayout::Input> inputs(rows.inputs());
  int64_t place = 1;
  SmallPtrSet<const LinearLayout::Point *, 8> placed;
  // Up to `end` places, of the bits of threads that have a name.
  auto spread = [&](StringRef name, int64_t end) {
    for (LinearLayout::Input &input : inputs)
      for (LinearLayout::Point &basis : input.bases) {
        if (input.name != name || basis.back() == 0 || place >= end ||
            placed.contains(&basis))
          continue;
        auto isZero = [](int32_t coordinate) { return coordinate == 0; };
        if (!isPowerOf2_32(basis.back()) ||
            !all_of(ArrayRef(basis).drop_back(), isZero))
          return false;
        basis.back() = place;
        placed.insert(&basis);
        place *= 2;
      }
    return true;
  };
  int64_t row = rows.shape().back();
  bool isSpread = spread("register", std::min(vector, row)) &&
                  spread("lane", row) && spread("warp", row) &&
                  spread("register", row);
  // A bit more than there are places.
  for (const LinearLayout::Input &input : inputs)
    for (const LinearLayout::Point &basis : input.bases)
      isSpread &= basis.back() == 0 || placed.contains(&basis);
  if (!isSpread)
    return std::nullopt;
  return cantFail(LinearLayout::create(std::move(inputs), rows.shape()));
}
