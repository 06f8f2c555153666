//===- Lexer.cpp - Tokens of PTX text -------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <cstdlib>
#include <string>

using namespace llvm;

namespace tilewright::sim {

static bool isNameStart(char c) {
  return isAlpha(c) || c == '_' || c == '$' || c == '%';
}

static bool isNamePart(char c) { return isAlnum(c) || c == '_' || c == '$'; }

/// A comment that is a statement for us (Families/Promise.cpp) begins with the
/// first of these, and goes on with the second.
static constexpr StringLiteral promiseMark = "//@";
static constexpr StringLiteral promiseName = " tilewright.";

bool Lexer::isPromise() const {
  StringRef rest(position, limit - position);
  return rest.consume_front(promiseMark) && rest.starts_with(promiseName);
}

Token Lexer::take(Token::Kind kind, const char *end) {
  Token token;
  token.kind = kind;
  token.text = StringRef(position, end - position);
  token.line = line;
  position = end;
  return token;
}

void Lexer::skipBlanks() {
  bool lineStart = false;
  while (position < limit) {
    if (*position == '\n') {
      ++line;
      ++position;
      lineStart = true;
    } else if (isSpace(*position)) {
      ++position;
    } else if (isPromise()) {
      position += promiseMark.size();
    } else if (at(0) == '/' && at(1) == '/') {
      restOfLine();
    } else if (at(0) == '/' && at(1) == '*') {
      position += 2;
      while (position < limit && !(at(0) == '*' && at(1) == '/'))
        line += *position++ == '\n';
      position = limit - position > 2 ? position + 2 : limit;
    } else if (*position == '#' && lineStart) {
      restOfLine();
    } else {
      return;
    }
  }
}

StringRef Lexer::restOfLine() {
  const char *begin = position;
  while (position < limit && *position != '\n')
    ++position;
  return StringRef(begin, position - begin).trim();
}

/// Integers (decimal, 0x, 0b, octal, optional U), 0f/0d bit patterns, and
/// decimal floating constants.
Token Lexer::number() {
  const char *end = position;
  const char second = at(1);
  if (*position == '0' &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    const size_t digits = toLower(second) == 'f' ? 8 : 16;
    end += 2;
    while (end < limit && isHexDigit(*end))
      ++end;
    if (static_cast<size_t>(end - position) == digits + 2) {
      Token token =
          take(digits == 8 ? Token::Kind::FloatBits : Token::Kind::Float, end);
      token.text.drop_front(2).getAsInteger(16, token.bits);
      return token;
    }
    return take(Token::Kind::Punctuation, end);
  }

  bool isFloat = false;
  const bool isHex = *position == '0' && toLower(second) == 'x';
  while (end < limit && (isAlnum(*end) || (*end == '.' && !isHex) ||
                         ((*end == '+' || *end == '-') && isFloat &&
                          toLower(end[-1]) == 'e'))) {
    isFloat |= *end == '.' || (!isHex && toLower(*end) == 'e');
    ++end;
  }
  if (isFloat) {
    Token token = take(Token::Kind::Float, end);
    double value = 0;
    if (token.text.getAsDouble(value))
      token.kind = Token::Kind::Punctuation;
    token.bits = llvm::bit_cast<uint64_t>(value);
    return token;
  }
  Token token = take(Token::Kind::Integer, end);
  if (token.text.rtrim("Uu").getAsInteger(0, token.bits))
    token.kind = Token::Kind::Punctuation;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (position == limit)
    return take(Token::Kind::End, position);
  const char c = *position;
  if (isDigit(c))
    return number();
  if (isNameStart(c)) {
    const char *end = position + 1;
    while (end < limit && isNamePart(*end))
      ++end;
    return take(Token::Kind::Identifier, end);
  }
  if (c == '.' && (isAlnum(at(1)) || at(1) == '_')) {
    ++position;
    const char *end = position;
    while (end < limit && (isNamePart(*end) || *end == ':'))
      ++end;
    return take(Token::Kind::Dot, end);
  }
  if (c == '"') {
    const char *end = position + 1;
    while (end < limit && *end != '"' && *end != '\n')
      ++end;
    ++position;
    Token token = take(Token::Kind::String, end);
    if (position < limit && *position == '"')
      ++position;
    return token;
  }
  return take(Token::Kind::Punctuation, position + 1);
}

} // namespace tilewright::sim
