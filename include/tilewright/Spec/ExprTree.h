//===- ExprTree.h - Syntax of the index notation ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, grids and references are written in one small notation:
//
//   statement  := element '=' expression
//   shape      := element ('in' expression '..' expression)?
//   expression := sum (('<' | '<=' | '>' | '>=' | '==' | '!=') sum)?
//   sum        := term (('+' | '-') term)*
//   term       := unary (('*' | '/' | '%') unary)*
//   unary      := '-' unary | primary
//   primary    := number | name | call | element | '(' expression ')'
//   call       := name '(' expression (',' expression)* ')'
//   element    := name '[' (expression (',' expression)*)? ']'
//
// The parser knows the form only. What a name is, and whether `max(k, e)` is
// the larger of two or a reduction over k, is decided where the kernel's
// arguments are known (KernelSpec).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_EXPRTREE_H
#define TILEWRIGHT_SPEC_EXPRTREE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::spec {

enum class ExprKind : uint8_t {
  Integer,
  Real,
  Name,
  Element, ///< name[operands]
  Call,    ///< name(operands)
  Negate,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual
};

inline bool isComparison(ExprKind kind) { return kind >= ExprKind::Less; }

struct ExprNode {
  ExprKind kind;
  /// The text of the node is source[begin, end).
  unsigned begin;
  unsigned end;
  std::string name = {};
  int64_t integer = 0;
  double real = 0;
  /// Positions of the operands in the tree; each is smaller than the node's.
  llvm::SmallVector<unsigned, 2> operands = {};

  /// For messages: columns count from 1.
  unsigned getColumn() const { return begin + 1; }
};

/// A parsed text. Immutable and shared: expressions that stand in one text (the
/// extents of a shape) refer to nodes of one tree.
class ExprTree {
public:
  /// No branch of a tree is longer, so recursion over it is safe.
  static constexpr unsigned maxDepth = 256;

  const ExprNode &operator[](unsigned node) const { return nodes[node]; }
  unsigned getRoot() const { return nodes.size() - 1; }
  llvm::StringRef getText(const ExprNode &node) const {
    return llvm::StringRef(source).slice(node.begin, node.end);
  }

  llvm::StringRef getSource() const { return source; }

private:
  friend class ExprParser;
  std::string source;
  std::vector<ExprNode> nodes;
};

using ExprTreeRef = std::shared_ptr<const ExprTree>;

/// `left = right`; \p left is an Element node.
struct ExprStatement {
  ExprTreeRef tree;
  unsigned left;
  unsigned right;
};

/// `element` or `element in low .. high`.
struct ExprShape {
  ExprTreeRef tree;
  unsigned element;
  /// The nodes of low and high.
  std::optional<std::pair<unsigned, unsigned>> range;
};

/// Each parser takes the whole text or returns a SpecError.
llvm::Expected<ExprTreeRef> parseExpression(llvm::StringRef text);
llvm::Expected<ExprShape> parseShape(llvm::StringRef text);
llvm::Expected<ExprStatement> parseStatement(llvm::StringRef text);

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_EXPRTREE_H
