//===- ExchangeOperands.cpp - Products of few rows by warpgroups ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEEXCHANGEOPERANDS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What a matrix was turned from, or the matrix.
static Value findTurned(Value tile) {
  auto map = tile.getDefiningOp<DimensionMapOpInterface>();
  return map && map.findPermutation() == SmallVector<int64_t>{1, 0}
             ? map->getOperand(0)
             : tile;
}

/// Right operands are read from shared memory. What threads make of a load
/// would have to go there behind it.
static bool isLoaded(Value tile) {
  return isa_and_nonnull<GlobalAccessOpInterface>(
      findTurned(tile).getDefiningOp());
}

static RankedTensorType getTurnedType(Type tile) {
  auto type = cast<RankedTensorType>(tile);
  return RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                               type.getElementType());
}

/// The matrix with its dimensions exchanged.
static Value turn(OpBuilder &builder, Value tile) {
  RankedTensorType type = getTurnedType(tile.getType());
  if (Value from = findTurned(tile); from != tile)
    return from;
  DenseElementsAttr number;
  if (matchPattern(tile, m_Constant(&number)) && number.isSplat())
    return arith::ConstantOp::create(builder, tile.getLoc(),
                                     number.resizeSplat(type));
  return TransOp::create(builder, tile.getLoc(), type, tile,
                         builder.getDenseI64ArrayAttr({1, 0}));
}

static void exchange(DotOp dot) {
  OpBuilder builder(dot);
  Value operands[] = {dot.getA(), dot.getB()};
  Value left = turn(builder, dot.getB()), right = turn(builder, dot.getA());
  auto turned = DotOp::create(builder, dot.getLoc(), dot.getC().getType(), left,
                              right, dot.getC(), dot.getTf32Attr(),
                              dot.getImpreciseAttr(), dot.getEngineAttr());
  turned->setAttr(kExchangedAttr, builder.getUnitAttr());
  dot.replaceAllUsesWith(turned.getResult());
  dot.erase();
  // A load that something else uses could not go to shared memory alone.
  for (Value operand : operands)
    if (operand.use_empty() && operand.getDefiningOp<DimensionMapOpInterface>())
      operand.getDefiningOp()->erase();
}

namespace {
/// What a loop carries, and adds to by products alone.
struct ProductSum {
  LoopLikeOpInterface loop;
  BlockArgument carried;
  SmallVector<DotOp> dots;
};

struct ExchangeOperands
    : tilewright::tile::impl::TileExchangeOperandsBase<ExchangeOperands> {
  using TileExchangeOperandsBase::TileExchangeOperandsBase;

  void runOnOperation() override {
    SmallVector<ProductSum> sums;
    getOperation().walk([&](LoopLikeOpInterface loop) { collect(loop, sums); });
    if (sums.empty())
      return;
    AxisInfoAnalysis axes(getOperation());
    llvm::erase_if(sums, [&](const ProductSum &sum) {
      return !llvm::all_of(sum.dots, [&](DotOp dot) {
        return isMadeExchanged(dot, axes, warpgroupDots);
      });
    });
    llvm::for_each(sums, exchangeSum);
  }

private:
  static void collect(LoopLikeOpInterface loop, SmallVector<ProductSum> &sums) {
    for (BlockArgument carried : loop.getRegionIterArgs()) {
      OpOperand *yielded = loop.getTiedLoopYieldedValue(carried);
      if (!yielded || !loop.getTiedLoopResult(carried))
        continue;
      SmallVector<DotOp> dots;
      for (ProductOpInterface product :
           findProductsOfSum(carried, yielded->get()))
        dots.push_back(dyn_cast<DotOp>(*product));
      if (!dots.empty() && llvm::all_of(dots, mayExchange))
        sums.push_back({loop, carried, std::move(dots)});
    }
  }

  static bool mayExchange(DotOp dot) {
    return dot && dot.getType().getRank() == 2 &&
           (dot.getM() < dot.getN() || dot.getTf32()) && isLoaded(dot.getA()) &&
           isLoaded(dot.getB());
  }

  /// Lets the loop carry it the other way round.
  static void exchangeSum(const ProductSum &sum) {
    LoopLikeOpInterface loop = sum.loop;
    OpOperand *init = loop.getTiedLoopInit(sum.carried);
    OpResult result = loop.getTiedLoopResult(sum.carried);
    OpBuilder builder(loop);
    init->set(turn(builder, init->get()));
    BlockArgument carried = sum.carried;
    carried.setType(init->get().getType());
    llvm::for_each(sum.dots, exchange);
    result.setType(carried.getType());
    builder.setInsertionPointAfter(loop);
    Value back = turn(builder, result);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
};
} // namespace
