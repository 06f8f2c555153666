//===- BankModel.h - Wavefronts of a shared-memory access -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes: the word at byte address a lies in
// bank (a / 4) % 32. In one pass over the banks, a wavefront, each bank serves
// one word, to as many lanes as want that word. A warp instruction takes as
// many wavefronts as it needs:
//
//   32 lanes load 4 adjacent bytes each     1   every bank serves one word
//   all lanes load the same word            1   a broadcast
//   lane l loads the word at 128 * l       32   bank 0 serves 32 words
//
// Wider accesses are split into groups of lanes. The exact rule, which this
// file executes, was measured on an H200 and gives the number that Nsight
// Compute counts in all of 1000 access patterns, of which 400 are in
// test/data/h200-wavefronts.csv:
//
//   1. Groups are of 32 lanes for 4 bytes a lane or fewer, of 16 for 8 bytes,
//      of 8 for 16 bytes, and of 8 row addresses for ldmatrix.
//   2. A load of 8 or 16 bytes a lane uses groups twice as large, if the
//      address of each active lane l is that of lane l ^ 1, or if for each it
//      is that of lane l ^ 2. An inactive partner agrees with any address.
//   3. A group costs the largest number of different words one bank serves.
//   4. The instruction costs the sum over its groups.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_BANKS_BANKMODEL_H
#define TILEWRIGHT_LAYOUT_BANKS_BANKMODEL_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace tilewright {

constexpr unsigned lanesPerWarp = 32;
constexpr unsigned numBanks = 32;
/// What a bank serves at a time, a register holds, and lanes hand to each
/// other.
constexpr int64_t bytesPerWord = 4;
/// Bytes that one wavefront can move.
constexpr unsigned bytesPerWavefront = numBanks * bytesPerWord;
/// Widest access of one lane.
constexpr unsigned maxBytesPerLane = 16;

/// LoadMatrix is ldmatrix: each address is that of a row of 16 bytes, and the
/// 8 addresses of a group are the rows of one matrix. StoreMatrix, stmatrix, is
/// its counterpart.
enum class SharedAccessKind { Load, Store, LoadMatrix, StoreMatrix };

inline bool isMatrixAccess(SharedAccessKind kind) {
  return kind == SharedAccessKind::LoadMatrix ||
         kind == SharedAccessKind::StoreMatrix;
}
inline bool isSharedStore(SharedAccessKind kind) {
  return kind == SharedAccessKind::Store ||
         kind == SharedAccessKind::StoreMatrix;
}

/// The lanes of a group: 8, 16 or 32, by rules 1 and 2. Arguments as below.
unsigned lanesPerGroup(SharedAccessKind kind, unsigned bytesPerLane,
                       llvm::ArrayRef<int64_t> addresses);

/// The number of wavefronts of one warp instruction.
///
/// \p bytesPerLane is 1, 2, 4, 8 or 16, for ldmatrix 16. \p addresses holds
/// the byte address of each lane, at most 32 of them; lanes with a negative
/// address, or beyond the end, are inactive. No active lane: 0 wavefronts.
unsigned countWavefronts(SharedAccessKind kind, unsigned bytesPerLane,
                         llvm::ArrayRef<int64_t> addresses);

/// The fewest wavefronts that the instruction could take wherever in shared
/// memory its data were: each group of lanes moves its different bytes, 128 at
/// a time. Of the addresses it counts only which are equal. 32 lanes that load
/// the same 16 bytes take 2, since two groups of 16 are the fewest there are.
unsigned fewestWavefronts(SharedAccessKind kind, unsigned bytesPerLane,
                          llvm::ArrayRef<int64_t> addresses);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_BANKS_BANKMODEL_H
