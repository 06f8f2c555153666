//===- CountOf.h - Numbers of things in sentences ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_COUNTOF_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_COUNTOF_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace tilewright {

/// "1 warp", "8 warps".
inline std::string countOf(int64_t count, llvm::StringRef noun) {
  return (llvm::Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_COUNTOF_H
