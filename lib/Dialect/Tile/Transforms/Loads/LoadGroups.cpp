//===- LoadGroups.cpp - Once what neighbours have in common ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/OperandMaking.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/DimensionMaps.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADGROUPS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// Groups of neighbours along a dimension.
struct Groups {
  unsigned dim = 0;
  int64_t size = 1;
};

/// Makes tiles of the first element of each group.
class Sampler {
public:
  explicit Sampler(OpBuilder &builder) : builder(builder) {}

  /// Null where it is not known what the tile is made of.
  Value sample(Value tile, Groups groups) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    if (!type || type.getDimSize(groups.dim) == 1)
      return tile;
    auto [known, isNew] = samples.try_emplace({tile, groups.dim});
    if (!isNew)
      return known->second;
    Value made = make(tile, type, groups);
    return samples[{tile, groups.dim}] = made;
  }

private:
  Value make(Value tile, RankedTensorType type, Groups groups) {
    Operation *op = tile.getDefiningOp();
    if (!op || !isPure(op) || op->getNumRegions() != 0)
      return nullptr;
    // What is promised of neighbours is not so of those that are left.
    if (auto promise = dyn_cast<AssumeOp>(op))
      return sample(promise.getSource(), groups);
    SmallVector<int64_t> shape(type.getShape());
    shape[groups.dim] /= groups.size;
    RankedTensorType sampled = type.clone(shape);
    if (auto iota = dyn_cast<IotaOp>(op))
      return sampleIota(iota, sampled, groups.size);
    DenseElementsAttr number;
    if (matchPattern(tile, m_Constant(&number)))
      return number.isSplat()
                 ? arith::ConstantOp::create(builder, op->getLoc(),
                                             number.resizeSplat(sampled))
                       .getResult()
                 : nullptr;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Groups> ofOperand = getGroups(op, operand, groups);
      if (!ofOperand)
        return nullptr;
      operands.push_back(ofOperand->size == 1 ? operand
                                              : sample(operand, *ofOperand));
      if (!operands.back())
        return nullptr;
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(sampled);
    return copy->getResult(0);
  }

  /// The groups of an operand, of size 1 where the result repeats it; none
  /// where the op says nothing of that.
  static std::optional<Groups> getGroups(Operation *op, Value operand,
                                         Groups groups) {
    if (!isTile(operand))
      return Groups();
    if (auto map = dyn_cast<DimensionMapOpInterface>(op)) {
      std::optional<unsigned> dim = map.getSourceDim(groups.dim);
      return dim ? Groups{*dim, groups.size} : Groups();
    }
    if (op->hasTrait<OpTrait::Elementwise>() || isa<AddPtrOp>(op))
      return groups;
    return std::nullopt;
  }

  Value sampleIota(IotaOp iota, RankedTensorType type, int64_t size) {
    Location loc = iota.getLoc();
    auto number = [&](int64_t value) {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              type, builder.getIntegerAttr(type.getElementType(), value)));
    };
    Value count = IotaOp::create(builder, loc, type, 0);
    Value scaled = arith::MulIOp::create(builder, loc, count, number(size));
    return arith::AddIOp::create(builder, loc, scaled,
                                 number(static_cast<int64_t>(iota.getStart())));
  }

  OpBuilder &builder;
  /// Samples by the dimension along which there are groups, of one size.
  DenseMap<std::pair<Value, unsigned>, Value> samples;
};

struct LoadGroups : tilewright::tile::impl::TileLoadGroupsBase<LoadGroups> {
  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    SmallVector<std::pair<GlobalAccessOpInterface, Groups>> loads;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      for (Operation *op :
           findOperandMaking(&loop.getLoopRegions().front()->front()))
        if (isPlainLoad(op) && isTile(getMemoryAccesses(op)[0].base))
          if (std::optional<Groups> groups = findGroups(op, axes))
            loads.push_back({cast<GlobalAccessOpInterface>(op), *groups});
    });
    for (auto [load, groups] : loads)
      loadOnce(load, groups);
  }

private:
  /// Fewer elements than threads are loaded by one instruction anyhow.
  std::optional<Groups> findGroups(Operation *load,
                                   const AxisInfoAnalysis &axes) {
    auto type = cast<RankedTensorType>(load->getResult(0).getType());
    if (type.getNumElements() <= getOperation().getNumThreads())
      return std::nullopt;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      int64_t size = std::min(extent, kFewCopies);
      for (Value operand : load->getOperands())
        size = std::min(size, axes.get(operand).axis(dim).constancy);
      if (size > 1)
        return Groups{static_cast<unsigned>(dim), size};
    }
    return std::nullopt;
  }

  static void loadOnce(GlobalAccessOpInterface load, Groups groups) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Sampler sampler(builder);
    SmallVector<Value> operands;
    for (Value operand : load->getOperands()) {
      operands.push_back(sampler.sample(operand, groups));
      if (!operands.back())
        return;
    }
    RankedTensorType type = load.getTileType();
    SmallVector<int64_t> shape(type.getShape());
    shape[groups.dim] /= groups.size;
    Operation *once = builder.clone(*load);
    once->setOperands(operands);
    once->getResult(0).setType(type.clone(shape));
    SmallVector<int64_t> apart(shape);
    apart.insert(apart.begin() + groups.dim + 1, 1);
    Value tile = ExpandDimsOp::create(builder, loc, type.clone(apart),
                                      once->getResult(0), groups.dim + 1);
    apart[groups.dim + 1] = groups.size;
    tile = BroadcastOp::create(builder, loc, type.clone(apart), tile);
    tile = ReshapeOp::create(builder, loc, type, tile);
    load->replaceAllUsesWith(ValueRange(tile));
    load.erase();
  }
};
} // namespace
