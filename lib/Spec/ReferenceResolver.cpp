//===- ReferenceResolver.cpp - From syntax to typed operations ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceResolver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

/// The operation of a binary operator.
static ValueOp getOperator(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return ValueOp::Add;
  case ExprKind::Subtract:
    return ValueOp::Subtract;
  case ExprKind::Multiply:
    return ValueOp::Multiply;
  case ExprKind::Divide:
    return ValueOp::Divide;
  case ExprKind::Remainder:
    return ValueOp::Remainder;
  default:
    llvm_unreachable("not a binary operator");
  }
}

static bool needsIntegers(ValueOp op) {
  return op == ValueOp::Remainder || op == ValueOp::CeilDivide;
}

std::optional<unsigned>
ReferenceResolver::findArgument(llvm::StringRef name) const {
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.name == name)
      return index;
  return std::nullopt;
}

ReferenceResolver::Binder *ReferenceResolver::findBinder(llvm::StringRef name) {
  for (Binder &binder : llvm::reverse(binders))
    if (reference.variables[binder.variable] == name)
      return &binder;
  return nullptr;
}

unsigned ReferenceResolver::add(ValueNode node) {
  reference.nodes.push_back(std::move(node));
  return reference.nodes.size() - 1;
}

unsigned ReferenceResolver::toReal(unsigned value) {
  if (!isIntegerValue(value))
    return value;
  ValueNode node{ValueOp::ToReal};
  node.column = reference.nodes[value].column;
  node.operands = {value};
  return add(std::move(node));
}

ReferenceResolver::Result ReferenceResolver::addBinary(ValueOp op,
                                                       unsigned left,
                                                       unsigned right,
                                                       unsigned column) {
  bool integers = isIntegerValue(left) && isIntegerValue(right);
  if (needsIntegers(op) && !integers) {
    unsigned culprit = isIntegerValue(left) ? right : left;
    return makeSpecError((op == ValueOp::Remainder ? "'%'" : "'ceildiv'") +
                             llvm::Twine(" takes integers only"),
                         reference.nodes[culprit].column);
  }
  ValueNode node{op, integers, column};
  node.operands =
      integers ? llvm::SmallVector<unsigned, 2>{left, right}
               : llvm::SmallVector<unsigned, 2>{toReal(left), toReal(right)};
  return add(std::move(node));
}

llvm::Expected<unsigned> ReferenceResolver::addVariable(const ExprNode &node) {
  // One name is one variable, also in reductions that have nothing else in
  // common: equal sub-expressions are then equal term by term.
  for (auto [variable, name] : llvm::enumerate(reference.variables))
    if (name == node.name)
      return variable;
  if (reference.variables.size() == Reference::maxVariables)
    return failAt(node, "more than " + llvm::Twine(Reference::maxVariables) +
                            " different indices");
  reference.variables.push_back(node.name);
  return reference.variables.size() - 1;
}

llvm::Error ReferenceResolver::resolveLeft(const ExprNode &left) {
  std::optional<unsigned> output = findArgument(left.name);
  if (!output)
    return failAt(left, "'" + left.name + "' is no argument of the kernel");
  if (!arguments[*output].isPointer())
    return failAt(left, "'" + left.name +
                            "' is a scalar; only a tensor can be "
                            "computed");
  reference.output = *output;
  if (left.operands.size() != ranks[*output])
    return failAt(left, "'" + left.name + "' has " +
                            llvm::Twine(ranks[*output]) + " axes, not " +
                            llvm::Twine(left.operands.size()));
  for (unsigned operand : left.operands) {
    const ExprNode &index = tree[operand];
    if (index.kind != ExprKind::Name)
      return failAt(index, "an index of the left side is a name, not '" +
                               tree.getText(index) + "'");
    if (findArgument(index.name))
      return failAt(index, "the index '" + index.name +
                               "' has the name of an argument");
    if (findBinder(index.name))
      return failAt(index, "the index '" + index.name + "' stands twice");
    llvm::Expected<unsigned> variable = addVariable(index);
    if (!variable)
      return variable.takeError();
    binders.push_back({*variable, /*isLeft=*/true, {}});
  }
  return llvm::Error::success();
}

ReferenceResolver::Result ReferenceResolver::resolveValue(unsigned index) {
  const ExprNode &node = tree[index];
  switch (node.kind) {
  case ExprKind::Integer: {
    ValueNode value{ValueOp::IntegerConstant, true, node.getColumn()};
    value.integer = node.integer;
    return add(std::move(value));
  }
  case ExprKind::Real: {
    ValueNode value{ValueOp::RealConstant, false, node.getColumn()};
    value.real = node.real;
    return add(std::move(value));
  }
  case ExprKind::Name:
    return resolveName(node);
  case ExprKind::Element:
    return resolveElement(node);
  case ExprKind::Call:
    return resolveCall(node);
  case ExprKind::Negate:
    return resolveNegate(node);
  default:
    if (isComparison(node.kind))
      return resolveComparison(node);
    return resolveFold(node, getOperator(node.kind));
  }
}

ReferenceResolver::Result ReferenceResolver::resolveName(const ExprNode &node) {
  if (Binder *binder = findBinder(node.name)) {
    ValueNode value{ValueOp::Index, true, node.getColumn()};
    value.variable = binder->variable;
    return add(std::move(value));
  }
  std::optional<unsigned> argument = findArgument(node.name);
  if (!argument && isConstantName(node.name)) {
    ValueNode value{ValueOp::RealConstant, false, node.getColumn()};
    value.real = node.name == "inf" ? HUGE_VAL
                                    : std::numeric_limits<double>::quiet_NaN();
    return add(std::move(value));
  }
  if (!argument)
    return failAt(node, "'" + node.name +
                            "' is neither an argument of the kernel nor an "
                            "index");
  ElementType type = arguments[*argument].type;
  if (arguments[*argument].isPointer())
    return failAt(node, "'" + node.name +
                            "' is a tensor; name an element of it, such as '" +
                            node.name + "[i]'");
  ValueNode value{ValueOp::Scalar, isInteger(type), node.getColumn(), type};
  value.argument = *argument;
  return add(std::move(value));
}

ReferenceResolver::Result
ReferenceResolver::resolveElement(const ExprNode &node) {
  std::optional<unsigned> argument = findArgument(node.name);
  if (!argument)
    return failAt(node, "'" + node.name + "' is no argument of the kernel");
  ElementType type = arguments[*argument].type;
  if (!arguments[*argument].isPointer())
    return failAt(node, "'" + node.name + "' is a scalar and has no elements");
  if (node.operands.size() != ranks[*argument])
    return failAt(node, "'" + node.name + "' has " +
                            llvm::Twine(ranks[*argument]) + " axes, not " +
                            llvm::Twine(node.operands.size()));

  ValueNode value{ValueOp::Load, isInteger(type), node.getColumn(), type};
  value.argument = *argument;
  for (auto [axis, operand] : llvm::enumerate(node.operands)) {
    Result index = resolveIndex(operand);
    if (!index)
      return index;
    value.operands.push_back(*index);
    if (tree[operand].kind != ExprKind::Name)
      continue;
    if (Binder *binder = findBinder(tree[operand].name))
      binder->ranges.push_back({*argument, static_cast<unsigned>(axis)});
  }
  reference.inputs.push_back(*argument);
  return add(std::move(value));
}

/// An index must be an integer whose range can be bounded: no reductions, no
/// casts.
ReferenceResolver::Result ReferenceResolver::resolveIndex(unsigned index) {
  const ExprNode &node = tree[index];
  // min and max are binary here, whatever their first operand.
  bool isIndexCall = node.kind == ExprKind::Call &&
                     llvm::StringSwitch<bool>(node.name)
                         .Case("ceildiv", node.operands.size() == 2)
                         .Cases({"min", "max"}, node.operands.size() >= 2)
                         .Default(false);
  if (node.kind == ExprKind::Real || isComparison(node.kind) ||
      (node.kind == ExprKind::Call && !isIndexCall))
    return failAt(node, "'" + tree.getText(node) +
                            "' cannot be part of an index; indices are made of "
                            "index names, integer scalars, elements of integer "
                            "tensors, + - * / %, ceildiv, min and max");
  if (node.kind == ExprKind::Integer)
    return resolveValue(index);
  if (node.kind == ExprKind::Name || node.kind == ExprKind::Element) {
    Result value = resolveValue(index);
    if (value && !isIntegerValue(*value))
      return failAt(node, "'" + tree.getText(node) + "' is no integer");
    return value;
  }

  Result left = resolveIndex(node.operands[0]);
  if (!left)
    return left;
  if (node.kind == ExprKind::Negate) {
    ValueNode value{ValueOp::Negate, true, node.getColumn()};
    value.operands = {*left};
    return add(std::move(value));
  }
  ValueOp op = node.kind != ExprKind::Call ? getOperator(node.kind)
               : node.name == "ceildiv"    ? ValueOp::CeilDivide
               : node.name == "min"        ? ValueOp::Min
                                           : ValueOp::Max;
  for (unsigned operand : llvm::drop_begin(node.operands)) {
    Result right = resolveIndex(operand);
    if (!right)
      return right;
    left = addBinary(op, *left, *right, node.getColumn());
    if (!left)
      return left;
  }
  return left;
}

ReferenceResolver::Result
ReferenceResolver::resolveNegate(const ExprNode &node) {
  Result operand = resolveValue(node.operands[0]);
  if (!operand)
    return operand;
  ValueNode value{ValueOp::Negate, isIntegerValue(*operand), node.getColumn()};
  value.operands = {*operand};
  return add(std::move(value));
}

ReferenceResolver::Result
ReferenceResolver::resolveComparison(const ExprNode &node) {
  // a > b is b < a.
  bool isSwapped =
      node.kind == ExprKind::Greater || node.kind == ExprKind::GreaterEqual;
  ValueOp op = node.kind == ExprKind::Equal      ? ValueOp::Equal
               : node.kind == ExprKind::NotEqual ? ValueOp::NotEqual
               : node.kind == ExprKind::Less || node.kind == ExprKind::Greater
                   ? ValueOp::Less
                   : ValueOp::LessEqual;
  Result left = resolveValue(node.operands[isSwapped ? 1 : 0]);
  if (!left)
    return left;
  Result right = resolveValue(node.operands[isSwapped ? 0 : 1]);
  if (!right)
    return right;
  Result result = addBinary(op, *left, *right, node.getColumn());
  if (result)
    reference.nodes[*result].isInteger = true;
  return result;
}

/// A chain of the binary \p op over two or more operands, from the left.
ReferenceResolver::Result ReferenceResolver::resolveFold(const ExprNode &node,
                                                         ValueOp op) {
  Result left = resolveValue(node.operands[0]);
  for (unsigned operand : llvm::drop_begin(node.operands)) {
    if (!left)
      return left;
    Result right = resolveValue(operand);
    if (!right)
      return right;
    left = addBinary(op, *left, *right, node.getColumn());
  }
  return left;
}

llvm::Error ReferenceResolver::convertToOutput(unsigned value) {
  const Argument &output = arguments[reference.output];
  const ExprNode &right = tree[statement.right];
  if (isReal(output.type)) {
    toReal(value);
    return llvm::Error::success();
  }
  if (!isIntegerValue(value))
    return failAt(right, "'" + output.name + "' has elements of type " +
                             getName(output.type) +
                             ", the right side is a real number; write " +
                             getName(output.type) + "(...)");
  return llvm::Error::success();
}

llvm::Expected<Reference> ReferenceResolver::resolve(llvm::StringRef text) {
  if (llvm::Error error = resolveLeft(tree[statement.left]))
    return error;
  Result value = resolveValue(statement.right);
  if (!value)
    return value.takeError();
  if (llvm::Error error = convertToOutput(*value))
    return error;

  const ValueNode &root = reference.nodes.back();
  reference.moves =
      root.op == ValueOp::Load && root.type == arguments[reference.output].type;
  llvm::sort(reference.inputs);
  reference.inputs.erase(llvm::unique(reference.inputs),
                         reference.inputs.end());
  reference.text = text.str();
  return std::move(reference);
}

llvm::Expected<Reference> Reference::create(llvm::StringRef text,
                                            llvm::ArrayRef<Argument> arguments,
                                            llvm::ArrayRef<unsigned> ranks) {
  llvm::Expected<ExprStatement> statement = parseStatement(text);
  if (!statement)
    return statement.takeError();
  return ReferenceResolver(*statement, arguments, ranks).resolve(text);
}
