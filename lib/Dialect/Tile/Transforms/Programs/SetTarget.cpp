//===- SetTarget.cpp - The GPU that a module is compiled for --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESETTARGET
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
struct SetTarget : tilewright::tile::impl::TileSetTargetBase<SetTarget> {
  using TileSetTargetBase::TileSetTargetBase;

  void runOnOperation() override {
    llvm::Expected<GpuTarget> known = GpuTarget::parse(target);
    if (!known) {
      getOperation().emitError(llvm::toString(known.takeError()));
      return signalPassFailure();
    }
    std::optional<GpuTarget> written = getTarget(getOperation());
    if (written && written->name != known->name)
      getOperation().emitWarning("says that it is for ")
          << written->name << ", and is compiled for " << known->name;
    getOperation()->setAttr(TileDialect::kTargetAttr,
                            StringAttr::get(&getContext(), known->name));
  }
};
} // namespace
