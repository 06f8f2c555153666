//===- TensorShape.cpp - The tensor behind a pointer ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/TensorShape.h"
#include "CheckedInt.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::spec;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The value of a literal real number, with its sign; nothing for anything
/// else.
static std::optional<double> getRealLiteral(const ExprTree &tree,
                                            unsigned index) {
  const ExprNode &node = tree[index];
  if (node.kind == ExprKind::Real)
    return node.real;
  if (node.kind != ExprKind::Negate)
    return std::nullopt;
  std::optional<double> value = getRealLiteral(tree, node.operands[0]);
  return value ? std::optional<double>(-*value) : std::nullopt;
}

llvm::Expected<ValueRange::End> ValueRange::makeEnd(const ExprTreeRef &tree,
                                                    unsigned node) {
  End end;
  end.column = (*tree)[node].getColumn();
  if (std::optional<double> value = getRealLiteral(*tree, node)) {
    end.real = *value;
    return end;
  }
  llvm::Expected<IntExpr> integer = IntExpr::fromNode(tree, node);
  if (!integer)
    return integer.takeError();
  end.integer = std::move(*integer);
  return end;
}

llvm::Expected<ValueRange> ValueRange::fromNodes(const ExprTreeRef &tree,
                                                 unsigned low, unsigned high) {
  ValueRange range;
  for (auto [end, node] :
       {std::pair(&range.low, low), std::pair(&range.high, high)}) {
    llvm::Expected<End> made = makeEnd(tree, node);
    if (!made)
      return made.takeError();
    *end = std::move(*made);
  }
  range.text =
      (tree->getText((*tree)[low]) + " .. " + tree->getText((*tree)[high]))
          .str();
  return range;
}

llvm::Error ValueRange::verify(ElementType type) const {
  for (const End *end : {&low, &high})
    if (isInteger(type) && !end->integer)
      return makeSpecError("the tensor holds integers (" + getName(type) +
                               "): an end of its range is one too",
                           end->column);
  return llvm::Error::success();
}

/// Whether an integer is one of \p type, of either sign.
static bool fitsInteger(ElementType type, int64_t value) {
  if (type == ElementType::I1)
    return value == 0 || value == 1;
  return llvm::isIntN(8 * getByteSize(type), value);
}

llvm::Error ValueRange::evaluateEnd(const End &end, const IntScope &scope,
                                    ElementType type, int64_t &integer,
                                    double &real) {
  real = end.real;
  if (end.integer) {
    llvm::Expected<int64_t> value = end.integer->evaluate(scope);
    if (!value)
      return value.takeError();
    integer = *value;
    real = static_cast<double>(*value);
  }
  auto doesNotFit = [&](const llvm::Twine &value) {
    return makeSpecError("the end " + value + " of the range does not fit " +
                             getName(type),
                         end.column);
  };
  if (isInteger(type))
    return fitsInteger(type, integer) ? llvm::Error::success()
                                      : doesNotFit(llvm::Twine(integer));
  if (std::fabs(real) > getLargestFinite(type))
    return doesNotFit(
        formatElement(ElementType::F32, encodeReal(ElementType::F32, real)));
  real = decodeReal(type, encodeReal(type, real));
  return llvm::Error::success();
}

llvm::Expected<ElementRange> ValueRange::evaluate(const IntScope &scope,
                                                  ElementType type) const {
  ElementRange range;
  if (llvm::Error error =
          evaluateEnd(low, scope, type, range.low, range.realLow))
    return error;
  if (llvm::Error error =
          evaluateEnd(high, scope, type, range.high, range.realHigh))
    return error;
  if (isReal(type))
    range.low = range.high = 0;
  return range;
}

llvm::Error ValueRange::visitNames(
    llvm::function_ref<llvm::Error(llvm::StringRef, unsigned)> visit) const {
  for (const End *end : {&low, &high})
    if (end->integer)
      if (llvm::Error error = end->integer->visitNames(visit))
        return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

llvm::Expected<TensorShape> TensorShape::parse(llvm::StringRef text) {
  llvm::Expected<ExprShape> expected = parseShape(text);
  if (!expected)
    return expected.takeError();
  const ExprShape &parsed = *expected;
  const ExprNode &element = (*parsed.tree)[parsed.element];
  TensorShape shape;
  shape.name = element.name;
  shape.text = text.str();
  for (unsigned operand : element.operands) {
    llvm::Expected<IntExpr> extent = IntExpr::fromNode(parsed.tree, operand);
    if (!extent)
      return extent.takeError();
    shape.extents.push_back(std::move(*extent));
  }
  if (parsed.range) {
    llvm::Expected<ValueRange> range = ValueRange::fromNodes(
        parsed.tree, parsed.range->first, parsed.range->second);
    if (!range)
      return range.takeError();
    shape.range = std::move(*range);
  }
  return shape;
}

llvm::Expected<llvm::SmallVector<int64_t>>
TensorShape::evaluate(const IntScope &scope) const {
  llvm::SmallVector<int64_t> values;
  for (const IntExpr &extent : extents) {
    llvm::Expected<int64_t> value = extent.evaluate(scope);
    if (!value)
      return value.takeError();
    if (*value < 0)
      return makeSpecError("the extent '" + extent.getText() + "' of '" + name +
                               "' is " + llvm::Twine(*value) +
                               "; extents are 0 or more",
                           extent.getColumn());
    values.push_back(*value);
  }
  // An empty tensor may have any other extents.
  if (llvm::is_contained(values, 0))
    return values;
  int64_t elements = 1;
  for (auto [value, extent] : llvm::zip_equal(values, extents)) {
    std::optional<int64_t> product =
        applyChecked(CheckedIntOp::Multiply, elements, value);
    if (!product)
      return makeSpecError("'" + name + "' has 2^63 elements or more",
                           extent.getColumn());
    elements = *product;
  }
  return values;
}
