//===- AsyncProxy.h - Barriers that hand on to the async proxy --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads write to shared memory, products by wgmma and bulk copies see
// behind a fence of those who wrote it and a barrier. The fence waits for all
// that its thread has begun (MEMBAR in SASS), so it stands at those barriers
// only that something written comes to, and of these at the last ones in front
// of who sees it so:
//
//      async_wait 2
//      barrier {async_proxy}    the copies that were waited for
//      warpgroup_dot
//      dot_wait 1
//      barrier                  nothing new: copies under way come later
//      copy_async
//      local_store
//      barrier                  for threads, which see it anyhow
//      local_load
//      barrier {async_proxy}    what was stored, too
//      store_tma
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ASYNCPROXY_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ASYNCPROXY_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Writes `async_proxy` on the barriers of a kernel that need it.
void markAsyncProxy(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ASYNCPROXY_H
