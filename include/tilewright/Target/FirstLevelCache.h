//===- FirstLevelCache.h - What blocks leave to the first cache -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory and the first-level cache are parts of one memory of an SM. A
// driver gives shared memory the least of a few sizes in which all blocks that
// an SM can have find room: the cache has the rest.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_FIRSTLEVELCACHE_H
#define TILEWRIGHT_TARGET_FIRSTLEVELCACHE_H

#include "tilewright/Target/GpuTarget.h"

namespace tilewright {

/// The bytes of the first-level cache beside as many blocks as are resident on
/// an SM, by their threads and shared memory, and by the registers of a thread.
/// 0: a block has no room.
unsigned countCacheBytes(const GpuTarget &target, unsigned threads,
                         unsigned sharedBytes, unsigned registers = 1);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_FIRSTLEVELCACHE_H
