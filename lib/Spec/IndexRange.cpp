//===- IndexRange.cpp - The values an index expression takes --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRange.h"
#include "CheckedInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilewright;
using namespace tilewright::spec;

static CheckedIntOp getCheckedOp(ValueOp op) {
  switch (op) {
  case ValueOp::Add:
    return CheckedIntOp::Add;
  case ValueOp::Negate:
  case ValueOp::Subtract:
    return CheckedIntOp::Subtract;
  case ValueOp::Multiply:
    return CheckedIntOp::Multiply;
  case ValueOp::Divide:
    return CheckedIntOp::Divide;
  case ValueOp::Remainder:
    return CheckedIntOp::Remainder;
  case ValueOp::CeilDivide:
    return CheckedIntOp::CeilDivide;
  case ValueOp::Min:
    return CheckedIntOp::Min;
  case ValueOp::Max:
    return CheckedIntOp::Max;
  default:
    llvm_unreachable("not an operation on indices");
  }
}

/// a % b has the sign of a and is smaller than b; it is a where a is smaller.
static IndexRange getRemainderRange(IndexRange a, IndexRange b) {
  if (b.low == b.high && a.low >= 0 && a.high < b.low)
    return a;
  int64_t bound = std::max(b.high, b.low == INT64_MIN ? INT64_MAX : -b.low) - 1;
  return {a.low >= 0 ? 0 : std::max(a.low, -bound),
          a.high <= 0 ? 0 : std::min(a.high, bound)};
}

llvm::Expected<IndexRange>
spec::applyToRanges(ValueOp op, llvm::ArrayRef<IndexRange> operands) {
  if (llvm::any_of(operands, [](IndexRange r) { return r.isEmpty(); }))
    return IndexRange();
  IndexRange a = operands[0];
  IndexRange b;
  if (op == ValueOp::Negate) {
    b = a;
    a = {0, 0};
  } else {
    b = operands[1];
  }
  CheckedIntOp checkedOp = getCheckedOp(op);
  if (isDivision(checkedOp) && b.contains(0))
    return llvm::createStringError("the index may divide by zero");
  if (checkedOp == CheckedIntOp::Remainder)
    return getRemainderRange(a, b);

  // The other operators are monotone in each operand (division: while the
  // divisor keeps its sign), so the extremes are at the corners.
  IndexRange result{INT64_MAX, INT64_MIN};
  for (int64_t left : {a.low, a.high})
    for (int64_t right : {b.low, b.high}) {
      std::optional<int64_t> value = applyChecked(checkedOp, left, right);
      if (!value)
        return llvm::createStringError("the index may overflow 64 bits");
      result = {std::min(result.low, *value), std::max(result.high, *value)};
    }
  return result;
}
