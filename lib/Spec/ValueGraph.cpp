//===- ValueGraph.cpp - A reference with its sizes known ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueGraph.h"
#include "IndexRange.h"
#include "MathFunctions.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::spec;

unsigned ValueGraph::add(GraphNode node) {
  Key key(node.op, node.isInteger, node.isUncertain, node.type, node.argument,
          node.variable, node.integer, llvm::bit_cast<uint64_t>(node.real),
          node.function, node.operands);
  auto [found, isNew] = known.try_emplace(std::move(key), nodes.size());
  if (!isNew)
    return found->second;
  for (unsigned operand : node.operands)
    node.free |= nodes[operand].free;
  if (node.op == ValueOp::Index)
    node.free = uint64_t(1) << node.variable;
  if (isReduction(node.op))
    node.free &= ~(uint64_t(1) << node.variable);
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

namespace tilewright::spec {

class ValueGraphBuilder {
public:
  ValueGraphBuilder(const KernelSpec &spec, const Reference &reference,
                    const Binding &binding)
      : spec(spec), reference(reference), binding(binding),
        variableRanges(reference.getVariables().size()) {}

  llvm::Expected<ValueGraph> build();

private:
  using Result = llvm::Expected<unsigned>;

  /// An index expression: its node and the values it takes.
  struct Index {
    unsigned node;
    IndexRange range;
    /// A tensor in it whose shape gives no range.
    std::optional<unsigned> unbounded = std::nullopt;
  };

  Result buildValue(unsigned node);
  Result buildLoad(const ValueNode &node);
  Result buildReduction(const ValueNode &node);
  llvm::Expected<Index> buildIndex(unsigned node);
  llvm::Expected<Index> buildElementIndex(const ValueNode &node);
  llvm::Error checkIndex(const Index &index, const ValueNode &load,
                         unsigned axis) const;
  llvm::Expected<int64_t> getExtent(const ValueNode &reduction);
  unsigned addInteger(int64_t value);
  unsigned addScalar(const ValueNode &node);
  bool isUncertain(const GraphNode &node) const;
  double chooseRoundoff() const;

  const ValueNode &get(unsigned node) const {
    return reference.getNodes()[node];
  }

  const KernelSpec &spec;
  const Reference &reference;
  const Binding &binding;
  ValueGraph graph;
  std::vector<IndexRange> variableRanges;
};

} // namespace tilewright::spec

unsigned ValueGraphBuilder::addInteger(int64_t value) {
  GraphNode node{ValueOp::IntegerConstant, true};
  node.integer = value;
  return graph.add(std::move(node));
}

unsigned ValueGraphBuilder::addScalar(const ValueNode &node) {
  uint64_t bits = binding.scalars.getBits(node.argument);
  if (node.isInteger)
    return addInteger(decodeInteger(node.type, bits));
  GraphNode constant{ValueOp::RealConstant};
  constant.real = decodeReal(node.type, bits);
  return graph.add(std::move(constant));
}

/// f64 only where nothing narrower takes part: else the kernel may compute in
/// f32.
double ValueGraphBuilder::chooseRoundoff() const {
  auto isNarrow = [&](unsigned argument) {
    ElementType type = spec.getArguments()[argument].type;
    return isReal(type) && type != ElementType::F64;
  };
  bool narrow = isNarrow(reference.getOutput()) ||
                llvm::any_of(reference.getInputs(), isNarrow);
  for (const ValueNode &node : reference.getNodes())
    narrow |= node.op == ValueOp::Scalar && isNarrow(node.argument);
  return getUnitRoundoff(narrow ? ElementType::F32 : ElementType::F64);
}

bool ValueGraphBuilder::isUncertain(const GraphNode &node) const {
  auto isExact = [&](unsigned operand) { return !graph[operand].isUncertain; };
  bool exactOperands = llvm::all_of(node.operands, isExact);
  switch (node.op) {
  case ValueOp::IntegerConstant:
  case ValueOp::Scalar:
  case ValueOp::Index:
    return false;
  case ValueOp::Load: // At an index that is not in its range, nothing is known.
    return !exactOperands;
  case ValueOp::CheckedIndex:
  case ValueOp::Within:
    return true;
  case ValueOp::RealConstant:
    // 0.1 in the kernel is not the 0.1 of the reference.
    return graph.getRoundoff() > getUnitRoundoff(ElementType::F64) &&
           std::isfinite(node.real) &&
           static_cast<float>(node.real) != node.real;
  case ValueOp::ToReal: {
    const GraphNode &operand = graph[node.operands[0]];
    double largestExact = 1 / graph.getRoundoff();
    bool isSmall =
        (operand.op == ValueOp::IntegerConstant &&
         std::fabs(static_cast<double>(operand.integer)) <= largestExact) ||
        (operand.op == ValueOp::Load && getByteSize(operand.type) <= 2);
    return !isSmall;
  }
  case ValueOp::Cast:
  case ValueOp::Remainder:
  case ValueOp::CeilDivide:
  case ValueOp::Negate:
  case ValueOp::Abs:
  case ValueOp::Less:
  case ValueOp::LessEqual:
  case ValueOp::Equal:
  case ValueOp::NotEqual:
  case ValueOp::Select:
  case ValueOp::Min:
  case ValueOp::Max:
  case ValueOp::MinNum:
  case ValueOp::MaxNum:
  case ValueOp::MinOver:
  case ValueOp::MaxOver:
  case ValueOp::MinNumOver:
  case ValueOp::MaxNumOver:
    return !exactOperands;
  case ValueOp::Add:
  case ValueOp::Subtract:
  case ValueOp::Multiply:
  case ValueOp::Divide:
  case ValueOp::SumOver:
    return !node.isInteger || !exactOperands;
  case ValueOp::Function:
    return !node.function->isExact() || !exactOperands;
  }
  llvm_unreachable("not an operation");
}

ValueGraphBuilder::Result ValueGraphBuilder::buildValue(unsigned index) {
  const ValueNode &node = get(index);
  if (node.op == ValueOp::Scalar)
    return addScalar(node);
  if (node.op == ValueOp::Load)
    return buildLoad(node);
  if (isReduction(node.op))
    return buildReduction(node);

  GraphNode result{node.op, node.isInteger};
  result.integer = node.integer;
  result.real = node.real;
  result.function = node.function;
  if (node.op == ValueOp::Cast || node.op == ValueOp::Within)
    result.type = node.type;
  if (node.op == ValueOp::Index)
    result.variable = node.variable;
  for (unsigned operand : node.operands) {
    Result value = buildValue(operand);
    if (!value)
      return value;
    result.operands.push_back(*value);
  }
  result.isUncertain = isUncertain(result);
  return graph.add(std::move(result));
}

llvm::Error ValueGraphBuilder::checkIndex(const Index &index,
                                          const ValueNode &load,
                                          unsigned axis) const {
  int64_t extent = binding.extents[load.argument][axis];
  if (index.range.isWithin(extent))
    return llvm::Error::success();
  std::string hint;
  if (index.unbounded) {
    const TensorShape &shape = spec.getShape(*index.unbounded);
    const TensorShape &indexed = spec.getShape(load.argument);
    hint = "; say in its shape which numbers '" + shape.name +
           "' holds, such as \"" + shape.text + " in 0 .. " +
           indexed.extents[axis].getText().str() + " - 1\"";
  }
  return makeSpecError(
      "index " + llvm::Twine(axis) + " of '" +
          spec.getArguments()[load.argument].name + "' ranges over [" +
          llvm::Twine(index.range.low) + ", " + llvm::Twine(index.range.high) +
          "], outside its extent " + llvm::Twine(extent) + hint,
      get(load.operands[axis]).column);
}

/// The element's offset is the sum of index * stride, outermost first, so that
/// the part that is constant in a loop can leave it.
ValueGraphBuilder::Result ValueGraphBuilder::buildLoad(const ValueNode &node) {
  llvm::ArrayRef<int64_t> extents = binding.extents[node.argument];
  // Nothing of an empty tensor is read, and its extents may be of any size.
  llvm::SmallVector<int64_t> strides(extents.size(), 1);
  if (!llvm::is_contained(extents, 0))
    for (size_t axis = extents.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * extents[axis];

  std::optional<unsigned> offset;
  for (auto [axis, operand] : llvm::enumerate(node.operands)) {
    llvm::Expected<Index> index = buildIndex(operand);
    if (!index)
      return index.takeError();
    if (llvm::Error error = checkIndex(*index, node, axis))
      return error;
    unsigned term = index->node;
    if (strides[axis] != 1) {
      GraphNode product{ValueOp::Multiply, true};
      product.operands = {term, addInteger(strides[axis])};
      product.isUncertain = isUncertain(product);
      term = graph.add(std::move(product));
    }
    if (offset) {
      GraphNode sum{ValueOp::Add, true};
      sum.operands = {*offset, term};
      sum.isUncertain = isUncertain(sum);
      term = graph.add(std::move(sum));
    }
    offset = term;
  }
  GraphNode load{ValueOp::Load, node.isInteger};
  load.type = node.type;
  load.argument = node.argument;
  load.operands = {offset ? *offset : addInteger(0)};
  load.isUncertain = isUncertain(load);
  return graph.add(std::move(load));
}

llvm::Expected<int64_t>
ValueGraphBuilder::getExtent(const ValueNode &reduction) {
  auto describe = [&](const RangeSource &source) {
    return "axis " + llvm::Twine(source.axis).str() + " of '" +
           spec.getArguments()[source.argument].name + "' (extent " +
           llvm::Twine(binding.extents[source.argument][source.axis]).str() +
           ")";
  };
  const RangeSource &first = reduction.ranges.front();
  int64_t extent = binding.extents[first.argument][first.axis];
  for (const RangeSource &source : reduction.ranges)
    if (binding.extents[source.argument][source.axis] != extent)
      return makeSpecError("'" + reference.getVariables()[reduction.variable] +
                               "' ranges over " + describe(first) +
                               " and over " + describe(source) +
                               "; the extents must agree",
                           reduction.column);
  return extent;
}

ValueGraphBuilder::Result
ValueGraphBuilder::buildReduction(const ValueNode &node) {
  llvm::Expected<int64_t> extent = getExtent(node);
  if (!extent)
    return extent.takeError();
  IndexRange outer = variableRanges[node.variable];
  variableRanges[node.variable] = IndexRange::ofExtent(*extent);
  Result body = buildValue(node.operands[0]);
  variableRanges[node.variable] = outer;
  if (!body)
    return body;
  GraphNode result{node.op, node.isInteger};
  result.variable = node.variable;
  result.integer = *extent;
  result.operands = {*body};
  result.isUncertain = isUncertain(result);
  return graph.add(std::move(result));
}

/// The range of the numbers of an integer type in memory.
static IndexRange getRangeOf(ElementType type) {
  if (type == ElementType::I1)
    return {0, 1};
  unsigned width = 8 * getByteSize(type);
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

llvm::Expected<ValueGraphBuilder::Index>
ValueGraphBuilder::buildElementIndex(const ValueNode &node) {
  Result load = buildLoad(node);
  if (!load)
    return load.takeError();
  const std::optional<ElementRange> &range = binding.ranges[node.argument];
  if (!range) {
    // Nothing of an empty tensor is read.
    bool isEmpty = binding.getElementCount(node.argument) == 0;
    return Index{*load, isEmpty ? IndexRange() : getRangeOf(node.type),
                 node.argument};
  }
  GraphNode checked{ValueOp::CheckedIndex, true};
  checked.range = *range;
  checked.operands = {*load};
  checked.isUncertain = isUncertain(checked);
  return Index{graph.add(std::move(checked)), {range->low, range->high}};
}

llvm::Expected<ValueGraphBuilder::Index>
ValueGraphBuilder::buildIndex(unsigned index) {
  const ValueNode &node = get(index);
  if (node.op == ValueOp::Load)
    return buildElementIndex(node);
  if (node.op == ValueOp::IntegerConstant || node.op == ValueOp::Scalar) {
    int64_t value = node.integer;
    if (node.op == ValueOp::Scalar)
      value = decodeInteger(node.type, binding.scalars.getBits(node.argument));
    return Index{addInteger(value), {value, value}};
  }
  if (node.op == ValueOp::Index) {
    GraphNode result{ValueOp::Index, true};
    result.variable = node.variable;
    return Index{graph.add(std::move(result)), variableRanges[node.variable]};
  }

  GraphNode result{node.op, true};
  llvm::SmallVector<IndexRange, 2> ranges;
  std::optional<unsigned> unbounded;
  for (unsigned operand : node.operands) {
    llvm::Expected<Index> value = buildIndex(operand);
    if (!value)
      return value;
    result.operands.push_back(value->node);
    ranges.push_back(value->range);
    if (value->unbounded)
      unbounded = value->unbounded;
  }
  llvm::Expected<IndexRange> range = applyToRanges(node.op, ranges);
  if (!range)
    return makeSpecError(llvm::toString(range.takeError()), node.column);
  result.isUncertain = isUncertain(result);
  return Index{graph.add(std::move(result)), *range, unbounded};
}

llvm::Expected<ValueGraph> ValueGraphBuilder::build() {
  graph.roundoff = chooseRoundoff();
  for (auto [variable, extent] :
       llvm::enumerate(binding.extents[reference.getOutput()]))
    variableRanges[variable] = IndexRange::ofExtent(extent);
  Result root = buildValue(reference.getNodes().size() - 1);
  if (!root)
    return root.takeError();
  graph.root = *root;
  return std::move(graph);
}

llvm::Expected<ValueGraph> ValueGraph::build(const KernelSpec &spec,
                                             const Reference &reference,
                                             const Binding &binding) {
  return ValueGraphBuilder(spec, reference, binding).build();
}
