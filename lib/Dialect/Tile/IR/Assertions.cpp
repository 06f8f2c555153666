//===- Assertions.cpp - Ops that may end a launch -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/Assertions.h"

#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

bool tilewright::tile::mayEndLaunch(Operation *op) {
  auto assertion = dyn_cast<AssertOp>(op);
  if (!assertion || matchPattern(assertion.getCondition(), m_One()))
    return false;
  // As that of a loop which goes by as many programs as there are.
  const ConstantIntRanges range = NumberRanges().get(assertion.getCondition());
  return !range.umin().isOne();
}
