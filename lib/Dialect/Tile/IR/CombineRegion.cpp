//===- CombineRegion.cpp - How two elements become one --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/CombineRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static bool isScalarArithmetic(Operation &op) {
  auto isTileOrPointer = llvm::IsaPred<ShapedType, PtrType>;
  return llvm::none_of(op.getOperandTypes(), isTileOrPointer) &&
         llvm::none_of(op.getResultTypes(), isTileOrPointer) &&
         (op.hasTrait<OpTrait::Elementwise>() ||
          op.hasTrait<OpTrait::ConstantLike>() || isa<ConstantOp>(op)) &&
         isComputation(&op);
}

LogicalResult CombineRegion::verify(TypeRange elements) const {
  Operation *op = region.getParentOp();
  Block &body = region.front();
  SmallVector<Type> arguments = llvm::to_vector(elements);
  llvm::append_range(arguments, elements);
  if (body.getArgumentTypes() != TypeRange(arguments))
    return op->emitOpError("the region takes an element of each tile, then "
                           "another of each: ")
           << arguments;
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().getTypes() != elements)
    return op->emitOpError("the region yields an element of each tile: ")
           << elements;
  for (Operation &inner : body.without_terminator())
    if (!isScalarArithmetic(inner))
      return inner.emitOpError("is not arithmetic on scalars, of which the "
                               "region of a reduction is made");
  return success();
}

bool CombineRegion::isCommutative() const {
  Block &body = region.front();
  unsigned count = body.getTerminator()->getNumOperands();
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value yielded) {
    Operation *inner = yielded.getDefiningOp();
    if (!inner || !inner->hasTrait<OpTrait::IsCommutative>())
      return false;
    auto a = dyn_cast<BlockArgument>(inner->getOperand(0));
    auto b = dyn_cast<BlockArgument>(inner->getOperand(1));
    return a && b && a != b &&
           a.getArgNumber() % count == b.getArgNumber() % count;
  });
}

Operation *CombineRegion::getChoice() const {
  Operation *yield = region.front().getTerminator();
  if (yield->getNumOperands() != 1 || !isCommutative())
    return nullptr;
  Operation *yielded = yield->getOperand(0).getDefiningOp();
  return isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp>(yielded)
             ? yielded
             : nullptr;
}

SmallVector<Value> CombineRegion::inlineFor(OpBuilder &builder, ValueRange left,
                                            ValueRange right) const {
  Block &body = region.front();
  IRMapping mapping;
  for (auto [argument, element] : llvm::zip_equal(
           body.getArguments(), llvm::concat<const Value>(left, right)))
    mapping.map(argument, element);
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

SmallVector<Type> tilewright::tile::getTilesOf(ValueRange values,
                                               const LinearLayout &layout) {
  return llvm::map_to_vector(values.getTypes(), [&](Type type) -> Type {
    return RankedTensorType::get(
        layout.shape(), getElementTypeOrSelf(type),
        RegisterLayoutAttr::get(type.getContext(), layout));
  });
}

SmallVector<Value> tilewright::tile::convertTiles(OpBuilder &builder,
                                                  Location loc,
                                                  ValueRange tiles,
                                                  const LinearLayout &layout) {
  return llvm::map_to_vector(llvm::zip_equal(tiles, getTilesOf(tiles, layout)),
                             [&](const auto &each) -> Value {
                               auto [tile, type] = each;
                               return ConvertLayoutOp::create(builder, loc,
                                                              type, tile);
                             });
}
