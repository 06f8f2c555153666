//===- Shortage.h - What a block has too little of --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_SHORTAGE_H
#define TILEWRIGHT_TARGET_SHORTAGE_H

#include <cstdint>
#include <string>

namespace tilewright {

/// What a block needs more of than it can have ("shared memory"), how much it
/// needs, and how much it can have.
struct Shortage {
  std::string name;
  int64_t required = 0;
  int64_t limit = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_SHORTAGE_H
