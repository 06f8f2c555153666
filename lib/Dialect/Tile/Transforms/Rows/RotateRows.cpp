//===- RotateRows.cpp - Rows that begin anywhere, in vectors --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/RowsAhead.h"
#include "Rows/RowScope.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEROTATEROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// An access to a block of a row that could be wider.
struct NarrowAccess {
  GlobalAccessOpInterface op;
  /// Where the block begins, and bytes of the vectors that threads would have.
  Value base;
  int64_t vectorBytes;
  /// The tile is to begin at a multiple of so many bytes: of vectors, or of
  /// lines, where the tile has room for what the row then has in front.
  int64_t beginBytes;
  /// Whether the tile begins so already, and its mask is what is in the way.
  bool beginsWithVector;
};

/// A kernel's rows, and how they are rotated.
class Rows {
public:
  explicit Rows(KernelOp kernel)
      : kernel(kernel), axes(kernel), isCombined(combinesLoadedRows(kernel)) {
    kernel.walk([&](GlobalAccessOpInterface access) { collect(access); });
  }

  void rotate() {
    auto misaligned = llvm::find_if(narrow, [&](NarrowAccess &access) {
      return !aligned.contains(access.op);
    });
    if (misaligned != narrow.end()) {
      // A shifted vector is two and their selection: others must gain more.
      // Of what has neighbours on either side, as a stencil, some are shifted
      // whatever the rotation.
      if (misaligned->beginsWithVector &&
          !llvm::all_of(narrow, [](const NarrowAccess &access) {
            return access.beginsWithVector;
          }))
        return;
      if (2 * countInTheWay(*misaligned) < numRows)
        rotateBy(*misaligned);
      return;
    }
    for (NarrowAccess &access : narrow) {
      OpBuilder builder(access.op);
      access.op.setRotation(
          arith::ConstantIndexOp::create(builder, access.op.getLoc(), 0),
          /*isShifted=*/false);
    }
  }

private:
  /// Whether the block is of one of several rows, which lie as far apart as the
  /// launch says: parts of one vector are as fast by elements.
  static bool isOfRows(Value base) {
    while (auto add = base.getDefiningOp<AddPtrOp>()) {
      auto product = stripCasts(add.getOffset()).getDefiningOp<arith::MulIOp>();
      if (product && llvm::none_of(product->getOperands(), [](Value factor) {
            return matchPattern(factor, m_Constant());
          }))
        return true;
      base = add.getPtr();
    }
    return false;
  }

  void collect(GlobalAccessOpInterface op) {
    if (!op.mayRotate())
      return;
    ++numRows;
    MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
    auto view = access.base.getDefiningOp<ViewOp>();
    int64_t bytes = getElementBytes(op.getTileType().getElementType());
    int64_t vector = getWidestVector(op);
    if (!view || op.getVectorWidth() ||
        (!isCombined && !isOfRows(view.getBase())))
      return;
    AddressVector known = getAddressVector(op, axes, getGlobalVectorBytes(op));
    int64_t divisibility = std::min(
        axes.getDivisibility(OpFoldResult(view.getBase())),
        bytes * axes.getDivisibility(OpFoldResult(access.indices.front())));
    if (divisibility >= vector * bytes)
      aligned.insert(op);
    if (known.width.elements >= vector)
      return;
    narrow.push_back(
        {op, view.getBase(), vector * bytes, vector * bytes,
         beginsAtMultiple(view, access.indices.front(), vector * bytes)});
    // In phases rows begin alike by vectors, or by sectors: by lines there were
    // more phases, each of which loads weights.
    if (!mayBeginWithLine(op))
      return;
    if (!haveOneRotation(narrow.back(), vector * bytes))
      narrow.back().beginBytes = bytesPerLine;
    else if (haveOneRotation(narrow.back(), bytesPerSector))
      narrow.back().beginBytes = bytesPerSector;
  }

  /// The pointer to a tile's first element, where the view begins inside of the
  /// tile, as far as a mask says: `low` behind the pointer, for index -low.
  static Value findFirstOfTile(Value base, Value index) {
    auto negated = index.getDefiningOp<arith::SubIOp>();
    auto add = base.getDefiningOp<AddPtrOp>();
    if (!negated || !add || !matchPattern(negated.getLhs(), m_Zero()))
      return nullptr;
    Value low = negated.getRhs(), step = add.getOffset();
    auto product = step.getDefiningOp<arith::MulIOp>();
    if (product && matchPattern(product.getRhs(), m_One()))
      step = product.getLhs();
    return step == low ? add.getPtr() : nullptr;
  }

  /// Whether the tile begins at a multiple of `bytes`, and only its mask does
  /// not.
  bool beginsAtMultiple(ViewOp view, OpFoldResult index, int64_t bytes) const {
    auto value = dyn_cast<Value>(index);
    Value first = value ? findFirstOfTile(view.getBase(), value) : nullptr;
    return first && axes.getDivisibility(OpFoldResult(first)) >= bytes;
  }

  /// Whether the row ends in the tile wherever in a line it begins, so that it
  /// is joined behind the last element.
  static bool mayBeginWithLine(GlobalAccessOpInterface op) {
    RankedTensorType tile = op.getTileType();
    int64_t bytes = getElementBytes(tile.getElementType());
    return (countColumnsAtMost(op) - 1) * bytes + bytesPerLine <=
           tile.getNumElements() * bytes;
  }

  /// Rotates the rows around this access as its block wants it, if nobody can
  /// tell.
  void rotateBy(NarrowAccess &access) {
    std::optional<Value> base = findStart(access);
    if (!base)
      return;
    if (haveOneRotation(access, access.beginBytes))
      if (std::optional<Value> first = getFirst(*base);
          first && RowScope(*first->getParentBlock()).mayRotate())
        base = first;
    if (!RowScope(*base->getParentBlock()).mayRotate())
      base = findStartOfParts(access);
    if (!base)
      return;
    RowScope scope(*base->getParentBlock());
    if (!scope.mayRotate())
      return;
    int64_t bytes = getElementBytes(access.op.getTileType().getElementType());
    ImplicitLocOpBuilder builder(base->getLoc(), kernel.getContext());
    builder.setInsertionPointAfterValue(*base);
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(builder, value, 64);
    };
    Value behind = arith::AndIOp::create(
        builder, PtrToIntOp::create(builder, builder.getI64Type(), *base),
        constant(access.beginBytes - 1));
    Value elements =
        arith::ShRUIOp::create(builder, behind, constant(llvm::Log2_64(bytes)));
    scope.rotate(
        builder,
        arith::IndexCastOp::create(builder, builder.getIndexType(), elements),
        [&](Operation *op) { return aligned.contains(op); });
  }

  /// Whether the row is one of a loop over programs whose numbers differ by
  /// multiples of so many bytes, so that all ask for one rotation.
  static bool haveOneRotation(NarrowAccess &access, int64_t beginBytes) {
    auto loop = access.op->getParentOfType<LoopLikeOpInterface>();
    if (!loop || !isOverPrograms(loop) || !loop.getSingleStep())
      return false;
    int64_t bytes = getElementBytes(access.op.getTileType().getElementType());
    std::optional<int64_t> step = getConstantIntValue(*loop.getSingleStep());
    return step && *step * bytes % beginBytes == 0;
  }

  /// Accesses to other arrays, whose vectors a rotation takes apart. What one
  /// rotation for all programs lets these load once is no matter.
  unsigned countInTheWay(NarrowAccess &access) {
    unsigned count = aligned.size();
    if (haveOneRotation(access, access.beginBytes))
      for (const RowLoad &load :
           findSharedLoads(access.op->getParentOfType<LoopLikeOpInterface>()
                               .getLoopRegions()
                               .front()
                               ->front()))
        count -= aligned.contains(load.op);
    return count;
  }

  /// An address in a loop's body, for its first iteration and in front of it,
  /// if it follows from the counter.
  static std::optional<Value> getFirst(Value address) {
    Block *block = address.getParentBlock();
    auto loop = dyn_cast<LoopLikeOpInterface>(block->getParentOp());
    if (!loop || !loop.getSingleInductionVar() || !loop.getSingleLowerBound())
      return std::nullopt;
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == block; };
    if (failed(getBackwardSlice(address, &slice, options)))
      return std::nullopt;
    OpBuilder builder(loop);
    IRMapping mapping;
    mapping.map(*loop.getSingleInductionVar(),
                getValueOrCreateConstantIndexOp(builder, loop.getLoc(),
                                                *loop.getSingleLowerBound()));
    for (Operation *op : slice) {
      for (Value operand : op->getOperands())
        if (llvm::is_contained(loop.getRegionIterArgs(), operand))
          return std::nullopt;
      builder.clone(*op, mapping);
    }
    return mapping.lookup(address);
  }

  /// The address that the block is a multiple of vectors, or lines, behind, as
  /// early in its own block as can be.
  std::optional<Value> findStart(NarrowAccess &access) {
    Value base = access.base;
    int64_t bytes = getElementBytes(access.op.getTileType().getElementType());
    while (auto add = base.getDefiningOp<AddPtrOp>()) {
      if (bytes * axes.getDivisibility(OpFoldResult(add.getOffset())) <
          access.beginBytes)
        break;
      base = add.getPtr();
    }
    Block &block = *base.getParentBlock();
    std::optional<SetVector<Operation *>> makers = findMovable(base, block);
    if (!makers)
      return std::nullopt;
    moveToFront(*makers, block);
    return base;
  }

  /// The same of a loop whose trips take parts of one row that are multiples of
  /// vectors, or lines, apart: an address in front of it that asks for the
  /// rotation of all of them.
  std::optional<Value> findStartOfParts(NarrowAccess &access) {
    Block &block = *access.op->getBlock();
    auto loop = dyn_cast<LoopLikeOpInterface>(block.getParentOp());
    if (!loop)
      return std::nullopt;
    int64_t bytes = getElementBytes(access.op.getTileType().getElementType());
    SmallVector<Value> offsets;
    Value base = access.base;
    while (auto add = base.getDefiningOp<AddPtrOp>()) {
      collectTerms(add.getOffset(), access.beginBytes / bytes, offsets);
      base = add.getPtr();
    }
    Block &front = *loop->getBlock();
    if (!RowScope(front).mayRotate())
      return std::nullopt;
    SmallVector<Value> parts = offsets;
    parts.push_back(base);
    SetVector<Operation *> makers;
    for (Value part : parts) {
      std::optional<SetVector<Operation *>> ofPart = findMovable(part, front);
      if (!ofPart)
        return std::nullopt;
      makers.insert_range(*ofPart);
    }
    OpBuilder builder = moveToFront(makers, front);
    for (Value offset : offsets)
      base = AddPtrOp::create(builder, access.op.getLoc(), base.getType(), base,
                              offset);
    return base;
  }

  /// What is added up to the offset, less multiples of so many elements. Of
  /// sums only low bits matter, which casts leave as they are.
  void collectTerms(Value offset, int64_t elements,
                    SmallVectorImpl<Value> &terms) {
    if (axes.getDivisibility(OpFoldResult(offset)) % elements == 0)
      return;
    Operation *op = offset.getDefiningOp();
    if (!op || !(isa<arith::AddIOp>(op) || isSignedCast(op))) {
      terms.push_back(offset);
      return;
    }
    for (Value operand : op->getOperands())
      collectTerms(operand, elements, terms);
  }

  /// The ops of the block, and of blocks in it, that make a value, if they can
  /// all stand in front of the block's others.
  static std::optional<SetVector<Operation *>> findMovable(Value value,
                                                           Block &block) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return block.findAncestorOpInBlock(*op) != nullptr;
    };
    auto isKnown = [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return !argument || argument.getOwner() == &block ||
             !block.findAncestorOpInBlock(*argument.getOwner()->getParentOp());
    };
    auto isMovable = [&](Operation *op) {
      // What the block runs anyway may be a division.
      bool mayRun = op->getBlock() == &block || isSpeculatable(op);
      return mayRun && isMemoryEffectFree(op) && !hasTiles(op) &&
             op->getNumRegions() == 0 &&
             llvm::all_of(op->getOperands(), isKnown);
    };
    if (failed(getBackwardSlice(value, &slice, options)) || !isKnown(value) ||
        !llvm::all_of(slice, isMovable))
      return std::nullopt;
    return slice;
  }

  /// Returns a builder behind what was moved.
  static OpBuilder moveToFront(const SetVector<Operation *> &makers,
                               Block &block) {
    for (Operation *op : llvm::reverse(makers))
      op->moveBefore(&block, block.begin());
    OpBuilder builder(&block, block.begin());
    if (!makers.empty())
      builder.setInsertionPointAfter(makers.back());
    return builder;
  }

  KernelOp kernel;
  AxisInfoAnalysis axes;
  bool isCombined;
  SmallVector<NarrowAccess> narrow;
  unsigned numRows = 0;
  /// Accesses whose block begins with a vector.
  DenseSet<Operation *> aligned;
};

struct RotateRows : tilewright::tile::impl::TileRotateRowsBase<RotateRows> {
  void runOnOperation() override { Rows(getOperation()).rotate(); }
};
} // namespace
