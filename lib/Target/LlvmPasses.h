//===- LlvmPasses.h - Which of LLVM's optimisations run ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole list stands in LlvmPasses.cpp, each with what it is good for. LLVM
// is not trusted: a pass that is not in the list does not run, and what those
// that run do is compared with programs that none of them touched
// (test/differential).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_LLVMPASSES_H
#define TILEWRIGHT_LIB_TARGET_LLVMPASSES_H

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace llvm {
class Module;
class OptPassGate;
class TargetMachine;
} // namespace llvm

namespace tilewright {

/// Asked before a pass whether it is to be the end; may be empty.
using InterruptQuestion = std::function<bool()>;

/// Runs those on LLVM IR.
llvm::Error optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                           const InterruptQuestion &isInterrupted);

/// Lets through those of the code generator that this module can bear, for its
/// context; or, without `optimize`, none. The latter is not the same as a code
/// generator that optimises nothing, which copies registers as it likes:
/// between `wgmma.fence` and `wgmma`, too. An interruption leaves the guard
/// that the code generator runs in.
std::unique_ptr<llvm::OptPassGate>
createCodeGenPassGate(const llvm::Module &module, bool optimize,
                      const InterruptQuestion &isInterrupted);

/// The passes of the code generator. A gate lets passes do nothing, but what
/// they ask of is computed all the same; of modules with very many loops that
/// is too much.
class CodeGenPasses : public llvm::legacy::PassManager {
public:
  void prepareFor(const llvm::Module &module);
  void add(llvm::Pass *pass) override;

private:
  bool leavesLoops = false;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_LLVMPASSES_H
