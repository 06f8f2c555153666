//===- ReferenceResolver.cpp - From syntax to typed operations ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/Reference.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilewright;
using namespace tilewright::spec;

namespace tilewright::spec {

/// Gives every name of a reference its meaning and every node its kind, integer
/// or real.
class ReferenceResolver {
public:
  ReferenceResolver(const ExprStatement &statement,
                    llvm::ArrayRef<Argument> arguments,
                    llvm::ArrayRef<unsigned> ranks)
      : statement(statement), tree(*statement.tree), arguments(arguments),
        ranks(ranks) {}

  llvm::Expected<Reference> resolve(llvm::StringRef text);

private:
  using Result = llvm::Expected<unsigned>;

  /// A name that stands for an index, while its reduction is being resolved.
  struct Binder {
    unsigned variable;
    bool isLeft;
    llvm::SmallVector<RangeSource, 2> ranges;
  };

  llvm::Error resolveLeft(const ExprNode &left);
  llvm::Error convertToOutput(unsigned value);

  Result resolveValue(unsigned index);
  Result resolveName(const ExprNode &node);
  Result resolveElement(const ExprNode &node);
  Result resolveIndex(unsigned index);
  Result resolveNegate(const ExprNode &node);
  Result resolveCall(const ExprNode &node);
  Result resolveReduction(const ExprNode &node, ValueOp op);
  Result resolveCast(const ExprNode &node, ElementType type);
  Result resolveRealFunction(const ExprNode &node, ValueOp op);
  Result resolveFold(const ExprNode &node, ValueOp op);

  std::optional<unsigned> findArgument(llvm::StringRef name) const;
  Binder *findBinder(llvm::StringRef name);
  llvm::Expected<unsigned> addVariable(const ExprNode &node);
  unsigned add(ValueNode node);
  unsigned toReal(unsigned value);
  Result addBinary(ValueOp op, unsigned left, unsigned right, unsigned column);

  bool isIntegerValue(unsigned value) const {
    return reference.nodes[value].isInteger;
  }

  const ExprStatement &statement;
  const ExprTree &tree;
  llvm::ArrayRef<Argument> arguments;
  llvm::ArrayRef<unsigned> ranks;
  Reference reference;
  std::vector<Binder> binders;
};

} // namespace tilewright::spec

static llvm::Error failAt(const ExprNode &node, const llvm::Twine &message) {
  return makeSpecError(message, node.getColumn());
}

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
  if (!arguments[*output].isPointer)
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
  if (!argument)
    return failAt(node, "'" + node.name +
                            "' is neither an argument of the kernel nor an "
                            "index");
  ElementType type = arguments[*argument].type;
  if (arguments[*argument].isPointer)
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
  if (!arguments[*argument].isPointer)
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

/// An index must be an integer whose range can be bounded: no elements, no
/// reductions, no casts.
ReferenceResolver::Result ReferenceResolver::resolveIndex(unsigned index) {
  const ExprNode &node = tree[index];
  // min and max are binary here, whatever their first operand.
  bool isIndexCall = node.kind == ExprKind::Call &&
                     llvm::StringSwitch<bool>(node.name)
                         .Case("ceildiv", node.operands.size() == 2)
                         .Cases({"min", "max"}, node.operands.size() >= 2)
                         .Default(false);
  if (node.kind == ExprKind::Real || node.kind == ExprKind::Element ||
      (node.kind == ExprKind::Call && !isIndexCall))
    return failAt(node, "'" + tree.getText(node) +
                            "' cannot be part of an index; indices are made of "
                            "index names, integer scalars, + - * / %, ceildiv, "
                            "min and max");
  if (node.kind == ExprKind::Integer)
    return resolveValue(index);
  if (node.kind == ExprKind::Name) {
    Result value = resolveName(node);
    if (value && !isIntegerValue(*value))
      return failAt(node, "'" + node.name + "' is no integer");
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

namespace {
/// A function of the notation. \p reduction: the reduction of the same name.
struct Function {
  ValueOp op;
  std::optional<ValueOp> reduction;
  unsigned minOperands;
  unsigned maxOperands;
};
} // namespace

static std::optional<Function> findFunction(llvm::StringRef name) {
  using F = Function;
  return llvm::StringSwitch<std::optional<Function>>(name)
      .Case("exp", F{ValueOp::Exp, std::nullopt, 1, 1})
      .Case("log", F{ValueOp::Log, std::nullopt, 1, 1})
      .Case("sqrt", F{ValueOp::Sqrt, std::nullopt, 1, 1})
      .Case("abs", F{ValueOp::Abs, std::nullopt, 1, 1})
      .Case("tanh", F{ValueOp::Tanh, std::nullopt, 1, 1})
      .Case("tf32", F{ValueOp::TF32, std::nullopt, 1, 1})
      .Case("ceildiv", F{ValueOp::CeilDivide, std::nullopt, 2, 2})
      .Case("min", F{ValueOp::Min, ValueOp::MinOver, 2, ~0u})
      .Case("max", F{ValueOp::Max, ValueOp::MaxOver, 2, ~0u})
      .Case("minnum", F{ValueOp::MinNum, ValueOp::MinNumOver, 2, ~0u})
      .Case("maxnum", F{ValueOp::MaxNum, ValueOp::MaxNumOver, 2, ~0u})
      .Default(std::nullopt);
}

ReferenceResolver::Result ReferenceResolver::resolveCall(const ExprNode &node) {
  if (std::optional<ElementType> type = parseElementType(node.name))
    return resolveCast(node, *type);
  if (node.name == "sum")
    return resolveReduction(node, ValueOp::SumOver);

  std::optional<Function> function = findFunction(node.name);
  if (!function)
    return failAt(node, "'" + node.name +
                            "' is no function; there are abs, ceildiv, exp, "
                            "log, max, maxnum, min, minnum, sqrt, sum, tanh, "
                            "tf32 and casts such as f16(x)");
  if (node.operands.size() < function->minOperands ||
      node.operands.size() > function->maxOperands)
    return failAt(node, "'" + node.name + "' takes " +
                            (function->maxOperands == 1   ? "one operand"
                             : function->maxOperands == 2 ? "two operands"
                                                          : "two operands or "
                                                            "more"));
  if (function->reduction && node.operands.size() == 2 &&
      tree[node.operands[0]].kind == ExprKind::Name &&
      !findArgument(tree[node.operands[0]].name))
    return resolveReduction(node, *function->reduction);
  return function->maxOperands == 1 ? resolveRealFunction(node, function->op)
                                    : resolveFold(node, function->op);
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
ReferenceResolver::resolveRealFunction(const ExprNode &node, ValueOp op) {
  Result operand = resolveValue(node.operands[0]);
  if (!operand)
    return operand;
  // The absolute value of an integer is one; the others give real numbers.
  bool integers = op == ValueOp::Abs && isIntegerValue(*operand);
  ValueNode value{op, integers, node.getColumn()};
  value.operands = {integers ? *operand : toReal(*operand)};
  return add(std::move(value));
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
