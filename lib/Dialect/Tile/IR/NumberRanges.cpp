//===- NumberRanges.cpp - From where to where numbers are -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"

using namespace mlir;
using namespace tilewright::tile;

ConstantIntRanges tilewright::tile::getIntRange(int64_t least, int64_t most,
                                                unsigned bits) {
  if (!llvm::isIntN(bits, least) || !llvm::isIntN(bits, most))
    return ConstantIntRanges::maxRange(bits);
  return ConstantIntRanges::fromSigned(APInt(bits, least, /*isSigned=*/true),
                                       APInt(bits, most, /*isSigned=*/true));
}

/// The lowest bits of a number are the number where it has no others. (MLIR
/// goes by bits that all numbers have in common, of which a row that is rotated
/// has few.)
static std::optional<ConstantIntRanges>
maskRange(const ConstantIntRanges &number, const ConstantIntRanges &mask) {
  std::optional<APInt> ones = mask.getConstantValue();
  if (!ones || !ones->isMask() || number.smin().isNegative() ||
      number.smax().ugt(*ones))
    return std::nullopt;
  return number;
}

ConstantIntRanges tilewright::tile::inferRange(InferIntRangeInterface op,
                                               ArrayRef<ConstantIntRanges> in) {
  std::optional<ConstantIntRanges> range;
  if (isa<arith::AndIOp>(op))
    range = maskRange(in[0], in[1]);
  if (!range)
    op.inferResultRanges(
        in, [&](Value, const ConstantIntRanges &found) { range = found; });
  unsigned bits = ConstantIntRanges::getStorageBitwidth(
      getElementTypeOrSelf(op->getResult(0)));
  return range.value_or(ConstantIntRanges::maxRange(bits));
}

const ConstantIntRanges &NumberRanges::get(Value number) {
  if (auto found = known.find(number); found != known.end())
    return *found->second;
  ++depth;
  ConstantIntRanges range = infer(number);
  --depth;
  auto &entry = known[number];
  entry = std::make_unique<ConstantIntRanges>(std::move(range));
  return *entry;
}

ConstantIntRanges NumberRanges::infer(Value number) {
  unsigned bits = ConstantIntRanges::getStorageBitwidth(number.getType());
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return ConstantIntRanges::constant(constant);
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    std::optional<ArgumentBounds> bounds;
    if (kernel)
      bounds = getArgBounds(kernel, argument.getArgNumber());
    return bounds ? getIntRange(bounds->least, bounds->most, bits)
                  : ConstantIntRanges::maxRange(bits);
  }
  if (Operation *op = number.getDefiningOp(); op->hasTrait<MovesElements>())
    return get(op->getOperand(0));
  auto op = number.getDefiningOp<InferIntRangeInterface>();
  bool isKnown = op && op->getNumResults() == 1 && depth <= kMaxDepth &&
                 llvm::all_of(op->getOperandTypes(),
                              [](Type type) { return type.isIntOrIndex(); });
  if (!isKnown)
    return ConstantIntRanges::maxRange(bits);
  auto in = llvm::map_to_vector<2>(op->getOperands(),
                                   [&](Value operand) { return get(operand); });
  return inferRange(op, in);
}
