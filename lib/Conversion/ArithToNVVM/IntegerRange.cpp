//===- IntegerRange.cpp - What is known of an integer ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops say it of themselves (InferIntRangeInterface). MLIR's analysis of a
// whole function would visit the thousands of ops of an unrolled tile, for the
// few divisions that are in it.
//
//===----------------------------------------------------------------------===//

#include "IntegerRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

/// How many ops back. Coordinates of a tile are made by fewer.
static constexpr int maxDepth = 8;

static ConstantIntRanges getRange(Value value, int depth) {
  ConstantIntRanges range = ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || depth == 0)
    return range;
  SmallVector<ConstantIntRanges, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getRange(operand, depth - 1));
  // To MLIR nothing is known of a division by what may be 0.
  if (isa<arith::DivUIOp>(op))
    return ConstantIntRanges::fromUnsigned(
        APInt::getZero(range.umax().getBitWidth()), operands.front().umax());
  op.inferResultRanges(operands,
                       [&](Value result, const ConstantIntRanges &known) {
                         if (result == value)
                           range = known;
                       });
  return range;
}

ConstantIntRanges arithnvvm::getRange(Value value) {
  return ::getRange(value, maxDepth);
}
