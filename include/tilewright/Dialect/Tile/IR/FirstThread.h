//===- FirstThread.h - Programs that one thread runs ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_FIRSTTHREAD_H
#define TILEWRIGHT_DIALECT_TILE_IR_FIRSTTHREAD_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::tile {

/// On a kernel, and on its function: the first thread runs its programs alone,
/// and the others end where they begin (tile-run-in-first-thread).
inline constexpr llvm::StringLiteral kFirstThreadAttr = "tile.first_thread";

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_FIRSTTHREAD_H
