//===- StageShared.cpp - The way through shared memory ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Layout/LayoutConversion.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESTAGESHARED
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether each thread already holds what the conversion gives it.
static bool staysInThreads(ConvertLayoutOp convert) {
  return mapRegisters(
             getRegisterLayout(convert.getSource().getType()).getLayout(),
             getRegisterLayout(convert.getType()).getLayout())
      .has_value();
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
    return convert.emitError("pointers cannot change threads: convert what "
                             "they are made of, and add it to the base after");
  Type storedType = getStoredType(elementType);
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  auto shared = SharedType::get(type.getContext(), type.getShape(), storedType,
                                SharedLayoutAttr());
  auto tile =
      AllocSharedOp::create(builder, loc, shared, IntegerAttr(), StringAttr());
  LocalStoreOp::create(
      builder, loc, castIntegers(builder, loc, convert.getSource(), storedType),
      tile, IntegerAttr());
  auto load = LocalLoadOp::create(builder, loc, type.clone(storedType), tile,
                                  IntegerAttr());
  convert.replaceAllUsesWith(
      castIntegers(builder, loc, load.getResult(), elementType));
  convert.erase();
  return success();
}

namespace {
struct StageShared : tilewright::tile::impl::TileStageSharedBase<StageShared> {
  void runOnOperation() override {
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp convert) {
      if (!staysInThreads(convert))
        conversions.push_back(convert);
    });
    if (llvm::any_of(conversions, [](ConvertLayoutOp convert) {
          return failed(stage(convert));
        }))
      signalPassFailure();
  }
};
} // namespace
