//===- IntExpr.cpp - Integer expressions over scalar arguments ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/IntExpr.h"
#include "CheckedInt.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilewright;
using namespace tilewright::spec;

/// Accepts exactly what evaluateNode can evaluate.
static llvm::Error verifyNode(const ExprTree &tree, unsigned index) {
  const ExprNode &node = tree[index];
  switch (node.kind) {
  case ExprKind::Real:
    return makeSpecError("an integer is needed here, not '" +
                             tree.getText(node) + "'",
                         node.getColumn());
  case ExprKind::Element:
    return makeSpecError("an element of a tensor cannot be used here",
                         node.getColumn());
  case ExprKind::Call: {
    bool isMinMax = node.name == "min" || node.name == "max";
    if (!isMinMax && node.name != "ceildiv")
      return makeSpecError("'" + node.name +
                               "' is no integer function; there are ceildiv, "
                               "min and max",
                           node.getColumn());
    if (isMinMax ? node.operands.size() < 2 : node.operands.size() != 2)
      return makeSpecError("'" + node.name + "' takes " +
                               (isMinMax ? "at least " : "") + "two operands",
                           node.getColumn());
    break;
  }
  default:
    if (isComparison(node.kind))
      return makeSpecError("a comparison cannot be used here",
                           node.getColumn());
    break;
  }
  for (unsigned operand : node.operands)
    if (llvm::Error error = verifyNode(tree, operand))
      return error;
  return llvm::Error::success();
}

/// The operation of a binary operator or a call.
static CheckedIntOp getOp(const ExprNode &node) {
  switch (node.kind) {
  case ExprKind::Add:
    return CheckedIntOp::Add;
  case ExprKind::Subtract:
    return CheckedIntOp::Subtract;
  case ExprKind::Multiply:
    return CheckedIntOp::Multiply;
  case ExprKind::Divide:
    return CheckedIntOp::Divide;
  case ExprKind::Remainder:
    return CheckedIntOp::Remainder;
  case ExprKind::Call:
    return node.name == "ceildiv" ? CheckedIntOp::CeilDivide
           : node.name == "min"   ? CheckedIntOp::Min
                                  : CheckedIntOp::Max;
  default:
    llvm_unreachable("not an operation");
  }
}

static llvm::Expected<int64_t>
evaluateNode(const ExprTree &tree, unsigned index, const IntScope &scope) {
  const ExprNode &node = tree[index];
  if (node.kind == ExprKind::Integer)
    return node.integer;
  if (node.kind == ExprKind::Name) {
    auto found = scope.find(node.name);
    if (found == scope.end())
      return makeSpecError("'" + node.name + "' has no value",
                           node.getColumn());
    return found->second;
  }

  llvm::Expected<int64_t> value =
      evaluateNode(tree, node.operands.front(), scope);
  if (!value)
    return value;
  auto overflow = [&] {
    return makeSpecError("'" + tree.getText(node) + "' overflows 64 bits",
                         node.getColumn());
  };
  if (node.kind == ExprKind::Negate) {
    if (std::optional<int64_t> result =
            applyChecked(CheckedIntOp::Subtract, 0, *value))
      return *result;
    return overflow();
  }

  CheckedIntOp op = getOp(node);
  for (unsigned operand : llvm::drop_begin(node.operands)) {
    llvm::Expected<int64_t> right = evaluateNode(tree, operand, scope);
    if (!right)
      return right;
    if (isDivision(op) && *right == 0)
      return makeSpecError("division by zero: '" + tree.getText(tree[operand]) +
                               "' is 0",
                           tree[operand].getColumn());
    std::optional<int64_t> result = applyChecked(op, *value, *right);
    if (!result)
      return overflow();
    value = *result;
  }
  return value;
}

static llvm::Error
visitNamesOf(const ExprTree &tree, unsigned index,
             llvm::function_ref<llvm::Error(llvm::StringRef, unsigned)> visit) {
  const ExprNode &node = tree[index];
  if (node.kind == ExprKind::Name)
    return visit(node.name, node.getColumn());
  for (unsigned operand : node.operands)
    if (llvm::Error error = visitNamesOf(tree, operand, visit))
      return error;
  return llvm::Error::success();
}

llvm::Expected<IntExpr> IntExpr::parse(llvm::StringRef text) {
  llvm::Expected<ExprTreeRef> tree = parseExpression(text);
  if (!tree)
    return tree.takeError();
  unsigned root = (*tree)->getRoot();
  return fromNode(std::move(*tree), root);
}

llvm::Expected<IntExpr> IntExpr::fromNode(ExprTreeRef tree, unsigned node) {
  if (llvm::Error error = verifyNode(*tree, node))
    return error;
  return IntExpr(std::move(tree), node);
}

llvm::Expected<int64_t> IntExpr::evaluate(const IntScope &scope) const {
  return evaluateNode(*tree, root, scope);
}

llvm::Error IntExpr::visitNames(
    llvm::function_ref<llvm::Error(llvm::StringRef, unsigned)> visit) const {
  return visitNamesOf(*tree, root, visit);
}
