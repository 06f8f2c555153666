//===- QuotientsOfNeighbours.cpp - Quotients by the first one -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuotientsOfNeighbours.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// A number by what it is counted from: the sum of these.
struct Place {
  std::vector<Value *> start;
  uint64_t offset = 0;
};

/// What is computed of a neighbour.
struct Neighbour {
  SmallVector<Instruction *, 2> quotients, remainders;
  Value *number = nullptr;
};

/// Neighbours that are divided by one number in one block, by their offsets.
using Neighbours = std::map<uint64_t, Neighbour>;

/// Whether quotients have a sign, what divides, and where numbers begin.
using Key = std::tuple<BasicBlock *, bool, Value *, std::vector<Value *>>;

class Divider {
public:
  explicit Divider(Function &function) : function(function) {}

  bool run();

private:
  Place getPlace(Value *number) const;
  bool divideNext();
  void collect(std::vector<std::pair<Key, Neighbours>> &all) const;
  bool divide(const Key &key, Neighbours &neighbours);
  bool divideRun(const Key &key, MutableArrayRef<Neighbour *> run);

  Function &function;
  /// Quotients and remainders of neighbours: that of the first one, and which
  /// neighbour's it is. Quotients are as many apart, or fewer.
  DenseMap<Value *, std::pair<Value *, uint64_t>> results;
  SmallPtrSet<Value *, 32> quotients;

  /// What stays as it is.
  SmallPtrSet<Instruction *, 32> seen;
};
} // namespace

/// Fewer are not worth a branch, and more end a row more than once.
static constexpr size_t fewest = 4, most = 16;

Place Divider::getPlace(Value *number) const {
  if (auto found = results.find(number); found != results.end())
    return {{found->second.first}, found->second.second};
  Place place;
  SmallVector<Value *> terms = {number};
  while (!terms.empty()) {
    Value *term = terms.pop_back_val(), *left = nullptr, *right = nullptr;
    const APInt *constant = nullptr;
    if (match(term, m_DisjointOr(m_Value(left), m_Value(right))) ||
        match(term, m_NSWAdd(m_Value(left), m_Value(right))))
      terms.append({left, right});
    else if (match(term, m_APInt(constant)) && constant->isNonNegative())
      place.offset += constant->getZExtValue();
    else
      place.start.push_back(term);
  }
  llvm::sort(place.start);
  return place;
}

/// The quotient of which a difference is the remainder.
static Instruction *findQuotient(Instruction &instruction) {
  Value *number = nullptr, *divisor = nullptr;
  Instruction *quotient = nullptr;
  if (match(&instruction,
            m_Sub(m_Value(number),
                  m_c_Mul(m_Instruction(quotient), m_Value(divisor)))) &&
      match(quotient, m_IDiv(m_Specific(number), m_Specific(divisor))) &&
      quotient->getParent() == instruction.getParent())
    return quotient;
  return nullptr;
}

void Divider::collect(std::vector<std::pair<Key, Neighbours>> &all) const {
  std::map<Key, size_t> numbers;
  for (Instruction &instruction : instructions(function)) {
    Instruction *difference = findQuotient(instruction);
    Instruction *division = difference ? difference : &instruction;
    unsigned opcode = division->getOpcode();
    bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
    bool isRemainder = opcode == Instruction::SRem ||
                       opcode == Instruction::URem || difference;
    if ((!isRemainder && !isSigned && opcode != Instruction::UDiv) ||
        !division->getType()->isIntegerTy(32) ||
        isa<Constant>(division->getOperand(1)) || seen.contains(division))
      continue;
    Place place = getPlace(division->getOperand(0));
    Key key(division->getParent(), isSigned, division->getOperand(1),
            place.start);
    auto [found, isNew] = numbers.try_emplace(key, all.size());
    if (isNew)
      all.push_back({key, {}});
    Neighbour &neighbour = all[found->second].second[place.offset];
    neighbour.number = division->getOperand(0);
    (isRemainder ? neighbour.remainders : neighbour.quotients)
        .push_back(&instruction);
  }
}

bool Divider::divide(const Key &key, Neighbours &neighbours) {
  SmallVector<Neighbour *> run;
  uint64_t next = 0;
  for (auto &[offset, neighbour] : neighbours) {
    if (!run.empty() && (offset != next || run.size() == most)) {
      if (divideRun(key, run))
        return true;
      run.clear();
    }
    run.push_back(&neighbour);
    next = offset + 1;
  }
  return divideRun(key, run);
}

bool Divider::divideRun(const Key &key, MutableArrayRef<Neighbour *> run) {
  if (run.size() < fewest)
    return false;
  const auto &[block, isSigned, divisor, start] = key;
  // Remainders are neighbours where no row ends between them.
  bool areResults = start.size() == 1 && results.contains(start.front());
  bool areQuotients = areResults && quotients.contains(start.front());

  // What is divided stands in front of the first quotient or remainder.
  Instruction *place = nullptr;
  for (Neighbour *each : run)
    for (Instruction *op :
         concat<Instruction *>(each->quotients, each->remainders))
      if (!place || op->comesBefore(place))
        place = op;
  for (Neighbour *each : areResults ? run : run.take_front()) {
    auto *number = dyn_cast<Instruction>(each->number);
    if (number && number->getParent() == block && !number->comesBefore(place))
      return false;
  }

  IRBuilder<> builder(place);
  Type *word = builder.getInt32Ty();
  Value *first = run.front()->number;
  auto divideBy = [&, isSigned = isSigned,
                   divisor = divisor](Value *number) -> Value * {
    Value *quotient = isSigned ? builder.CreateSDiv(number, divisor)
                               : builder.CreateUDiv(number, divisor);
    if (auto *division = dyn_cast<Instruction>(quotient))
      seen.insert(division);
    return quotient;
  };
  auto restOf = [&, divisor = divisor](Value *number, Value *quotient) {
    Value *rest =
        builder.CreateSub(number, builder.CreateMul(quotient, divisor));
    if (auto *difference = dyn_cast<Instruction>(rest))
      seen.insert(difference);
    return rest;
  };

  using Results = std::pair<Value *, Value *>;
  Value *quotient = divideBy(first), *rest = restOf(first, quotient);
  SmallVector<Results> fast;
  for (uint64_t count = 1; count < run.size(); ++count) {
    Value *step = areQuotients ? builder.CreateSub(run[count]->number, first)
                               : builder.getInt32(count);
    Value *behind = builder.CreateAdd(rest, step);
    Value *ends = builder.CreateICmpUGE(behind, divisor);
    fast.push_back(
        {builder.CreateAdd(quotient, builder.CreateZExt(ends, word)),
         builder.CreateSub(behind, builder.CreateSelect(ends, divisor,
                                                        builder.getInt32(0)))});
  }
  Value *isSlow = builder.CreateOr(
      builder.CreateICmpSLT(first, builder.getInt32(0)),
      builder.CreateICmpSLT(divisor, builder.getInt32(run.size())));
  if (areResults) {
    // Those between have no other order than the first and the last one.
    Value *steps = builder.CreateSub(run.back()->number, first);
    isSlow = builder.CreateOr(
        isSlow, builder.CreateICmp(
                    areQuotients ? CmpInst::ICMP_UGE : CmpInst::ICMP_NE, steps,
                    builder.getInt32(run.size() - (areQuotients ? 0 : 1))));
  }

  Instruction *branch = SplitBlockAndInsertIfThen(isSlow, place, false);
  BasicBlock *slow = branch->getParent();
  BasicBlock *head = slow->getSinglePredecessor();
  builder.SetInsertPoint(branch);
  SmallVector<Results> divided;
  for (uint64_t count = 1; count < run.size(); ++count) {
    Value *number = areResults
                        ? run[count]->number
                        : builder.CreateAdd(first, builder.getInt32(count));
    Value *each = divideBy(number);
    divided.push_back({each, restOf(number, each)});
  }

  builder.SetInsertPoint(place->getParent(), place->getParent()->begin());
  auto join = [&](Value *quick, Value *slowly) {
    PHINode *either = builder.CreatePHI(word, 2);
    either->addIncoming(quick, head);
    either->addIncoming(slowly, slow);
    return either;
  };
  auto remember = [&, areQuotients =
                          areQuotients](Value *result, Value *ofFirst,
                                        uint64_t count, bool isQuotient) {
    results[result] = {ofFirst, count};
    if (isQuotient || areQuotients)
      quotients.insert(result);
  };
  SmallVector<Instruction *> replaced;
  std::map<std::pair<Value *, bool>, Value *> guarded;
  for (size_t count = 0; count < run.size(); ++count) {
    Neighbour *each = run[count];
    Value *ofQuotients = quotient, *ofRemainders = rest;
    if (count > 0) {
      ofQuotients = join(fast[count - 1].first, divided[count - 1].first);
      ofRemainders = join(fast[count - 1].second, divided[count - 1].second);
    }
    remember(ofQuotients, quotient, count, true);
    remember(ofRemainders, rest, count, false);
    // What a quotient or a remainder is where the divisor is -1.
    auto rememberGuarded = [&](Instruction *op, auto other, bool isQuotient) {
      Value *condition = nullptr;
      for (User *user : op->users())
        if (match(user, m_Select(m_Value(condition), other, m_Specific(op))))
          remember(
              user,
              guarded.try_emplace({condition, isQuotient}, user).first->second,
              count, isQuotient);
    };
    for (Instruction *op : each->quotients) {
      rememberGuarded(op, m_Neg(m_Specific(each->number)), true);
      op->replaceAllUsesWith(ofQuotients);
    }
    for (Instruction *op : each->remainders) {
      rememberGuarded(op, m_Zero(), false);
      op->replaceAllUsesWith(ofRemainders);
    }
    append_range(replaced, each->remainders);
    append_range(replaced, each->quotients);
  }
  for (Instruction *op : replaced)
    op->eraseFromParent();
  return true;
}

bool Divider::run() {
  bool changed = false;
  while (divideNext())
    changed = true;
  return changed;
}

bool Divider::divideNext() {
  std::vector<std::pair<Key, Neighbours>> all;
  collect(all);
  return any_of(all,
                [&](auto &entry) { return divide(entry.first, entry.second); });
}

PreservedAnalyses
tilewright::QuotientsOfNeighboursPass::run(Function &function,
                                           FunctionAnalysisManager &) {
  // adce removes what has no use any more.
  return Divider(function).run() ? PreservedAnalyses::none()
                                 : PreservedAnalyses::all();
}
