//===- MoveRows.cpp - Blocks whose rows begin anywhere, in words ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "NeighbourPrograms.h"
#include "WalkLoop.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Shared/RowBuffer.h"
#include "tilewright/Layout/Shared/RowRing.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEMOVEROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Of a row with fewer bytes most of what is copied may be what is around it.
static constexpr int64_t kMinRowBytes = 64;
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
/// Of a block that whole sectors are stored of: threads that have no more need
/// few registers.
static constexpr int64_t kFewBytesOfThread = 32;
static constexpr unsigned kRegistersOfFewBytes = 32;
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
/// Of a row, that 32 bits count with what lies around them.
static constexpr int64_t kMostWalkBytes = 1 << 30;

namespace {

/// A block that is loaded and stored, and nothing else.
struct Move {
  GlobalAccessOpInterface load, store;
  /// Of each dimension of what is stored: which one it is of what is loaded.
  SmallVector<int64_t> order;
  /// The ops that only exchange dimensions, last first.
  SmallVector<Operation *> between;
  /// Those that store beside it, where they are known.
  std::optional<NeighbourPrograms> neighbours = std::nullopt;
  /// Those that go on along the rows that are read, where blocks are to walk.
  std::optional<NeighbourPrograms> onwards = std::nullopt;
  /// Those that go on along each dimension of what is loaded; none where they
  /// are not known along one of them.
  SmallVector<NeighbourPrograms> along = {};

  /// Which one of what is loaded stored rows go along.
  unsigned getStoredDim() const {
    return order[*cast<ViewType>(getWrite().base.getType()).getContiguousDim()];
  }
  MemoryAccess getRead() const {
    return *findMemoryAccess(load, MemorySpace::Global);
  }
  MemoryAccess getWrite() const {
    return *findMemoryAccess(store, MemorySpace::Global);
  }
};

} // namespace

/// Follows the stored tile to the load of it, which nobody else uses.
static std::optional<Move> findMove(GlobalAccessOpInterface store) {
  Move move;
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
static bool hasEqualBounds(const Move &move) {
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

/// The dimension along which elements stand side by side in the view that an
/// access is one to.
static std::optional<unsigned> findRowDim(GlobalAccessOpInterface op) {
  auto view = dyn_cast<ViewType>(
      findMemoryAccess(op, MemorySpace::Global)->base.getType());
  return view ? view.getContiguousDim() : std::nullopt;
}

/// Whether a block is read whose rows are short, and may be one run: each of
/// what is stored goes through all of them, and has its elements far enough
/// apart that threads would move one after the other.
static bool hasRuns(Move move, const AxisInfoAnalysis &axes) {
  std::optional<unsigned> rowDim = findRowDim(move.load);
  std::optional<unsigned> stored = findRowDim(move.store);
  if (!rowDim || !stored)
    return false;
  RankedTensorType tile = move.load.getTileType();
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
  return rowElements >= minElements && rowElements * bytes >= kMinRowBytes &&
         tile.getNumElements() / rowElements >= kMinRows &&
         getAddressVector(op, axes).width.elements * bytes < vectorBytes;
}

/// Whether rows of both views are long, and may begin anywhere.
static bool hasLongRows(const Move &move, const AxisInfoAnalysis &axes) {
  return hasNarrowRows(move.load, bytesPerWord, /*minElements=*/1, axes) &&
         hasNarrowRows(move.store, kMaxVectorBytes, kMinStoredElements, axes);
}

/// Whether rows of both views are long enough to be stored by whole sectors.
static bool hasSectors(Move move, const AxisInfoAnalysis &axes) {
  int64_t bytes = getElementBytes(move.store.getTileType().getElementType());
  int64_t vectorBytes = std::min(kMostSectorWays * 2 * bytes, kMaxVectorBytes);
  RankedTensorType tile = move.load.getTileType();
  return findRowDim(move.store) &&
         tile.getDimSize(move.getStoredDim()) * bytes == kSectorRowBytes &&
         hasNarrowRows(move.load, vectorBytes, /*minElements=*/1, axes) &&
         hasNarrowRows(move.store, kMaxVectorBytes, /*minElements=*/1, axes);
}

/// The programs that go on along the rows that are read, where blocks do better
/// to walk along these.
static std::optional<NeighbourPrograms> findWalk(Move move, KernelOp kernel) {
  RankedTensorType tile = move.load.getTileType();
  unsigned rowDim = *findRowDim(move.load);
  int64_t bytes = getElementBytes(tile.getElementType());
  if (!move.neighbours || !move.neighbours->areNumbered() ||
      bytes > kMostWalkedBytes ||
      tile.getDimSize(rowDim) * bytes > kMostWalkedRowBytes ||
      kernel.getNumWarpsOrDefault() < kMinWalkingWarps ||
      tile.getDimSize(rowDim) * tile.getDimSize(move.getStoredDim()) !=
          tile.getNumElements())
    return std::nullopt;
  auto dim = std::distance(move.order.begin(), llvm::find(move.order, rowDim));
  std::optional<NeighbourPrograms> onwards =
      NeighbourPrograms::find(move.load, move.store, move.order, dim);
  return onwards && onwards->areNumbered() ? onwards : std::nullopt;
}

/// The programs that go on along each dimension of what is loaded, if as many
/// blocks as their numbers say are in front of each.
static SmallVector<NeighbourPrograms> findAlong(Move move) {
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

/// Whether rows of what is read are no rows of what is stored.
static bool turnsRows(const Move &move) {
  return move.getStoredDim() != *findRowDim(move.load);
}

/// Whether too many lanes that read words of what is stored meet in a bank.
static bool hasConflicts(Move move, const AxisInfoAnalysis &axes) {
  auto view = move.getRead().base.getDefiningOp<ViewOp>();
  if (!view)
    return false;
  RankedTensorType tile = move.load.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  unsigned along = move.getStoredDim();
  int64_t stride = axes.getDivisibility(view.getMixedStrides()[along]);
  return RowBuffer(tile.getShape(), *findRowDim(move.load), bytes)
             .countWays(along, stride * bytes) > kMostWays;
}

/// Whether no op between the load and the store may need shared memory, of
/// which the block has a part for so long: of stores, those of `moves` need
/// none but what they have.
static bool isAlone(const Move &move, ArrayRef<Move> moves) {
  for (Operation *op = move.load->getNextNode(); op != move.store;
       op = op->getNextNode()) {
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    bool isMove = llvm::any_of(
        moves, [op](const Move &other) { return other.store == op; });
    if (op->getNumRegions() != 0 || (access && access.isStore() && !isMove))
      return false;
  }
  return true;
}

namespace {
struct MoveRows : tilewright::tile::impl::TileMoveRowsBase<MoveRows> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bytes = 0;
    // Stages of products may take all shared memory.
    if (hasProducts(kernel) || kernel.getClusterBlocksOrOne() != 1)
      return;
    AxisInfoAnalysis axes(kernel);
    std::vector<Move> moves;
    kernel.walk([&](GlobalAccessOpInterface op) {
      if (!takesAnyLayout(op))
        return;
      std::optional<Move> move = findMove(op);
      if (!move)
        return;
      if (hasSectors(*move, axes))
        move->neighbours =
            NeighbourPrograms::find(move->load, move->store, move->order);
      if ((hasRuns(*move, axes) || hasLongRows(*move, axes) ||
           move->neighbours) &&
          turnsRows(*move) && !hasConflicts(*move, axes) &&
          hasEqualBounds(*move) && isAlone(*move, moves) &&
          // Bytes between rows are read, too.
          !mayWriteThrough(kernel, getRoot(move->getRead().base)))
        moves.push_back(std::move(*move));
    });
    if (moves.size() == 1) {
      moves.front().onwards = findWalk(moves.front(), kernel);
      moves.front().along = findAlong(moves.front());
    }
    for (Move &move : moves)
      rewrite(move);
  }

private:
  /// The room of a move.
  SharedType getSharedType(Move &move) {
    RankedTensorType tile = move.load.getTileType();
    auto type = SharedType::get(&getContext(), tile.getShape(),
                                tile.getElementType(), SharedLayoutAttr());
    SmallVector<int64_t> shape = move.neighbours
                                     ? getShapeBeyond(type, move.getStoredDim())
                                     : llvm::to_vector(tile.getShape());
    RowBuffer buffer(shape, *findRowDim(move.load),
                     getElementBytes(tile.getElementType()));
    return SharedType::get(
        &getContext(), tile.getShape(), tile.getElementType(),
        SharedLayoutAttr::get(&getContext(),
                              *buffer.getLayout(tile.getShape())));
  }

  /// The room of a walk; none where the target has too little.
  std::optional<SharedType> getRingType(Move &move) {
    RankedTensorType tile = move.load.getTileType();
    auto type = SharedType::get(&getContext(), tile.getShape(),
                                tile.getElementType(), SharedLayoutAttr());
    int64_t rows =
        getShapeBeyond(type, move.getStoredDim())[move.getStoredDim()];
    std::optional<RowRing> ring = RowRing::choose(
        rows, getTargetOrDefault(getOperation()).maxSharedBytesPerBlock);
    if (!ring)
      return std::nullopt;
    int64_t elementBytes = getElementBytes(tile.getElementType());
    unsigned rowDim = *findRowDim(move.load);
    SmallVector<int64_t> shape(tile.getShape());
    shape[rowDim] = ring->ringBytes / elementBytes;
    SharedLayout layout = ring->getLayout(shape, rowDim, elementBytes, rows);
    return SharedType::get(&getContext(), shape, tile.getElementType(),
                           SharedLayoutAttr::get(&getContext(), layout));
  }

  /// Makes blocks walk, if there is room for it.
  bool walk(Move &move) {
    std::optional<SharedType> type = getRingType(move);
    if (!type)
      return false;
    MemoryAccess read = move.getRead(), write = move.getWrite();
    OpBuilder builder(move.store);
    Location loc = move.store.getLoc();
    auto [continues, continued] = move.neighbours->compare(builder);
    Value ring =
        AllocSharedOp::create(builder, loc, *type, IntegerAttr(), StringAttr());
    Value extent =
        arith::ConstantIndexOp::create(builder, loc, move.onwards->getExtent());
    auto walk = WalkRowsOp::create(builder, loc, read.base, read.indices,
                                   getReach(move, builder), getRoot(read.base),
                                   write.base, write.indices, ring, extent,
                                   continues, continued, move.order);
    erase(move);
    // Else ptxas has registers for more blocks than there is room for.
    askForBlocks(*type, /*registers=*/1);
    int64_t columnBytes = getElementBytes(type->getElementType());
    Value programs = makeWalkLoop(
        getOperation(), move.onwards->getAxis(),
        kMostWalkBytes / (move.onwards->getExtent() * columnBytes));
    builder.setInsertionPoint(walk);
    walk.getCountMutable().assign(
        arith::MulIOp::create(builder, loc, programs, extent));
    return true;
  }

  /// Has ptxas leave as many registers as so many blocks have that are resident
  /// with such tiles, and so many registers a thread.
  void askForBlocks(SharedType type, unsigned registers) {
    KernelOp kernel = getOperation();
    unsigned blocks =
        getTargetOrDefault(kernel)
            .occupancy(kernel.getNumThreads(), registers, type.getSizeInBytes())
            .blocksPerSM;
    tile::askForBlocks(kernel, blocks);
  }

  /// How many elements programs read from the block on, along each dimension of
  /// what is loaded, if the view has them.
  static SmallVector<Value> getReach(Move &move, OpBuilder &builder) {
    Location loc = move.store.getLoc();
    size_t rank = move.load.getTileType().getRank();
    SmallVector<Value> reach(rank,
                             arith::ConstantIndexOp::create(builder, loc, 1));
    reach[move.getStoredDim()] = move.neighbours->countLeft(builder);
    reach[*findRowDim(move.load)] = move.onwards->countLeft(builder);
    return reach;
  }

  static void erase(Move &move) {
    move.store->erase();
    for (Operation *op : move.between)
      op->erase();
    move.load->erase();
  }

  void rewrite(Move &move) {
    if (move.onwards && walk(move))
      return;
    MemoryAccess read = move.getRead(), write = move.getWrite();
    SharedType type = getSharedType(move);
    if (bytes + type.getSizeInBytes() >
        getTargetOrDefault(getOperation()).maxSharedBytesPerBlock)
      return;
    bytes += type.getSizeInBytes();
    OpBuilder builder(move.load);
    Location loc = move.load.getLoc();
    Value shared =
        AllocSharedOp::create(builder, loc, type, IntegerAttr(), StringAttr());
    // Masks may say more than programs of the grid read.
    SmallVector<Value> reach =
        llvm::map_to_vector(move.along, [&](const NeighbourPrograms &programs) {
          return programs.countLeft(builder);
        });
    if (move.neighbours) {
      // Else it may have more, and one block less has room.
      int64_t perThread = type.getNumElements() *
                          getElementBytes(type.getElementType()) /
                          getOperation().getNumThreads();
      askForBlocks(type, perThread <= kFewBytesOfThread
                             ? kRegistersOfFewBytes
                             : countSectorRegisters(type));
      auto [continues, continued] = move.neighbours->compare(builder);
      CopySectorsOp::create(builder, loc, read.base, read.indices, reach,
                            getRoot(read.base), shared, continued,
                            move.getStoredDim());
      builder.setInsertionPoint(move.store);
      StoreSectorsOp::create(builder, move.store.getLoc(), shared, read.base,
                             read.indices, write.base, write.indices, continues,
                             continued, move.order);
    } else {
      CopyRowsOp::create(builder, loc, read.base, read.indices, reach,
                         getRoot(read.base), shared);
      builder.setInsertionPoint(move.store);
      StoreRowsOp::create(builder, move.store.getLoc(), shared, read.base,
                          read.indices, write.base, write.indices, move.order);
    }
    erase(move);
  }

  /// Of the tiles that there are by now.
  int64_t bytes = 0;
};
} // namespace
