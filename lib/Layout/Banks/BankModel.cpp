//===- BankModel.cpp - Wavefronts of a shared-memory access ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Banks/BankModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace llvm;
using namespace tilewright;

/// Does each active lane have the address of lane `l ^ distance`?
static bool lanesPairUp(ArrayRef<int64_t> addresses, unsigned distance) {
  for (auto [lane, address] : enumerate(addresses)) {
    size_t partner = lane ^ distance;
    if (address < 0 || partner >= addresses.size() || addresses[partner] < 0)
      continue;
    if (addresses[partner] != address)
      return false;
  }
  return true;
}

unsigned tilewright::lanesPerGroup(SharedAccessKind kind, unsigned bytesPerLane,
                                   ArrayRef<int64_t> addresses) {
  if (isMatrixAccess(kind))
    return 8;
  if (bytesPerLane <= bytesPerWord)
    return lanesPerWarp;
  unsigned lanes = bytesPerWavefront / bytesPerLane;
  bool merges = kind == SharedAccessKind::Load &&
                (lanesPairUp(addresses, 1) || lanesPairUp(addresses, 2));
  return merges ? 2 * lanes : lanes;
}

/// The sum of `ofGroup` over the groups that the hardware makes of the lanes.
static unsigned
sumOverGroups(SharedAccessKind kind, unsigned bytesPerLane,
              ArrayRef<int64_t> addresses,
              function_ref<unsigned(ArrayRef<int64_t>)> ofGroup) {
  assert(addresses.size() <= lanesPerWarp && "one address a lane");
  assert(is_contained({1u, 2u, 4u, 8u, 16u}, bytesPerLane) &&
         "no such access width");
  unsigned groupSize = lanesPerGroup(kind, bytesPerLane, addresses);
  unsigned sum = 0;
  for (; !addresses.empty(); addresses = addresses.drop_front(
                                 std::min<size_t>(groupSize, addresses.size())))
    sum += ofGroup(addresses.take_front(groupSize));
  return sum;
}

/// The largest number of different words that one bank serves.
static unsigned wavefrontsOfGroup(unsigned bytesPerLane,
                                  ArrayRef<int64_t> addresses) {
  SmallVector<int64_t, 64> words;
  for (int64_t address : addresses)
    if (address >= 0)
      for (int64_t word = address / bytesPerWord;
           word * bytesPerWord < address + bytesPerLane; ++word)
        words.push_back(word);
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());

  std::array<unsigned, numBanks> wordsOfBank = {};
  for (int64_t word : words)
    ++wordsOfBank[word % numBanks];
  return *llvm::max_element(wordsOfBank);
}

unsigned tilewright::countWavefronts(SharedAccessKind kind,
                                     unsigned bytesPerLane,
                                     ArrayRef<int64_t> addresses) {
  return sumOverGroups(kind, bytesPerLane, addresses,
                       [&](ArrayRef<int64_t> group) {
                         return wavefrontsOfGroup(bytesPerLane, group);
                       });
}

unsigned tilewright::fewestWavefronts(SharedAccessKind kind,
                                      unsigned bytesPerLane,
                                      ArrayRef<int64_t> addresses) {
  return sumOverGroups(
      kind, bytesPerLane, addresses, [&](ArrayRef<int64_t> group) {
        SmallVector<int64_t, lanesPerWarp> different;
        copy_if(group, std::back_inserter(different),
                [](int64_t address) { return address >= 0; });
        llvm::sort(different);
        different.erase(llvm::unique(different), different.end());
        return divideCeil(different.size() * bytesPerLane, bytesPerWavefront);
      });
}
