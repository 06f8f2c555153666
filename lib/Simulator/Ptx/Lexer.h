//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_LEXER_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright::sim {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, ///< name, %register, $label, _
    Dot,        ///< .modifier, with "::" parts; `text` is without the dot
    Integer,    ///< `bits` holds the value
    Float,      ///< `bits` holds the f64 pattern of the value
    FloatBits,  ///< 0fXXXXXXXX: `bits` holds the f32 pattern
    String,     ///< text between the quotes
    Punctuation ///< one character
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  uint64_t bits = 0;
  unsigned line = 1;

  bool is(char c) const {
    return kind == Kind::Punctuation && text.front() == c;
  }
  bool isIdentifier() const { return kind == Kind::Identifier; }
  bool isDot(llvm::StringRef name) const {
    return kind == Kind::Dot && text == name;
  }
  /// Offset just past the token in the buffer.
  const char *end() const { return text.end(); }
};

/// Splits PTX text into tokens, one at a time. Comments and preprocessor
/// lines (`# 12 "file"`) are skipped. Any byte that starts no token comes out
/// as punctuation, so the parser reports it.
class Lexer {
public:
  explicit Lexer(llvm::StringRef buffer)
      : position(buffer.begin()), limit(buffer.end()) {}

  Token next();
  /// The rest of the current line as text; directives such as `.loc` end
  /// with their line and not with a semicolon.
  llvm::StringRef restOfLine();
  /// What stands on the line behind `from`, comments too.
  llvm::StringRef lineFrom(const char *from) const {
    return llvm::StringRef(from, limit - from).split('\n').first.trim();
  }

private:
  void skipBlanks();
  bool isPromise() const;
  Token number();
  Token take(Token::Kind kind, const char *end);
  char at(size_t offset) const {
    return static_cast<size_t>(limit - position) > offset ? position[offset]
                                                          : '\0';
  }

  const char *position;
  const char *limit;
  unsigned line = 1;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_LEXER_H
