//===- StageShared.cpp - The way through shared memory ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/Analysis/Conversions.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Layout/SharedAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESTAGESHARED
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static bool feedsProducts(ConvertLayoutOp convert) {
  return !convert->use_empty() &&
         llvm::all_of(convert->getUsers(), llvm::IsaPred<DotOp>);
}

/// Whether tile-pipeline may let the load of what is converted run ahead, once
/// it goes into a shared tile.
static bool mayRunAhead(ConvertLayoutOp convert) {
  auto load = convert.getSource().getDefiningOp<LoadViewOp>();
  return load && getCoordinatesAhead(load);
}

/// Whether each thread already holds what the conversion gives it, or gets it
/// from other lanes of its warp in less time than from shared memory.
static bool staysInWarps(ConvertLayoutOp convert, bool hasPipelines) {
  ConversionChoice choice = chooseConversion(convert);
  if (choice.way == ConversionWay::Registers)
    return true;
  // What hides latency of global memory, or is read by ldmatrix, is worth more
  // than the cycles compared here.
  if (!choice.plan || feedsProducts(convert) ||
      (hasPipelines && mayRunAhead(convert)))
    return false;
  convert.emitRemark() << choice.getReason();
  return choice.way == ConversionWay::Shuffles;
}

/// Whether ldmatrix makes the layout of this operand, from rows or from columns
/// of a shared tile.
static bool canLoadMatrices(RankedTensorType loaded) {
  if (loaded.getRank() != 2)
    return false;
  SharedAccess access;
  access.kind = SharedAccessKind::LoadMatrix;
  access.registers = getRegisterLayout(loaded).getLayout();
  access.elementBytes = getElementBytes(loaded.getElementType());
  auto serves = [&](ArrayRef<int64_t> order) {
    return planSharedAccess(access,
                            SharedLayout::ordered(loaded.getShape(), order))
               .vectorElements != 0;
  };
  return serves({1, 0}) || serves({0, 1});
}

/// What an element is while it is in memory: masks and index tiles are whole
/// bytes there.
static Type getStoredType(Type elementType) {
  if (isMemoryElementType(elementType) || isa<PtrType>(elementType))
    return elementType;
  return IntegerType::get(elementType.getContext(),
                          8 * getElementBytes(elementType));
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

static LogicalResult stage(ConvertLayoutOp convert) {
  auto type = cast<RankedTensorType>(convert.getType());
  Type elementType = type.getElementType();
  if (isa<PtrType>(elementType))
    return convert.emitError("pointers cannot change warps: convert what they "
                             "are made of, and add it to the base after");
  Type storedType = getStoredType(elementType);
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  // A transposed operand of a product is staged as it was loaded, so that the
  // load can become an asynchronous copy: the renaming may as well come after.
  bool isOperand = feedsProducts(convert);
  auto trans =
      isOperand ? convert.getSource().getDefiningOp<TransOp>() : nullptr;
  Value source = trans ? trans.getSource() : convert.getSource();
  RankedTensorType loaded = type;
  if (trans)
    loaded = RankedTensorType::get(
        cast<RankedTensorType>(source.getType()).getShape(), elementType,
        RegisterLayoutAttr::get(
            type.getContext(),
            trans.inferSourceLayout(getRegisterLayout(type).getLayout())));
  auto shared = SharedType::get(type.getContext(), loaded.getShape(),
                                storedType, SharedLayoutAttr());
  auto tile =
      AllocSharedOp::create(builder, loc, shared, IntegerAttr(), StringAttr());
  LocalStoreOp::create(builder, loc,
                       castIntegers(builder, loc, source, storedType), tile,
                       IntegerAttr());
  auto load =
      LocalLoadOp::create(builder, loc, loaded.clone(storedType), tile,
                          IntegerAttr(), isOperand && canLoadMatrices(loaded));
  Value result = castIntegers(builder, loc, load.getResult(), elementType);
  if (trans)
    result =
        TransOp::create(builder, loc, type, result, trans.getPermutationAttr());
  convert.replaceAllUsesWith(result);
  convert.erase();
  if (trans && trans->use_empty())
    trans.erase();
  return success();
}

namespace {
struct StageShared : tilewright::tile::impl::TileStageSharedBase<StageShared> {
  using TileStageSharedBase::TileStageSharedBase;

  void runOnOperation() override {
    int stages = numStages != 0 ? numStages.getValue()
                                : getOperation().getNumStagesOrDefault();
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp convert) {
      if (!staysInWarps(convert, /*hasPipelines=*/stages != 1))
        conversions.push_back(convert);
    });
    if (llvm::any_of(conversions, [](ConvertLayoutOp convert) {
          return failed(stage(convert));
        }))
      signalPassFailure();
  }
};
} // namespace
