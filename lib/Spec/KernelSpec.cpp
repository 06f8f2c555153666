//===- KernelSpec.cpp - What a kernel takes and computes ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/KernelSpec.h"
#include "CheckedInt.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::spec;

uint64_t Binding::getElementCount(unsigned argument) const {
  uint64_t count = 1;
  if (llvm::is_contained(extents[argument], 0))
    return 0;
  for (int64_t extent : extents[argument])
    count *= extent;
  return count;
}

std::optional<unsigned>
KernelSpec::findArgument(llvm::StringRef argument) const {
  for (auto [index, candidate] : llvm::enumerate(arguments))
    if (candidate.name == argument)
      return index;
  return std::nullopt;
}

static llvm::Error verifyArguments(llvm::ArrayRef<Argument> arguments) {
  llvm::StringSet<> names;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto fail = [&, index = index](const llvm::Twine &message) {
      return inField(makeSpecError(message), SpecField::Argument, index);
    };
    if (argument.name.empty())
      return fail("argument " + llvm::Twine(index) + " has no name");
    if (!names.insert(argument.name).second)
      return fail("two arguments are named '" + argument.name + "'");
    if (!llvm::isPowerOf2_32(argument.divisibility))
      return fail("the divisibility of '" + argument.name + "' is " +
                  llvm::Twine(argument.divisibility) +
                  "; it must be a power of two");
    if (argument.divisibility > 1 && !argument.hasDivisibility())
      return fail("'" + argument.name + "' is a " + getName(argument.type) +
                  "; only integers and pointers have a divisibility");
  }
  return llvm::Error::success();
}

/// The names of integer expressions must be integer scalars.
template <typename Expr>
static llvm::Error verifyNames(const Expr &expr, const KernelSpec &spec) {
  return expr.visitNames([&](llvm::StringRef name,
                             unsigned column) -> llvm::Error {
    std::optional<unsigned> index = spec.findArgument(name);
    if (!index)
      return makeSpecError("'" + name + "' is no argument of the kernel",
                           column);
    const Argument &argument = spec.getArguments()[*index];
    if (argument.isPointer())
      return makeSpecError("'" + name + "' is a pointer; an integer is needed",
                           column);
    if (isReal(argument.type))
      return makeSpecError("'" + name + "' is a " + getName(argument.type) +
                               "; an integer is needed",
                           column);
    return llvm::Error::success();
  });
}

llvm::Error KernelSpec::addShape(llvm::StringRef text) {
  llvm::Expected<TensorShape> parsed = TensorShape::parse(text);
  if (!parsed)
    return parsed.takeError();
  TensorShape &shape = *parsed;
  unsigned column = text.find(shape.name) + 1;
  std::optional<unsigned> argument = findArgument(shape.name);
  if (!argument)
    return makeSpecError("'" + shape.name + "' is no argument of the kernel",
                         column);
  if (!arguments[*argument].isPointer())
    return makeSpecError("'" + shape.name + "' is no pointer", column);
  if (shapeOfArgument[*argument] != noShape)
    return makeSpecError("'" + shape.name + "' already has a shape", column);
  for (const IntExpr &extent : shape.extents)
    if (llvm::Error error = verifyNames(extent, *this))
      return error;
  if (shape.range) {
    if (llvm::Error error = verifyNames(*shape.range, *this))
      return error;
    if (llvm::Error error = shape.range->verify(arguments[*argument].type))
      return error;
  }
  shapeOfArgument[*argument] = shapes.size();
  shapes.push_back(std::move(shape));
  return llvm::Error::success();
}

llvm::Error KernelSpec::addGridAxis(llvm::StringRef text) {
  llvm::Expected<IntExpr> blocks = IntExpr::parse(text);
  if (!blocks)
    return blocks.takeError();
  if (llvm::Error error = verifyNames(*blocks, *this))
    return error;
  grid.push_back(std::move(*blocks));
  return llvm::Error::success();
}

llvm::Error KernelSpec::addReference(llvm::StringRef text) {
  llvm::SmallVector<unsigned> ranks;
  for (unsigned shape : shapeOfArgument)
    ranks.push_back(shape == noShape ? 0 : shapes[shape].extents.size());
  llvm::Expected<Reference> reference =
      Reference::create(text, arguments, ranks);
  if (!reference)
    return reference.takeError();
  for (const Reference &other : references)
    if (other.getOutput() == reference->getOutput())
      return makeSpecError("'" + arguments[other.getOutput()].name +
                               "' already has a reference",
                           1);
  references.push_back(std::move(*reference));
  return llvm::Error::success();
}

llvm::Expected<KernelSpec>
KernelSpec::create(const KernelDescription &description) {
  if (llvm::Error error = verifyArguments(description.arguments))
    return error;
  KernelSpec spec;
  spec.name = description.name;
  spec.arguments = description.arguments;
  spec.shapeOfArgument.assign(spec.arguments.size(), noShape);

  for (auto [ordinal, text] : llvm::enumerate(description.shapes))
    if (llvm::Error error = spec.addShape(text))
      return inField(std::move(error), SpecField::Shape, ordinal, text);
  for (auto [index, argument] : llvm::enumerate(spec.arguments))
    if (argument.isPointer() && spec.shapeOfArgument[index] == noShape)
      return inField(makeSpecError("the pointer '" + argument.name +
                                   "' has no shape; give one such as '" +
                                   argument.name + "[M, N]'"),
                     SpecField::Argument, index);

  if (description.grid.empty())
    return inField(makeSpecError("the kernel has no grid; give one such as "
                                 "grid [\"ceildiv(N, 128)\"]"),
                   SpecField::Grid);
  if (description.grid.size() > 3)
    return inField(makeSpecError("a grid has one to three axes, not " +
                                 llvm::Twine(description.grid.size())),
                   SpecField::Grid);
  for (auto [ordinal, text] : llvm::enumerate(description.grid))
    if (llvm::Error error = spec.addGridAxis(text))
      return inField(std::move(error), SpecField::Grid, ordinal, text);
  for (auto [ordinal, text] : llvm::enumerate(description.references))
    if (llvm::Error error = spec.addReference(text))
      return inField(std::move(error), SpecField::Reference, ordinal, text);
  return spec;
}

llvm::Error KernelSpec::bindShape(unsigned index, const IntScope &scope,
                                  Binding &binding) const {
  const TensorShape &shape = getShape(index);
  ElementType type = arguments[index].type;
  llvm::Expected<llvm::SmallVector<int64_t>> extents = shape.evaluate(scope);
  if (!extents)
    return extents.takeError();
  binding.extents[index] = std::move(*extents);
  uint64_t elements = binding.getElementCount(index);
  if (!applyChecked(CheckedIntOp::Multiply, elements, getByteSize(type)))
    return makeSpecError("'" + shape.name + "' has 2^63 bytes or more");

  // A tensor without elements may have any range, an empty one too.
  if (!shape.range || elements == 0)
    return llvm::Error::success();
  llvm::Expected<ElementRange> range = shape.range->evaluate(scope, type);
  if (!range)
    return range.takeError();
  if (range->isEmpty())
    return makeSpecError("the range '" + shape.range->getText() + "' of '" +
                             shape.name +
                             "' holds no number, but the tensor has " +
                             llvm::Twine(elements) + " elements",
                         shape.range->getColumn());
  binding.ranges[index] = *range;
  return llvm::Error::success();
}

llvm::Expected<Binding> KernelSpec::bind(const ScalarValues &scalars) const {
  if (scalars.size() != arguments.size())
    return makeSpecError("'" + name + "' has " + llvm::Twine(arguments.size()) +
                         " arguments; the scalars are those of a kernel with " +
                         llvm::Twine(scalars.size()));
  IntScope scope;
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (!argument.isPointer() && isInteger(argument.type))
      scope[argument.name] =
          decodeInteger(argument.type, scalars.getBits(index));

  Binding binding;
  binding.scalars = scalars;
  binding.extents.resize(arguments.size());
  binding.ranges.resize(arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.isPointer())
      if (llvm::Error error = bindShape(index, scope, binding))
        return inField(std::move(error), SpecField::Shape,
                       shapeOfArgument[index], getShape(index).text);

  for (auto [axis, expr] : llvm::enumerate(grid)) {
    llvm::Expected<int64_t> blocks = expr.evaluate(scope);
    if (!blocks)
      return inField(blocks.takeError(), SpecField::Grid, axis,
                     expr.getSource());
    if (*blocks < 0)
      return inField(makeSpecError("'" + expr.getText() + "' is " +
                                       llvm::Twine(*blocks) +
                                       "; a grid has 0 or more blocks",
                                   expr.getColumn()),
                     SpecField::Grid, axis, expr.getSource());
    binding.grid[axis] = *blocks;
  }
  return binding;
}
