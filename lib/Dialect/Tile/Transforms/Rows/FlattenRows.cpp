//===- FlattenRows.cpp - Rows that have another dimension of 1 ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEFLATTENROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// The dimension that is not 1, of a tile that has at most one such; the rank
/// where there is none.
static unsigned getLongDim(RankedTensorType tile) {
  ArrayRef<int64_t> shape = tile.getShape();
  return llvm::find_if(shape, [](int64_t extent) { return extent > 1; }) -
         shape.begin();
}

/// The type of a row, or of the only element.
static Type flatten(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return type;
  if (tile.getNumElements() == 1)
    return tile.getElementType();
  return RankedTensorType::get(tile.getNumElements(), tile.getElementType());
}

static bool isRowOrElement(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || (!tile.getEncoding() &&
                   llvm::count_if(tile.getShape(), [](int64_t extent) {
                     return extent > 1;
                   }) <= 1);
}

/// Whether the op means the same on tiles without dimensions of 1, or is
/// rewritten here.
static bool canFlatten(Operation *op) {
  if (!llvm::all_of(op->getResultTypes(), isRowOrElement))
    return false;
  if (op->hasTrait<MovesElements>())
    return op->getNumOperands() == 1;
  // Blocks of views have the dimensions of these. Rows that are stored, too,
  // are copied ahead in turns as they are, which costs less than to rotate
  // them.
  if (auto access = dyn_cast<GlobalAccessOpInterface>(op)) {
    bool storesRow = access.isStore() && hasTiles(op) &&
                     access.getTileType().getNumElements() > 1;
    return !storesRow &&
           !isa<ViewType>(
               findMemoryAccess(op, MemorySpace::Global)->base.getType());
  }
  return !hasTiles(op) || matchPattern(op, m_Constant()) ||
         op->hasTrait<OpTrait::Elementwise>() ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         isa<IotaOp, ViewLikeOpInterface, CombineOpInterface,
             RegionBranchOpInterface>(op);
}

namespace {
struct FlattenRows : tilewright::tile::impl::TileFlattenRowsBase<FlattenRows> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    bool serves = false;
    WalkResult result =
        getOperation().getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (!canFlatten(op))
            return WalkResult::interrupt();
          serves |= llvm::any_of(op->getResultTypes(), [](Type type) {
            auto tile = dyn_cast<RankedTensorType>(type);
            return tile && tile.getRank() > 1 && tile.getNumElements() > 1;
          });
          ops.push_back(op);
          return isa<CombineOpInterface>(op) ? WalkResult::skip()
                                             : WalkResult::advance();
        });
    if (result.wasInterrupted() || !serves)
      return;
    // Users first, which see what their operands were.
    for (Operation *op : llvm::reverse(ops))
      rewrite(op);
  }

private:
  static void rewrite(Operation *op) {
    OpBuilder builder(op);
    if (auto combination = dyn_cast<CombineOpInterface>(op))
      return rewriteCombination(combination);
    if (auto promise = dyn_cast<AssumeOp>(op))
      return rewritePromise(promise);
    if (op->hasTrait<MovesElements>())
      return rewriteMove(op);
    DenseElementsAttr elements;
    if (matchPattern(op, m_Constant(&elements))) {
      Type type = flatten(elements.getType());
      auto tile = dyn_cast<RankedTensorType>(type);
      TypedAttr value = tile ? cast<TypedAttr>(elements.reshape(tile))
                             : *elements.value_begin<TypedAttr>();
      return replace(op,
                     arith::ConstantOp::create(builder, op->getLoc(), value));
    }
    if (auto iota = dyn_cast<IotaOp>(op);
        iota && !isa<RankedTensorType>(flatten(iota.getType())))
      return replace(op, arith::ConstantOp::create(
                             builder, op->getLoc(),
                             builder.getIntegerAttr(flatten(iota.getType()),
                                                    iota.getStart())));
    setTypes(op);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(flatten(argument.getType()));
  }

  static void setTypes(Operation *op) {
    for (Value result : op->getResults())
      result.setType(flatten(result.getType()));
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// Elements of a row have but one order.
  static void rewriteMove(Operation *op) {
    Value source = op->getOperand(0);
    Type type = flatten(op->getResult(0).getType());
    OpBuilder builder(op);
    if (flatten(source.getType()) != type)
      source = SplatOp::create(builder, op->getLoc(), type, source);
    replace(op, source);
  }

  /// Along a dimension of 1 there is nothing to combine.
  static void rewriteCombination(CombineOpInterface op) {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    if (op.getAxis() != getLongDim(source)) {
      op->replaceAllUsesWith(op->getOperands());
      return op->erase();
    }
    op->setAttr("axis", OpBuilder(op).getI32IntegerAttr(0));
    setTypes(op);
  }

  /// Promises of a scalar, which is added to others, are of little use.
  static void rewritePromise(AssumeOp op) {
    auto before = dyn_cast<RankedTensorType>(op.getType());
    if (!before)
      return;
    unsigned dim = getLongDim(before);
    auto keep = [&](std::optional<ArrayRef<int64_t>> list) {
      OpBuilder builder(op);
      return list ? builder.getDenseI64ArrayAttr((*list)[dim])
                  : DenseI64ArrayAttr();
    };
    if (before.getNumElements() == 1)
      return replace(op, op.getSource());
    setTypes(op);
    op.setDivisibilityAttr(keep(op.getDivisibility()));
    op.setContiguityAttr(keep(op.getContiguity()));
    op.setConstancyAttr(keep(op.getConstancy()));
  }
};
} // namespace
