//===- LoopCounters.cpp - Numbers that a loop counts ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/LoopCounters.h"

#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// The scalar that a number is, or all of a tile are, before it is cast with
/// its sign; `bits`: those of the narrowest type on the way.
struct Uncast {
  explicit Uncast(Value value) : scalar(value) {
    for (Operation *op = nullptr;; scalar = op->getOperand(0)) {
      Type type = getElementTypeOrSelf(scalar.getType());
      bits = std::min(bits, ConstantIntRanges::getStorageBitwidth(type));
      op = scalar.getDefiningOp();
      if (!op || !(isSignedCast(op) || isa<DimensionMapOpInterface>(op)))
        return;
    }
  }

  Value scalar;
  unsigned bits = IndexType::kInternalStorageBitWidth;
};
} // namespace

scf::ForOp tilewright::tile::findLoopOfCounter(Value number) {
  Uncast uncast(number);
  auto counter = dyn_cast<BlockArgument>(uncast.scalar);
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp())
                      : scf::ForOp();
  if (!loop || counter != loop.getInductionVar() || loop.getUnsignedCmp())
    return nullptr;
  NumberRanges ranges;
  bool isKept =
      ranges.get(loop.getLowerBound()).smin().isSignedIntN(uncast.bits) &&
      ranges.get(loop.getUpperBound()).smax().isSignedIntN(uncast.bits);
  return isKept ? loop : scf::ForOp();
}

bool tilewright::tile::isCounterBelow(Value number, Value end) {
  scf::ForOp loop = findLoopOfCounter(number);
  if (!loop)
    return false;
  Uncast compared(end), bound(loop.getUpperBound());
  unsigned bits = std::min(compared.bits, bound.bits);
  if (compared.scalar != bound.scalar || isTile(bound.scalar))
    return false;
  NumberRanges ranges;
  const ConstantIntRanges &range = ranges.get(bound.scalar);
  return range.smin().isSignedIntN(bits) && range.smax().isSignedIntN(bits);
}
