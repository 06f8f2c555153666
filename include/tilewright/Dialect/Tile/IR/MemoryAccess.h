//===- MemoryAccess.h - What ops do to memory -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op that touches memory says so itself (MemoryAccessOpInterface), and
// each op that orders accesses, how (MemoryOrderOpInterface). Barriers, shared
// layouts, bytes, loads that run ahead and the report ask these and know no op
// by name; an op with effects that it does not tell of is refused.
//
//   tile.load_view %a[%i, %j]     {Global, read, base %a, indices %i %j}
//   tile.copy_async %a[%i], %s    {Global, read, base %a, indices %i},
//                                 {Shared, write, base %s, done WithGroup}
//   tile.warpgroup_dot %a, %b, %c {Shared, read, base %a, by AsyncProxy}, ...
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_MEMORYACCESS_H
#define TILEWRIGHT_DIALECT_TILE_IR_MEMORYACCESS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace tilewright::tile {

enum class MemorySpace { Global, Shared };

/// The way to shared memory. Threads, and cp.async on their behalf, go the
/// generic way; the units that read operands of wgmma do not, and see what
/// threads wrote only after a fence.
enum class MemoryProxy { Threads, Async };

/// When an access is over.
enum class AccessEnd {
  /// When the op is, for the thread that makes the access.
  WithOp,
  /// When a wait for the copy's group is.
  WithGroup,
  /// When a wait for the product is. Each product is a group of its own.
  WithProduct,
  /// When a wait for stores by bulk copies is. Each is a group of its own.
  WithStore,
  /// When who waits for the slot of a channel has it: nothing else orders it.
  WithHandOver,
};

/// One thing that an op does to memory.
struct MemoryAccess {
  MemorySpace space = MemorySpace::Global;
  /// An atomic does both.
  bool isRead = false, isWrite = false;
  /// Others write there, or read, meanwhile.
  bool isVolatile = false;
  /// A view, pointers, or a shared tile or a stage of one; null for all that
  /// there is of global memory.
  mlir::Value base;
  /// Coordinates, of a view: with the base they say which elements.
  llvm::SmallVector<mlir::Value, 3> indices;
  /// As many elements along each of its dimensions; empty where that is not
  /// known.
  llvm::SmallVector<int64_t, 3> extents;
  /// Places of the tile have its elements in turn, beginning anywhere
  /// (`rotated`).
  bool isRotated = false;
  /// A tile of i1, or null: where it is false nothing is touched.
  mlir::Value mask;
  /// Which thread touches which element; null where that is not decided, or an
  /// element passes from the thread that touches it to another one.
  mlir::Attribute registers;
  /// The first thread of the program makes it, and no other.
  bool isOfFirstThread = false;
  /// Each warpgroup touches a part of its own along this dimension of a tile:
  /// the first one the first of equal parts.
  std::optional<unsigned> warpgroupDim;
  /// Each warp touches a part of its own of so many bytes of a shared tile, the
  /// first one the first of them, and its lanes wait for each other.
  std::optional<int64_t> warpBytes;
  MemoryProxy proxy = MemoryProxy::Threads;
  AccessEnd end = AccessEnd::WithOp;

  bool isAtomic() const { return isRead && isWrite; }
  /// Whether programs may learn from it how far others are.
  bool talksToOthers() const { return isVolatile || isAtomic(); }
};

/// What an op does to the order of accesses.
struct MemoryOrder {
  enum class Kind {
    /// What any thread of the program did before it is done for all after it,
    /// but for what is under way.
    Barrier,
    /// The same of a thread's warpgroup.
    WarpgroupBarrier,
    /// The same of a thread's warp.
    WarpBarrier,
    /// What was begun since the last of these is a group.
    CloseGroup,
    /// All but the last `pending` groups are done for the thread that waits.
    WaitForGroups,
    /// All but the last `pending` products are done.
    WaitForProducts,
    /// All stores by bulk copies are done, for the thread that began them.
    WaitForStores,
    /// They have read what they store; it may not be written yet.
    WaitForReads,
    /// A slot of a channel passes between filler and reader: what that orders
    /// is known once channels are lowered.
    HandOver,
  };
  Kind kind;
  int64_t pending = 0;
};

/// The trait of an op without effects whose result has the elements of its
/// first operand, and no others.
template <typename ConcreteType>
class MovesElements
    : public mlir::OpTrait::TraitBase<ConcreteType, MovesElements> {};

/// What the op says of itself; nothing for ops without effects, and for those
/// that only have regions.
llvm::SmallVector<MemoryAccess, 2> getMemoryAccesses(mlir::Operation *op);

/// What is done to the mbarriers of a slot, or to all of a channel.
MemoryAccess accessBarrier(mlir::Value barriers);

/// The first access to that memory.
std::optional<MemoryAccess> findMemoryAccess(mlir::Operation *op,
                                             MemorySpace space);

/// Whether the op tells of all that it does to memory. One that does not, as a
/// call, may do anything.
bool tellsMemoryAccesses(mlir::Operation *op);

bool isBarrier(mlir::Operation *op);

/// Whether the op begins something that is over then.
bool endsWith(mlir::Operation *op, AccessEnd end);

/// Whether the op waits until bulk stores have read what they store.
bool waitsForStoredTiles(mlir::Operation *op);

/// Whether the op stores a tile to global memory in whatever register layout it
/// has: no other tile of the op says which.
bool takesAnyLayout(mlir::Operation *op);

/// The argument of the kernel that pointers or a view are made from, also where
/// a loop or a branch hands them on; null where that is not known, or is one of
/// several.
mlir::Value getRoot(mlir::Value reference);

/// Whether bytes reached through one root may be reached through the other:
/// not where one of them is an argument that is disjoint from all others. Null
/// is any root.
bool mayOverlap(mlir::Value root, mlir::Value other);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_MEMORYACCESS_H
