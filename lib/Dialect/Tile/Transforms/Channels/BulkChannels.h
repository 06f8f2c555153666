//===- BulkChannels.h - Channels that bulk copies fill ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BULKCHANNELS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BULKCHANNELS_H

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {

/// Gives each slot a pair of mbarriers.
void addMbarriers(ChannelOp channel);

/// The copies that fill what is acquired, in the order of the program.
llvm::SmallVector<CopyTmaOp> getBulkCopies(AcquireOp acquire);

/// The widest mode of the hardware in which threads make this access to their
/// tile by as few wavefronts as in any layout, with rows along `rowDim`; null
/// where there is none.
SharedLayoutAttr findHardwareLayout(SharedAccessOpInterface access,
                                    unsigned rowDim);

/// The blocks of a kernel for whose shared tiles a multiprocessor has room.
unsigned countBlocksWithRoom(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BULKCHANNELS_H
