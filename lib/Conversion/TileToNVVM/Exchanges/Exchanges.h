//===- Exchanges.h - What warps of blocks tell each other -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared tiles by which warps reduce are small, and of a program that a cluster
// runs each block has all of them (Clusters.h). Stores to them that one barrier
// ends, with nothing else between, are an exchange. Its barrier orders nothing
// but what it stores, and costs no fence:
//
//   warp 20 stores its sum    st.async to each block, counted by its mbarrier
//   tile.barrier              mbarrier.try_wait for the bytes of all warps
//   all warps read the sums   ld.shared
//
// Kernels whose barriers may be there for global memory as well have none. What
// is stored otherwise waits at a barrier of the cluster, barrier.cluster.arrive
// and barrier.cluster.wait, which costs more: the arrival is a fence for global
// memory, too (MEMBAR.ALL.GPU in SASS).
//
// An exchange that is made again waits until all have read what they got the
// last time, at a barrier of the cluster. Where a loop over programs has
// exchanges and nothing else that barriers order, each warp says so to each
// block instead, at another mbarrier, behind the last one of a program, and the
// first one of the next program waits for that. No fence is left in the loop:
//
//   warp 20 stores its sum    try_wait for the readers, then st.async
//   tile.barrier              try_wait for the bytes
//   all warps read the sums   ld.shared, then mbarrier.arrive at each block
//
// Where a cluster has many blocks, it is these that tell each other:
//
//   warp 20 stores its sum    try_wait for the readers, then st.shared
//   tile.barrier              bar.sync, st.async of vectors, try_wait
//   all warps read the sums   ld.shared, bar.red, mbarrier.arrive by one warp
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_EXCHANGES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_EXCHANGES_H

#include "Threads/Patterns.h"

namespace tilewright::tonvvm {

/// Finds the stores by which all warps tell each other something, with the
/// barrier behind: the mbarrier that they have, and the bytes that it counts.
void findExchanges(tile::KernelOp kernel, LoweringContext &context);

/// Makes the mbarriers of a kernel's exchanges, and says to the other blocks
/// that this one is there.
void beginExchanges(mlir::OpBuilder &builder, tile::KernelOp kernel,
                    const LoweringContext &context);

/// Others' shared memory is there once they run: waits for them, the first
/// time.
void awaitBlocks(mlir::OpBuilder &builder, mlir::Location loc);

/// Stores of an exchange may begin: the blocks are there, and from the second
/// time on have read what they got the last time.
void beginExchange(mlir::OpBuilder &builder, mlir::Location loc,
                   const Exchange &exchange);

/// Stores words of an exchange to the place in the shared memory of block
/// `rank` that is here `pointer`; where the predicate holds, or always where it
/// is null.
void storeExchanged(mlir::OpBuilder &builder, mlir::Location loc,
                    const Exchange &exchange, mlir::Value rank,
                    mlir::Value pointer, llvm::ArrayRef<mlir::Value> elements,
                    mlir::Value predicate);

/// Sends the part of an exchanged tile that this block's warps have stored to
/// the other blocks; where the block's threads have met since.
void sendPart(mlir::OpBuilder &builder, mlir::Location loc,
              const Exchange &exchange, mlir::Value tile, int64_t bytes,
              int64_t blocks);

/// Waits for what all warps store.
void awaitExchange(mlir::OpBuilder &builder, mlir::Location loc,
                   const Exchange &exchange);

/// Says to each of the blocks that the warp has read, so that the next
/// program's exchanges may begin.
void endExchange(mlir::OpBuilder &builder, mlir::Location loc,
                 const Exchange &exchange, int64_t blocks,
                 llvm::ArrayRef<mlir::Value> read);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_EXCHANGES_H
