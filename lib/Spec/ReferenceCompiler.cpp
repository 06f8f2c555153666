//===- ReferenceCompiler.cpp - From the value graph to instructions -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each node is computed in the outermost scope that has all its variables: a
// loop of a reduction, the elements of a row, or the row. A scope remembers
// what was computed in it, so nothing is computed twice.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCode.h"
#include "ValueGraph.h"
#include "tilewright/Spec/ReferenceProgram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

namespace {

struct Scope {
  Scope *parent = nullptr;
  /// The variables that get their values in this scope, as a bit set.
  uint64_t bound = 0;
  llvm::SmallDenseMap<unsigned, unsigned> variableRegisters;
  llvm::DenseMap<unsigned, unsigned> nodeRegisters;
  std::vector<Instruction> code;
};

class Emitter {
public:
  explicit Emitter(const ValueGraph &graph) : graph(graph) {}

  unsigned newRegister() { return registerCount++; }
  unsigned getRegisterCount() const { return registerCount; }

  /// Emits what is needed for \p node in \p scope and its parents; returns the
  /// register that holds its value.
  unsigned emit(unsigned node, Scope *scope);

private:
  void emitReduction(const GraphNode &node, unsigned target, Scope *scope);

  const ValueGraph &graph;
  unsigned registerCount = 0;
};

} // namespace

static Opcode getOpcode(ValueOp op) {
  switch (op) {
  case ValueOp::IntegerConstant:
  case ValueOp::RealConstant:
    return Opcode::Constant;
  case ValueOp::Load:
    return Opcode::Load;
  case ValueOp::ToReal:
    return Opcode::ToReal;
  case ValueOp::CheckedIndex:
    return Opcode::CheckedIndex;
  case ValueOp::Cast:
    return Opcode::Cast;
  case ValueOp::Within:
    return Opcode::Within;
  case ValueOp::Negate:
    return Opcode::Negate;
  case ValueOp::Add:
    return Opcode::Add;
  case ValueOp::Subtract:
    return Opcode::Subtract;
  case ValueOp::Multiply:
    return Opcode::Multiply;
  case ValueOp::Divide:
    return Opcode::Divide;
  case ValueOp::Remainder:
    return Opcode::Remainder;
  case ValueOp::CeilDivide:
    return Opcode::CeilDivide;
  case ValueOp::Min:
  case ValueOp::MinOver:
    return Opcode::Min;
  case ValueOp::Max:
  case ValueOp::MaxOver:
    return Opcode::Max;
  case ValueOp::MinNum:
  case ValueOp::MinNumOver:
    return Opcode::MinNum;
  case ValueOp::MaxNum:
  case ValueOp::MaxNumOver:
    return Opcode::MaxNum;
  case ValueOp::Abs:
    return Opcode::Abs;
  case ValueOp::Function:
    return Opcode::Function;
  case ValueOp::Less:
    return Opcode::Less;
  case ValueOp::LessEqual:
    return Opcode::LessEqual;
  case ValueOp::Equal:
    return Opcode::Equal;
  case ValueOp::NotEqual:
    return Opcode::NotEqual;
  case ValueOp::Select:
    return Opcode::Select;
  case ValueOp::SumOver:
    return Opcode::SumStep;
  case ValueOp::Scalar:
  case ValueOp::Index:
    break;
  }
  llvm_unreachable("has no instruction");
}

/// The value of a reduction of no terms, from which the accumulator starts.
static Instruction getStart(const GraphNode &node, unsigned target) {
  Instruction start{Opcode::Constant, node.isInteger};
  start.target = target;
  bool isMin = node.op == ValueOp::MinOver || node.op == ValueOp::MinNumOver;
  bool ignoresNaN =
      node.op == ValueOp::MinNumOver || node.op == ValueOp::MaxNumOver;
  if (node.op == ValueOp::SumOver)
    return start;
  start.integer = isMin ? std::numeric_limits<int64_t>::max()
                        : std::numeric_limits<int64_t>::min();
  start.real = isMin ? HUGE_VAL : -HUGE_VAL;
  // Terms that are all NaN give NaN.
  if (ignoresNaN && node.integer != 0)
    start.real = std::numeric_limits<double>::quiet_NaN();
  return start;
}

void Emitter::emitReduction(const GraphNode &node, unsigned target,
                            Scope *scope) {
  Scope loop;
  loop.parent = scope;
  loop.bound = uint64_t(1) << node.variable;
  unsigned counter = newRegister();
  loop.variableRegisters[node.variable] = counter;
  unsigned term = emit(node.operands[0], &loop);

  Instruction step{getOpcode(node.op), node.isInteger, node.isUncertain};
  step.target = target;
  step.a = term;
  step.b = target;
  step.real = 1 + std::sqrt(static_cast<double>(node.integer));
  loop.code.push_back(step);

  Instruction begin{Opcode::LoopBegin};
  begin.target = counter;
  begin.integer = node.integer;
  begin.jump = loop.code.size() + 2;
  Instruction end = begin;
  end.op = Opcode::LoopEnd;
  end.jump = -static_cast<int>(loop.code.size());

  scope->code.push_back(getStart(node, target));
  scope->code.push_back(begin);
  llvm::append_range(scope->code, loop.code);
  scope->code.push_back(end);
}

unsigned Emitter::emit(unsigned index, Scope *scope) {
  const GraphNode &node = graph[index];
  while (scope->parent && !(scope->bound & node.free))
    scope = scope->parent;
  if (node.op == ValueOp::Index)
    return scope->variableRegisters.lookup(node.variable);
  auto found = scope->nodeRegisters.find(index);
  if (found != scope->nodeRegisters.end())
    return found->second;

  unsigned target;
  if (isReduction(node.op)) {
    target = newRegister();
    emitReduction(node, target, scope);
  } else {
    Instruction instruction{getOpcode(node.op), node.isInteger,
                            node.isUncertain, node.type};
    if (!node.operands.empty())
      instruction.a = emit(node.operands[0], scope);
    if (node.operands.size() > 1)
      instruction.b = emit(node.operands[1], scope);
    if (node.operands.size() > 2)
      instruction.c = emit(node.operands[2], scope);
    if (node.op == ValueOp::Cast || isComparison(node.op))
      instruction.isInteger = graph[node.operands[0]].isInteger;
    instruction.function = node.function;
    instruction.argument = node.argument;
    instruction.integer = node.integer;
    instruction.real = node.real;
    if (node.op == ValueOp::CheckedIndex) {
      instruction.integer = node.range.low;
      instruction.limit = node.range.high;
    }
    target = instruction.target = newRegister();
    scope->code.push_back(instruction);
  }
  scope->nodeRegisters[index] = target;
  return target;
}

double spec::getFlushed(double roundoff) {
  return roundoff == getUnitRoundoff(ElementType::F64)
             ? std::numeric_limits<double>::min()
             : std::numeric_limits<float>::min();
}

/// Instructions that one run of \p code executes.
static double countWork(llvm::ArrayRef<Instruction> code) {
  double work = 0;
  double trips = 1;
  llvm::SmallVector<double> outerTrips;
  for (const Instruction &instruction : code) {
    if (instruction.op == Opcode::LoopBegin) {
      outerTrips.push_back(trips);
      trips *= static_cast<double>(instruction.integer);
    } else if (instruction.op == Opcode::LoopEnd) {
      trips = outerTrips.pop_back_val();
    }
    work += trips;
  }
  return work;
}

llvm::Expected<ReferenceProgram>
ReferenceProgram::compile(const KernelSpec &spec, const Reference &reference,
                          const Binding &binding) {
  llvm::Expected<ValueGraph> graph =
      ValueGraph::build(spec, reference, binding);
  if (!graph)
    return graph.takeError();

  auto code = std::make_shared<ReferenceCode>();
  code->output = reference.getOutput();
  code->outputType = spec.getArguments()[code->output].type;
  code->extents = binding.extents[code->output];
  code->elementCount = binding.getElementCount(code->output);
  code->movesElements = reference.movesElements();
  code->roundoff = graph->getRoundoff();

  Emitter emitter(*graph);
  Scope row;
  Scope element;
  element.parent = &row;
  unsigned rank = code->extents.size();
  for (unsigned axis = 0; axis < rank; ++axis) {
    unsigned target = emitter.newRegister();
    code->indexRegisters.push_back(target);
    Scope &scope = axis + 1 == rank ? element : row;
    scope.bound |= uint64_t(1) << axis;
    scope.variableRegisters[axis] = target;
    if (&scope == &row)
      code->rowRegisters.push_back(target);
  }
  code->result = emitter.emit(graph->getRoot(), &element);
  for (auto [node, target] : row.nodeRegisters)
    code->rowRegisters.push_back(target);
  code->registerCount = emitter.getRegisterCount();
  code->rowWork = countWork(row.code);
  code->elementWork = countWork(element.code) + 1;
  code->rowCode = std::move(row.code);
  code->elementCode = std::move(element.code);
  return ReferenceProgram(std::move(code));
}

unsigned ReferenceProgram::getOutput() const { return code->output; }
ElementType ReferenceProgram::getOutputType() const { return code->outputType; }
llvm::ArrayRef<int64_t> ReferenceProgram::getExtents() const {
  return code->extents;
}
uint64_t ReferenceProgram::getElementCount() const {
  return code->elementCount;
}
uint64_t ReferenceProgram::getRowLength() const { return code->getRowLength(); }
bool ReferenceProgram::movesElements() const { return code->movesElements; }
double ReferenceProgram::getRoundoff() const { return code->roundoff; }
double ReferenceProgram::getElementWork() const { return code->elementWork; }
double ReferenceProgram::getRowWork() const { return code->rowWork; }
