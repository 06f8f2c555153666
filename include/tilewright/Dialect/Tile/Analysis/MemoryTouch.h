//===- MemoryTouch.h - What an access touches, and what must be ordered ---===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program means what it says in order: a load sees what an earlier store of
// the same program wrote. The threads of its block run apart, so two accesses
// that may meet in memory, one of them a write, need a barrier between them,
// unless each thread only meets itself: both name the same elements in the same
// layout.
//
// Shared accesses meet where their bytes overlap, global ones where they come
// from one pointer argument, or from two that may overlap.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_MEMORYTOUCH_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_MEMORYTOUCH_H

#include "tilewright/Dialect/Tile/Analysis/ApartPointers.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {

/// On what loads a row of the next program ahead: all that this program writes
/// to the array it stores in the places that are loaded, of the same view.
inline constexpr llvm::StringLiteral kInPlaceAttr = "tile.in_place";

/// Whose threads wait for one another at a barrier, from nobody to all.
enum class BarrierScope { None, Warp, Warpgroup, Program };

struct MemoryTouch {
  bool isGlobal = false;
  bool isWrite = false;
  SharedBytes bytes;
  /// Of global memory: the argument that the addresses come from, null if
  /// unknown.
  mlir::Value root;
  /// The values that say which elements: equal ones name the same. Empty where
  /// nothing is known to name the same, as after an iteration of a loop that
  /// computes them.
  llvm::SmallVector<mlir::Value, 3> place;
  /// Of a block of a view, which `place` begins with: its coordinates follow
  /// there, and these are its extents. Empty for all else.
  llvm::SmallVector<int64_t, 3> extents;
  /// The loop of which `place` is that of an iteration before, where each
  /// iteration touches a block behind that one.
  mlir::Operation *movedIn = nullptr;
  /// Which thread touches which of them; null where an element passes between
  /// threads, as in ldmatrix.
  RegisterLayoutAttr registers;
  /// Whether one thread has each element, in one register.
  bool isHeldOnce = false;
  /// The first thread touches them, and no other.
  bool isOfFirstThread = false;
  /// Of a shared tile: along which dimension each warpgroup touches a part of
  /// its own.
  std::optional<unsigned> warpgroupDim;
  /// Of a shared tile: how many bytes each warp touches, a part of its own.
  std::optional<int64_t> warpBytes;
  /// Of a shared tile: which elements each warp touches, none of which another
  /// one does (nameElementsOfWarps); null where that is not so.
  mlir::DenseI32ArrayAttr warpElements;
  /// The widest barrier that came since.
  BarrierScope orderedIn = BarrierScope::None;
  /// The shared tile, and whether one of its stages is touched.
  mlir::Operation *allocation = nullptr;
  bool isStage = false;
  /// Of two stages that take turns in the iterations of a loop: what the loop
  /// carries for the number of this iteration's, and whether the other one is
  /// touched.
  mlir::Value turn;
  bool isOtherTurn = false;
  /// What is over with a group may be under way: of an asynchronous copy what
  /// it reads and what it writes, of a product what it reads.
  AccessEnd end = AccessEnd::WithOp;
  /// Of what is under way: how many groups of its kind were closed since it
  /// began, its own among them. No barrier orders it.
  std::optional<int64_t> groupsSince;

  bool operator==(const MemoryTouch &other) const;

  /// Forgets which elements these are.
  void forgetPlace() {
    place.clear();
    movedIn = nullptr;
    extents.clear();
  }

  /// Goes on to the loop's next iteration, or leaves the loop.
  void passIteration(mlir::Operation *loop);
  void leave(mlir::Operation *loop);

  /// Whether these are blocks of rows that begin at one pointer and have no
  /// element in common, or both write such blocks of one view. (Elements of a
  /// view may share bytes; which of them stays when both are stored is not
  /// defined.) Of a loop that stores each block behind the one before, also
  /// whether the next iteration touches what this one has not stored.
  bool isApartFrom(const MemoryTouch &later) const;
  /// Whether both may touch the same bytes, and one writes.
  bool conflictsWith(const MemoryTouch &later) const;
  /// Whose barrier the conflict still needs.
  BarrierScope getBarrierBefore(const MemoryTouch &later) const;
  bool needsBarrierBefore(const MemoryTouch &later) const {
    return getBarrierBefore(later) != BarrierScope::None;
  }
  /// For which numbers of a launch it needs none all the same; none where that
  /// is not known.
  std::optional<ApartRange> findApartRange(const MemoryTouch &later) const;
  /// Whether this is a copy under way into bytes that another tile uses, or
  /// from bytes that are written, or a product that reads what is written:
  /// nothing but a wait before that can help. Of one tile, the stages that
  /// copies write and products read are told apart by its channel.
  bool isOverwrittenUnderWay(const MemoryTouch &later) const;

private:
  /// Whether each iteration of the loop touches a block behind that of the one
  /// before.
  bool movesOn(mlir::LoopLikeOpInterface loop) const;
  /// Whether a thread touches the same elements both times, and no other does.
  bool staysInThreads(const MemoryTouch &later) const;
  /// Whether each warp touches the same bytes both times, and no other does.
  bool staysInWarps(const MemoryTouch &later) const;
  /// Whether each warp touches elements of its own, the same ones, of one tile
  /// or of two that lie alike in the same bytes.
  bool keepsToWarps(const MemoryTouch &later) const;
  /// Whether each warpgroup touches its own part of one tile, the same one.
  bool keepsToWarpgroups(const MemoryTouch &later) const;
};

/// What an op touches, by itself, by what it says of itself
/// (MemoryAccessOpInterface).
llvm::SmallVector<MemoryTouch, 2> getTouches(mlir::Operation *op);

/// Whether all ops of the kernel say what they touch, and when their regions
/// do. Emits an error if not.
llvm::LogicalResult checkMemoryAccesses(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_MEMORYTOUCH_H
