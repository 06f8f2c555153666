//===- MovedBlocks.h - Blocks that are loaded to be stored ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that are loaded, turned and stored, and nothing else, whose rows begin
// anywhere: threads would move them an element at a time.
//
//   %t = tile.load_view %a[%i, %j]         // rows of %a along dimension 1
//   %u = tile.trans %t                     // between; order [1, 0]
//   tile.store_view %u, %b[%j, %i]
//
// Which of them gain where they go through shared memory in one piece is found
// here; tile-move-rows has them do so.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_MOVEDBLOCKS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_MOVEDBLOCKS_H

#include "Rows/NeighbourPrograms.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {

/// A block that is loaded and stored, and nothing else.
struct MovedBlock {
  GlobalAccessOpInterface load, store;
  /// Of each dimension of what is stored: which one it is of what is loaded.
  llvm::SmallVector<int64_t> order;
  /// The ops that only exchange dimensions, last first.
  llvm::SmallVector<mlir::Operation *> between;
  /// Those that store beside it, where they are known.
  std::optional<NeighbourPrograms> neighbours = std::nullopt;
  /// Those that go on along the rows that are read, where blocks are to walk.
  std::optional<NeighbourPrograms> onwards = std::nullopt;
  /// Those that go on along each dimension of what is loaded; none where they
  /// are not known along one of them.
  llvm::SmallVector<NeighbourPrograms> along = {};

  /// Which dimension of what is loaded its rows go along.
  unsigned getReadDim() const;
  /// And which one stored rows go along.
  unsigned getStoredDim() const;
  MemoryAccess getRead() const {
    return *findMemoryAccess(load, MemorySpace::Global);
  }
  MemoryAccess getWrite() const {
    return *findMemoryAccess(store, MemorySpace::Global);
  }
};

/// Those of a kernel that are better moved through shared memory, in order.
std::vector<MovedBlock> findMovedBlocks(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_MOVEDBLOCKS_H
