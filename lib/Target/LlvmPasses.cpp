//===- LlvmPasses.cpp - Which of LLVM's optimisations run -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LlvmPasses.h"

#include "BytesOfWords.h"
#include "CrashGuard.h"
#include "HalvesOfProducts.h"
#include "MasksOfOffsets.h"
#include "PairsOfExtremes.h"
#include "QuotientsOfCounts.h"
#include "QuotientsOfNeighbours.h"
#include "RoomOfMasks.h"
#include "RoundedSelects.h"
#include "SharedLoads.h"
#include "ShufflesOfShuffles.h"
#include "XorsOfOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace tilewright;

/// Thread programs gain little before ptxas, which optimises them anew: loops
/// and redundant loads are its business (docs/decisions/0006, 0010).
///
///   shared-loads    what a thread has loaded beside something else already
///                   (SharedLoads.h)
///   bytes-of-words  two words made of bytes of the same four (BytesOfWords.h)
///   instcombine     folds constants into addresses and masks
///   masks-of-offsets
///                   a thread's place compared with the end of a view, not its
///                   offset with what is left of it (MasksOfOffsets.h)
///   xors-of-offsets hashes of a thread's offsets have a base in common
///                   (XorsOfOffsets.h)
///   room-of-masks   for each row one number by which elements know that they
///                   are inside (RoomOfMasks.h)
///   halves-of-products
///                   the low half of a product whose high half is there
///                   (HalvesOfProducts.h)
///   early-cse       the same address, computed for each access
///   vector-combine  moves bytes and halves between vectors by shuffles, which
///                   become prmt, where bytes-of-words does not. It
///                   also makes a load of several words one of each word, which
///                   only load-store-vectorizer takes back, so that it runs
///                   where that does
///   quotients-of-counts
///                   means of counted elements, by shorter divisions
///                   (QuotientsOfCounts.h)
///   rounded-selects numbers are selected before two of them are rounded at
///                   once (RoundedSelects.h)
///   simplifycfg     blocks and branches that earlier passes left over
///   quotients-of-neighbours
///                   rows and columns of neighbours by that of the first one
///                   (QuotientsOfNeighbours.h)
///   shuffles-of-shuffles
///                   lanes that exchange by several bits, at once
///                   (ShufflesOfShuffles.h)
///   pairs-of-extremes
///                   the larger of two whose smaller one is there
///                   (PairsOfExtremes.h)
///   adce            results without a use
///
/// Left out: slp-vectorizer (took the sign off small integers; it changed no
/// example), and what -O2 has beyond these.
static constexpr StringLiteral firstPasses =
    "function(shared-loads,bytes-of-words,instcombine<no-verify-fixpoint>,"
    "masks-of-offsets,"
    "xors-of-offsets,room-of-masks,halves-of-products,early-cse<memssa>)";
static constexpr StringLiteral vectorPasses = "function(vector-combine)";
static constexpr StringLiteral lastPasses =
    "function(quotients-of-counts,instcombine<no-verify-fixpoint>,"
    "rounded-selects,simplifycfg,quotients-of-neighbours,shuffles-of-shuffles,"
    "pairs-of-extremes,adce)";

/// Passes that the code generator adds by itself and that LLVM lets one leave
/// out. In brackets: how many of 90 PTX files (30 examples for sm_80, sm_90a
/// and sm_100a) are others without it, and how many lines they have more in
/// all.
static constexpr StringLiteral codeGenPasses[] = {
    // What others leave twice [3, 6].
    "early-cse",
    // Addresses next to their accesses, so that offsets are immediates [78].
    "codegenprepare",
    // Selects instructions; left out, it would select without combining.
    "nvptx-isel",
    // Constants and addresses out of loops [44].
    "early-machinelicm",
    // The same instruction again [69, 1603].
    "machine-cse",
    // Next to the only use [66].
    "machine-sink",
    // Jumps to the next line.
    "branch-folder",
    "block-placement",
    // What the ones above leave without use.
    "dead-mi-elimination",
};

/// For modules whose loops do not carry several pointers of one step, which it
/// would take for one pointer and offsets: ptxas then adds these between the
/// copies that they are for (docs/decisions/0009-wgmma.md).
static constexpr StringLiteral inductionPasses[] = {
    // Induction variables [69, 256].
    "Loop Strength Reduction",
};

/// More of them, for modules whose addresses have no narrow sum that may wrap.
/// They take such sums for wide ones, whatever the flags say: slsr sext(a + b),
/// separate-const-offset sext(trunc(a + b)), and so address memory beyond what
/// was asked for; load-store-vectorizer takes sums of i8 with 96 and with -32
/// for the same.
static constexpr StringLiteral addressPasses[] = {
    // Constants apart from what registers hold [67, 265].
    "separate-const-offset-from-gep",
    // Neighbouring loads and stores that were written apart [52, 2208].
    "load-store-vectorizer",
};

/// One more, for those of them that have few sums, and few loops.
static constexpr StringLiteral sumPasses[] = {
    // A sum made of another one [63, 42]. Without it, f16 and bf16 products in
    // TN order took 2 % longer on sm_80 to sm_89.
    "slsr",
};

/// So many that the pass above takes seconds: it compares each with those
/// before, and looks through the block for each. Examples have 490 at most.
static constexpr unsigned manySums = 2048;

/// So many that who asks how often one runs takes seconds, and then no stack is
/// enough: the answer hangs on the conditions in front of a loop, those of
/// other loops among them.
static constexpr unsigned manyLoops = 128;

static constexpr char interruptedText[] = "it was interrupted";

/// Whether the integer may be another one than the same arithmetic in more bits
/// would give. What is not arithmetic has the bits that it has.
static bool mayWrap(const Value *value, bool isSigned,
                    SmallPtrSetImpl<const Value *> &seen) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !seen.insert(value).second)
    return false;
  if (isa<TruncInst>(instruction))
    return true;
  if (const auto *sum = dyn_cast<OverflowingBinaryOperator>(instruction);
      sum && !(isSigned ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
    return true;
  if (!isa<BinaryOperator, CastInst, SelectInst, PHINode>(instruction))
    return false;
  return any_of(instruction->operands(), [&](const Use &operand) {
    return mayWrap(operand, isSigned, seen);
  });
}

/// Whether an integer of 64 bits is made of a narrow one that may have wrapped.
static bool widensWrapped(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      SmallPtrSet<const Value *, 8> seen;
      if (isa<SExtInst, ZExtInst>(instruction) &&
          instruction.getType()->isIntegerTy(64) &&
          mayWrap(instruction.getOperand(0), isa<SExtInst>(instruction), seen))
        return true;
    }
  return false;
}

/// Whether a loop's header has several pointers into one array that grow by the
/// same.
static bool carriesPointersAlike(const BasicBlock &block) {
  SmallSet<std::pair<const Value *, const Value *>, 8> seen;
  for (const PHINode &carried : block.phis())
    for (const Value *incoming : carried.incoming_values()) {
      const auto *next = dyn_cast<GetElementPtrInst>(incoming);
      if (next && next->getPointerOperand() == &carried &&
          next->getNumIndices() == 1 &&
          !seen.insert({getUnderlyingObjectAggressive(&carried),
                        next->getOperand(1)})
               .second)
        return true;
    }
  return false;
}

static bool carriesPointersAlike(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) {
      return carriesPointersAlike(block);
    });
  });
}

/// Whether there are so many sums, products and addresses.
static bool hasManySums(const Module &module) {
  unsigned count = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      count += isa<GetElementPtrInst>(instruction) ||
               instruction.getOpcode() == Instruction::Add ||
               instruction.getOpcode() == Instruction::Mul;
  return count >= manySums;
}

static bool hasManyLoops(const Module &module) {
  unsigned count = 0;
  for (const Function &function : module) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
    if (!function.isDeclaration())
      FindFunctionBackedges(function, backEdges);
    count += backEdges.size();
  }
  return count >= manyLoops;
}

namespace {
/// Lets through what is in one of the lists.
class CodeGenPassGate : public OptPassGate {
public:
  CodeGenPassGate(SmallVector<ArrayRef<StringLiteral>, 4> lists,
                  InterruptQuestion isInterrupted)
      : lists(std::move(lists)), isInterrupted(std::move(isInterrupted)) {}
  bool shouldRunPass(StringRef name, StringRef) const override {
    // No other way leads out of the code generator.
    if (isInterrupted && isInterrupted())
      leaveGuard(interruptedText);
    return any_of(lists, [&](ArrayRef<StringLiteral> list) {
      return is_contained(list, name);
    });
  }
  bool isEnabled() const override { return true; }

private:
  SmallVector<ArrayRef<StringLiteral>, 4> lists;
  InterruptQuestion isInterrupted;
};
} // namespace

std::unique_ptr<OptPassGate>
tilewright::createCodeGenPassGate(const Module &module, bool optimize,
                                  const InterruptQuestion &isInterrupted) {
  SmallVector<ArrayRef<StringLiteral>, 4> lists;
  if (optimize)
    lists.push_back(codeGenPasses);
  if (optimize && !carriesPointersAlike(module))
    lists.push_back(inductionPasses);
  if (optimize && !widensWrapped(module)) {
    lists.push_back(addressPasses);
    if (!hasManySums(module) && !hasManyLoops(module))
      lists.push_back(sumPasses);
  }
  return std::make_unique<CodeGenPassGate>(std::move(lists), isInterrupted);
}

void CodeGenPasses::add(Pass *pass) {
  if (leavesLoops && is_contained(inductionPasses, pass->getPassName()))
    delete pass;
  else
    legacy::PassManager::add(pass);
}

void CodeGenPasses::prepareFor(const Module &module) {
  leavesLoops = hasManyLoops(module);
}

Error tilewright::optimizeModule(Module &module, TargetMachine &machine,
                                 const InterruptQuestion &isInterrupted) {
  PassInstrumentationCallbacks callbacks;
  if (isInterrupted)
    callbacks.registerShouldRunOptionalPassCallback(
        [&](StringRef, const Any &) { return !isInterrupted(); });
  LoopAnalysisManager loopAnalyses;
  FunctionAnalysisManager functionAnalyses;
  CGSCCAnalysisManager callGraphAnalyses;
  ModuleAnalysisManager moduleAnalyses;
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt,
                      &callbacks);
  builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager &manager,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "masks-of-offsets")
          manager.addPass(MasksOfOffsetsPass());
        else if (name == "xors-of-offsets")
          manager.addPass(XorsOfOffsetsPass());
        else if (name == "room-of-masks")
          manager.addPass(RoomOfMasksPass());
        else if (name == "rounded-selects")
          manager.addPass(RoundedSelectsPass());
        else if (name == "halves-of-products")
          manager.addPass(HalvesOfProductsPass());
        else if (name == "quotients-of-counts")
          manager.addPass(QuotientsOfCountsPass());
        else if (name == "quotients-of-neighbours")
          manager.addPass(QuotientsOfNeighboursPass());
        else if (name == "shuffles-of-shuffles")
          manager.addPass(ShufflesOfShufflesPass());
        else if (name == "pairs-of-extremes")
          manager.addPass(PairsOfExtremesPass());
        else if (name == "shared-loads")
          manager.addPass(SharedLoadsPass());
        else if (name == "bytes-of-words")
          manager.addPass(BytesOfWordsPass());
        else
          return false;
        return true;
      });
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses,
                               callGraphAnalyses, moduleAnalyses);
  auto run = [&](StringRef passes) {
    ModulePassManager manager;
    Error error = builder.parsePassPipeline(manager, passes);
    if (!error)
      manager.run(module, moduleAnalyses);
    if (!error && isInterrupted && isInterrupted())
      error = createStringError(interruptedText);
    return error;
  };
  if (Error error = run(firstPasses))
    return error;
  if (!widensWrapped(module))
    if (Error error = run(vectorPasses))
      return error;
  return run(lastPasses);
}
