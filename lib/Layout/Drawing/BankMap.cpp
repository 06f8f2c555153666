//===- BankMap.cpp - Which bank each element is in ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Drawing/BankMap.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::banks;

/// Lanes of a group wait for one another where they want different words of
/// one bank; these are served in the order of lanes.
static void markConflicts(MutableArrayRef<BankMap::Lane> lanes,
                          unsigned bytesPerLane) {
  // By group and bank: the words that are wanted, in order.
  std::map<std::pair<unsigned, int64_t>, SmallVector<int64_t, 4>> wanted;
  auto forEachWord = [&](const BankMap::Lane &lane, auto visit) {
    for (int64_t word = lane.address / bytesPerWord;
         word * bytesPerWord < lane.address + bytesPerLane; ++word)
      visit(wanted[{lane.group, word % numBanks}], word);
  };
  for (const BankMap::Lane &lane : lanes)
    forEachWord(lane, [](SmallVector<int64_t, 4> &words, int64_t word) {
      if (!is_contained(words, word))
        words.push_back(word);
    });
  for (BankMap::Lane &lane : lanes)
    forEachWord(lane, [&](const SmallVector<int64_t, 4> &words, int64_t word) {
      lane.conflicts |= words.size() > 1;
      unsigned turn = find(words, word) - words.begin();
      lane.wavefront = std::max(lane.wavefront, turn);
    });
}

static Error checkNumbers(const SharedAccess &access,
                          const SharedAccessPlan &plan, size_t instruction,
                          int64_t warp) {
  int64_t warps = access.registers.inputSize("warp");
  if (warp >= warps)
    return createStringError("there is no warp " + Twine(warp) +
                             ": the access has " + Twine(warps));
  if (warp & plan.idleWarps)
    return createStringError("warp " + Twine(warp) +
                             " stores nothing: it holds copies");
  if (instruction >= plan.instructions.size())
    return createStringError("there is no instruction " + Twine(instruction) +
                             ": a warp has " + Twine(plan.instructions.size()));
  return Error::success();
}

Expected<BankMap> tilewright::banks::mapBanks(const SharedAccess &access,
                                              const SharedLayout &layout,
                                              size_t instruction,
                                              int64_t warp) {
  if (layout.numElements() > maxDrawnElements)
    return createStringError("a tile of " + Twine(layout.numElements()) +
                             " elements is too large to draw; at most " +
                             Twine(maxDrawnElements) + " are possible");
  std::string why;
  SharedAccessPlan plan = planSharedAccess(access, layout, &why);
  if (!isServedBy(access, plan.vectorElements))
    return createStringError("the layout does not serve the access: " + why);
  if (Error error = checkNumbers(access, plan, instruction, warp))
    return std::move(error);

  BankMap map;
  map.title = layout.toString();
  ArrayRef<int64_t> shape = layout.shape();
  map.columns = shape.empty() ? 1 : shape.back();
  map.rows = layout.numElements() / map.columns;
  map.instructions = plan.instructions.size();
  map.bytesPerLane = plan.vectorElements * access.elementBytes;

  std::map<int64_t, int64_t> elementAt;
  for (int64_t element = 0; element < layout.numElements(); ++element) {
    int64_t offset = layout.offset(LinearLayout::unflatten(element, shape));
    elementAt[offset] = element;
    map.bankOf.push_back(offset * access.elementBytes / bytesPerWord %
                         numBanks);
  }
  SmallVector<int64_t> addresses;
  for (int64_t lane = 0; lane < plan.addresses.inputSize("lane"); ++lane) {
    if (lane & plan.idleLanes) {
      addresses.push_back(-1);
      continue;
    }
    int64_t offset = layout.offset(plan.addresses.apply(
        {{"register", plan.instructions[instruction].front()},
         {"lane", lane},
         {"warp", warp}}));
    BankMap::Lane &of = map.lanes.emplace_back();
    of.lane = lane;
    of.address = offset * access.elementBytes;
    for (unsigned next = 0; next < plan.vectorElements; ++next)
      of.elements.push_back(elementAt[offset + next]);
    addresses.push_back(of.address);
  }
  unsigned groupSize = lanesPerGroup(access.kind, map.bytesPerLane, addresses);
  for (BankMap::Lane &lane : map.lanes)
    lane.group = lane.lane / groupSize;
  markConflicts(map.lanes, map.bytesPerLane);
  map.wavefronts = countWavefronts(access.kind, map.bytesPerLane, addresses);
  map.ideal = fewestWavefronts(access.kind, map.bytesPerLane, addresses);
  return std::move(map);
}
