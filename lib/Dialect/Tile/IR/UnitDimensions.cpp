//===- UnitDimensions.cpp - Dimensions of one element ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/UnitDimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

Type tilewright::tile::dropUnitDims(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return type;
  auto shape = llvm::to_vector(llvm::make_filter_range(
      tile.getShape(), [](int64_t extent) { return extent != 1; }));
  if (shape.empty())
    return tile.getElementType();
  return RankedTensorType::get(shape, tile.getElementType());
}

bool tilewright::tile::mayDropUnitDims(Operation *op) {
  if (llvm::none_of(op->getOperandTypes(), isTileType) &&
      llvm::none_of(op->getResultTypes(), isTileType))
    return true;
  if (DenseElementsAttr elements; matchPattern(op, m_Constant(&elements)))
    return elements.isSplat();
  return op->hasTrait<OpTrait::Elementwise>() ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         isa<RegionBranchOpInterface>(op) ||
         isa<AddPtrOp, AssumeOp, BroadcastOp, ExpandDimsOp, IntToPtrOp, IotaOp,
             LoadOp, PtrCastOp, PtrToIntOp, ReduceOp, SplatOp, StoreOp>(op);
}

static Value makeConstant(Operation *op, Attribute element) {
  OpBuilder builder(op);
  Type type = dropUnitDims(op->getResult(0).getType());
  TypedAttr value = cast<TypedAttr>(element);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tile, element);
  return arith::ConstantOp::create(builder, op->getLoc(), value);
}

SmallVector<Value>
tilewright::tile::dropUnitDimsOf(Operation *op, ArrayRef<Type> operandTypes) {
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), dropUnitDims);
  // Promises are about places of the dimensions that there were.
  if (isa<AssumeOp>(op) && types.front() != op->getResult(0).getType())
    return {op->getOperand(0)};
  if (isa<ExpandDimsOp>(op))
    return {op->getOperand(0)};
  if (isa<BroadcastOp, SplatOp>(op)) {
    Value source = op->getOperand(0);
    if (source.getType() == types.front())
      return {source};
    OpBuilder builder(op);
    return {SplatOp::create(builder, op->getLoc(), types.front(), source)};
  }
  if (auto iota = dyn_cast<IotaOp>(op); iota && !isTileType(types.front())) {
    OpBuilder builder(op);
    return {makeConstant(
        op, builder.getIntegerAttr(types.front(), iota.getStart()))};
  }
  if (DenseElementsAttr elements; matchPattern(op, m_Constant(&elements)))
    return {makeConstant(op, elements.getSplatValue<Attribute>())};
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto tile = cast<RankedTensorType>(operandTypes.front());
    if (tile.getDimSize(reduce.getAxis()) == 1)
      return llvm::to_vector_of<Value>(op->getOperands());
    int64_t axis = llvm::count_if(tile.getShape().take_front(reduce.getAxis()),
                                  [](int64_t extent) { return extent != 1; });
    reduce.setAxis(static_cast<int32_t>(axis));
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return {};
}
