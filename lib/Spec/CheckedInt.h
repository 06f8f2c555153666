//===- CheckedInt.h - Integer operators that may fail -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_CHECKEDINT_H
#define TILEWRIGHT_LIB_SPEC_CHECKEDINT_H

#include <cstdint>
#include <optional>

namespace tilewright::spec {

/// The integer operators of the index notation.
enum class CheckedIntOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,    ///< Truncates toward zero.
  Remainder, ///< Has the sign of the left operand.
  CeilDivide,
  Min,
  Max
};

inline bool isDivision(CheckedIntOp op) {
  return op == CheckedIntOp::Divide || op == CheckedIntOp::Remainder ||
         op == CheckedIntOp::CeilDivide;
}

/// Nothing on overflow and on division by zero.
std::optional<int64_t> applyChecked(CheckedIntOp op, int64_t a, int64_t b);

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_CHECKEDINT_H
