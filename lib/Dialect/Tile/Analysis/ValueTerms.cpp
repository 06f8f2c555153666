//===- ValueTerms.cpp - Values that are computed alike ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueTerms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright::tile;

/// A number for what a value is made of, in a way that has a name.
class ValueTerms::Builder {
public:
  Builder(ValueTerms &terms, Value value) : terms(terms) {
    add(value.getType().getAsOpaquePointer());
  }

  void add(const void *pointer) {
    key.push_back(reinterpret_cast<uintptr_t>(pointer));
  }
  void add(Value part) {
    const ValueTerm &of = terms.get(part);
    key.push_back(of.number);
    for (unsigned counter : of.counters)
      addCounter(counter);
  }
  void addNumber(unsigned number) { key.push_back(number); }
  void addCounter(unsigned counter) {
    if (!llvm::is_contained(term.counters, counter))
      term.counters.push_back(counter);
  }
  /// It may differ from round to round of all loops around.
  void addRounds(Operation *op) {
    for (; op; op = op->getParentOp())
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        if (std::optional<Value> counter = loop.getSingleInductionVar())
          addCounter(terms.get(*counter).number);
  }
  /// No other value is this one.
  void addUnique(Value value, Operation *around) {
    add(value.getAsOpaquePointer());
    addRounds(around);
  }

  ValueTerm get() {
    term.number =
        terms.numbers.try_emplace(key, terms.numbers.size() + 1).first->second;
    return term;
  }

private:
  ValueTerms &terms;
  ValueTerm term;
  SmallVector<uintptr_t, 8> key;
};

const ValueTerm &ValueTerms::get(Value value) {
  if (auto found = terms.find(value); found != terms.end())
    return *found->second;
  auto term = std::make_unique<ValueTerm>(make(value));
  return *(terms[value] = std::move(term));
}

static SmallVector<Value, 3> getBounds(LoopLikeOpInterface loop) {
  SmallVector<Value, 3> bounds;
  for (auto bound : {loop.getSingleLowerBound(), loop.getSingleUpperBound(),
                     loop.getSingleStep()})
    if (auto value = bound ? dyn_cast<Value>(*bound) : Value())
      bounds.push_back(value);
  return bounds;
}

/// What a loop hands on is told by what it began with: roles have other lists
/// of what loops carry.
void ValueTerms::makeCarried(Value value, LoopLikeOpInterface loop,
                             OpOperand *init, Builder &term) {
  std::optional<Value> counter =
      loop ? loop.getSingleInductionVar() : std::nullopt;
  if (!init || !counter)
    return term.addUnique(value, nullptr);
  term.add(loop->getName().getAsOpaquePointer());
  for (Value bound : getBounds(loop))
    term.add(bound);
  term.add(init->get());
}

ValueTerm ValueTerms::make(BlockArgument argument, Builder &term) {
  Operation *parent = argument.getOwner()->getParentOp();
  auto loop = dyn_cast<LoopLikeOpInterface>(parent);
  if (!loop || loop.getSingleInductionVar() != argument) {
    makeCarried(argument, loop, loop ? loop.getTiedLoopInit(argument) : nullptr,
                term);
    term.addRounds(parent);
    return term.get();
  }
  for (Value bound : getBounds(loop))
    term.add(bound);
  ValueTerm counter = term.get();
  counter.counters.push_back(counter.number);
  return counter;
}

ValueTerm ValueTerms::make(Value value) {
  Builder term(*this, value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return make(argument, term);
  Operation *op = value.getDefiningOp();
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    makeCarried(value, loop, loop.getTiedLoopInit(result), term);
    term.addRounds(op->getParentOp());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    term.add(branch.getCondition());
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      term.add(block->getTerminator()->getOperand(result.getResultNumber()));
  } else if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
    // A division too, which may stand in no other place (isPure).
    term.add(op->getName().getAsOpaquePointer());
    term.add(op->getAttrDictionary().getAsOpaquePointer());
    term.addNumber(result.getResultNumber());
    for (Value operand : op->getOperands())
      term.add(operand);
  } else {
    term.addUnique(value, op->getParentOp());
  }
  return term.get();
}
