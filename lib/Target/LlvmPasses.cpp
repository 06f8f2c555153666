//===- LlvmPasses.cpp - Which of LLVM's optimisations run -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LlvmPasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace tilewright;

/// Thread programs gain little before ptxas, which optimises them anew: loops
/// and redundant loads are its business (docs/decisions/0006, 0010).
///
///   instcombine     folds constants into addresses and masks
///   early-cse       the same address, computed for each access
///   vector-combine  moves bytes and halves between vectors by shuffles, which
///                   become prmt: without it a transpose of i8 has 24 more
///   simplifycfg     blocks and branches that earlier passes left over
///   adce            results without a use
///
/// Left out: slp-vectorizer (took the sign off small integers; it changed no
/// example), and what -O2 has beyond these.
static constexpr StringLiteral modulePasses =
    "function(instcombine<no-verify-fixpoint>,early-cse<memssa>,"
    "vector-combine,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Passes that the code generator adds by itself and that LLVM lets one leave
/// out. In brackets: how many of 90 PTX files (30 examples for sm_80, sm_90a
/// and sm_100a) are others without it, and how many lines they have more in
/// all.
static constexpr StringLiteral codeGenPasses[] = {
    // Addresses: constants apart from what registers hold [67, 265].
    "separate-const-offset-from-gep",
    // What that leaves twice [3, 6].
    "early-cse",
    // Induction variables [69, 256].
    "Loop Strength Reduction",
    // Neighbouring loads and stores that were written apart [52, 2208].
    "load-store-vectorizer",
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

// Left out, beside those that change nothing:
//
//   slsr  "straight line strength reduction": takes sums of narrow integers for
//         sums of wide ones, and so addresses memory beyond what was asked for.
//         63 files have 42 lines more without it.

namespace {
/// Lets through what is in a list.
class CodeGenPassGate : public OptPassGate {
public:
  explicit CodeGenPassGate(ArrayRef<StringLiteral> passes) : passes(passes) {}
  bool shouldRunPass(StringRef name, StringRef) const override {
    return is_contained(passes, name);
  }
  bool isEnabled() const override { return true; }

private:
  ArrayRef<StringLiteral> passes;
};
} // namespace

OptPassGate &tilewright::getCodeGenPassGate(bool optimize) {
  static CodeGenPassGate some(codeGenPasses), none({});
  return optimize ? some : none;
}

Error tilewright::optimizeModule(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loopAnalyses;
  FunctionAnalysisManager functionAnalyses;
  CGSCCAnalysisManager callGraphAnalyses;
  ModuleAnalysisManager moduleAnalyses;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses,
                               callGraphAnalyses, moduleAnalyses);
  ModulePassManager manager;
  if (Error error = builder.parsePassPipeline(manager, modulePasses))
    return error;
  manager.run(module, moduleAnalyses);
  return Error::success();
}
