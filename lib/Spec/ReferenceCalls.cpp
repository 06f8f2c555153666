//===- ReferenceCalls.cpp - What is written as a call ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "ReferenceResolver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::spec;

namespace {
/// An operation that is written as a call, beside those of MathFunctions.h.
struct NamedCall {
  llvm::StringLiteral name;
  unsigned minOperands;
  unsigned maxOperands;
  ValueOp op;
  /// The reduction of the same name.
  std::optional<ValueOp> reduction = std::nullopt;
};
} // namespace

static constexpr unsigned any = ~0u;
static constexpr NamedCall namedCalls[] = {
    {"abs", 1, 1, ValueOp::Abs},
    {"ceildiv", 2, 2, ValueOp::CeilDivide},
    {"max", 2, any, ValueOp::Max, ValueOp::MaxOver},
    {"maxnum", 2, any, ValueOp::MaxNum, ValueOp::MaxNumOver},
    {"min", 2, any, ValueOp::Min, ValueOp::MinOver},
    {"minnum", 2, any, ValueOp::MinNum, ValueOp::MinNumOver},
    {"select", 3, 3, ValueOp::Select},
    {"sum", 2, 2, ValueOp::SumOver, ValueOp::SumOver},
    {"within", 2, 2, ValueOp::Within},
};

static const NamedCall *findCall(llvm::StringRef name) {
  const NamedCall *found = llvm::find_if(
      namedCalls, [&](const NamedCall &f) { return f.name == name; });
  return found == std::end(namedCalls) ? nullptr : found;
}

/// "abs, acos, ...": every name in alphabetic order.
static std::string listFunctions() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const NamedCall &function : namedCalls)
    names.push_back(function.name);
  for (const MathFunction &function : getMathFunctions())
    names.push_back(function.name);
  llvm::sort(names);
  return llvm::join(names, ", ");
}

static llvm::StringRef countOperands(unsigned least, unsigned most) {
  if (most == any)
    return "two operands or more";
  constexpr llvm::StringLiteral counts[] = {"one operand", "two operands",
                                            "three operands"};
  return counts[least - 1];
}

ReferenceResolver::Result ReferenceResolver::resolveCall(const ExprNode &node) {
  if (std::optional<ElementType> type = parseElementType(node.name))
    return resolveCast(node, *type);
  if (const MathFunction *function = findMathFunction(node.name))
    return resolveFunction(node, *function);
  const NamedCall *function = findCall(node.name);
  if (!function)
    return failAt(node, "'" + node.name + "' is no function; there are " +
                            listFunctions() + " and casts such as f16(x)");

  // min(k, X[k]) with a new name k, and always sum.
  bool isReduction =
      function->reduction && (function->op == *function->reduction ||
                              (node.operands.size() == 2 &&
                               tree[node.operands[0]].kind == ExprKind::Name &&
                               !findArgument(tree[node.operands[0]].name) &&
                               !isConstantName(tree[node.operands[0]].name)));
  if (isReduction)
    return resolveReduction(node, *function->reduction);
  if (node.operands.size() < function->minOperands ||
      node.operands.size() > function->maxOperands)
    return failAt(
        node, "'" + node.name + "' takes " +
                  countOperands(function->minOperands, function->maxOperands));
  switch (function->op) {
  case ValueOp::Abs:
    return resolveAbs(node);
  case ValueOp::Select:
    return resolveSelect(node);
  case ValueOp::Within:
    return resolveWithin(node);
  default:
    return resolveFold(node, function->op);
  }
}

ReferenceResolver::Result
ReferenceResolver::resolveReduction(const ExprNode &node, ValueOp op) {
  if (node.operands.size() != 2 ||
      tree[node.operands[0]].kind != ExprKind::Name)
    return failAt(node, "'" + node.name +
                            "' takes an index and an expression, "
                            "such as 'sum(k, X[k])'");
  const ExprNode &index = tree[node.operands[0]];
  if (findArgument(index.name))
    return failAt(index, "'" + index.name +
                             "' is an argument of the kernel; a reduction "
                             "needs an index of its own");
  if (Binder *outer = findBinder(index.name); outer && outer->isLeft)
    return failAt(index, "'" + index.name +
                             "' is an index of the left side; a reduction "
                             "needs an index of its own");
  llvm::Expected<unsigned> variable = addVariable(index);
  if (!variable)
    return variable;

  binders.push_back({*variable, /*isLeft=*/false, {}});
  Result body = resolveValue(node.operands[1]);
  if (!body)
    return body;
  Binder binder = std::move(binders.back());
  binders.pop_back();
  if (binder.ranges.empty())
    return failAt(index, "the range of '" + index.name +
                             "' is unknown: use it alone as an index of a "
                             "tensor in the reduction");
  ValueNode value{op, isIntegerValue(*body), node.getColumn()};
  value.variable = *variable;
  value.operands = {*body};
  value.ranges = std::move(binder.ranges);
  return add(std::move(value));
}

ReferenceResolver::Result ReferenceResolver::resolveCast(const ExprNode &node,
                                                         ElementType type) {
  if (node.operands.size() != 1)
    return failAt(node, "'" + node.name + "' takes one operand");
  Result operand = resolveValue(node.operands[0]);
  if (!operand)
    return operand;
  ValueNode value{ValueOp::Cast, isInteger(type), node.getColumn(), type};
  value.operands = {isReal(type) ? toReal(*operand) : *operand};
  return add(std::move(value));
}

ReferenceResolver::Result
ReferenceResolver::resolveWithin(const ExprNode &node) {
  const ExprNode &name = tree[node.operands[0]];
  std::optional<ElementType> type;
  if (name.kind == ExprKind::Name)
    type = parseElementType(name.name);
  if (!type || isInteger(*type))
    return failAt(name, "'within' takes a type of floats and an expression, "
                        "such as 'within(f16, X[i])'");
  Result operand = resolveValue(node.operands[1]);
  if (!operand)
    return operand;
  ValueNode value{ValueOp::Within, false, node.getColumn(), *type};
  value.operands = {toReal(*operand)};
  return add(std::move(value));
}

/// The absolute value of an integer is one.
ReferenceResolver::Result ReferenceResolver::resolveAbs(const ExprNode &node) {
  Result operand = resolveValue(node.operands[0]);
  if (!operand)
    return operand;
  ValueNode value{ValueOp::Abs, isIntegerValue(*operand), node.getColumn()};
  value.operands = {*operand};
  return add(std::move(value));
}

ReferenceResolver::Result
ReferenceResolver::resolveFunction(const ExprNode &node,
                                   const MathFunction &function) {
  if (node.operands.size() != function.arity)
    return failAt(node, "'" + node.name + "' takes " +
                            countOperands(function.arity, function.arity));
  ValueNode value{ValueOp::Function, false, node.getColumn()};
  value.function = &function;
  for (unsigned operand : node.operands) {
    Result resolved = resolveValue(operand);
    if (!resolved)
      return resolved;
    value.operands.push_back(toReal(*resolved));
  }
  return add(std::move(value));
}

ReferenceResolver::Result
ReferenceResolver::resolveSelect(const ExprNode &node) {
  llvm::SmallVector<unsigned, 3> values;
  for (unsigned operand : node.operands) {
    Result resolved = resolveValue(operand);
    if (!resolved)
      return resolved;
    values.push_back(*resolved);
  }
  if (!isIntegerValue(values[0]))
    return failAt(tree[node.operands[0]],
                  "the condition of 'select' is a comparison or an integer, "
                  "not a real number");
  bool integers = isIntegerValue(values[1]) && isIntegerValue(values[2]);
  ValueNode value{ValueOp::Select, integers, node.getColumn()};
  value.operands = {values[0], integers ? values[1] : toReal(values[1]),
                    integers ? values[2] : toReal(values[2])};
  return add(std::move(value));
}
