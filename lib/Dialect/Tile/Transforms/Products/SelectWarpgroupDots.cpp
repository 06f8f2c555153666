//===- SelectWarpgroupDots.cpp - Products that read shared tiles ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Layout/Registers/TurnedBytes.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESELECTWARPGROUPDOTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// An operand that is loaded from a shared tile for its product.
struct StagedOperand {
  LocalLoadOp load;
  /// Transposes what was loaded, by another name for it; or null.
  Operation *trans = nullptr;

  /// Another one, to which it is turned; or null.
  AllocSharedOp turned;

  TypedValue<SharedType> getTile() {
    return turned ? turned.getResult() : load.getSource();
  }
};
} // namespace

static const char *nameOperand(unsigned operand) {
  return operand == 0 ? "A" : "B";
}

/// Whether the tile still holds at the product what was loaded: no store can
/// run after the load and before the product.
static bool isUnchanged(LocalLoadOp load, DotOp dot) {
  Block *block = load->getBlock();
  Operation *use = block->findAncestorOpInBlock(*dot);
  if (!use)
    return false;
  return llvm::all_of(getAccesses(getAllocation(load.getSource())),
                      [&](SharedAccessOpInterface access) {
                        if (!access.isStore())
                          return true;
                        // Outside of the block it runs before or after all of
                        // this; inside of what stands around the product, it
                        // may run before another product.
                        Operation *store =
                            block->findAncestorOpInBlock(*access);
                        return !store || store->isBeforeInBlock(load) ||
                               use->isBeforeInBlock(store);
                      });
}

/// Whether the product stands where what the operand was loaded from, a slot of
/// a channel perhaps, may still be touched.
static bool isBeforeEnd(LocalLoadOp load, DotOp dot) {
  auto part = load.getSource().getDefiningOp<SharedPartOpInterface>();
  Operation *end = part ? part.getEnd() : nullptr;
  if (!end)
    return true;
  Operation *use = end->getBlock()->findAncestorOpInBlock(*dot);
  return use && use->isBeforeInBlock(end);
}

/// Elements of other sizes than 2 bytes are read by rows along one dimension.
static bool agreesWithProducts(AllocSharedOp tile, unsigned summedDim) {
  return getElementBytes(tile.getType().getElementType()) == 2 ||
         llvm::all_of(getProducts(tile), [&](SharedOperand read) {
           return read.product.getSummedDim(read.operand) == summedDim;
         });
}

/// Whether the operand is not stored as the product reads it.
static bool isAcross(DotOp dot, unsigned operand) {
  auto turned = dot->getAttrOfType<DenseI64ArrayAttr>(kTurnedAttr);
  return turned && llvm::is_contained(turned.asArrayRef(), operand);
}

/// Lets threads turn what was loaded, on its way to a shared tile of its own.
static AllocSharedOp turnOnItsWay(LocalLoadOp load, unsigned summedDim) {
  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  Location loc = load.getLoc();
  RankedTensorType type = load.getTileType();
  auto kernel = load->getParentOfType<KernelOp>();
  auto layout = RegisterLayoutAttr::get(
      builder.getContext(), layOutTurnedBytes(type.getShape(), summedDim,
                                              kernel.getNumWarpsOrDefault()));
  auto bytes = LocalLoadOp::create(builder, loc, type.cloneWithEncoding(layout),
                                   load.getSource(), IntegerAttr(),
                                   /*matrix=*/false);
  auto tile = AllocSharedOp::create(builder, loc, type.getShape(),
                                    type.getElementType());
  LocalStoreOp::create(builder, loc, bytes, tile, IntegerAttr());
  return tile;
}

/// The error says why the operand cannot be read where it lies.
static llvm::Expected<StagedOperand> matchStaged(DotOp dot, unsigned operand) {
  auto fail = [&](const char *reason) {
    return llvm::createStringError("operand %s %s", nameOperand(operand),
                                   reason);
  };
  StagedOperand staged;
  Value value = dot.getOperand(operand);
  auto trans = value.getDefiningOp<DimensionMapOpInterface>();
  auto permutation = trans ? trans.findPermutation() : std::nullopt;
  bool isTransposed = permutation == SmallVector<int64_t>{1, 0};
  if (trans) {
    staged.trans = trans;
    value = trans->getOperand(0);
  }
  staged.load = value.getDefiningOp<LocalLoadOp>();
  if (!staged.load || (staged.trans && !isTransposed))
    return fail("is made in registers, and wgmma reads shared memory");
  unsigned summedDim = (operand == 0) != isTransposed;
  if (isAcross(dot, operand)) {
    if (operand == 0)
      return fail("is turned in registers");
    staged.turned = turnOnItsWay(staged.load, summedDim);
    return staged;
  }
  AllocSharedOp tile = getAllocation(staged.getTile());
  if (!tile || tile.getLayout() || tile.getType().getLayout())
    return fail("lies in a shared tile whose layout is given");
  if (!agreesWithProducts(tile, summedDim))
    return fail("is read by rows along another dimension in another product");
  if (!isUnchanged(staged.load, dot) || !isBeforeEnd(staged.load, dot))
    return fail("lies in a shared tile that is overwritten before the product");
  return staged;
}

/// Both operands may come from one load, and others may use it.
static void eraseUnused(ArrayRef<StagedOperand> operands) {
  llvm::SetVector<Operation *> loaded;
  for (const StagedOperand &staged : operands)
    if (staged.trans)
      loaded.insert(staged.trans);
  for (const StagedOperand &staged : operands)
    loaded.insert(staged.load);
  for (Operation *op : loaded)
    if (op->use_empty())
      op->erase();
}

static void selectWarpgroups(DotOp dot) {
  auto stay = [&](llvm::Error why) {
    setEngine(dot, {Engine::MmaSync, llvm::toString(std::move(why))});
  };
  auto layout = getRegisterLayout(dot.getType());
  if (!layout || !isWarpgroupAccumulatorLayout(layout.getLayout()))
    return stay(llvm::createStringError(
        "the accumulators have a layout that wgmma does not have"));
  auto b = matchStaged(dot, 1);
  if (!b)
    return stay(b.takeError());
  SmallVector<StagedOperand, 2> staged{*b};
  Value left = dot.getA();
  bool isLeftTransposed = false;
  if (auto a = matchStaged(dot, 0)) {
    staged.push_back(*a);
    left = a->getTile();
    isLeftTransposed = static_cast<bool>(a->trans);
  } else {
    llvm::consumeError(a.takeError()); // It is multiplied out of registers.
  }
  OpBuilder builder(dot);
  auto product = WarpgroupDotOp::create(
      builder, dot.getLoc(), left, b->getTile(), dot.getC(), isLeftTransposed,
      static_cast<bool>(b->trans), dot.getImpreciseAttr());
  for (StringRef name : {kExchangedAttr, kTurnedAttr})
    if (Attribute said = dot->getAttr(name))
      product->setAttr(name, said);
  dot.replaceAllUsesWith(product.getResult());
  dot.erase();
  eraseUnused(staged);
}

namespace {
struct SelectWarpgroupDots
    : tilewright::tile::impl::TileSelectWarpgroupDotsBase<SelectWarpgroupDots> {
  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (dot.getEngineOrDefault() == Engine::Wgmma)
        dots.push_back(dot);
    });
    llvm::for_each(dots, selectWarpgroups);
  }
};
} // namespace
