//===- CheckedInt.cpp - Integer operators that may fail -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckedInt.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace tilewright;

std::optional<int64_t> spec::applyChecked(CheckedIntOp op, int64_t a,
                                          int64_t b) {
  if (isDivision(op) &&
      (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)))
    return std::nullopt;
  switch (op) {
  case CheckedIntOp::Add:
    return llvm::checkedAdd(a, b);
  case CheckedIntOp::Subtract:
    return llvm::checkedSub(a, b);
  case CheckedIntOp::Multiply:
    return llvm::checkedMul(a, b);
  case CheckedIntOp::Divide:
    return a / b;
  case CheckedIntOp::Remainder:
    return a % b;
  case CheckedIntOp::CeilDivide:
    return llvm::divideCeilSigned(a, b);
  case CheckedIntOp::Min:
    return std::min(a, b);
  case CheckedIntOp::Max:
    return std::max(a, b);
  }
  llvm_unreachable("not an operator");
}
