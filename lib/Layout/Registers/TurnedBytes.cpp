//===- TurnedBytes.cpp - Register layouts of bytes that are turned --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/TurnedBytes.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

using Bases = std::vector<LinearLayout::Point>;

LinearLayout tilewright::layOutTurnedBytes(ArrayRef<int64_t> shape, unsigned to,
                                           unsigned numWarps) {
  assert(shape.size() == 2 && "matrices are turned");
  unsigned from = 1 - to;
  SmallVector<int64_t, 2> next = {1, 1};
  // The next bits of a dimension that it has.
  auto take = [&](unsigned dim, unsigned bits, Bases &bases) {
    for (; bits > 0 && next[dim] < shape[dim]; --bits, next[dim] *= 2) {
      LinearLayout::Point point = {0, 0};
      point[dim] = static_cast<int32_t>(next[dim]);
      bases.push_back(point);
    }
  };
  Bases registers, others, lanes, warps;
  take(from, 2, registers);
  take(to, 4, registers);
  take(from, 1, others);
  take(to, 2, others);
  take(from, 2, others);
  take(to, 32, others);
  take(from, 32, others);
  unsigned laneBits = Log2_32(lanesPerWarp), warpBits = Log2_32(numWarps);
  for (const LinearLayout::Point &basis : others) {
    Bases &bases = lanes.size() < laneBits   ? lanes
                   : warps.size() < warpBits ? warps
                                             : registers;
    bases.push_back(basis);
  }
  lanes.resize(laneBits, {0, 0});
  warps.resize(warpBits, {0, 0});
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", std::move(lanes)},
                                        {"warp", std::move(warps)}},
                                       shape));
}
