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
// How it waits for what others store is in Exchanges.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H

#include "Threads/Patterns.h"

namespace tilewright::tonvvm {

/// How many blocks run a program of the kernel around, in its old or its new
/// form, each with some of its warps; 1 where there are no clusters.
int64_t getClusterBlocks(mlir::Operation *inKernel);

/// On a function whose blocks have clusters and all warps of a program each:
/// they make parts of its products (ProductParts.h), or run programs that are
/// neighbours (ClusterPrograms.h).
inline constexpr llvm::StringLiteral kWholeProgramsAttr =
    "tilewright.whole_programs";

/// Whether blocks of the function around have clusters, of any kind, and how
/// many a cluster has.
bool hasClusters(mlir::Operation *inFunction);
int32_t countBlocksOfCluster(mlir::Operation *inFunction);

/// i32: the number along x of the program that this block belongs to, and how
/// many there are. Along the other axes programs are blocks.
mlir::Value getClusterOfBlock(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value getNumClusters(mlir::OpBuilder &builder, mlir::Location loc);

/// i32: the number of this block among those of its program.
mlir::Value getBlockInCluster(mlir::OpBuilder &builder, mlir::Location loc);

/// i32: the place of this block's program along an axis among those of its
/// cluster, which has so many along each.
mlir::Value getPlaceInCluster(mlir::OpBuilder &builder, mlir::Location loc,
                              llvm::ArrayRef<int32_t> programs, unsigned axis);
/// i16: a bit for each block of the cluster whose program differs from this
/// one's in nothing but its place along the axis, and for this one.
mlir::Value getBlocksAlong(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::ArrayRef<int32_t> programs, unsigned axis);

/// The place in the shared memory of block `rank`, i32, that is here `pointer`.
mlir::Value mapToBlock(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value pointer, mlir::Value rank);

/// All threads of the program wait for each other, and see what each has
/// written.
void waitForCluster(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_CLUSTERS_H
