//===- IntExpr.h - Integer expressions over scalar arguments ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents of tensors and of a grid depend on the scalars of a launch:
//
//   auto blocks = IntExpr::parse("ceildiv(M, 64) * ceildiv(N, 64)");
//   blocks->evaluate({{"M", 100}, {"N", 64}})   // 2
//
// Operators: + - * / % (division truncates toward zero, as in C and
// arith.divsi); functions: ceildiv(a, b), min(a, b, ...), max(a, b, ...).
// Arithmetic is 64-bit and checked.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_INTEXPR_H
#define TILEWRIGHT_SPEC_INTEXPR_H

#include "tilewright/Spec/ExprTree.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::spec {

/// Values of the integer scalar arguments, by name.
using IntScope = llvm::StringMap<int64_t>;

class IntExpr {
public:
  /// Errors are SpecErrors with the column in \p text.
  static llvm::Expected<IntExpr> parse(llvm::StringRef text);
  /// The expression at \p node of a tree that stands for a larger text.
  static llvm::Expected<IntExpr> fromNode(ExprTreeRef tree, unsigned node);

  /// Fails on overflow, on division by zero, on a name that has no value.
  llvm::Expected<int64_t> evaluate(const IntScope &scope) const;

  /// Calls \p visit with each name and its column, in order of the text.
  llvm::Error visitNames(
      llvm::function_ref<llvm::Error(llvm::StringRef, unsigned)> visit) const;

  /// As the user wrote it.
  llvm::StringRef getText() const { return tree->getText((*tree)[root]); }
  unsigned getColumn() const { return (*tree)[root].getColumn(); }
  /// The whole text in which it stands.
  llvm::StringRef getSource() const { return tree->getSource(); }

private:
  IntExpr(ExprTreeRef tree, unsigned root)
      : tree(std::move(tree)), root(root) {}

  ExprTreeRef tree;
  unsigned root;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_INTEXPR_H
