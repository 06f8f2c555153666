//===- Waiting.cpp - Blocks that wait for other blocks --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Waiting.h"
#include "Machine/Block.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {

/// Instructions without a change of global memory, after which a block that
/// polls may be waiting.
static constexpr uint64_t firstLook = 256;
/// States that are compared with the one remembered, at first and at the most:
/// lanes apart from each other come round in some thousand polls (see Warp's
/// patience).
static constexpr unsigned fewLooks = 64, mostLooks = 4096;
/// A wait reads few words.
static constexpr size_t mostWords = 4096;
static constexpr unsigned wordBytes = 8;

void CycleDetector::restart(bool hasWaited) {
  idle = 0;
  next = hasWaited ? 0 : firstLook;
  comparisons = 0;
  looks = fewLooks;
}

void CycleDetector::remember() {
  places = block.getPlaceHash();
  state.reset();
  comparisons = looks;
  forgetTurns();
}

void CycleDetector::forgetTurns() {
  hasRun.clear();
  hasRun.resize(static_cast<unsigned>(block.warps.size()));
  words.clear();
  overflows = false;
}

bool CycleDetector::isRemembered() {
  if (places != block.getPlaceHash())
    return false;
  // A warp that could go on and had no turn may change it all.
  for (const Warp &other : block.warps)
    if (!other.isDone() && other.isReady() && !hasRun[other.index])
      return false;
  const uint64_t now = block.getStateHash();
  if (state)
    return *state == now;
  // All of the state is much to read, and most blocks are not back at their
  // places: it is remembered the first time that they are.
  state = now;
  comparisons = looks; // A whole cycle has yet to be seen.
  forgetTurns();
  return false;
}

bool CycleDetector::repeats(unsigned warp, uint64_t instructions, bool isPoll) {
  idle += instructions;
  if (comparisons != 0)
    hasRun.set(warp);
  if (!isPoll)
    return false;
  if (comparisons == 0) {
    if (idle >= next)
      remember();
    return false;
  }
  if (isRemembered())
    return true;
  if (--comparisons != 0)
    return false;
  // What was remembered was before the cycle, or this is longer.
  if (looks < mostLooks) {
    looks *= 2;
    remember();
  } else {
    looks = fewLooks;
    next = 2 * idle;
  }
  return false;
}

void CycleDetector::watch(uint64_t address, unsigned bytes) {
  if (overflows)
    return;
  for (uint64_t word = address / wordBytes;
       word <= (address + bytes - 1) / wordBytes; ++word) {
    if (is_contained(words, word))
      continue;
    if (words.size() == mostWords)
      overflows = true;
    else
      words.push_back(word);
  }
}

void WaitingBlocks::add(uint32_t block, ArrayRef<uint64_t> words) {
  for (uint64_t word : words)
    byWord[word].push_back(block);
  wordsOf[block] = words.vec();
}

void WaitingBlocks::noteChange(uint64_t address, unsigned bytes,
                               uint32_t writer, uint32_t pc) {
  if (wordsOf.empty())
    return;
  for (uint64_t word = address / wordBytes;
       word <= (address + bytes - 1) / wordBytes; ++word) {
    const auto found = byWord.find(word);
    if (found == byWord.end())
      continue;
    const SmallVector<uint32_t, 2> blocks = std::move(found->second);
    byWord.erase(found);
    for (uint32_t block : blocks) {
      woken.push_back({block, writer, pc, address});
      for (uint64_t other : wordsOf[block])
        if (const auto at = byWord.find(other); at != byWord.end())
          erase(at->second, block);
      wordsOf.erase(block);
    }
  }
}

std::vector<WaitingBlocks::Wake> WaitingBlocks::takeWoken() {
  return std::exchange(woken, {});
}

//===----------------------------------------------------------------------===//
// What a warp tells
//===----------------------------------------------------------------------===//

/// Blocks that wait need to know of what they have read that it changes.
void Warp::noteForWaits(const LaneAccess &lanes, unsigned lane) {
  if (lanes.kind != AccessKind::Store) {
    if (LLVM_UNLIKELY(block.isWatching()))
      block.watch(lanes.addresses[lane], lanes.bytes);
    return; // atomics tell themselves what they change
  }
  if (!launch.isOrdered)
    block.noteChange();
  else if (!lanes.data ||
           std::memcmp(lanes.pointers[lane],
                       lanes.data + size_t(lane) * lanes.dataStride,
                       lanes.bytes) != 0)
    noteChange(lanes.addresses[lane], lanes.bytes, lanes.strong);
}

void Warp::noteChange(uint64_t address, unsigned bytes, Scope strong) {
  block.noteChange();
  if (!launch.isOrdered)
    return;
  launch.waiting.noteChange(address, bytes, block.index, pc());
  if (strong != Scope::None)
    launch.waiting.noteFlag(address, block.index, pc());
}

} // namespace tilewright::sim
