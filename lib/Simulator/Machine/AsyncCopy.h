//===- AsyncCopy.h - Copies that are still under way ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies by `cp.async`, which are under way until a thread waits for them:
//
//   cp.async A; cp.async B; commit_group;     group 0: A, B
//   cp.async C; commit_group;                 group 1: C
//   wait_group 1;                             all but the last: A, B land
//
// So who reads too early finds in shared memory what was there before, as on a
// GPU, and a finding beside it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCCOPY_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCCOPY_H

#include <array>
#include <cstdint>
#include <vector>

namespace tilewright::sim {

/// One `cp.async` of one thread: its bytes are fetched when it is issued and
/// land in shared memory only when the thread waits, or when somebody waits for
/// the mbarrier that counts it.
struct PendingCopy {
  uint32_t pc = 0;
  uint64_t target = 0; ///< shared offset
  uint8_t bytes = 0;
  bool hasLanded = false;
  /// Whose phase tells of its end (see AsyncAgent.h); 0: only a wait does.
  uint32_t agent = 0;
  uint32_t agentClock = 0;
  std::array<uint8_t, 16> data = {};
};

/// The copies of all threads of a block, by thread and group.
class AsyncCopies {
public:
  explicit AsyncCopies(unsigned threadCount) : threads(threadCount) {}
  void issue(unsigned thread, const PendingCopy &copy) {
    threads[thread].open.push_back(copy);
    add(copy.target, copy.bytes, 1);
  }
  /// `cp.async.commit_group`; an empty group counts.
  void commit(unsigned thread) {
    Thread &state = threads[thread];
    state.groups.push_back(std::move(state.open));
    state.open.clear();
  }
  /// Calls `land(copy)` for all but the last `keep` groups of the thread, where
  /// a copy may have landed before; `all` includes copies in no group.
  template <class Land>
  void wait(unsigned thread, uint64_t keep, bool all, Land land) {
    Thread &state = threads[thread];
    auto finish = [&](std::vector<PendingCopy> &copies) {
      for (PendingCopy &copy : copies) {
        if (!copy.hasLanded)
          add(copy.target, copy.bytes, -1);
        land(copy);
      }
      copies.clear();
    };
    while (state.groups.size() > keep) {
      finish(state.groups.front());
      state.groups.erase(state.groups.begin());
    }
    if (all)
      finish(state.open);
  }
  /// Calls `visit(copy)` for all that the thread has not waited for.
  template <class Visit> void forPending(unsigned thread, Visit visit) {
    Thread &state = threads[thread];
    for (std::vector<PendingCopy> &group : state.groups)
      for (PendingCopy &copy : group)
        visit(copy);
    for (PendingCopy &copy : state.open)
      visit(copy);
  }
  /// Calls `land(copy)` for those that have not landed and whose end the agent
  /// tells by `clock`.
  template <class Land>
  void landCounted(unsigned thread, uint32_t agent, uint32_t clock, Land land) {
    forPending(thread, [&](PendingCopy &copy) {
      if (copy.hasLanded || copy.agent != agent || copy.agentClock > clock)
        return;
      copy.hasLanded = true;
      add(copy.target, copy.bytes, -1);
      land(copy);
    });
  }
  /// True if a copy to any of these shared bytes is under way.
  bool isPending(uint64_t offset, uint64_t bytes) const {
    if (pending.empty())
      return false;
    for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
      if (word < pending.size() && pending[word] != 0)
        return true;
    return false;
  }

private:
  struct Thread {
    std::vector<PendingCopy> open;
    std::vector<std::vector<PendingCopy>> groups;
  };

  void add(uint64_t offset, uint64_t bytes, int change) {
    const uint64_t end = (offset + bytes) / 4;
    if (pending.size() < end)
      pending.resize(end, 0);
    for (uint64_t word = offset / 4; word != end; ++word)
      pending[word] = static_cast<uint16_t>(pending[word] + change);
  }

  std::vector<Thread> threads;
  /// How many copies are under way to each word of shared memory.
  std::vector<uint16_t> pending;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCCOPY_H
