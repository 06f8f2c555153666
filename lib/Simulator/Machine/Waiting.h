//===- Waiting.h - Blocks that wait for other blocks ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block waits for another one in a loop that reads memory until it changes:
//
//   LOOP: atom.acquire.gpu.cas.b32 %r1, [lock], 0, 1;
//         @p bra LOOP;                          // p: %r1 was not 0
//
// Nothing in the instructions says so, but the block shows it: as long as
// nobody writes what it reads, it comes back to a state in which it was before,
// and will for good. Registers, places of all lanes and shared memory are the
// state. A CycleDetector looks for that, and WaitingBlocks keeps such a block
// aside until somebody writes one of the addresses that it has read since. So a
// wait costs little, and where every block stands aside there is a deadlock, of
// which each can say what it waits for. A loop that counts its attempts, or
// looks at a clock, never comes back to the same state, and is not taken for a
// wait without an end.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_WAITING_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_WAITING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::sim {

class Block;

/// Finds out that a block repeats itself; it is told of each turn of a warp.
class CycleDetector {
public:
  explicit CycleDetector(const Block &block) : block(block) {}
  /// The block is let run again, after others; one that has waited is likely
  /// to wait for more.
  void restart(bool hasWaited);
  /// The block has changed global memory.
  void noteChange() { restart(/*hasWaited=*/false); }
  /// True if the block is where it was before, after `instructions` of `warp`
  /// up to a read that may be one of a wait.
  bool repeats(unsigned warp, uint64_t instructions, bool isPoll);

  /// Addresses in global memory, in words of 8 bytes, that were read since the
  /// state that repeats.
  bool isWatching() const { return comparisons != 0; }
  void watch(uint64_t address, unsigned bytes);
  llvm::ArrayRef<uint64_t> watchedWords() const { return words; }
  /// More was read than is kept.
  bool hasOverflown() const { return overflows; }

private:
  void remember();
  void forgetTurns();
  bool isRemembered();

  const Block &block;
  uint64_t idle = 0;        ///< instructions since the last change
  uint64_t next = 0;        ///< of `idle`, when to remember a state
  unsigned comparisons = 0; ///< to be made with the one remembered
  unsigned looks = 0;       ///< so many of them; twice as many the next time
  uint64_t places = 0;
  std::optional<uint64_t> state;
  llvm::BitVector hasRun; ///< warps, since then
  std::vector<uint64_t> words;
  bool overflows = false;
};

/// Who waits for which words of global memory.
class WaitingBlocks {
public:
  /// A block that can go on, and by whom.
  struct Wake {
    uint32_t block = 0;
    uint32_t writer = 0;
    uint32_t writerPc = 0;
    uint64_t address = 0;
  };

  void add(uint32_t block, llvm::ArrayRef<uint64_t> words);
  void noteChange(uint64_t address, unsigned bytes, uint32_t writer,
                  uint32_t pc);
  /// The same of a flag or a lock, of which reports tell who wrote it last.
  void noteFlag(uint64_t address, uint32_t writer, uint32_t pc) {
    writers[address] = {writer, pc};
  }
  /// The block and the pc.
  std::optional<std::pair<uint32_t, uint32_t>>
  writerOf(uint64_t address) const {
    const auto found = writers.find(address);
    if (found == writers.end())
      return std::nullopt;
    return found->second;
  }
  /// Who was woken, in the order in which they began to wait.
  std::vector<Wake> takeWoken();

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 2>> byWord;
  llvm::DenseMap<uint32_t, std::vector<uint64_t>> wordsOf;
  std::vector<Wake> woken;
  llvm::DenseMap<uint64_t, std::pair<uint32_t, uint32_t>> writers;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_WAITING_H
