//===- Warp.h - 32 lanes in lockstep, or in fragments -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 32 threads that execute one instruction at a time. Where they branch
// different ways, they are fragments, which run one at a time until all have
// come to where the ways meet (`reconverge`):
//
//   pc 4:  @%p1 bra 7      lanes 0xffffffff           one fragment
//   pc 5:  ...             lanes 0x0000ffff           they go on,
//   pc 7:  ...             lanes 0xffff0000           these wait at pc 7
//   pc 7:  ...             lanes 0xffffffff           one fragment again
//
// Handlers of instructions read and write registers of 32 lanes (`source`,
// `destination`), and touch memory by `access` alone, which checks bounds,
// races and what is initialised, and counts. What the warp's lanes know of the
// order of accesses is in its clocks (Checks/Clocks.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_WARP_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_WARP_H

#include "Checks/Clocks.h"
#include "Machine/LaunchContext.h"
#include "Machine/ProductRegisters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <memory>

namespace tilewright::sim {

class Block;

constexpr unsigned warpSize = 32;
constexpr unsigned warpgroupWarps = 4;
constexpr uint32_t fullMask = ~0u;

/// Calls `f(lane)` for every lane in `mask`; the full warp is a plain loop
/// that the compiler can vectorise.
template <class F> inline void forLanes(uint32_t mask, F f) {
  if (mask == fullMask) {
    for (unsigned lane = 0; lane != warpSize; ++lane)
      f(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1)
    f(static_cast<unsigned>(llvm::countr_zero(mask)));
}

/// A register holds its value in the low bits of 64; the rest is undefined.
template <class T> inline T fromBits(uint64_t bits) {
  static_assert(sizeof(T) <= sizeof(bits));
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

template <class T> inline uint64_t toBits(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  } else {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
}

/// Where the operands of instructions are: 32 lanes of 64 bits each.
struct RegisterFile {
  uint64_t *registers = nullptr;
  const uint64_t *constants = nullptr;

  const uint64_t *source(int32_t op) const {
    return op >= 0 ? registers + size_t(op) * warpSize
                   : constants + size_t(~op) * warpSize;
  }
  template <class T> T value(int32_t op, unsigned lane) const {
    return fromBits<T>(source(op)[lane]);
  }
  uint64_t *destination(int32_t slot) const {
    return registers + size_t(slot) * warpSize;
  }
};

/// The registers of one call of a function.
struct Frame {
  uint32_t function = 0;
  uint32_t returnPc = Instr::noPc; ///< noPc in a kernel
  uint32_t callPc = Instr::noPc;
  uint64_t localBase = 0; ///< of this call in local memory
  std::vector<uint64_t> registers;
  std::vector<uint32_t> predicates;
  ProductRegisterTable productRegisters; ///< by slot
  std::shared_ptr<Frame> caller;
};

/// Lanes of a warp that run together. A divergent branch splits a fragment;
/// the parts merge again at a meeting.
struct Fragment {
  enum class State : uint8_t { Ready, AtMeeting, AtSync, AtBarrier };
  State state = State::Ready;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t barrier = 0;    ///< id, when AtBarrier
  uint32_t syncLanes = 0;  ///< executing lanes, when AtSync
  uint32_t syncNeeded = 0; ///< lanes that must come, when AtSync
  llvm::SmallVector<uint32_t, 4> meetings; ///< innermost last
  std::shared_ptr<Frame> frame;
};

/// Where lanes wait for each other after a divergent branch. It is a matter
/// of speed and counts, not of meaning: when lanes wait in vain (the others
/// spin on something that only these can do), they are let go.
struct Meeting {
  uint32_t pc = 0;
  const Frame *frame = nullptr;
  uint32_t participants = 0;
  uint32_t arrived = 0;
};

enum class AccessKind : uint8_t { Load, Store, Atomic };
/// "reads", "writes" or "updates".
llvm::StringRef accessVerb(AccessKind kind);

/// One warp-wide memory access: filled in by the instruction, resolved and
/// checked by Warp::access.
struct LaneAccess {
  AccessKind kind = AccessKind::Load;
  Space space = Space::Generic;
  unsigned bytes = 4;           ///< per lane
  unsigned align = 0;           ///< required; 0: same as bytes
  Scope strong = Scope::None;   ///< of volatile, relaxed and stronger, atomic
  bool isMatrix = false;        ///< ldmatrix: rows of 16 bytes
  bool isAsync = false;         ///< an asynchronous copy: the bytes land later
  bool isMemoryBarrier = false; ///< an instruction for mbarriers
  uint32_t mask = 0;
  uint64_t addresses[warpSize];
  /// Where the bytes are on the host; valid for the lanes that access()
  /// returns.
  uint8_t *pointers[warpSize];
  /// What a store writes: access() carries it out, or only tells equal writes
  /// apart by it where the copy is asynchronous.
  const uint8_t *data = nullptr;
  unsigned dataStride = 0;
  /// Those whose address is one of global memory, as access() finds out; the
  /// addresses of others are offsets then.
  uint32_t globalLanes = 0;

  bool isGlobal(unsigned lane) const { return globalLanes >> lane & 1; }
};

/// The last strong read that let other warps run, as waits do in their loops.
struct Poll {
  uint32_t pc = Instr::noPc; ///< noPc: there was none
  unsigned lane = 0;
  Space space = Space::Global;
  uint64_t address = 0;
  uint64_t value = 0;
};

class Warp : public OrderOracle {
public:
  Warp(Block &block, unsigned index);

  //===--- For instruction handlers ---------------------------------------===//

  const uint64_t *source(int32_t op) const { return file.source(op); }
  template <class T> T value(int32_t op, unsigned lane) const {
    return file.value<T>(op, lane);
  }
  uint64_t *destination(int32_t slot) { return file.destination(slot); }
  const RegisterFile &registerFile() const { return file; }
  /// Lanes for which a predicate operand (slot * 2 + negated) holds.
  uint32_t predicate(int32_t op) const {
    const uint32_t bits = predicates[op >> 1];
    return op & 1 ? ~bits : bits;
  }
  void setPredicate(int32_t slot, uint32_t mask, uint32_t bits) {
    predicates[slot] = (predicates[slot] & ~mask) | (bits & mask);
  }

  /// Resolves addresses, checks bounds, alignment, initialisation and races,
  /// and counts. Stores with `data` are carried out. Returns the lanes whose
  /// access may go on.
  uint32_t access(LaneAccess &lanes);

  /// The allocation that holds all bytes of a lane's access, or null with a
  /// finding.
  Allocation *findGlobal(const LaneAccess &lanes, unsigned lane);

  /// False with a finding where an access is to an mbarrier, and by no
  /// instruction for them. The lane's address is an offset of `owner`.
  bool checkMemoryBarrier(const LaneAccess &lanes, unsigned lane,
                          const Block &owner);

  /// Completes asynchronous copies of a lane: all but its last `keep` groups,
  /// and with `all` those in no group too.
  void landCopies(unsigned lane, uint64_t keep, bool all);
  /// What 32 lanes hold in ops[base], plus the instruction's offset.
  void computeAddresses(const Instr &instr, int32_t base,
                        LaneAccess &lanes) const;

  // Control flow.
  Step branch(const Instr &instr, uint32_t taken);
  Step branchTable(const Instr &instr, uint32_t mask);
  Step exitLanes(uint32_t mask);
  Step call(const Instr &instr, uint32_t mask);
  Step returnLanes(uint32_t mask);
  /// Blocks the lanes of `mask` at barrier `id` until releaseBarrier; other
  /// lanes of the fragment go on now.
  void waitAtBarrier(uint32_t mask, uint32_t id);
  void releaseBarrier(uint32_t id);
  uint32_t lanesAtBarrier(uint32_t id) const;

  // Order of memory accesses.
  /// `bar.warp.sync` by these lanes.
  void syncLanes(uint32_t mask);
  void fence(MemoryOrder order, uint32_t mask);
  /// What strong accesses of lanes that read and of lanes that have written
  /// order, by the flags or locks that they access.
  void synchronize(const LaneAccess &lanes, uint32_t reads, uint32_t writes,
                   MemoryOrder order);
  bool isOrdered(const Mark &earlier, const Mark &now) const override;
  /// The same before what all lanes do now.
  bool isOrderedBeforeAll(const Mark &earlier) const;
  /// `fence.proxy.async` of shared memory: what these lanes have written is
  /// visible to the async proxy, for whoever is ordered after the fence.
  void fenceAsyncProxy(uint32_t mask);
  /// True if its thread's fence, after a write, is ordered before now.
  bool isFenced(const Mark &write) const;
  std::string describeMissingFence(llvm::StringRef verb,
                                   const Mark &write) const;
  /// What the warp number `actor`, or whoever else has a clock (see Clocks.h),
  /// has done up to `clock` is over, and ordered before now.
  void learn(uint32_t actor, uint32_t clock);
  /// What the lanes are ordered after now, for another block of the cluster,
  /// and what that block makes of it.
  ViewRef takeView(uint32_t mask);
  /// What its fences have released.
  const ViewRef &getReleasedView() const { return clocks.released.device; }
  void acquire(const ViewRef &view, Scope scope);
  /// The clock of a warpgroup stands after those of the warps.
  unsigned warpgroupClock() const;
  Mark mark(unsigned lane, Scope strong) const;
  /// A strong read may be the one of a loop that waits.
  void notePoll(unsigned lane, Space space, uint64_t address, uint64_t value);

  void report(FindingKind kind, unsigned lane, const llvm::Twine &message,
              uint64_t address = 0, uint32_t otherPc = Instr::noPc,
              bool isGlobalRace = false);
  /// The launch ends here: the block has run for too long, or was interrupted.
  void reportLimit();
  void reportInterrupt();
  /// The same, where blocks only wait for each other.
  void reportIdleLimit() const;
  Dim3 thread(unsigned lane) const;
  uint32_t liveLanes() const { return alive; }
  uint32_t pc() const { return fragments[current].pc; }
  /// A clock: instructions that the block has executed, and what the warp
  /// slept.
  uint64_t ticks() const;
  void sleep(uint64_t ticks) { slept += ticks; }
  const Frame &frame() const { return *fragments[current].frame; }
  /// The same, for what outlives the call.
  std::shared_ptr<Frame> sharedFrame() const {
    return fragments[current].frame;
  }
  /// Global memory has another value now.
  void noteChange(uint64_t address, unsigned bytes, Scope strong);
  /// Without an array, the address is an offset in shared memory.
  void reportConflict(const Conflict &conflict, const Mark &now, bool isWrite,
                      uint64_t address, const Allocation *array = nullptr);

  //===--- For the block --------------------------------------------------===//

  /// Runs until every fragment waits or `budget` instructions are executed.
  void run(uint64_t &budget);
  bool isReady() const;
  bool isDone() const { return alive == 0; }
  /// "warp 3, lanes 0xffff: waits at barrier 1 in line 12", for deadlocks.
  void describeWaits(llvm::raw_ostream &os) const;
  /// " reads byte 4 of allocation 2 again and again (0x1 at last), ...".
  void describePoll(llvm::raw_ostream &os) const;
  void describeLastWrite(llvm::raw_ostream &os, uint64_t address) const;
  const Poll &lastPoll() const { return poll; }
  /// Of all that decides how the warp goes on, but memory; quickly, of where
  /// its lanes stand.
  uint64_t getStateHash() const;
  uint64_t getPlaceHash() const;
  uint32_t anyPc() const { return fragments.front().pc; }
  /// The pc of some waiting fragment.
  uint32_t waitingPc() const;
  /// Called when a block-wide wait ends for this warp.
  void joinClock(const Clocks &message);
  const Clocks &clock() const { return clocks; }
  void advanceClock() { ++clocks.known[index]; }

  Block &block;
  const unsigned index;
  LaunchContext &launch;
  /// Local memory of each lane, from `firstOffset` on.
  std::vector<uint8_t> local[warpSize];
  bool yielded = false;
  ProductRegisters productRegisters;

private:
  void reportEnd(FindingKind kind, const llvm::Twine &why);
  void runFragment(uint64_t &budget);
  Step runInstructions(uint32_t endPc, uint64_t &turn);
  uint32_t getMeetingPc() const;
  void noteRegisters(const Instr &instr, uint32_t mask);
  size_t pickFragment() const;
  void select(size_t fragment);
  bool releaseIdleMeetings();
  void arriveAtMeeting();
  void finishMeetings();
  void openMeeting(uint32_t pc);
  void splitOff(uint32_t lanes, uint32_t pc);
  bool isGathered(const Instr &instr, uint32_t mask);
  bool executeGathered(const Instr &instr);
  bool canForceSync() const;
  bool forceSync();
  std::shared_ptr<Frame> makeFrame(uint32_t function, uint64_t localBase,
                                   uint32_t lanes);
  uint64_t special(SpecialRegister reg, unsigned lane) const;
  void copyLocal(uint64_t from, uint64_t to, uint64_t bytes, uint32_t mask);

  uint32_t accessShared(LaneAccess &lanes, uint32_t mask, Block &owner);
  uint32_t accessCluster(LaneAccess &lanes, uint32_t mask);
  uint32_t accessGlobal(LaneAccess &lanes, uint32_t mask);
  uint32_t accessLocal(LaneAccess &lanes, uint32_t mask);
  uint32_t accessParam(LaneAccess &lanes, uint32_t mask);
  bool noteAccess(ShadowPage &page, uint64_t at, const LaneAccess &lanes,
                  const Mark &now, Conflict &conflict) const;
  bool isSameStore(const LaneAccess &lanes, unsigned lane, uint64_t delta,
                   uint64_t bytes, const Mark &last) const;
  bool isAligned(const LaneAccess &lanes, unsigned lane);
  void noteForWaits(const LaneAccess &lanes, unsigned lane);
  void checkGlobalOrder(const LaneAccess &lanes, unsigned lane,
                        Allocation &allocation);

  SyncTable *tableOf(const uint8_t *location) const;
  void readFlag(const SyncLocation &flag, MemoryOrder order);
  Scope effective(Scope scope) const;
  uint32_t knownClock(uint32_t actor) const {
    return actor < clocks.known.size() ? clocks.known[actor] : 0;
  }
  std::string describeActor(const Mark &mark) const;
  void writeFlag(SyncLocation &flag, MemoryOrder order, bool isUpdate,
                 const ViewRef &view);

  RegisterFile file;
  uint32_t *predicates = nullptr;
  const Instr *code = nullptr;

  uint32_t alive = 0;
  size_t current = 0;
  unsigned impatience = 0; ///< grows until fragments merge or end
  bool turnExhausted = false;
  std::vector<Fragment> fragments;
  std::vector<Meeting> meetings;
  llvm::SmallVector<uint32_t, 4> freeMeetings;

  /// What this is ordered after; known[index] is the own, present clock.
  Clocks clocks;
  /// Accesses of all lanes up to this clock are ordered before all lanes now.
  uint32_t syncedClock = 0;
  /// laneKnown[a * 32 + b]: accesses of lane b up to this clock are ordered
  /// before lane a. Made by the first bar.warp.sync of part of the warp.
  std::vector<uint32_t> laneKnown;
  /// What strong reads have seen, for the fences behind them.
  SyncViews pending, lastPending;
  ViewRef lastAcquired;
  Poll poll;
  uint64_t slept = 0;
  uint32_t serial = 0;
  Allocation *lastAllocation = nullptr;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_WARP_H
