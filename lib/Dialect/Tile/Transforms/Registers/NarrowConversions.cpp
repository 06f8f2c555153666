//===- NarrowConversions.cpp - Convert tiles while they are narrow --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILENARROWCONVERSIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether the op makes wider elements of narrower ones.
static bool hasWiderElements(Operation *op) {
  return isa<CastOpInterface>(op) && op->hasTrait<OpTrait::Elementwise>() &&
         getElementBytes(getElementTypeOrSelf(op->getOperand(0))) <
             getElementBytes(getElementTypeOrSelf(op->getResult(0)));
}

/// Whether the op gives each element of its operand another name.
static bool isRenaming(Operation *op) {
  auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
  if (!inRegisters || !inRegisters.isCheap() || op->getNumOperands() != 1 ||
      op->hasTrait<OpTrait::Elementwise>())
    return false;
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  return source && source.getNumElements() == result.getNumElements();
}

/// Whether threads have more copies of the elements afterwards: then they are
/// rather made wide before.
static bool repeatsElements(ConvertLayoutOp convert) {
  return getRegisterLayout(convert.getType()).getNumRegisters() >
         getRegisterLayout(convert.getSource().getType()).getNumRegisters();
}

/// The ops between the narrow elements and the conversion, the last one first:
/// renamings, and what makes them wide. Empty if there is no such thing, or
/// the wide elements have another use.
static SmallVector<Operation *> findWidening(ConvertLayoutOp convert) {
  SmallVector<Operation *> ops;
  for (Value value = convert.getSource(); value.hasOneUse();
       value = ops.back()->getOperand(0)) {
    Operation *op = value.getDefiningOp();
    if (!op || !(isRenaming(op) || hasWiderElements(op)))
      break;
    ops.push_back(op);
    if (hasWiderElements(op))
      return ops;
  }
  return {};
}

/// Moves the conversion in front of what makes its elements wide. Returns the
/// new conversion, or nothing where there is no need.
static ConvertLayoutOp narrow(ConvertLayoutOp convert) {
  SmallVector<Operation *> ops = findWidening(convert);
  if (ops.empty())
    return nullptr;
  // The layout that each op has to make, and the last of them to take.
  SmallVector<RegisterLayoutAttr> layouts = {
      getRegisterLayout(convert.getType())};
  for (Operation *op : ops)
    layouts.push_back(cast<RegisterLayoutOpInterface>(op).inferOperandLayout(
        0, layouts.back()));
  OpBuilder builder(convert);
  Value source = ops.back()->getOperand(0);
  auto narrowed = ConvertLayoutOp::create(
      builder, convert.getLoc(), withLayout(source.getType(), layouts.back()),
      source);
  Value result = narrowed.getResult();
  for (size_t index = ops.size(); index-- > 0;) {
    IRMapping mapping;
    mapping.map(ops[index]->getOperand(0), result);
    auto copy =
        cast<RegisterLayoutOpInterface>(builder.clone(*ops[index], mapping));
    copy.setLayout(layouts[index]);
    result = copy->getResult(0);
  }
  convert.replaceAllUsesWith(result);
  convert.erase();
  for (Operation *op : ops)
    op->erase();
  return narrowed;
}

namespace {
struct NarrowConversions
    : tilewright::tile::impl::TileNarrowConversionsBase<NarrowConversions> {
  void runOnOperation() override {
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp convert) {
      if (!feedsProducts(convert) && !repeatsElements(convert))
        conversions.push_back(convert);
    });
    for (ConvertLayoutOp convert : conversions)
      while (convert)
        convert = narrow(convert);
  }
};
} // namespace
