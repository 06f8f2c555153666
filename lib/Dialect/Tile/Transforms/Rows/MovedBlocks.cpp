//===- MovedBlocks.cpp - Blocks that are loaded to be stored --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/MovedBlocks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Of a row with fewer bytes most of what is copied may be what is around it.
static constexpr int64_t kMinMovedRowBytes = 64;
/// With fewer elements a row that is stored costs more for its ends than its
/// words gain (docs/decisions/0043-moved-rows.md).
static constexpr int64_t kMinStoredElements = 256;
/// With more lanes in a bank, shared memory alone takes longer than threads
/// that move an element at a time (docs/decisions/0043-moved-rows.md).
static constexpr int64_t kMostWays = 4;
/// With fewer bytes a row costs more for what is copied beyond it; with more
/// there may be few programs in a row, of which the first and the last store as
/// others do (docs/decisions/0071-sectors-by-the-numbers-of-programs.md).
static constexpr int64_t kSectorRowBytes = 256;
/// Of lanes that meet in a bank where elements fill words.
static constexpr int64_t kMostSectorWays = 2;
/// Fewer leave warps without work.
static constexpr int64_t kMinRows = 8;
/// Larger elements gain nothing by walks, and neither do blocks of fewer warps,
/// of which one has a multiprocessor. Blocks that read half a line of each row
/// gain most; others may have too few programs in a strip, or too many strips
/// (docs/decisions/0078-walks-along-odd-rows.md).
static constexpr int64_t kMostWalkedBytes = 1, kMinWalkingWarps = 16,
                         kMostWalkedRowBytes = 64;

/// The dimension along which elements stand side by side in the view that an
/// access is one to.
static std::optional<unsigned> findRowDim(GlobalAccessOpInterface op) {
  auto view = dyn_cast<ViewType>(
      findMemoryAccess(op, MemorySpace::Global)->base.getType());
  return view ? view.getContiguousDim() : std::nullopt;
}

unsigned MovedBlock::getReadDim() const { return *findRowDim(load); }

unsigned MovedBlock::getStoredDim() const { return order[*findRowDim(store)]; }

//===----------------------------------------------------------------------===//
// What is moved
//===----------------------------------------------------------------------===//

/// Follows the stored tile to the load of it, which nobody else uses.
static std::optional<MovedBlock> findMove(GlobalAccessOpInterface store) {
  MovedBlock move;
  move.store = store;
  move.order =
      llvm::to_vector(llvm::seq<int64_t>(store.getTileType().getRank()));
  Value value = store->getOperand(0);
  while (value.hasOneUse()) {
    auto dims = value.getDefiningOp<DimensionMapOpInterface>();
    auto permutation = dims ? dims.findPermutation() : std::nullopt;
    if (!permutation) {
      move.load = value.getDefiningOp<GlobalAccessOpInterface>();
      break;
    }
    for (int64_t &dim : move.order)
      dim = (*permutation)[dim];
    move.between.push_back(dims);
    value = dims->getOperand(0);
  }
  if (!move.load || move.load.isStore() || !move.load.isCopyable() ||
      move.load->getBlock() != store->getBlock())
    return std::nullopt;
  return move;
}

/// The extents of the view; none of one that is not made in sight.
static SmallVector<OpFoldResult> getExtents(Value view) {
  auto op = view.getDefiningOp<ViewOp>();
  if (!op)
    return {};
  return getMixedValues(op.getType().getShape(), op.getShape(),
                        op.getContext());
}

/// Whether all that is stored was inside of the view that was read.
static bool hasEqualBounds(const MovedBlock &move) {
  MemoryAccess read = move.getRead(), write = move.getWrite();
  SmallVector<OpFoldResult> from = getExtents(read.base);
  SmallVector<OpFoldResult> to = getExtents(write.base);
  if (from.empty() || to.empty())
    return false;
  return llvm::all_of(llvm::enumerate(move.order), [&](auto each) {
    auto [dim, source] = each;
    return isEqualConstantIntOrValue(to[dim], from[source]) &&
           isEqualConstantIntOrValue(write.indices[dim], read.indices[source]);
  });
}

//===----------------------------------------------------------------------===//
// What gains
//===----------------------------------------------------------------------===//

/// Whether a block is read whose rows are short, and may be one run: each of
/// what is stored goes through all of them, and has its elements far enough
/// apart that threads would move one after the other.
static bool hasRuns(MovedBlock &move, const AxisInfoAnalysis &axes) {
  std::optional<unsigned> rowDim = findRowDim(move.load);
  std::optional<unsigned> stored = findRowDim(move.store);
  RankedTensorType tile = move.load.getTileType();
  if (!rowDim || !stored || tile.getRank() == 1)
    return false;
  int64_t bytes = getElementBytes(tile.getElementType());
  RowBuffer buffer(tile.getShape(), *rowDim, bytes);
  int64_t rowElements = tile.getDimSize(*rowDim), along = move.order[*stored];
  if (!buffer.hasShortRows() || bytes >= bytesPerWord || rowElements == 1 ||
      along != buffer.order[1] ||
      tile.getDimSize(along) * rowElements != tile.getNumElements() ||
      tile.getDimSize(along) < kMinStoredElements)
    return false;
  // Rows that are known to be further from one another are none.
  MemoryAccess read = move.getRead();
  auto view = read.base.getDefiningOp<ViewOp>();
  if (!view)
    return false;
  OpFoldResult stride = view.getMixedStrides()[along];
  if (std::optional<int64_t> known = getConstantIntValue(stride))
    return *known > 0 && *known * bytes <= buffer.pitches[along];
  return axes.getDivisibility(stride) * bytes <= buffer.pitches[along];
}

/// Whether the addresses of an access to a view keep threads from moving so
/// many bytes, along rows of so many elements or more, and not few.
static bool hasNarrowRows(GlobalAccessOpInterface op, int64_t vectorBytes,
                          int64_t minElements, const AxisInfoAnalysis &axes) {
  RankedTensorType tile = op.getTileType();
  std::optional<unsigned> rowDim = findRowDim(op);
  if (!rowDim)
    return false;
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t rowElements = tile.getDimSize(*rowDim);
  return rowElements >= minElements &&
         rowElements * bytes >= kMinMovedRowBytes &&
         tile.getNumElements() / rowElements >= kMinRows &&
         getAddressVector(op, axes).width.elements * bytes < vectorBytes;
}

/// Whether rows of both views are long, and may begin anywhere.
static bool hasLongRows(const MovedBlock &move, const AxisInfoAnalysis &axes) {
  return hasNarrowRows(move.load, bytesPerWord, /*minElements=*/1, axes) &&
         hasNarrowRows(move.store, kMaxVectorBytes, kMinStoredElements, axes);
}

/// Whether all of a block lies along a row that is read and one that is stored.
/// Where it has rows along more dimensions, finding each is a division more.
static bool isMatrix(MovedBlock &move) {
  RankedTensorType tile = move.load.getTileType();
  return tile.getDimSize(move.getReadDim()) *
             tile.getDimSize(move.getStoredDim()) ==
         tile.getNumElements();
}

/// Whether rows of both views are long enough to be stored by whole sectors.
static bool hasSectors(MovedBlock &move, const AxisInfoAnalysis &axes) {
  int64_t bytes = getElementBytes(move.store.getTileType().getElementType());
  int64_t vectorBytes = std::min(kMostSectorWays * 2 * bytes, kMaxVectorBytes);
  RankedTensorType tile = move.load.getTileType();
  return findRowDim(move.load) && findRowDim(move.store) && isMatrix(move) &&
         tile.getDimSize(move.getStoredDim()) * bytes == kSectorRowBytes &&
         hasNarrowRows(move.load, vectorBytes, /*minElements=*/1, axes) &&
         hasNarrowRows(move.store, kMaxVectorBytes, /*minElements=*/1, axes);
}

/// Whether rows of what is read are no rows of what is stored.
static bool turnsRows(const MovedBlock &move) {
  return move.getStoredDim() != move.getReadDim();
}

/// Whether too many lanes that read words of what is stored meet in a bank.
static bool hasConflicts(MovedBlock &move, const AxisInfoAnalysis &axes) {
  auto view = move.getRead().base.getDefiningOp<ViewOp>();
  if (!view)
    return false;
  RankedTensorType tile = move.load.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  unsigned along = move.getStoredDim();
  int64_t stride = axes.getDivisibility(view.getMixedStrides()[along]);
  return RowBuffer(tile.getShape(), move.getReadDim(), bytes)
             .countWays(along, stride * bytes) > kMostWays;
}

/// Whether no op between the load and the store may need shared memory, of
/// which the block has a part for so long: of stores, those of `moves` need
/// none but what they have.
static bool hasMemoryAlone(const MovedBlock &move, ArrayRef<MovedBlock> moves) {
  for (Operation *op = move.load->getNextNode(); op != move.store;
       op = op->getNextNode()) {
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    bool isMove = llvm::any_of(
        moves, [op](const MovedBlock &other) { return other.store == op; });
    if (op->getNumRegions() != 0 || (access && access.isStore() && !isMove))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Programs that go on
//===----------------------------------------------------------------------===//

/// The programs that go on along the rows that are read, where blocks do better
/// to walk along these.
static std::optional<NeighbourPrograms> findWalk(MovedBlock &move,
                                                 KernelOp kernel) {
  RankedTensorType tile = move.load.getTileType();
  unsigned rowDim = move.getReadDim();
  int64_t bytes = getElementBytes(tile.getElementType());
  if (!move.neighbours || !move.neighbours->areNumbered() ||
      bytes > kMostWalkedBytes ||
      tile.getDimSize(rowDim) * bytes > kMostWalkedRowBytes ||
      kernel.getNumWarpsOrDefault() < kMinWalkingWarps || !isMatrix(move))
    return std::nullopt;
  auto dim = std::distance(move.order.begin(), llvm::find(move.order, rowDim));
  std::optional<NeighbourPrograms> onwards =
      NeighbourPrograms::find(move.load, move.store, move.order, dim);
  return onwards && onwards->areNumbered() ? onwards : std::nullopt;
}

/// The programs that go on along each dimension of what is loaded, if as many
/// blocks as their numbers say are in front of each.
static SmallVector<NeighbourPrograms> findAlong(const MovedBlock &move) {
  SmallVector<NeighbourPrograms> along;
  for (int64_t dim : llvm::seq<int64_t>(move.order.size())) {
    unsigned stored =
        std::distance(move.order.begin(), llvm::find(move.order, dim));
    std::optional<NeighbourPrograms> programs =
        NeighbourPrograms::find(move.load, move.store, move.order, stored);
    if (!programs || !programs->areNumbered())
      return {};
    along.push_back(*programs);
  }
  return along;
}

//===----------------------------------------------------------------------===//
// Blocks of a kernel
//===----------------------------------------------------------------------===//

std::vector<MovedBlock> tilewright::tile::findMovedBlocks(KernelOp kernel) {
  AxisInfoAnalysis axes(kernel);
  std::vector<MovedBlock> moves;
  kernel.walk([&](GlobalAccessOpInterface op) {
    if (!takesAnyLayout(op))
      return;
    std::optional<MovedBlock> move = findMove(op);
    if (!move)
      return;
    if (hasSectors(*move, axes))
      move->neighbours =
          NeighbourPrograms::find(move->load, move->store, move->order);
    if ((hasRuns(*move, axes) || hasLongRows(*move, axes) ||
         move->neighbours) &&
        turnsRows(*move) && !hasConflicts(*move, axes) &&
        hasEqualBounds(*move) && hasMemoryAlone(*move, moves) &&
        // Bytes between rows are read, too.
        !mayWriteThrough(kernel, getRoot(move->getRead().base)))
      moves.push_back(std::move(*move));
  });
  if (moves.size() == 1) {
    moves.front().onwards = findWalk(moves.front(), kernel);
    moves.front().along = findAlong(moves.front());
  }
  return moves;
}
