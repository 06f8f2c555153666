//===- Hex.h - Addresses as messages write them -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_HEX_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_HEX_H

#include "llvm/ADT/StringExtras.h"

namespace tilewright::sim {

inline std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

} // namespace tilewright::sim

#endif
