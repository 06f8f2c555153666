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
/// What a number is counted from, the sum of these, and how far it is.
struct Place {
  std::vector<Value *> start;
  uint64_t offset = 0;
  /// Whether `start` is what findOrigin() knows, and the offset a number of
  /// neighbours: a sum of it is something else.
  bool isResult = false;
};

/// A quotient or a remainder of a neighbour: that of the first one, how many
/// neighbours are between, and whether all were divided.
struct Result {
  Value *ofFirst;
  uint64_t count;
  Value *isSlow;
  bool isQuotient;
};

/// What is computed of a neighbour.
struct Neighbour {
  Value *number = nullptr;
  SmallVector<Instruction *, 2> quotients, remainders;
};

/// Neighbours that are divided by one number in one block, by their offsets.
using Neighbours = std::map<uint64_t, Neighbour>;

/// What those that may be neighbours have in common.
struct Key {
  BasicBlock *block;
  bool isSigned;
  Value *divisor;
  /// Of their places.
  std::vector<Value *> start;
  bool isResult;

  bool operator<(const Key &other) const {
    auto tie = [](const Key &key) {
      return std::tie(key.block, key.isSigned, key.divisor, key.start,
                      key.isResult);
    };
    return tie(*this) < tie(other);
  }
};

/// Both results of a neighbour.
using Both = std::pair<Value *, Value *>;

class Divider {
public:
  explicit Divider(Function &function) : function(function) {}

  bool run();

private:
  bool divideNext();
  Place getPlace(Value *number) const;
  void collect(std::vector<std::pair<Key, Neighbours>> &all) const;
  bool divide(const Key &key, Neighbours &neighbours);
  bool divideRun(const Key &key, ArrayRef<Neighbour *> run);
  std::optional<Result> findOrigin(const Key &key) const;
  Both divideOne(IRBuilder<> &builder, const Key &key, Value *number);
  void replace(const Key &key, ArrayRef<Neighbour *> run, ArrayRef<Both> joined,
               Value *isSlow, const std::optional<Result> &of);

  Function &function;
  /// What was made of neighbours.
  DenseMap<Value *, Result> results;
  /// What stays as it is.
  SmallPtrSet<Instruction *, 32> seen;
};
} // namespace

/// Fewer are not worth a branch, and more end a row more than once.
static constexpr size_t fewest = 4, most = 16;

Place Divider::getPlace(Value *number) const {
  if (auto found = results.find(number); found != results.end())
    return {{found->second.ofFirst}, found->second.count, /*isResult=*/true};
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
    bool isRemainder = difference || opcode == Instruction::SRem ||
                       opcode == Instruction::URem;
    if ((!isRemainder && !isSigned && opcode != Instruction::UDiv) ||
        !division->getType()->isIntegerTy(32) ||
        isa<Constant>(division->getOperand(1)) || seen.contains(division))
      continue;
    Place place = getPlace(division->getOperand(0));
    Key key = {division->getParent(), isSigned, division->getOperand(1),
               place.start, place.isResult};
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

/// What divides or takes the rest first.
static Instruction *findFirst(ArrayRef<Neighbour *> run) {
  Instruction *first = nullptr;
  for (Neighbour *each : run)
    for (Instruction *op :
         concat<Instruction *>(each->quotients, each->remainders))
      if (!first || op->comesBefore(first))
        first = op;
  return first;
}

Both Divider::divideOne(IRBuilder<> &builder, const Key &key, Value *number) {
  Value *quotient = key.isSigned ? builder.CreateSDiv(number, key.divisor)
                                 : builder.CreateUDiv(number, key.divisor);
  Value *rest =
      builder.CreateSub(number, builder.CreateMul(quotient, key.divisor));
  for (Value *made : {quotient, rest})
    if (auto *instruction = dyn_cast<Instruction>(made))
      seen.insert(instruction);
  return {quotient, rest};
}

/// Those of a number that is `step` behind the first one, or, where that is
/// behind the end of a row, less than `most`. Such are their own remainders.
static Both follow(IRBuilder<> &builder, Value *divisor, Both ofFirst,
                   Value *step, Value *number, Value *isBehindEnd) {
  Value *none = builder.getInt32(0);
  Value *behind = builder.CreateAdd(ofFirst.second, step);
  Value *quotient = ofFirst.first;
  if (isBehindEnd) {
    behind = builder.CreateSelect(isBehindEnd, number, behind);
    quotient = builder.CreateSelect(isBehindEnd, none, quotient);
  }
  Value *ends = builder.CreateICmpUGE(behind, divisor);
  return {
      builder.CreateAdd(quotient, builder.CreateZExt(ends, none->getType())),
      builder.CreateSub(behind, builder.CreateSelect(ends, divisor, none))};
}

/// What the numbers of a run are made of, if they are results of another run.
std::optional<Result> Divider::findOrigin(const Key &key) const {
  return key.isResult ? std::optional(results.at(key.start.front()))
                      : std::nullopt;
}

/// The results of all of a run, by those of the first one.
static SmallVector<Both> followAll(IRBuilder<> &builder, const Key &key,
                                   ArrayRef<Neighbour *> run, Both ofFirst,
                                   const std::optional<Result> &of) {
  Value *first = run.front()->number;
  SmallVector<Both> made = {ofFirst};
  for (size_t count = 1; count < run.size(); ++count) {
    Value *number = run[count]->number, *step = builder.getInt32(count);
    Value *isBehindEnd = nullptr;
    if (of && of->isQuotient)
      step = builder.CreateSub(number, first);
    else if (of)
      isBehindEnd =
          builder.CreateICmpNE(number, builder.CreateAdd(first, step));
    made.push_back(
        follow(builder, key.divisor, ofFirst, step, number, isBehindEnd));
  }
  return made;
}

/// Whichever was computed, in front of what stands at the builder.
static SmallVector<Both> joinAll(IRBuilder<> &builder, ArrayRef<Both> fast,
                                 ArrayRef<Both> divided, BasicBlock *slow) {
  auto join = [&](Value *quick, Value *slowly) -> Value * {
    PHINode *either = builder.CreatePHI(quick->getType(), 2);
    either->addIncoming(quick, slow->getSinglePredecessor());
    either->addIncoming(slowly, slow);
    return either;
  };
  SmallVector<Both> joined = {fast.front()};
  for (auto [quick, slowly] : drop_begin(zip_equal(fast, divided)))
    joined.push_back(
        {join(quick.first, slowly.first), join(quick.second, slowly.second)});
  return joined;
}

bool Divider::divideRun(const Key &key, ArrayRef<Neighbour *> run) {
  if (run.size() < fewest)
    return false;
  std::optional<Result> of = findOrigin(key);
  Instruction *place = findFirst(run);
  for (Neighbour *each : of ? run : run.take_front()) {
    auto *number = dyn_cast<Instruction>(each->number);
    if (number && number->getParent() == place->getParent() &&
        !number->comesBefore(place))
      return false;
  }

  IRBuilder<> builder(place);
  Value *first = run.front()->number;
  Both ofFirst = divideOne(builder, key, first);
  SmallVector<Both> fast = followAll(builder, key, run, ofFirst, of);
  Value *isSlow = builder.CreateOr(
      of ? of->isSlow
         // Of a lane that is masked, it may be poison.
         : builder.CreateICmpSLT(builder.CreateFreeze(first),
                                 builder.getInt32(0)),
      builder.CreateICmpSLT(key.divisor, builder.getInt32(run.size())));

  Instruction *branch = SplitBlockAndInsertIfThen(isSlow, place, false);
  builder.SetInsertPoint(branch);
  SmallVector<Both> divided = {ofFirst};
  for (size_t count = 1; count < run.size(); ++count)
    divided.push_back(
        divideOne(builder, key,
                  of ? run[count]->number
                     : builder.CreateAdd(first, builder.getInt32(count))));

  builder.SetInsertPoint(place->getParent(), place->getParent()->begin());
  replace(key, run, joinAll(builder, fast, divided, branch->getParent()),
          isSlow, of);
  return true;
}

/// Of quotients of numbers that are neighbours follow others, and of remainders
/// of such, or of remainders.
void Divider::replace(const Key &key, ArrayRef<Neighbour *> run,
                      ArrayRef<Both> joined, Value *isSlow,
                      const std::optional<Result> &of) {
  Value *divisor = key.divisor;
  SmallVector<Instruction *> replaced;
  // What stands for a result where the divisor was -1 and is 1, so that all are
  // divided.
  std::map<std::pair<Value *, bool>, Value *> guarded;
  for (size_t count = 0; count < run.size(); ++count) {
    auto replaceAll = [&](ArrayRef<Instruction *> ops, Value *result,
                          Value *ofFirst, auto other, bool isQuotient) {
      bool isFollowed = !of || of->isQuotient == isQuotient;
      if (isFollowed)
        results[result] = {ofFirst, count, isSlow, isQuotient};
      for (Instruction *op : ops) {
        Value *condition = nullptr;
        for (User *user : op->users())
          if (isFollowed &&
              match(user,
                    m_Select(m_Value(condition), other, m_Specific(op))) &&
              match(divisor,
                    m_Select(m_Specific(condition), m_One(), m_Value())))
            results[user] = {guarded.try_emplace({condition, isQuotient}, user)
                                 .first->second,
                             count, isSlow, isQuotient};
        op->replaceAllUsesWith(result);
      }
      append_range(replaced, ops);
    };
    Neighbour &each = *run[count];
    replaceAll(each.remainders, joined[count].second, joined[0].second,
               m_Zero(), false);
    replaceAll(each.quotients, joined[count].first, joined[0].first,
               m_Neg(m_Specific(each.number)), true);
  }
  for (Instruction *op : replaced)
    op->eraseFromParent();
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
