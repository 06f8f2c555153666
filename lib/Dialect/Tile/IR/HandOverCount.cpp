//===- HandOverCount.cpp - Numbers of hand-overs, compared ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/HandOverCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright::tile;

Count Count::of(Value value) {
  Count count;
  APInt constant;
  while (auto add = value.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(add.getRhs(), m_ConstantInt(&constant)))
      break;
    count.offset += constant.getSExtValue();
    value = add.getLhs();
  }
  if (matchPattern(value, m_ConstantInt(&constant)))
    return count.plus(constant.getSExtValue());
  count.base = value;
  return count;
}

Value tilewright::tile::getCountBehindLoop(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop =
      argument
          ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
          : nullptr;
  OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
  if (!yielded || Count::of(yielded->get()) != Count{argument, 1})
    return nullptr;
  return loop.getTiedLoopResult(argument);
}
