//===- ValueNumbers.cpp - Which values are the same -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNumbers.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

/// What keys of sums begin with; those of operations have an opcode there.
static constexpr uint64_t kSum = uint64_t(1) << 32;

static uint64_t cut(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

void NumberSum::add(const NumberSum &other, uint64_t times) {
  constant = cut(constant + other.constant * times, bits);
  for (auto [number, factor] : other.factors) {
    uint64_t &mine = factors[number];
    mine = cut(mine + factor * times, bits);
    if (mine == 0)
      factors.erase(number);
  }
}

int64_t NumberSum::getOffset() const { return SignExtend64(constant, bits); }

unsigned ValueNumbers::intern(const Key &key) {
  return known.try_emplace(key, known.size()).first->second;
}

unsigned ValueNumbers::countZeros(const NumberSum &sum) const {
  unsigned least = sum.bits;
  for (auto [number, factor] : sum.factors)
    least = std::min<unsigned>(least, zeros.lookup(number) +
                                          llvm::countr_zero(factor));
  return least;
}

unsigned ValueNumbers::getOfSum(const NumberSum &sum) {
  if (sum.constant == 0 && sum.factors.size() == 1 &&
      sum.factors.begin()->second == 1)
    return sum.factors.begin()->first;
  Key key = {kSum, sum.bits, sum.constant};
  for (auto [number, factor] : sum.factors)
    key.insert(key.end(), {number, factor});
  return intern(key);
}

/// What may be numbered by what it is computed of.
static bool isOperation(const Instruction &instruction) {
  return isa<BinaryOperator, CmpInst, CastInst, SelectInst, ExtractElementInst>(
      instruction);
}

unsigned ValueNumbers::getOfOperation(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !isOperation(*instruction))
    return intern({kSum + 1, reinterpret_cast<uintptr_t>(value)});
  Key key = {instruction->getOpcode(),
             reinterpret_cast<uintptr_t>(instruction->getType())};
  if (auto *compare = dyn_cast<CmpInst>(instruction))
    key.push_back(compare->getPredicate());
  size_t first = key.size();
  for (Value *operand : instruction->operands())
    key.push_back(get(operand));
  if (instruction->isCommutative())
    std::sort(key.begin() + first, key.end());
  return intern(key);
}

unsigned ValueNumbers::get(Value *value) {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  unsigned number = value->getType()->isIntegerTy() &&
                            !value->getType()->isIntegerTy(1) &&
                            value->getType()->getIntegerBitWidth() <= 64
                        ? getOfSum(getSum(value))
                        : getOfOperation(value);
  return numbers[value] = number;
}

NumberSum ValueNumbers::getSum(Value *value) {
  if (auto found = sums.find(value); found != sums.end())
    return found->second;
  NumberSum sum = computeSum(value);
  return sums[value] = sum;
}

NumberSum ValueNumbers::getLeaf(Value *value) {
  unsigned number = getOfOperation(value);
  zeros.try_emplace(number,
                    computeKnownBits(value, layout).countMinTrailingZeros());
  return {value->getType()->getIntegerBitWidth(), 0, {{number, 1}}};
}

NumberSum ValueNumbers::computeSum(Value *value) {
  unsigned bits = value->getType()->getIntegerBitWidth();
  Value *left = nullptr, *right = nullptr;
  const APInt *constant = nullptr;
  NumberSum sum = {bits, 0, {}};
  if (match(value, m_APInt(constant))) {
    sum.constant = constant->getZExtValue();
  } else if (match(value, m_Add(m_Value(left), m_Value(right))) ||
             match(value, m_DisjointOr(m_Value(left), m_Value(right)))) {
    sum.add(getSum(left));
    sum.add(getSum(right));
  } else if (match(value, m_Sub(m_Value(left), m_Value(right)))) {
    sum.add(getSum(left));
    sum.add(getSum(right), -1);
  } else if (match(value, m_Mul(m_Value(left), m_APInt(constant)))) {
    sum.add(getSum(left), constant->getZExtValue());
  } else if (match(value, m_Shl(m_Value(left), m_APInt(constant))) &&
             constant->ult(bits)) {
    sum.add(getSum(left), uint64_t(1) << constant->getZExtValue());
  } else if (isa<SExtInst, ZExtInst>(value) && bits == 64 &&
             !cast<CastInst>(value)->getSrcTy()->isIntegerTy(1)) {
    return extend(*cast<CastInst>(value));
  } else {
    return getLeaf(value);
  }
  return sum;
}

/// What is added to zeros at the end of a number carries nothing: it may be
/// added behind the extension as well.
NumberSum ValueNumbers::extend(CastInst &cast) {
  NumberSum narrow = getSum(cast.getOperand(0));
  // Not all: the last bit says how a sum is extended.
  unsigned ends = std::min(countZeros(narrow), narrow.bits - 1);
  uint64_t low = cut(narrow.constant, ends);
  if (narrow.factors.empty())
    low = 0;
  narrow.constant -= low;
  NumberSum wide = {64, low, {}};
  if (narrow.factors.empty()) {
    wide.constant =
        isa<SExtInst>(cast) ? uint64_t(narrow.getOffset()) : narrow.constant;
    return wide;
  }
  unsigned number = intern({cast.getOpcode(), narrow.bits, getOfSum(narrow)});
  zeros.try_emplace(
      number, std::min<unsigned>(ends, llvm::countr_zero(narrow.constant)));
  wide.factors[number] = 1;
  return wide;
}

NumberedPlace ValueNumbers::getPlace(Value *pointer) {
  NumberSum bytes = {64, 0, {}};
  while (auto *step = dyn_cast<GEPOperator>(pointer)) {
    Value *index = step->getOperand(1);
    bool isConstant = isa<ConstantInt>(index);
    if (step->getNumIndices() != 1 ||
        (!isConstant && !index->getType()->isIntegerTy(64)))
      break;
    uint64_t size = layout.getTypeAllocSize(step->getSourceElementType());
    if (isConstant)
      bytes.constant += cast<ConstantInt>(index)->getSExtValue() * size;
    else
      bytes.add(getSum(index), size);
    pointer = step->getPointerOperand();
  }
  int64_t offset = bytes.getOffset();
  bytes.constant = 0;
  return {intern({kSum + 2, get(pointer), getOfSum(bytes)}), offset};
}
