//===- SharedLoads.cpp - What a thread has loaded already -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLoads.h"

#include "ValueNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

namespace {
/// A load with a mask.
struct MaskedLoad {
  CallInst *call = nullptr;
  NumberedPlace place;
  unsigned wordBytes = 0;
  unsigned count = 0;

  int64_t getBytes() const { return int64_t(wordBytes) * count; }
  int64_t getEnd() const { return place.offset + getBytes(); }
  Value *getMask() const { return call->getArgOperand(1); }
  /// What stands for a word that is not loaded; null: zero.
  Value *getOther(unsigned word) const {
    return call->arg_size() > 2 ? call->getArgOperand(2 + word) : nullptr;
  }
};

class Sharer {
public:
  explicit Sharer(Function &function)
      : function(function), numbers(function.getDataLayout()) {}

  bool run();

private:
  std::optional<MaskedLoad> read(Instruction &instruction);
  void share(SmallVectorImpl<MaskedLoad> &loads);
  MaskedLoad *findWider(const MaskedLoad &load,
                        SmallVectorImpl<MaskedLoad> &loads);
  bool implies(Value *mask, Value *wider);
  bool impliesPart(Value *part, Value *wider);
  bool isInSameRun(const NumberSum &first, const NumberSum &later) const;
  void replace(MaskedLoad &load, const MaskedLoad &by);

  Function &function;
  ValueNumbers numbers;
  /// They stay until the end: what has a number must not become another value.
  SmallVector<CallInst *> replaced;
};
} // namespace

/// The instruction "@$M ld.global.v4.b32 ..." in text: its words and their
/// bytes. What has a modifier, as volatile loads have, is no such.
static std::optional<std::pair<unsigned, unsigned>> readText(StringRef text) {
  auto [before, rest] = text.split(" ld.global.");
  if (rest.empty() || rest.contains("ld.") || before.contains("st."))
    return std::nullopt;
  unsigned count = 1, bits = 0;
  if (rest.consume_front("v") &&
      (rest.consumeInteger(10, count) || !rest.consume_front(".")))
    return std::nullopt;
  if (!rest.consume_front("b") || rest.consumeInteger(10, bits) ||
      !rest.starts_with(" ") || bits % 8 != 0 || bits > 64)
    return std::nullopt;
  return std::pair(count, bits / 8);
}

std::optional<MaskedLoad> Sharer::read(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!text || call->arg_size() < 2 ||
      !call->getArgOperand(0)->getType()->isPointerTy() ||
      !call->getArgOperand(1)->getType()->isIntegerTy(1))
    return std::nullopt;
  auto words = readText(text->getAsmString());
  if (!words || (call->arg_size() != 2 && call->arg_size() != 2 + words->first))
    return std::nullopt;
  return MaskedLoad{call, numbers.getPlace(call->getArgOperand(0)),
                    words->second, words->first};
}

/// Whether other threads may have written, or this one, when it is done.
static bool mayChangeMemory(const Instruction &instruction) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerAddressSpace() != 3;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
      call && call->getIntrinsicID() == Intrinsic::nvvm_bar_warp_sync)
    return false;
  return instruction.mayWriteToMemory();
}

/// The parts of a mask, each once: parts are shared, so that there may be many
/// ways to one.
static SmallVector<Value *> takeApart(Value *mask) {
  SmallVector<Value *> parts;
  SmallSetVector<Value *, 8> open;
  open.insert(mask);
  for (size_t index = 0; index < open.size(); ++index) {
    Value *left = nullptr, *right = nullptr;
    if (match(open[index], m_And(m_Value(left), m_Value(right)))) {
      open.insert(left);
      open.insert(right);
    } else {
      parts.push_back(open[index]);
    }
  }
  return parts;
}

/// Whether `later` is as much behind `first` as ends in zeros: then nothing is
/// carried between the two.
bool Sharer::isInSameRun(const NumberSum &first, const NumberSum &later) const {
  if (first.factors != later.factors || first.factors.empty())
    return false;
  unsigned ends = std::min(numbers.countZeros(first), 31U);
  return first.constant >> ends == later.constant >> ends &&
         first.constant <= later.constant;
}

/// Of numbers in one run, the first is below what a later one is below, and
/// has its sign.
bool Sharer::impliesPart(Value *part, Value *wider) {
  if (numbers.get(part) == numbers.get(wider))
    return true;
  auto *mine = dyn_cast<ICmpInst>(part), *other = dyn_cast<ICmpInst>(wider);
  if (!mine || !other || mine->getPredicate() != other->getPredicate() ||
      !mine->getOperand(0)->getType()->isIntegerTy(32) ||
      numbers.get(mine->getOperand(1)) != numbers.get(other->getOperand(1)) ||
      !isInSameRun(numbers.getSum(other->getOperand(0)),
                   numbers.getSum(mine->getOperand(0))))
    return false;
  switch (mine->getPredicate()) {
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    return true;
  case CmpInst::ICMP_SGE:
    return match(mine->getOperand(1), m_Zero());
  default:
    return false;
  }
}

/// Whether all that the wider mask asks for is said by this one.
bool Sharer::implies(Value *mask, Value *wider) {
  SmallVector<Value *> parts = takeApart(mask);
  return all_of(takeApart(wider), [&](Value *question) {
    return match(question, m_One()) || any_of(parts, [&](Value *part) {
             return impliesPart(part, question);
           });
  });
}

/// What an instruction takes of those behind `place`, if all of it can be
/// computed there.
static std::optional<SmallPtrSet<Instruction *, 16>>
findBetween(Instruction *place, Instruction *last) {
  SmallPtrSet<Instruction *, 16> between;
  SmallVector<Instruction *> open = {last};
  while (!open.empty()) {
    Instruction *next = open.pop_back_val();
    for (Value *operand : next->operands()) {
      auto *made = dyn_cast<Instruction>(operand);
      if (!made || made->getParent() != place->getParent() ||
          made->comesBefore(place) || between.contains(made))
        continue;
      if (made->mayReadOrWriteMemory() || isa<PHINode>(made) || made == place)
        return std::nullopt;
      between.insert(made);
      open.push_back(made);
    }
  }
  return between;
}

static void moveUp(Instruction *place, Instruction *last) {
  auto between = findBetween(place, last);
  SmallVector<Instruction *> inOrder(between->begin(), between->end());
  llvm::sort(inOrder, [](Instruction *left, Instruction *right) {
    return left->comesBefore(right);
  });
  for (Instruction *each : inOrder)
    each->moveBefore(place->getIterator());
  last->moveBefore(place->getIterator());
}

/// The widest load that has all words of this one: one that is wider, or the
/// same before it.
MaskedLoad *Sharer::findWider(const MaskedLoad &load,
                              SmallVectorImpl<MaskedLoad> &loads) {
  MaskedLoad *best = nullptr;
  for (MaskedLoad &other : loads) {
    if (!other.call || other.call == load.call ||
        other.place.base != load.place.base ||
        other.place.offset > load.place.offset ||
        other.getEnd() < load.getEnd() || other.wordBytes < load.wordBytes ||
        (load.place.offset - other.place.offset) % load.wordBytes != 0 ||
        (best && best->getBytes() >= other.getBytes()))
      continue;
    bool isBehind = load.call->comesBefore(other.call);
    if (other.getBytes() == load.getBytes() &&
        (isBehind || other.wordBytes != load.wordBytes))
      continue;
    if (implies(load.getMask(), other.getMask()) &&
        (!isBehind || findBetween(load.call, other.call)))
      best = &other;
  }
  return best;
}

/// Of a load, the word that begins `bytes` behind its first one.
static Value *takeWord(IRBuilder<> &builder, const MaskedLoad &from,
                       int64_t bytes, unsigned wordBytes) {
  Value *word = from.call;
  if (from.count > 1)
    word = builder.CreateExtractValue(word, bytes / from.wordBytes);
  if (wordBytes == from.wordBytes)
    return word;
  Type *part = builder.getIntNTy(8 * wordBytes);
  if (word->getType()->getIntegerBitWidth() != 8 * from.wordBytes)
    word = builder.CreateTrunc(word, builder.getIntNTy(8 * from.wordBytes));
  Value *parts = builder.CreateBitCast(
      word, FixedVectorType::get(part, from.wordBytes / wordBytes));
  Value *taken = builder.CreateExtractElement(
      parts, builder.getInt32(bytes % from.wordBytes / wordBytes));
  // Bytes travel in registers of 16 bits.
  return wordBytes == 1 ? builder.CreateZExt(taken, builder.getInt16Ty())
                        : taken;
}

void Sharer::replace(MaskedLoad &load, const MaskedLoad &by) {
  if (load.call->comesBefore(by.call))
    moveUp(load.call, by.call);
  IRBuilder<> builder(load.call);
  int64_t bytes = load.place.offset - by.place.offset;
  Value *result = PoisonValue::get(load.call->getType());
  for (unsigned word = 0; word < load.count; ++word) {
    Value *taken =
        takeWord(builder, by, bytes + word * load.wordBytes, load.wordBytes);
    Value *other = load.getOther(word);
    if (!other)
      other = Constant::getNullValue(taken->getType());
    taken = builder.CreateSelect(load.getMask(), taken, other);
    result = load.count == 1 ? taken
                             : builder.CreateInsertValue(result, taken, word);
  }
  load.call->replaceAllUsesWith(result);
  replaced.push_back(std::exchange(load.call, nullptr));
}

/// Each load is compared with each other one: of more than this it takes longer
/// than compiling them.
constexpr size_t kMostLoads = 2048;

void Sharer::share(SmallVectorImpl<MaskedLoad> &loads) {
  if (loads.size() > kMostLoads)
    return loads.clear();
  // What the widest ones have is taken from them.
  SmallVector<MaskedLoad *> byWidth(llvm::make_pointer_range(loads));
  llvm::sort(byWidth, [](MaskedLoad *left, MaskedLoad *right) {
    int64_t more = left->getBytes() - right->getBytes();
    return more != 0 ? more > 0 : left < right;
  });
  for (MaskedLoad *load : byWidth)
    if (MaskedLoad *wider = findWider(*load, loads))
      replace(*load, *wider);
  loads.clear();
}

bool Sharer::run() {
  for (BasicBlock &block : function) {
    SmallVector<MaskedLoad> loads;
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (std::optional<MaskedLoad> load = read(instruction))
        loads.push_back(*load);
      else if (mayChangeMemory(instruction))
        share(loads);
    }
    share(loads);
  }
  for (CallInst *call : replaced)
    call->eraseFromParent();
  return !replaced.empty();
}

PreservedAnalyses SharedLoadsPass::run(Function &function,
                                       FunctionAnalysisManager &) {
  return Sharer(function).run() ? PreservedAnalyses::none()
                                : PreservedAnalyses::all();
}
