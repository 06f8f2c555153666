//===- Clusters.h - Programs that several blocks run ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of `cluster_blocks = 4` and 64 warps is run by a cluster of 4
// blocks of 16 warps. Warp 20 of the program is warp 4 of block 1. Each block
// has all shared tiles: what is stored to one is stored to that of each block,
// and read from one's own, behind a barrier of the cluster:
//
//   warp 20 stores its sum    st.async to each block, counted by its mbarrier
//   tile.barrier              mbarrier.try_wait for the bytes of all warps
//   all warps read the sums   ld.shared
//
// So tiles had better be small, as those are by which warps reduce. Such an
// exchange orders nothing but what it stores: kernels whose barriers may be
// there for global memory as well have none. What is stored otherwise waits at
// a barrier of the cluster, barrier.cluster.arrive and barrier.cluster.wait,
// which costs more: the arrival is a fence for global memory, too
// (MEMBAR.ALL.GPU in SASS).
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
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H

#include "Patterns.h"

namespace tilewright::tonvvm {

/// How many blocks run a program of the kernel around, in its old or its new
/// form; 1 where there are no clusters.
int64_t getClusterBlocks(mlir::Operation *inKernel);

/// i32: the number along x of the program that this block belongs to, and how
/// many there are. Along the other axes programs are blocks.
mlir::Value getClusterOfBlock(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value getNumClusters(mlir::OpBuilder &builder, mlir::Location loc);

/// i32: the number of this block among those of its program.
mlir::Value getBlockInCluster(mlir::OpBuilder &builder, mlir::Location loc);

/// The place in the shared memory of block `rank`, i32, that is here `pointer`.
mlir::Value mapToBlock(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value pointer, mlir::Value rank);

/// All threads of the program wait for each other, and see what each has
/// written.
void waitForCluster(mlir::OpBuilder &builder, mlir::Location loc);

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

/// Waits for what all warps store.
void awaitExchange(mlir::OpBuilder &builder, mlir::Location loc,
                   const Exchange &exchange);

/// Says to each of the blocks that the warp has read, so that the next
/// program's exchanges may begin.
void endExchange(mlir::OpBuilder &builder, mlir::Location loc,
                 const Exchange &exchange, int64_t blocks,
                 llvm::ArrayRef<mlir::Value> read);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H
