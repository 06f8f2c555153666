//===- BranchWholeBlocks.cpp - Blocks that do not cross an end ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/ProgramLoop.h"
#include "Rows/RowScope.h"
#include "Rows/WholeBranch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/PointerBlocks.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetOperations.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEBRANCHWHOLEBLOCKS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Larger elements are moved as fast one at a time.
static constexpr int64_t kMaxElementBytes = 2;

namespace {
/// A kernel's blocks of arrays of one dimension.
class BlocksOfArrays {
public:
  explicit BlocksOfArrays(KernelOp kernel)
      : body(findBody(kernel)), axes(kernel) {}

  /// Whether the ends of arrays keep any of them from being moved in vectors,
  /// or have elements that are moved alone ask for a mask each.
  bool wantBranch() {
    bool gains = false;
    for (Operation &op : body) {
      if (op.getNumRegions() != 0 && !isa<CombineOpInterface>(op))
        return false;
      auto access = dyn_cast<GlobalAccessOpInterface>(op);
      if (access && access.mayRotate() && !collect(access, gains))
        return false;
    }
    return gains && (misaligned.empty() || endsBesideVectors || mayRotate());
  }

  /// Whether all arrays begin beside vectors, which they have to do alike. What
  /// is computed of places takes longer than vectors save.
  bool mayRotate() {
    RowScope scope(body);
    return !misaligned.empty() && !hasAligned && !scope.countsPlaces() &&
           scope.mayRotate();
  }

  /// Writes the branch, unless what it hangs on is computed of tiles.
  void branch() {
    collectMasks();
    Operation *front = moveScalarsToFront(body);
    if (!front)
      return;
    auto isBehind = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op && !op->isBeforeInBlock(front);
    };
    if (llvm::any_of(extents,
                     [&](auto &entry) { return isBehind(entry.first); }) ||
        llvm::any_of(misaligned, [&](const Misaligned &array) {
          return isBehind(array.base);
        }))
      return;
    ImplicitLocOpBuilder builder(front->getLoc(), front);
    Value isWhole;
    for (auto [extent, needed] : extents) {
      Value fits = arith::CmpIOp::create(
          builder, arith::CmpIPredicate::uge, extent,
          arith::ConstantIndexOp::create(builder, needed));
      isWhole = isWhole ? arith::AndIOp::create(builder, isWhole, fits) : fits;
    }
    Value rotation;
    if (mayRotate()) {
      rotation = findRotation(builder);
      isWhole = arith::AndIOp::create(builder, isWhole,
                                      beginAlike(builder, rotation));
    }
    Block &whole = branchOnWhole(
        builder, isWhole,
        [&](OpBuilder &builder, Operation &op, IRMapping &mapping) {
          cloneWhole(builder, op, mapping);
        });
    if (RowScope scope(whole); rotation && scope.mayRotate()) {
      builder.setInsertionPointToStart(&whole);
      scope.rotate(builder, rotation, [](Operation *) { return false; });
    }
    turnPrograms();
  }

private:
  /// What one program does, of those that a block runs in a loop, too.
  static Block &findBody(KernelOp kernel) {
    auto loops = findProgramLoops(kernel);
    return loops.size() == 1 ? *loops.front().getBody()
                             : kernel.getBody().front();
  }

  /// A block of an array that begins beside vectors.
  struct Misaligned {
    Value base;
    int64_t elementBytes, vectorBytes;
  };

  /// How many elements the first of the arrays begins behind a vector.
  Value findRotation(ImplicitLocOpBuilder &builder) {
    const Misaligned &first = misaligned.front();
    Value behind = arith::AndIOp::create(
        builder, getAddress(builder, first.base),
        arith::ConstantIntOp::create(builder, first.vectorBytes - 1, 64));
    return arith::IndexCastOp::create(
        builder, builder.getIndexType(),
        arith::ShRUIOp::create(
            builder, behind,
            arith::ConstantIntOp::create(
                builder, llvm::Log2_64(first.elementBytes), 64)));
  }

  /// Whether all arrays begin as many elements behind a vector.
  Value beginAlike(ImplicitLocOpBuilder &builder, Value rotation) {
    Value elements =
        arith::IndexCastOp::create(builder, builder.getI64Type(), rotation);
    Value zero = arith::ConstantIntOp::create(builder, 0, 64);
    Value beside = zero;
    for (const Misaligned &array : misaligned) {
      Value bytes = arith::MulIOp::create(
          builder, elements,
          arith::ConstantIntOp::create(builder, array.elementBytes, 64));
      Value first = arith::SubIOp::create(
          builder, getAddress(builder, array.base), bytes);
      beside = arith::OrIOp::create(
          builder, beside,
          arith::AndIOp::create(builder, first,
                                arith::ConstantIntOp::create(
                                    builder, array.vectorBytes - 1, 64)));
    }
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, beside,
                                 zero);
  }

  static Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) {
    return PtrToIntOp::create(builder, builder.getI64Type(), pointer);
  }

  /// Returns false where an access could not be in vectors all the same.
  bool collect(GlobalAccessOpInterface op, bool &gains) {
    MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
    auto view = access.base.getDefiningOp<ViewOp>();
    RankedTensorType tile = op.getTileType();
    int64_t bytes = getElementBytes(tile.getElementType());
    int64_t vector = getWidestVector(op);
    if (!view || op.getVectorWidth() || view->getBlock() != &body ||
        !isConstantIntValue(OpFoldResult(access.indices.front()), 0))
      return false;
    if (axes.getDivisibility(OpFoldResult(view.getBase())) >= vector * bytes)
      hasAligned = true;
    else if (bytes <= kMaxElementBytes)
      misaligned.push_back({view.getBase(), bytes, vector * bytes});
    else
      return false;
    if (view.getShape().empty())
      return true;
    Value extent = view.getShape().front();
    int64_t &needed = extents[extent];
    needed = std::max(needed, tile.getDimSize(0));
    endsBesideVectors |= axes.getDivisibility(OpFoldResult(extent)) < vector;
    gains |=
        bytes <= kMaxElementBytes &&
        getAddressVector(op, axes, getGlobalVectorBytes(op)).width.elements <
            vector;
    return true;
  }

  /// Adds what a scalar is computed of: arguments, and what is no arithmetic.
  static void addSources(Value scalar, llvm::SmallPtrSetImpl<Value> &sources) {
    SmallVector<Value> open = {scalar};
    llvm::SmallPtrSet<Value, 16> seen;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      Operation *op = value.getDefiningOp();
      if (op && isPure(op) && op->getNumOperands() != 0)
        llvm::append_range(open, op->getOperands());
      else if (!op || !op->hasTrait<OpTrait::ConstantLike>())
        sources.insert(value);
    }
  }

  /// The block that crosses an end takes longest, and is mostly the last one:
  /// it begins first. Without loops, no program waits for another.
  void turnPrograms() {
    llvm::SmallPtrSet<Value, 8> sources;
    for (auto [extent, needed] : extents)
      addSources(extent, sources);
    llvm::SmallDenseSet<unsigned, 4> turned;
    for (Value source : sources)
      if (auto id = source.getDefiningOp<ProgramIdOp>())
        turned.insert(id.getAxis());
    for (ProgramIdOp id : llvm::to_vector(body.getOps<ProgramIdOp>())) {
      if (!turned.contains(id.getAxis()))
        continue;
      ImplicitLocOpBuilder builder(id.getLoc(), id->getNextNode());
      Value count = NumProgramsOp::create(builder, id.getAxis());
      Value one = arith::ConstantIndexOp::create(builder, 1);
      Value last = arith::SubIOp::create(builder, count, one);
      Value other = arith::SubIOp::create(builder, last, id);
      id.getResult().replaceAllUsesExcept(other, other.getDefiningOp());
    }
  }

  /// Masks that hold all of a block that is whole, where more than accesses
  /// asks them. One that ends by another number than arrays do would keep
  /// blocks from the branch that do not cross an end.
  void collectMasks() {
    PointerBlocks blocks(axes);
    llvm::SmallPtrSet<Value, 8> ofArrays;
    for (auto [extent, needed] : extents)
      addSources(extent, ofArrays);
    for (Operation &op : llvm::make_early_inc_range(body)) {
      auto tile = isa<arith::CmpIOp>(op)
                      ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                      : RankedTensorType();
      if (!tile || tile.getRank() != 1 ||
          llvm::all_of(op.getUsers(), llvm::IsaPred<GlobalAccessOpInterface>))
        continue;
      std::optional<MaskForm> mask = blocks.findMask(op.getResult(0));
      if (!mask || mask->all || mask->bounds[0].lower || !mask->bounds[0].upper)
        continue;
      llvm::SmallPtrSet<Value, 8> ofMask;
      addSources(mask->bounds[0].upper, ofMask);
      if (!llvm::set_is_subset(ofMask, ofArrays))
        continue;
      int64_t &needed = extents[mask->bounds[0].upper];
      needed = std::max(needed, tile.getDimSize(0));
      masks.insert(&op);
    }
  }

  /// An op for blocks that cross no end of an array.
  void cloneWhole(OpBuilder &builder, Operation &op, IRMapping &mapping) const {
    if (masks.contains(&op)) {
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      mapping.map(op.getResult(0), arith::ConstantOp::create(
                                       builder, op.getLoc(),
                                       DenseElementsAttr::get(type, true)));
      return;
    }
    Operation *clone = builder.clone(op, mapping);
    auto access = dyn_cast<GlobalAccessOpInterface>(clone);
    if (access && access.mayRotate())
      makeWhole(access);
  }

  /// Lets the op access a view that is as long as its tile. Others keep theirs:
  /// it may be of a longer tile.
  static void makeWhole(GlobalAccessOpInterface op) {
    auto view =
        findMemoryAccess(op, MemorySpace::Global)->base.getDefiningOp<ViewOp>();
    if (view.getShape().empty())
      return;
    OpBuilder builder(op);
    op->replaceUsesOfWith(
        view, makeWholeView(builder, view, 0, op.getTileType().getDimSize(0)));
  }

  Block &body;
  AxisInfoAnalysis axes;
  /// Ends of views, and how many elements the tiles want there.
  llvm::MapVector<Value, int64_t> extents;
  llvm::SmallPtrSet<Operation *, 4> masks;
  SmallVector<Misaligned> misaligned;
  bool hasAligned = false;
  /// Whether elements that are moved alone ask for more than a mask a vector.
  bool endsBesideVectors = false;
};

struct BranchWholeBlocks
    : tilewright::tile::impl::TileBranchWholeBlocksBase<BranchWholeBlocks> {
  void runOnOperation() override {
    if (getOperation().getBlockPrograms() || combinesLoadedRows(getOperation()))
      return;
    BlocksOfArrays blocks(getOperation());
    if (blocks.wantBranch())
      blocks.branch();
  }
};
} // namespace
