//===- ChannelOps.h - Order between filler and reader -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_CHANNELOPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_CHANNELOPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether each hand-over of a kernel has its two ends, and its tiles are
/// touched between them only.
llvm::LogicalResult verifyHandOvers(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_CHANNELOPS_H
