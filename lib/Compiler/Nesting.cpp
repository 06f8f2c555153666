//===- Nesting.cpp - Limits of source text ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"

#include "llvm/ADT/StringExtras.h"

#include <utility>

using llvm::isAlnum, llvm::isDigit, llvm::isHexDigit, llvm::isSpace;
using llvm::StringRef;

/// The end of the string literal that begins at `begin`.
static size_t skipString(StringRef source, size_t begin) {
  size_t end = begin + 1;
  while (end < source.size() && source[end] != '"' && source[end] != '\n')
    end += source[end] == '\\' ? 2 : 1;
  return end;
}

/// The end of the string literal or comment that begins at `begin`, or `begin`.
static size_t skipText(StringRef source, size_t begin) {
  if (source[begin] == '"')
    return skipString(source, begin);
  if (source.substr(begin).starts_with("//"))
    return std::min(source.find('\n', begin), source.size());
  return begin;
}

std::optional<size_t> tilewright::findTooDeepNesting(StringRef source) {
  unsigned depth = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    switch (source[i]) {
    case '"':
    case '/':
      i = skipText(source, i);
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

std::optional<size_t> tilewright::findArrayOfIndices(StringRef source) {
  // The last two words or signs, of which a third one follows.
  StringRef before, last;
  for (size_t i = 0; i < source.size(); ++i) {
    i = skipText(source, i);
    if (i == source.size() || isSpace(source[i]))
      continue;
    size_t end = i;
    while (end < source.size() && (isAlnum(source[end]) || source[end] == '_'))
      ++end;
    StringRef word = source.slice(i, std::max(end, i + 1));
    if (before == "array" && last == "<" && word == "index")
      return i;
    before = std::exchange(last, word);
    i += word.size() - 1;
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
