//===- HoistConversions.cpp - Converts once what loops do not change ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEHOISTCONVERSIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
struct HoistConversions
    : tilewright::tile::impl::TileHoistConversionsBase<HoistConversions> {
  void runOnOperation() override {
    getOperation().walk([](ConvertLayoutOp convert) {
      while (auto loop =
                 dyn_cast<LoopLikeOpInterface>(convert->getParentOp())) {
        LoopInvariants invariants(loop);
        if (!invariants.contains(convert))
          return;
        invariants.hoist(convert);
      }
    });
  }
};
} // namespace
