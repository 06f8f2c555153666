//===- Bulk.h - Bulk copies of the async proxy ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread starts a bulk copy, which then runs on its own until
//
//   to shared memory      the mbarrier that counts its bytes is waited for
//   to global memory      the thread waits for the bulk group that it is in
//
// and is carried out at that wait, the latest moment that PTX allows. What it
// reads of global memory for a copy to shared memory is fetched when it starts.
//
// For the race checks, a copy's accesses have the clock of an AsyncAgent. What
// they touch must have been used, by whoever else, before the thread started
// the copy; and a later use must know of the wait. The async proxy comes to
// memory by another way than threads: what they have written to shared memory
// they must have fenced, by `fence.proxy.async`, before a copy reads it, or
// overwrites it. What they have written to global memory is not checked.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_BULK_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_BULK_H

#include "Families/Family.h"
#include "Families/MemoryBarrier.h"

namespace tilewright::sim {

/// Bytes that follow each other in both memories.
struct BulkPiece {
  uint64_t shared = 0; ///< offset in a block
  uint64_t other = 0;  ///< address in global memory, or offset in a block
  uint64_t bytes = 0;
  bool isOutside = false; ///< of the tensor: filled, or not written
};

/// What fills the bytes outside of a tensor.
struct BulkFill {
  uint64_t bits = 0;
  unsigned bytes = 1;
};

/// A copy that a lane starts.
class BulkCopy {
public:
  BulkCopy(Warp &warp, unsigned lane);

  /// From global memory, or from shared memory of the own block, to that of
  /// `place`, whose mbarrier counts `bytes`.
  void load(llvm::ArrayRef<BulkPiece> pieces, const BarrierPlace &place,
            uint64_t bytes, bool isFromShared, BulkFill fill = {});
  /// From shared memory of the own block to global memory; with a type, added
  /// to what is there.
  void store(llvm::ArrayRef<BulkPiece> pieces, Type sum = Type::None);

private:
  class Order;
  bool checkBounds(const Block &owner, uint64_t offset, uint64_t bytes,
                   llvm::StringRef verb);
  bool checkShared(Block &owner, uint64_t offset, uint64_t bytes, bool isWrite,
                   const Mark &as);
  uint8_t *checkGlobal(uint64_t address, uint64_t bytes, bool isWrite,
                       const Mark &as);
  void note(ShadowPage &page, uint64_t at, uint64_t bytes, bool isWrite,
            const Mark &as, uint64_t address,
            const Allocation *array = nullptr);
  Mark markOf(const Block &owner, uint32_t agent, uint32_t clock) const;

  Warp &warp;
  const unsigned lane;
  const Mark issuer;
};

/// The mbarrier at an address in shared memory of the cluster that counts a
/// copy of `lane` to `target`, which becomes the offset in its block; none with
/// a finding.
std::optional<BarrierPlace> findBulkTarget(Warp &warp, unsigned lane,
                                           uint64_t &target, uint64_t barrier);
/// An address in shared memory that a copy of `lane` reads becomes the offset
/// in the own block; false with a finding.
bool findBulkSource(Warp &warp, unsigned lane, uint64_t &source);
/// False with a finding.
bool checkBulkAlignment(Warp &warp, unsigned lane, uint64_t address,
                        uint64_t alignment, llvm::StringRef what);

/// The addresses in the cluster that a multicast to `blocks`, by bits, means by
/// one in shared memory of a block; or that one alone.
llvm::SmallVector<uint64_t, 4>
multicastAddresses(uint64_t address, bool isMulticast, uint32_t blocks);

/// cp.async.bulk.commit_group and wait_group, by a lane.
void commitBulkGroup(Warp &warp, unsigned lane);
void waitForBulkGroups(Warp &warp, unsigned lane, uint64_t keep,
                       bool isReadOnly);

/// What prefetches into the L2 cache have in common: `operands` of them, and a
/// hint for the cache that is passed over. `what` begins the message.
void decodePrefetchModifiers(Decoder &d, Instr &i, ExecFn exec,
                             const char *what, size_t operands);

/// An operand [base + offset], decoded.
struct BulkAddress {
  int32_t base = 0;
  int32_t offset = 0;

  static BulkAddress decode(Decoder &d, size_t index);
  uint64_t get(const Warp &warp, unsigned lane) const {
    return warp.value<uint64_t>(base, lane) +
           warp.value<uint64_t>(offset, lane);
  }
  /// The address in shared memory, without the window.
  uint64_t getShared(const Warp &warp, unsigned lane) const {
    return (warp.value<uint64_t>(base, lane) & (window::size - 1)) +
           warp.value<uint64_t>(offset, lane);
  }
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_BULK_H
