//===- SelectWarpgroupDots.cpp - Products that read shared tiles ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESELECTWARPGROUPDOTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// An operand that only its product loads from a shared tile.
struct StagedOperand {
  LocalLoadOp load;
  /// Renames what was loaded; or null.
  TransOp trans;

  TypedValue<SharedType> getTile() { return load.getSource(); }
  void erase() {
    if (trans)
      trans.erase();
    load.erase();
  }
};
} // namespace

static std::optional<StagedOperand> matchStaged(Value operand) {
  StagedOperand staged;
  if (!operand.hasOneUse())
    return std::nullopt;
  if ((staged.trans = operand.getDefiningOp<TransOp>())) {
    if (staged.trans.getPermutation() != ArrayRef<int64_t>{1, 0})
      return std::nullopt;
    operand = staged.trans.getSource();
  }
  staged.load = operand.getDefiningOp<LocalLoadOp>();
  if (!staged.load || !operand.hasOneUse())
    return std::nullopt;
  AllocSharedOp tile = getAllocation(staged.getTile());
  if (!tile || tile.getLayout() || tile.getType().getLayout())
    return std::nullopt;
  return staged;
}

/// Whether the tile still holds at the product what was loaded.
static bool isUnchanged(StagedOperand &staged, DotOp dot) {
  Operation *load = staged.load;
  if (load->getBlock() != dot->getBlock())
    return false;
  AllocSharedOp tile = getAllocation(staged.getTile());
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode()) {
    auto access = dyn_cast<SharedAccessOpInterface>(op);
    if (op->getNumRegions() != 0 ||
        (access && access.isStore() &&
         getAllocation(access.getSharedTile()) == tile))
      return false;
  }
  return true;
}

static void select(DotOp dot) {
  auto layout = getRegisterLayout(dot.getType());
  auto a = matchStaged(dot.getA()), b = matchStaged(dot.getB());
  if (!layout || !isWarpgroupAccumulatorLayout(layout.getLayout()) || !a ||
      !b || !isUnchanged(*a, dot) || !isUnchanged(*b, dot))
    return;
  OpBuilder builder(dot);
  auto product = WarpgroupDotOp::create(
      builder, dot.getLoc(), dot.getType(), a->getTile(), b->getTile(),
      dot.getC(), static_cast<bool>(a->trans), static_cast<bool>(b->trans));
  dot.replaceAllUsesWith(product.getResult());
  dot.erase();
  a->erase();
  b->erase();
}

namespace {
struct SelectWarpgroupDots
    : tilewright::tile::impl::TileSelectWarpgroupDotsBase<SelectWarpgroupDots> {
  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots)
      select(dot);
  }
};
} // namespace
