//===- StageShared.cpp - The way through shared memory --------------- -*- C++
//-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

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

static LogicalResult stage(ConvertLayoutOp convert) {
  auto type = cast<RankedTensorType>(convert.getType());
  if (!isMemoryElementType(type.getElementType()))
    return convert.emitError("a tile of ")
           << type.getElementType()
           << " cannot change its layout through shared memory, which holds "
              "integers of 8, 16, 32 or 64 bits and floats of 8 to 64 bits";
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  auto shared = SharedType::get(type.getContext(), type.getShape(),
                                type.getElementType(), SharedLayoutAttr());
  auto tile =
      AllocSharedOp::create(builder, loc, shared, IntegerAttr(), StringAttr());
  LocalStoreOp::create(builder, loc, convert.getSource(), tile, IntegerAttr());
  auto load = LocalLoadOp::create(builder, loc, type, tile, IntegerAttr());
  convert.replaceAllUsesWith(load.getResult());
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
    for (ConvertLayoutOp convert : conversions)
      if (failed(stage(convert)))
        return signalPassFailure();
  }
};
} // namespace
