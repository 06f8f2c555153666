//===- AsyncAgent.h - Who carries out asynchronous copies -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An asynchronous copy runs beside the threads, and whoever learns of its end
// is ordered after what it read and wrote. So for the race checks its accesses
// have a clock of their own, that of the means by which its end is told:
//
//   mbarrier at offset 64    copies of its phase n have clock n + 1; who sees
//                            the end of the phase is ordered after all of them
//   bulk groups of thread 5  copies of its n-th group have clock n; a wait of
//                            the thread orders it after them, one clock for
//                            what they read and one for what they write
//
// The clocks stand in Clocks::known, behind those of warps and warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCAGENT_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCAGENT_H

#include <cstdint>
#include <map>
#include <vector>

namespace tilewright::sim {

struct AsyncAgent {
  enum class Kind : uint8_t {
    Bulk,      ///< bulk copies that an mbarrier counts
    Thread,    ///< `cp.async` and `st.async` that an mbarrier counts
    GroupRead, ///< what the bulk groups of a thread read
    GroupWrite ///< what they write
  };
  Kind kind = Kind::Bulk;
  uint64_t number = 0; ///< shared offset of the mbarrier, or the thread

  /// True if it accesses memory through the async proxy.
  bool isAsyncProxy() const { return kind != Kind::Thread; }
  bool operator<(const AsyncAgent &other) const {
    return kind != other.kind ? kind < other.kind : number < other.number;
  }
};

/// The agents of a block, numbered from `first` on as they come.
class AsyncAgents {
public:
  explicit AsyncAgents(uint32_t first) : first(first) {}
  uint32_t get(AsyncAgent agent) {
    const auto [found, isNew] = numbers.try_emplace(
        agent, first + static_cast<uint32_t>(agents.size()));
    if (isNew)
      agents.push_back(agent);
    return found->second;
  }
  /// Null for numbers of warps and warpgroups.
  const AsyncAgent *find(uint32_t number) const {
    return number >= first && number - first < agents.size()
               ? &agents[number - first]
               : nullptr;
  }

private:
  uint32_t first;
  std::vector<AsyncAgent> agents;
  std::map<AsyncAgent, uint32_t> numbers;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_ASYNCAGENT_H
