//===- Atomic.h - Sums in memory --------------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_ATOMIC_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_ATOMIC_H

#include "Ptx/Type.h"

namespace tilewright::sim {

/// Adds a value of `type` to that at `to`, in global memory, as red.add does.
void addAtomically(Type type, uint8_t *to, const uint8_t *value);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_ATOMIC_H
