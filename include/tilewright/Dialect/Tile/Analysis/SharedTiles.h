//===- SharedTiles.h - Who touches a shared tile, and when ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `tile.alloc_shared` is reached through its result and parts of it: subviews
// and slots of channels. These questions are asked by the choice of layouts, by
// the allocation of bytes, by the placing of barriers and by the report.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDTILES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDTILES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether all that happens to the shared tiles of a kernel is in sight: they
/// are allocated, subviewed, loaded and stored, never passed on, and no
/// constant stage is out of range. What follows relies on it. Emits an error if
/// not.
llvm::LogicalResult checkSharedTiles(KernelOp kernel);

/// Whether stages of the tile are used, rather than the whole.
bool isUsedByStages(AllocSharedOp tile);

/// The loads and stores of a tile, in program order.
llvm::SmallVector<SharedAccessOpInterface> getAccesses(AllocSharedOp tile);

/// A product that reads a shared tile as its operand 0 or 1.
struct SharedOperand {
  SharedProductOpInterface product;
  unsigned operand;
};

/// The products that read a shared tile where it lies.
llvm::SmallVector<SharedOperand> getProducts(AllocSharedOp tile);

/// Whether the hardware stores the tile by itself, from where it lies.
bool isStoredInBulk(AllocSharedOp tile);

/// What products and bulk copies ask of the offset of a tile that has its
/// layout, in bytes: the hardware XORs bits of the addresses.
int64_t getHardwareAlignment(AllocSharedOp tile);

/// Whether the tile's offset is such; emits an error if not.
llvm::LogicalResult checkAlignment(AllocSharedOp tile);

/// The allocation behind a shared tile, or null.
AllocSharedOp getAllocation(mlir::Value sharedTile);

/// The tile in front of this one, stage by stage, since one instruction reads
/// both: the right operand of the product that this one's product is joined to;
/// or null.
AllocSharedOp getTileBefore(AllocSharedOp tile);

/// Bytes of shared memory.
struct SharedBytes {
  int64_t begin = 0, end = 0;
  /// Where stages of tiles alternate: from stage to stage, and how many of
  /// these bytes it has itself.
  int64_t every = 0, stage = 0;

  /// The bytes of all stages of a tile that begins there.
  static SharedBytes of(SharedType type, int64_t offset);
  SharedBytes getStage(int64_t number) const;

  bool overlaps(const SharedBytes &other) const;
  bool operator==(const SharedBytes &other) const {
    return begin == other.begin && end == other.end && every == other.every &&
           stage == other.stage;
  }
};

/// From its first to its last use, or hand-over, a tile needs its bytes:
/// positions in program order, last included. A use in a loop that the
/// allocation is outside of lasts the whole loop. What the hardware stores it
/// reads until somebody waits for it: around a loop, until that is done in the
/// next iteration; from there to where the tile is filled again its bytes are
/// free.
struct LiveRange {
  AllocSharedOp tile;
  unsigned begin = 0, end = 0;
  /// The gap is behind the first of these positions and in front of the second;
  /// there is none where they are equal.
  unsigned gapBegin = 0, gapEnd = 0;

  bool overlaps(const LiveRange &other) const {
    return begin <= other.end && other.begin <= end && !hasInGap(other) &&
           !other.hasInGap(*this);
  }

  /// Lasts as long as both, without a gap.
  void include(const LiveRange &other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    gapBegin = gapEnd = 0;
  }

private:
  bool hasInGap(const LiveRange &other) const {
    return gapBegin < other.begin && other.end < gapEnd;
  }
};
llvm::SmallVector<LiveRange> getLiveRanges(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHAREDTILES_H
