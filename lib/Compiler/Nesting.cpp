//===- Nesting.cpp - Limits of source text ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

/// The end of the string literal that begins at `begin`.
static size_t skipString(StringRef source, size_t begin) {
  size_t end = begin + 1;
  while (end < source.size() && source[end] != '"' && source[end] != '\n')
    end += source[end] == '\\' ? 2 : 1;
  return end;
}

std::optional<size_t> tilewright::findTooDeepNesting(StringRef source) {
  unsigned depth = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    switch (source[i]) {
    case '"':
      i = skipString(source, i);
      break;
    case '/':
      if (source.substr(i).starts_with("//"))
        i = std::min(source.find('\n', i), source.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (depth++ == kMaxNesting)
        return i;
      break;
    case '>':
      if (i > 0 && source[i - 1] == '-') // An arrow.
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

std::optional<size_t> tilewright::findTooLongNumber(StringRef source) {
  size_t digits = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    bool isDigitOfNumber =
        digits > 0 ? isHexDigit(source[i]) : isDigit(source[i]);
    digits = isDigitOfNumber ? digits + 1 : 0;
    if (digits > kMaxDigits)
      return i + 1 - digits;
  }
  return std::nullopt;
}
