//===- FirstLevelCache.cpp - What blocks leave to the first cache ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/FirstLevelCache.h"

using namespace tilewright;

/// What the cache has where shared memory has the largest size, on all targets.
static constexpr unsigned kLeastBytes = 28 * 1024;

/// In KB, from the CUDA Programming Guide's sections on compute capabilities:
/// each target has those up to its own largest.
static constexpr unsigned kSharedSizes[] = {0,   8,   16,  32,  64,
                                            100, 132, 164, 196, 228};

unsigned tilewright::countCacheBytes(const GpuTarget &target, unsigned threads,
                                     unsigned sharedBytes, unsigned registers) {
  unsigned blocks =
      target.occupancy(threads, registers, sharedBytes).blocksPerSM;
  if (blocks == 0)
    return 0;
  unsigned needed = blocks * (sharedBytes + target.reservedSharedBytesPerBlock);
  unsigned all = target.sharedBytesPerSM + kLeastBytes;
  for (unsigned size : kSharedSizes)
    if (needed <= size * 1024 && size * 1024 <= target.sharedBytesPerSM)
      return all - size * 1024;
  return kLeastBytes;
}
