//===- Nesting.h - Limits of source text ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser calls itself for each bracket inside a bracket, until the stack
// is used up. No program that a person or a tool writes nests this deep. What
// else it does not end well at is found here, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_NESTING_H
#define TILEWRIGHT_LIB_COMPILER_NESTING_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilewright {

inline constexpr unsigned kMaxNesting = 256;

/// The position of the first bracket of MLIR text that has kMaxNesting open
/// ones around it.
std::optional<size_t> findTooDeepNesting(llvm::StringRef source);

/// Reading a number takes time in the square of its digits.
inline constexpr unsigned kMaxDigits = 4096;

/// The position of the first number that has more than kMaxDigits digits.
std::optional<size_t> findTooLongNumber(llvm::StringRef source);

/// The position of the first type of an array attribute that is `index`, for
/// whose bits the parser asks, as for those of other types.
std::optional<size_t> findArrayOfIndices(llvm::StringRef source);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_NESTING_H
