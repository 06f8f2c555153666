//===- Chains.h - Ops that are computed of one another ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who asks what a value is made of, here and in MLIR, calls itself for each op
// of a chain, until the stack is used up:
//
//   %b = arith.addi %a, %x : i32
//   %c = arith.muli %b, %x : i32      and so on
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_CHAINS_H
#define TILEWRIGHT_LIB_COMPILER_CHAINS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright {

/// Twice as many take the 8 MB that a thread has. A loop that is written out
/// has such chains, and takes seconds to compile by then.
inline constexpr unsigned kMostOpsOfChain = 10000;

/// Refuses a kernel with a longer one.
mlir::LogicalResult checkChains(tile::KernelOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_CHAINS_H
