//===- QuotientsOfCounts.cpp - Divisions by how many there are ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuotientsOfCounts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// All whole numbers up to it are floats.
static constexpr float kMost = 1 << 24;

namespace {
/// A whole number from `least` to `most`. Where a condition is known to choose
/// it, `whenTrue` or `whenFalse`; where both are the same, none is needed.
struct Count {
  float least, most;
  bool isChosen = false;
  Value *condition = nullptr;
  float whenTrue = 0, whenFalse = 0;

  static Count between(float least, float most) { return {least, most}; }
  static Count choose(Value *condition, float whenTrue, float whenFalse) {
    return {std::min(whenTrue, whenFalse),
            std::max(whenTrue, whenFalse),
            true,
            whenTrue == whenFalse ? nullptr : condition,
            whenTrue,
            whenFalse};
  }
  static Count constant(float number) {
    return choose(nullptr, number, number);
  }
};

/// The counts of a function, in the order in which they are computed.
class Counts {
public:
  bool rewrite(Function &function) {
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
      for (Instruction &instruction : make_early_inc_range(*block))
        visit(instruction);
    return changed;
  }

private:
  std::optional<Count> find(Value *value) const {
    const APFloat *number = nullptr;
    if (match(value, m_APFloat(number)) && value->getType()->isFloatTy()) {
      float constant = number->convertToFloat();
      bool isCount =
          number->isInteger() && !number->isNegative() && constant <= kMost;
      return isCount ? std::optional(Count::constant(constant)) : std::nullopt;
    }
    auto found = counts.find(value);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
  }

  void visit(Instruction &instruction) {
    if (auto *compare = dyn_cast<FCmpInst>(&instruction))
      return compareWithZero(*compare);
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == Intrinsic::nvvm_div_full)
      return divide(*call);
    std::optional<Count> count = read(instruction);
    if (!count)
      return;
    if (count->isChosen && !isa<SelectInst>(instruction)) {
      IRBuilder<> builder(&instruction);
      Value *chosen = emit(builder, *count);
      counts.try_emplace(chosen, *count);
      replace(instruction, chosen);
      return;
    }
    counts.try_emplace(&instruction, *count);
  }

  std::optional<Count> read(Instruction &instruction) const {
    // A float, or its bits: not what else these are taken for.
    Type *type = instruction.getType();
    if (!type->isFloatTy() && !type->isIntegerTy(32))
      return std::nullopt;
    Value *a = nullptr, *b = nullptr, *condition = nullptr;
    if (match(&instruction, m_FAdd(m_Value(a), m_Value(b))))
      return add(find(a), find(b));
    if (match(&instruction,
              m_Select(m_Value(condition), m_Value(a), m_Value(b))))
      return choose(condition, find(a), find(b));
    if (match(&instruction, m_BitCast(m_Value(a))))
      return withoutChoice(find(a));
    if (auto *call = dyn_cast<CallInst>(&instruction))
      return isShuffle(*call) ? withoutChoice(find(call->getArgOperand(1)))
                              : convert(*call);
    return std::nullopt;
  }

  static std::optional<Count> add(std::optional<Count> a,
                                  std::optional<Count> b) {
    if (!a || !b || a->most + b->most > kMost)
      return std::nullopt;
    if (haveOneCondition(*a, *b))
      return Count::choose(a->condition ? a->condition : b->condition,
                           a->whenTrue + b->whenTrue,
                           a->whenFalse + b->whenFalse);
    return Count::between(a->least + b->least, a->most + b->most);
  }

  static std::optional<Count> choose(Value *condition, std::optional<Count> a,
                                     std::optional<Count> b) {
    if (!a || !b)
      return std::nullopt;
    if (a->isChosen && !a->condition && b->isChosen && !b->condition &&
        !condition->getType()->isVectorTy())
      return Count::choose(condition, a->whenTrue, b->whenFalse);
    return Count::between(std::min(a->least, b->least),
                          std::max(a->most, b->most));
  }

  /// What another lane has, or its bits.
  static std::optional<Count> withoutChoice(std::optional<Count> count) {
    return count ? std::optional(Count::between(count->least, count->most))
                 : std::nullopt;
  }

  static bool haveOneCondition(const Count &a, const Count &b) {
    return a.isChosen && b.isChosen &&
           (!a.condition || !b.condition || a.condition == b.condition);
  }

  static bool isShuffle(const CallInst &call) {
    switch (call.getIntrinsicID()) {
    case Intrinsic::nvvm_shfl_sync_bfly_i32:
    case Intrinsic::nvvm_shfl_sync_down_i32:
    case Intrinsic::nvvm_shfl_sync_idx_i32:
    case Intrinsic::nvvm_shfl_sync_up_i32:
      return true;
    default:
      return false;
    }
  }

  /// An integer made a float.
  static std::optional<Count> convert(const CallInst &call) {
    auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
    if (!text || call.arg_size() != 1 ||
        (text->getAsmString() != "cvt.rn.f32.u32 $0, $1;" &&
         text->getAsmString() != "cvt.rn.f32.s32 $0, $1;"))
      return std::nullopt;
    Value *integer = call.getArgOperand(0), *condition = nullptr;
    if (match(integer, m_ZExt(m_Value(condition))) &&
        condition->getType()->isIntegerTy(1))
      return Count::choose(condition, 1, 0);
    KnownBits bits = computeKnownBits(integer, call.getDataLayout());
    if (!bits.isNonNegative() || bits.getMaxValue().ugt(uint64_t(kMost)))
      return std::nullopt;
    float least = bits.getMinValue().getZExtValue();
    float most = bits.getMaxValue().getZExtValue();
    return least == most ? Count::constant(least) : Count::between(least, most);
  }

  static Value *emit(IRBuilder<> &builder, const Count &count) {
    auto constant = [&](float number) {
      return ConstantFP::get(builder.getFloatTy(), number);
    };
    if (!count.condition)
      return constant(count.whenTrue);
    return builder.CreateSelect(count.condition, constant(count.whenTrue),
                                constant(count.whenFalse));
  }

  /// A count that is not 0.
  void compareWithZero(FCmpInst &compare) {
    std::optional<Count> count = find(compare.getOperand(0));
    if (!count || count->least == 0 ||
        !match(compare.getOperand(1), m_AnyZeroFP()))
      return;
    switch (compare.getPredicate()) {
    case CmpInst::FCMP_OEQ:
    case CmpInst::FCMP_UEQ:
      return replace(compare, ConstantInt::getFalse(compare.getType()));
    case CmpInst::FCMP_ONE:
    case CmpInst::FCMP_UNE:
      return replace(compare, ConstantInt::getTrue(compare.getType()));
    default:
      return;
    }
  }

  void divide(IntrinsicInst &quotient) {
    std::optional<Count> a = find(quotient.getArgOperand(0));
    std::optional<Count> b = find(quotient.getArgOperand(1));
    // ptxas scales nothing by itself where the divisor is a constant.
    if (!b || (!a && b->isChosen && !b->condition))
      return;
    IRBuilder<> builder(&quotient);
    if (a && haveOneCondition(*a, *b) && b->least > 0) {
      Value *condition = a->condition ? a->condition : b->condition;
      auto divide = [&](float x, float y) {
        return ConstantFP::get(builder.getFloatTy(), x / y);
      };
      Value *first = divide(a->whenTrue, b->whenTrue);
      replace(quotient, condition ? builder.CreateSelect(
                                        condition, first,
                                        divide(a->whenFalse, b->whenFalse))
                                  : first);
      return;
    }
    // No quotient of counts is subnormal; another number may be.
    replace(
        quotient,
        builder.CreateIntrinsic(
            a ? Intrinsic::nvvm_div_approx_ftz_f : Intrinsic::nvvm_div_approx_f,
            {quotient.getArgOperand(0), quotient.getArgOperand(1)}));
  }

  void replace(Instruction &instruction, Value *value) {
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }

  DenseMap<Value *, Count> counts;
  bool changed = false;
};
} // namespace

PreservedAnalyses
tilewright::QuotientsOfCountsPass::run(Function &function,
                                       FunctionAnalysisManager &) {
  if (!Counts().rewrite(function))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
