//===- SharedAllocation.h - Which bytes a shared tile gets ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles whose lives do not overlap may have the same bytes. The pass that hands
// out bytes and the choice of layouts, which asks what a larger tile would
// cost, go by one plan:
//
//   SmallVector<SharedRequest> requests = getSharedRequests(kernel);
//   planSharedMemory(requests, freeBytes).total;    // what the block needs
//   requests[2].bytes += 2048;                      // with padding
//   planSharedMemory(requests, freeBytes).total;    // the same, if others who
//                                                   // live elsewhen are larger
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDALLOCATION_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDALLOCATION_H

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {

/// What a tile asks for.
struct SharedRequest {
  LiveRange live;
  int64_t bytes = 0;
  /// What the offset of the first byte is a multiple of.
  int64_t alignment = 1;
  /// Where the program says so.
  std::optional<int64_t> offset;
  /// The request that the tile stands in the bytes of, and how many bytes
  /// behind its first one (`getTileBefore`).
  std::optional<size_t> host;
  int64_t behind = 0;

  explicit SharedRequest(const LiveRange &live);
};

/// What the tiles of a kernel ask for, in program order. One without a layout
/// asks for the least that it can have: no padding.
llvm::SmallVector<SharedRequest> getSharedRequests(KernelOp kernel);

struct SharedPlan {
  /// One a request.
  llvm::SmallVector<int64_t> offsets;
  /// The end of the last tile.
  int64_t total = 0;
};

/// Large tiles first, each at the lowest bytes that are free. Where all tiles
/// together have no more than `freeBytes`, none share bytes, which would cost
/// barriers.
SharedPlan planSharedMemory(llvm::ArrayRef<SharedRequest> requests,
                            int64_t freeBytes);

/// Whether a block of so many bytes has a multiprocessor alone.
bool isAlone(const GpuTarget &gpu, int64_t bytes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDALLOCATION_H
