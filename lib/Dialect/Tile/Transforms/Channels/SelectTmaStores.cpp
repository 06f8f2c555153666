//===- SelectTmaStores.cpp - Tiles that the hardware stores ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Channels/TensorMaps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESELECTTMASTORES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// A block of what is stored, which one shared tile has for a while.
struct Piece {
  SharedAccessOpInterface fill, load;
  /// Where it begins in the whole tile.
  SmallVector<int64_t> start;
};

/// A store to global memory of what comes from shared memory.
class StoreCandidate {
public:
  explicit StoreCandidate(GlobalAccessOpInterface store)
      : store(store), access(*findMemoryAccess(store, MemorySpace::Global)) {}

  Value getRoot() const { return tile::getRoot(access.base); }
  Operation *getStore() const { return store; }

  bool isPossible(const AxisInfoAnalysis &axes, DominanceInfo &dominance) {
    if (access.mask || !mayHaveTensorMap(store, axes))
      return false;
    auto view = cast<ViewType>(access.base.getType());
    SmallVector<int64_t> start(view.getShape().size(), 0);
    return collect(store->getOperand(0), start) &&
           llvm::all_of(pieces, [&](Piece &piece) {
             layout = findHardwareLayout(piece.fill, *view.getContiguousDim());
             return layout && isStoredFrom(piece, dominance);
           });
  }

  /// When stores that may be under way are waited for, and whether only until
  /// they have read their tiles: no other of them writes what this one does.
  struct Wait {
    enum { Never, BeforeFill, BeforeAllFills } when;
    bool isForReads = false;
  };

  void select(Wait wait) {
    for (Piece &piece : pieces) {
      bool isFilledAgain = &piece != pieces.begin();
      storeFromTile(piece, isFilledAgain ? Wait{Wait::BeforeFill} : wait);
    }
    Value stored = store->getOperand(0);
    store->erase();
    eraseLoads(stored);
  }

private:
  /// The pieces of `value`, a tile that was loaded or joined.
  bool collect(Value value, ArrayRef<int64_t> start) {
    if (!value.hasOneUse())
      return false;
    if (auto load = value.getDefiningOp<SharedAccessOpInterface>()) {
      pieces.push_back({findFill(load), load, llvm::to_vector(start)});
      return pieces.back().fill != nullptr;
    }
    auto join = value.getDefiningOp<JoinOp>();
    if (!join)
      return false;
    auto half = cast<RankedTensorType>(join.getLower().getType());
    int64_t extent = half.getDimSize(join.getAxis());
    if (static_cast<int64_t>(join.getStride()) != extent)
      return false;
    SmallVector<int64_t> upper(start);
    upper[join.getAxis()] += extent;
    return collect(join.getLower(), start) && collect(join.getUpper(), upper);
  }

  /// What filled the tile last before `load`, in its block and for it alone.
  static SharedAccessOpInterface findFill(SharedAccessOpInterface load) {
    auto tile = load.getSharedTile().getDefiningOp<AllocSharedOp>();
    if (!tile || load.isStore() || load.getMatrix() ||
        tile.getType().getLayout() || tile.getLayout() || isUsedByStages(tile))
      return nullptr;
    SharedAccessOpInterface fill;
    for (SharedAccessOpInterface other : getAccesses(tile)) {
      if (other == load)
        return fill && fill.isStore() && fill->getBlock() == load->getBlock()
                   ? fill
                   : nullptr;
      fill = other;
    }
    return nullptr;
  }

  /// Where the piece is stored: the last one where all were, the others before
  /// their tile is filled again.
  Operation *getPlace(Piece &piece) {
    return &piece == &pieces.back() ? store.getOperation()
                                    : piece.load.getOperation();
  }

  /// Whether it may be stored there: view and coordinates are there, and
  /// nothing from where it is loaded on touches global memory.
  bool isStoredFrom(Piece &piece, DominanceInfo &dominance) {
    Operation *load = piece.load;
    if (load->getBlock() != store->getBlock())
      return false;
    for (Operation *op = load; op != store; op = op->getNextNode())
      if (findMemoryAccess(op, MemorySpace::Global) || op->getNumRegions() != 0)
        return false;
    Operation *place = getPlace(piece);
    return dominance.properlyDominates(access.base, place) &&
           llvm::all_of(access.indices, [&](Value index) {
             return dominance.properlyDominates(index, place);
           });
  }

  /// The first op that fills a shared tile on the way to this one: from there
  /// on the bytes of stored tiles are free.
  static Operation *findFirstFill(Operation *fill) {
    Operation *first = fill;
    auto isPassed = [](Operation *op) {
      return (op->getNumRegions() == 0 || isMemoryEffectFree(op)) &&
             !endsWith(op, AccessEnd::WithStore);
    };
    for (Operation *op = fill; op && isPassed(op); op = op->getPrevNode())
      if (auto access = dyn_cast<SharedAccessOpInterface>(op);
          access && access.isStore())
        first = op;
    return first;
  }

  void storeFromTile(Piece &piece, Wait wait) {
    Location loc = store.getLoc();
    TypedValue<SharedType> tile = piece.fill.getSharedTile();
    tile.setType(tile.getType().withLayout(layout));
    TensorBoxes boxes = *tile.getType().getTensorBoxes();
    IntegerAttr warpgroups = divide(piece, boxes);
    OpBuilder builder(wait.when == Wait::BeforeAllFills
                          ? findFirstFill(piece.fill)
                          : piece.fill);
    if (wait.when != Wait::Never)
      StoreTmaWaitOp::create(builder, loc, wait.isForReads);
    builder.setInsertionPoint(getPlace(piece));
    MappedBlock block = llvm::cantFail(MappedBlock::of(
        access.base, access.indices, store.getTileType().getShape()));
    SmallVector<Value> offsets;
    for (auto [index, start] :
         llvm::zip_equal(block.getOffsets(builder), piece.start))
      offsets.push_back(
          start == 0 ? index
                     : arith::AddIOp::create(builder, loc, index,
                                             arith::ConstantIndexOp::create(
                                                 builder, loc, start)));
    StoreTmaOp::create(builder, loc, tile, block.getMap(boxes), offsets,
                       block.getMoved(builder), warpgroups);
  }

  /// Where warpgroups fill parts of their own, each stores its own, and needs
  /// not wait for the others: how many, and their boxes; or null.
  static IntegerAttr divide(Piece &piece, TensorBoxes &boxes) {
    int64_t parts =
        piece.fill->getParentOfType<KernelOp>().getNumWarpsOrDefault() /
        WarpgroupMma::warps;
    RegisterLayoutAttr registers = getRegisterLayout(piece.fill.getTileType());
    std::optional<unsigned> dim = getWarpgroupDim(registers.getLayout());
    if (!dim || *dim == boxes.rowDim)
      return nullptr;
    std::optional<TensorBoxes> part = boxes.getPart(parts);
    if (!part)
      return nullptr;
    boxes = *part;
    return OpBuilder(piece.fill).getI64IntegerAttr(parts);
  }

  static void eraseLoads(Value stored) {
    Operation *op = stored.getDefiningOp();
    auto join = dyn_cast<JoinOp>(op);
    SmallVector<Value> parts;
    if (join)
      parts = {join.getLower(), join.getUpper()};
    op->erase();
    for (Value part : parts)
      eraseLoads(part);
  }

  GlobalAccessOpInterface store;
  MemoryAccess access;
  SmallVector<Piece> pieces;
  SharedLayoutAttr layout;
};

struct SelectTmaStores
    : tilewright::tile::impl::TileSelectTmaStoresBase<SelectTmaStores> {
  using TileSelectTmaStoresBase::TileSelectTmaStoresBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GpuTarget target = getTargetOrDefault(kernel);
    if (!target.tma)
      return;
    for (bool waitsOften : {false, true}) {
      std::vector<StoreCandidate> candidates = findCandidates(kernel);
      if (candidates.empty())
        return;
      OwningOpRef<KernelOp> before = kernel.clone();
      select(kernel, candidates, waitsOften);
      if (hasRoom(kernel, target))
        return;
      kernel.getBody().takeBody(before->getBody());
    }
  }

private:
  static bool hasRoom(KernelOp kernel, const GpuTarget &target) {
    return planSharedMemory(getSharedRequests(kernel),
                            target.freeSharedBytesPerBlock())
               .total <= int64_t(target.maxSharedBytesPerBlock);
  }

  static std::vector<StoreCandidate> findCandidates(KernelOp kernel) {
    AxisInfoAnalysis axes(kernel);
    DominanceInfo dominance(kernel);
    std::vector<StoreCandidate> candidates;
    kernel.walk([&](GlobalAccessOpInterface op) {
      if (!takesAnyLayout(op))
        return;
      StoreCandidate candidate(op);
      if (candidate.isPossible(axes, dominance))
        candidates.push_back(std::move(candidate));
    });
    dropWhatOthersSee(kernel, candidates);
    return candidates;
  }

  /// With `waitsOften`, tiles of one iteration can share bytes, as each store
  /// is waited for before the next tile is filled.
  static void select(KernelOp kernel,
                     MutableArrayRef<StoreCandidate> candidates,
                     bool waitsOften) {
    using Wait = StoreCandidate::Wait;
    SmallVector<Wait> waits(candidates.size(), Wait{Wait::BeforeAllFills});
    // Before the first one of all there is none to wait for, or none that has
    // an order with it: those of other programs.
    Operation *first = candidates.front().getStore();
    if (!first->getParentOfType<LoopLikeOpInterface>())
      waits.front().when = Wait::Never;
    waits.front().isForReads = isOfPrograms(first);
    for (size_t index = 1; index < candidates.size(); ++index)
      if (isApartFromAllBefore(candidates, index))
        waits[index] = {waitsOften ? Wait::BeforeFill : Wait::Never,
                        isOfPrograms(candidates[index].getStore())};
    for (auto [candidate, wait] : llvm::zip_equal(candidates, waits))
      candidate.select(wait);
    OpBuilder builder(kernel.getBody().front().getTerminator());
    StoreTmaWaitOp::create(builder, kernel.getLoc(), /*read=*/true);
  }

  /// Whether the loop around the store is one over programs, if there is one.
  static bool isOfPrograms(Operation *store) {
    return isOverPrograms(store->getParentOp());
  }

  /// Whether it stores other elements than the candidates before it in its
  /// block, of which there are some, and no region is between them: it need not
  /// wait for them.
  static bool isApartFromAllBefore(ArrayRef<StoreCandidate> candidates,
                                   size_t index) {
    Operation *store = candidates[index].getStore();
    MemoryTouch touch = getTouches(store).front();
    bool isFirst = true;
    for (size_t before = index; before-- > 0;) {
      Operation *other = candidates[before].getStore();
      if (other->getBlock() != store->getBlock())
        break;
      for (Operation *op = other; op != store; op = op->getNextNode())
        if (op->getNumRegions() != 0)
          return false;
      if (getTouches(other).front().conflictsWith(touch))
        return false;
      isFirst = false;
    }
    return !isFirst;
  }

  /// Nothing but a wait orders these stores: whoever else touches the bytes, or
  /// says to others that they are written, has to see them at once.
  static void dropWhatOthersSee(KernelOp kernel,
                                std::vector<StoreCandidate> &candidates) {
    kernel.walk([&](Operation *op) {
      for (const MemoryAccess &access : getMemoryAccesses(op)) {
        if (access.space != MemorySpace::Global)
          continue;
        bool isOne =
            llvm::any_of(candidates, [&](const StoreCandidate &candidate) {
              return candidate.getStore() == op;
            });
        llvm::erase_if(candidates, [&](const StoreCandidate &candidate) {
          return access.talksToOthers() ||
                 (!isOne &&
                  mayOverlap(getRoot(access.base), candidate.getRoot()));
        });
      }
    });
  }
};

} // namespace
