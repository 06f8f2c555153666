//===- AllocateShared.cpp - Bytes of the shared tiles -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Tiles begin at whole 128-byte lines: at bank 0, as the bank model supposes.
static constexpr int64_t kTileAlignment = 128;

static int64_t getAlignment(AllocSharedOp tile) {
  return std::max(kTileAlignment, getAlignmentOfProducts(tile));
}

namespace {
/// A tile with its bytes.
struct Placed {
  LiveRange live;
  int64_t begin, end;
};

struct AllocateShared
    : tilewright::tile::impl::TileAllocateSharedBase<AllocateShared> {
  using TileAllocateSharedBase::TileAllocateSharedBase;

  void runOnOperation() override {
    if (failed(checkSharedTiles(getOperation())))
      return signalPassFailure();
    SmallVector<LiveRange> ranges = getLiveRanges(getOperation());
    if (llvm::any_of(ranges, [](LiveRange &range) {
          return failed(checkTile(range.tile));
        }))
      return signalPassFailure();
    // Large tiles first: small ones fit the gaps between them. Offsets that are
    // written already stand.
    llvm::sort(ranges, [](LiveRange a, LiveRange b) {
      auto rank = [](LiveRange &range) {
        return std::make_tuple(!range.tile.getOffset().has_value(),
                               -range.tile.getType().getSizeInBytes(),
                               range.begin);
      };
      return rank(a) < rank(b);
    });
    bool mayShare = getTotalSize(ranges) > freeBytes;
    SmallVector<Placed> placed;
    int64_t total = 0;
    for (const LiveRange &range : ranges) {
      FailureOr<Placed> tile = place(range, placed, mayShare);
      if (failed(tile))
        return signalPassFailure();
      placed.push_back(*tile);
      total = std::max(total, tile->end);
    }
    if (total > maxBytes) {
      reportTooMuch(total, placed);
      return signalPassFailure();
    }
    getOperation().setSharedBytes(total);
  }

private:
  static LogicalResult checkTile(AllocSharedOp tile) {
    if (!tile.getType().getLayout())
      return tile.emitError("needs a shared layout before it gets bytes: run "
                            "tile-assign-shared-layouts");
    return success();
  }

  /// The bytes of all tiles where none of them share any.
  static int64_t getTotalSize(ArrayRef<LiveRange> ranges) {
    int64_t total = 0;
    for (LiveRange range : ranges) {
      total = llvm::alignTo(total, getAlignment(range.tile));
      total +=
          llvm::alignTo(range.tile.getType().getSizeInBytes(), kTileAlignment);
    }
    return total;
  }

  /// Checks an offset that is written already.
  static FailureOr<Placed> placeFixed(const LiveRange &range, int64_t begin,
                                      ArrayRef<Placed> placed) {
    AllocSharedOp tile = range.tile;
    int64_t end = begin + tile.getType().getSizeInBytes();
    if (failed(checkAlignment(tile)))
      return failure();
    for (const Placed &other : placed) {
      if (!other.live.overlaps(range) || begin >= other.end ||
          other.begin >= end)
        continue;
      AllocSharedOp otherTile = other.live.tile;
      InFlightDiagnostic error =
          tile.emitError("overlaps the bytes of another tile that is in use");
      error.attachNote(otherTile.getLoc()) << "the other tile";
      return error;
    }
    return Placed{range, begin, end};
  }

  /// The lowest bytes that no tile has; or, where tiles share bytes, that no
  /// tile living at the same time has.
  static FailureOr<Placed> place(const LiveRange &range,
                                 ArrayRef<Placed> placed, bool mayShare) {
    AllocSharedOp tile = range.tile;
    if (std::optional<int64_t> fixed = tile.getOffset())
      return placeFixed(range, *fixed, placed);
    int64_t size = tile.getType().getSizeInBytes();
    SmallVector<const Placed *> neighbours;
    for (const Placed &other : placed)
      if (!mayShare || other.live.overlaps(range))
        neighbours.push_back(&other);
    llvm::sort(neighbours, [](const Placed *a, const Placed *b) {
      return a->begin < b->begin;
    });
    int64_t begin = 0, alignment = getAlignment(tile);
    for (const Placed *other : neighbours) {
      if (begin + size <= other->begin)
        break;
      begin = std::max<int64_t>(begin, llvm::alignTo(other->end, alignment));
    }
    tile.setOffset(begin);
    return Placed{range, begin, begin + size};
  }

  /// Where a tile comes from; or, if it only carries elements to other threads,
  /// the op that wants them there.
  static Location getPlace(AllocSharedOp tile, bool &isOnTheWay) {
    Operation *wanting = nullptr;
    isOnTheWay = llvm::all_of(tile->getUsers(),
                              llvm::IsaPred<LocalLoadOp, LocalStoreOp>);
    for (Operation *user : tile->getUsers())
      if (isa<LocalLoadOp>(user))
        wanting = user;
    while (wanting && wanting->hasOneUse() &&
           isa<LocalLoadOp, JoinOp, TransOp>(wanting))
      wanting = *wanting->user_begin();
    isOnTheWay &= wanting && !isa<LocalLoadOp, DotOp>(wanting);
    return isOnTheWay ? wanting->getLoc() : tile.getLoc();
  }

  void reportTooMuch(int64_t total, ArrayRef<Placed> placed) {
    bool hasStages = llvm::any_of(placed, [](const Placed &tile) {
      AllocSharedOp op = tile.live.tile;
      return llvm::any_of(op->getUsers(), llvm::IsaPred<SubviewOp>);
    });
    InFlightDiagnostic error = getOperation().emitError("needs ");
    error << total << " bytes of shared memory; a block on "
          << target.getValue() << " may have " << static_cast<int64_t>(maxBytes)
          << ": use smaller tiles" << (hasStages ? " or fewer stages" : "");
    for (const Placed &tile : placed) {
      AllocSharedOp op = tile.live.tile;
      std::string what;
      llvm::raw_string_ostream os(what);
      llvm::interleave(op.getType().getShape(), os, "x");
      os << "x" << op.getType().getElementType();
      bool isOnTheWay = false;
      Location place = getPlace(op, isOnTheWay);
      error.attachNote(place)
          << "a tile of " << what
          << (isOnTheWay ? ", on its way to the threads that do this," : "")
          << " takes " << tile.end - tile.begin << " bytes";
    }
  }
};
} // namespace
