//===- HostAtomics.h - Simulated memory that host threads share -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_HOSTATOMICS_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_HOSTATOMICS_H

#include <cstdint>

namespace tilewright::sim {

/// Other host threads may access the same bytes, so simulated memory is read
/// and written with relaxed atomics, which cost no more than plain accesses.
/// Addresses are aligned to the size of `T`.
template <class T> T loadRelaxed(const uint8_t *from) {
  return __atomic_load_n(reinterpret_cast<const T *>(from), __ATOMIC_RELAXED);
}

template <class T> void storeRelaxed(uint8_t *to, T value) {
  __atomic_store_n(reinterpret_cast<T *>(to), value, __ATOMIC_RELAXED);
}

/// Replaces the value by `update(value)` in one step; returns the old one.
template <class T, class F> T updateAtomically(uint8_t *at, F update) {
  auto *target = reinterpret_cast<T *>(at);
  T old = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(target, &old, update(old), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_HOSTATOMICS_H
