//===- LowerConversions.cpp - The way through shared memory -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Shared/StagedTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Layout/Algebra/LayoutHalves.h"
#include "tilewright/Layout/Registers/LanesOfWarps.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOWERCONVERSIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether tile-pipeline may let the load run ahead, once it goes into a shared
/// tile.
static bool mayRunAhead(ConvertLayoutOp convert) {
  return getLoadAhead(convert) != nullptr;
}

/// Whether each thread already holds what the conversion gives it, or gets it
/// from other lanes of its warp in less time than from shared memory.
static bool staysInWarps(ConvertLayoutOp convert, bool isInPipeline) {
  ConversionChoice choice = chooseConversion(convert);
  if (choice.way == ConversionWay::Registers)
    return true;
  // What hides latency of global memory, or is read by ldmatrix, is worth more
  // than the cycles compared here.
  if (!choice.plan || feedsProducts(convert) ||
      (isInPipeline && mayRunAhead(convert)))
    return false;
  convert.emitRemark() << choice.getReason();
  return choice.way == ConversionWay::Shuffles;
}

/// Integers of one type as integers of another, wider or narrower.
static Value castIntegers(OpBuilder &builder, Location loc, Value tile,
                          Type elementType) {
  auto from = cast<RankedTensorType>(tile.getType());
  RankedTensorType to = from.clone(elementType);
  if (from == to)
    return tile;
  if (from.getElementType().isIndex() || elementType.isIndex())
    return arith::IndexCastOp::create(builder, loc, to, tile);
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    return arith::ExtUIOp::create(builder, loc, to, tile);
  return arith::TruncIOp::create(builder, loc, to, tile);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static RankedTensorType getHalfType(RankedTensorType whole, Cut cut) {
  LayoutHalves halves = *halveLayout(getRegisterLayout(whole).getLayout(),
                                     cut.axis, cut.stride); // By halve().
  return RankedTensorType::get(
      halves.half.shape(), whole.getElementType(),
      RegisterLayoutAttr::get(whole.getContext(), halves.half));
}

//===----------------------------------------------------------------------===//
// The way through shared memory
//===----------------------------------------------------------------------===//

namespace {
/// Sends tiles through one shared tile.
class Stager {
public:
  Stager(OpBuilder &builder, Location loc, Type storedType, bool isMatrix)
      : builder(builder), loc(loc), storedType(storedType), isMatrix(isMatrix) {
  }

  /// `source` in the layout of `result`: the pieces that `cuts` leave go one
  /// after the other.
  Value move(Value source, RankedTensorType result, ArrayRef<Cut> cuts) {
    if (cuts.empty())
      return moveWhole(source, result);
    auto [axis, stride] = cuts.front();
    auto type = cast<RankedTensorType>(source.getType());
    Type half = getHalfType(type, cuts.front());
    auto split =
        SplitOp::create(builder, loc, half, half, source, axis, stride);
    RankedTensorType halfResult = getHalfType(result, cuts.front());
    Value lower = move(split.getLower(), halfResult, cuts.drop_front());
    Value upper = move(split.getUpper(), halfResult, cuts.drop_front());
    return JoinOp::create(builder, loc, result, lower, upper, axis, stride);
  }

private:
  Value moveWhole(Value source, RankedTensorType result) {
    if (!tile)
      tile = AllocSharedOp::create(builder, loc, result.getShape(), storedType);
    LocalStoreOp::create(builder, loc,
                         castIntegers(builder, loc, source, storedType), tile,
                         IntegerAttr());
    auto load = LocalLoadOp::create(builder, loc, result.clone(storedType),
                                    tile, IntegerAttr(), isMatrix);
    return castIntegers(builder, loc, load.getResult(),
                        result.getElementType());
  }

  OpBuilder &builder;
  Location loc;
  Type storedType;
  bool isMatrix;
  AllocSharedOp tile;
};
} // namespace

static LogicalResult stageConversion(ConvertLayoutOp convert,
                                     ArrayRef<Cut> cuts) {
  auto type = cast<RankedTensorType>(convert.getType());
  Type elementType = type.getElementType();
  if (isa<PtrType>(elementType))
    return convert.emitOpError(
        "pointers cannot change warps: convert what they "
        "are made of, and add it to the base after");
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  // A transposed operand of a product is staged as it was loaded, so that the
  // load can become an asynchronous copy: the renaming may as well come after.
  bool isOperand = feedsProducts(convert);
  Operation *trans = isOperand ? findTransposition(convert) : nullptr;
  Value source = trans ? trans->getOperand(0) : convert.getSource();
  RankedTensorType loaded = type;
  if (trans)
    loaded =
        withLayout(source.getType(),
                   cast<RegisterLayoutOpInterface>(trans).inferOperandLayout(
                       0, getRegisterLayout(type)));
  Stager stager(builder, loc, getStoredType(elementType),
                isOperand && canLoadMatrices(loaded));
  Value result = stager.move(source, loaded, cuts);
  if (trans) {
    IRMapping mapping;
    mapping.map(source, result);
    Operation *after = builder.clone(*trans, mapping);
    after->setLoc(loc);
    cast<RegisterLayoutOpInterface>(after).setLayout(getRegisterLayout(type));
    result = after->getResult(0);
  }
  convert.replaceAllUsesWith(result);
  convert.erase();
  if (trans && trans->use_empty())
    trans->erase();
  return success();
}

namespace {
struct LowerConversions
    : tilewright::tile::impl::TileLowerConversionsBase<LowerConversions> {
  using TileLowerConversionsBase::TileLowerConversionsBase;

  void runOnOperation() override {
    std::optional<GpuTarget> gpu = getTarget(getOperation());
    limit = maxBytes || !gpu ? maxBytes : int64_t(gpu->maxSharedBytesPerBlock);
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk(
        [&](ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (ConvertLayoutOp convert : conversions)
      moveToStore(convert);
    conversions.clear();
    getOperation().walk([&](ConvertLayoutOp convert) {
      if (!staysInWarps(convert, /*isInPipeline=*/getStages(convert) != 1))
        conversions.push_back(convert);
    });
    llvm::erase_if(conversions, [&](ConvertLayoutOp convert) {
      return storeFromOwnLayout(convert) || loadWhereTaken(convert);
    });
    stayWhereTooLarge(conversions);
    // All are there still: what lives beside each is seen.
    SmallVector<SmallVector<Cut>> cuts;
    for (ConvertLayoutOp convert : conversions)
      cuts.push_back(chooseCuts(convert, conversions));
    for (auto [convert, cutsOfIt] : llvm::zip_equal(conversions, cuts))
      if (failed(stageConversion(convert, cutsOfIt)))
        return signalPassFailure();
    shareStagedTiles(getOperation());
  }

private:
  /// The stages of the loop around, where the load of what is converted runs
  /// ahead.
  int getStages(ConvertLayoutOp convert) {
    return getNumStages(convert->getParentOp());
  }

  /// What is only stored changes threads right before: stores that come first
  /// are under way by then.
  void moveToStore(ConvertLayoutOp convert) {
    if (!convert->hasOneUse())
      return;
    Operation *user = *convert->user_begin();
    if (!isStore(*user) || user->getBlock() != convert->getBlock())
      return;
    // Sums of products leave few registers: masks and places of a first store
    // are rather computed behind it.
    if (!hasProducts(getOperation()) ||
        std::any_of(std::next(convert->getIterator()), user->getIterator(),
                    isStore))
      convert->moveBefore(user);
  }

  static bool isStore(Operation &op) {
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    return access && access.isStore();
  }

  /// Stores what fits in no way from the threads that have it, and what loops
  /// over rows leave from the warps. Returns whether it does.
  bool storeFromOwnLayout(ConvertLayoutOp convert) {
    bool isStored = !convert->use_empty() &&
                    llvm::all_of(convert->getUsers(), takesAnyLayout);
    if (!isStored)
      return false;
    if (isTooLarge(convert)) {
      convert.emitRemark("is stored as it lies in registers: it is larger than "
                         "shared memory, and threads do not have both halves "
                         "of anything that could be sent by itself");
      convert.replaceAllUsesWith(convert.getSource());
      convert.erase();
      return true;
    }
    return isBehindRows(convert) && storeFromWarps(convert);
  }

  /// Loads what fits in no way by the threads that take it. Returns whether
  /// they do.
  bool loadWhereTaken(ConvertLayoutOp convert) {
    auto load = convert.getSource().getDefiningOp<GlobalAccessOpInterface>();
    if (!load || !load->hasOneUse() ||
        llvm::any_of(load->getOperands(), isTile) || !isTooLarge(convert))
      return false;
    convert.emitRemark("is loaded by the threads that take it: it is larger "
                       "than shared memory, and threads do not have both "
                       "halves of anything that could be sent by itself");
    cast<RegisterLayoutOpInterface>(load.getOperation())
        .setLayout(getRegisterLayout(convert.getType()));
    convert.replaceAllUsesWith(convert.getSource());
    convert.erase();
    return true;
  }

  bool isTooLarge(ConvertLayoutOp convert) {
    return limit != 0 && getStagedBytes(convert) > limit &&
           tile::chooseCuts(convert, limit).empty();
  }

  /// Whether it is what a loop over rows has left, as sums of columns: rows
  /// that the loop loads ahead may have all of shared memory.
  bool isBehindRows(ConvertLayoutOp convert) {
    KernelOp kernel = getOperation();
    return convert->getParentOp() == kernel && combinesRows(kernel) &&
           !hasProducts(kernel) &&
           std::any_of(convert->getBlock()->begin(), convert->getIterator(),
                       llvm::IsaPred<LoopLikeOpInterface>);
  }

  /// Stores from the warps that have it, as wide as can be: their lanes change
  /// elements by shuffles. Returns whether it does.
  bool storeFromWarps(ConvertLayoutOp convert) {
    RankedTensorType source = convert.getSource().getType();
    unsigned vector =
        kMaxVectorBytes / getElementBytes(source.getElementType());
    std::optional<LinearLayout> layout =
        coalescedByLanes(getRegisterLayout(source).getLayout(), vector);
    if (!layout || !allowVectors(convert, vector))
      return false;
    OpBuilder builder(convert);
    auto inWarps = ConvertLayoutOp::create(
        builder, convert.getLoc(),
        withLayout(source, RegisterLayoutAttr::get(&getContext(), *layout)),
        convert.getSource());
    if (!staysInWarps(inWarps, /*isInPipeline=*/false)) {
      inWarps.erase();
      return false;
    }
    convert.replaceAllUsesWith(inWarps.getResult());
    convert.erase();
    return true;
  }

  /// Whether what is stored goes to the last dimension's vectors of memory.
  bool allowVectors(ConvertLayoutOp convert, unsigned elements) {
    AxisInfoAnalysis axes(getOperation());
    return llvm::all_of(convert->getUsers(), [&](Operation *user) {
      AddressVector vector =
          getAddressVector(cast<GlobalAccessOpInterface>(user), axes);
      return vector.dim + 1 == convert.getType().getRank() &&
             vector.width.elements >= elements;
    });
  }

  /// Bytes that products have in shared memory while `convert` goes through it.
  int64_t countBeside(ConvertLayoutOp convert,
                      ArrayRef<ConvertLayoutOp> conversions) {
    int64_t beside = 0;
    for (ConvertLayoutOp other : conversions)
      if (mayLiveBeside(other, convert))
        beside +=
            getStagedBytes(other) * (mayRunAhead(other) ? getStages(other) : 1);
    // As tile-persist counts them.
    if (isOverPrograms(convert->getParentOp()))
      beside += countStoredBeside(convert);
    return beside;
  }

  /// What products read in whole is not cut. Slots of a loop that is over when
  /// `convert` comes are beside it only where they outlive the loop: where
  /// pieces cannot be so small, they are not counted.
  SmallVector<Cut> chooseCuts(ConvertLayoutOp convert,
                              ArrayRef<ConvertLayoutOp> conversions) {
    if (limit == 0 || feedsProducts(convert))
      return {};
    auto around = llvm::filter_to_vector(conversions, [&](Operation *other) {
      return other->getParentOp()->isAncestor(convert);
    });
    for (int64_t room : {limit - countBeside(convert, conversions),
                         limit - countBeside(convert, around), limit}) {
      SmallVector<Cut> cuts = tile::chooseCuts(convert, room);
      if (!cuts.empty() || getStagedBytes(convert) <= room)
        return cuts;
    }
    return {};
  }

  /// Whether there is room for the stages of a load, and for all else that goes
  /// through shared memory in its loop, in whole or in pieces.
  bool fitsAhead(ConvertLayoutOp ahead, ArrayRef<ConvertLayoutOp> conversions) {
    int64_t room = limit - countBeside(ahead, conversions);
    return room >= 0 && llvm::all_of(conversions, [&](ConvertLayoutOp convert) {
             return feedsProducts(convert) ||
                    !ahead->getParentOp()->isProperAncestor(convert) ||
                    getStagedBytes(convert) <= room ||
                    !tile::chooseCuts(convert, room).empty();
           });
  }

  /// Loads of loops that store for whose stages there is no room.
  SmallVector<ConvertLayoutOp>
  findTooLarge(ArrayRef<ConvertLayoutOp> conversions) {
    return llvm::filter_to_vector(conversions, [&](ConvertLayoutOp ahead) {
      return getStages(ahead) != 1 && mayRunAhead(ahead) &&
             mayWriteGlobalMemory(ahead->getParentOp()) &&
             !fitsAhead(ahead, conversions);
    });
  }

  /// A loop that stores may send results through shared memory beside the
  /// operands of its products. Where it has no room for all stages it has
  /// fewer; loads of which it has no room for two stay where they are.
  void stayWhereTooLarge(ArrayRef<ConvertLayoutOp> conversions) {
    SmallVector<ConvertLayoutOp> tooLarge;
    if (limit != 0)
      tooLarge = findTooLarge(conversions);
    if (tooLarge.empty() || takeFewerStages(tooLarge, conversions))
      return;
    for (ConvertLayoutOp ahead : tooLarge)
      getLoadAhead(ahead)->setAttr(kStaysAttr, UnitAttr::get(&getContext()));
  }

  /// Whether there is room for all with fewer stages.
  bool takeFewerStages(ArrayRef<ConvertLayoutOp> tooLarge,
                       ArrayRef<ConvertLayoutOp> conversions) {
    KernelOp kernel = getOperation();
    Builder builder(&getContext());
    Attribute before = kernel->getAttr(kMostStagesAttr);
    int asked = 0;
    for (ConvertLayoutOp ahead : tooLarge)
      asked = std::max(asked, getStages(ahead));
    for (int fewer = asked - 1; fewer > 1; --fewer) {
      kernel->setAttr(kMostStagesAttr, builder.getI32IntegerAttr(fewer));
      if (!findTooLarge(conversions).empty())
        continue;
      if (!kernel->hasAttr(kStagesReasonAttr))
        kernel->setAttr(kStagesReasonAttr,
                        builder.getStringAttr("shared memory has no room for " +
                                              Twine(asked) +
                                              " beside what a loop stores"));
      return true;
    }
    if (before)
      kernel->setAttr(kMostStagesAttr, before);
    else
      kernel->removeAttr(kMostStagesAttr);
    return false;
  }

  /// Whether a loop around `convert` has products that read the tile of
  /// `other`, in its stages or as it was before the loop.
  static bool mayLiveBeside(ConvertLayoutOp other, ConvertLayoutOp convert) {
    if (!feedsProducts(other))
      return false;
    for (auto loop = convert->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (llvm::any_of(other->getUsers(), [&](Operation *product) {
            return loop->isProperAncestor(product);
          }))
        return true;
    return false;
  }

  /// Shared bytes that a block may have; 0 where that is not known.
  int64_t limit = 0;
};
} // namespace
