//===- PtxEmitter.cpp - LLVM IR to PTX text -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/PtxEmitter.h"

#include "Convergence.h"
#include "CrashGuard.h"
#include "LlvmPasses.h"
#include "PtxRepairs.h"
#include "WaitsOfDoubles.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

// The code generator's entry points have no header: each is declared where it
// is called, as LLVM's own TargetSelect.h does.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace llvm;
using namespace tilewright;

/// Shared and local memory are far below 4 GiB: 32-bit addresses take one
/// register instead of two. LLVM has no other way to ask for that. Returns
/// whether it took the option.
static bool askForShortPointers() {
  auto &options = cl::getRegisteredOptions();
  auto option = options.find("nvptx-short-ptr");
  return option != options.end() &&
         !option->second->addOccurrence(0, "nvptx-short-ptr", "true");
}

/// Returns whether LLVM can generate PTX as it is wanted here.
static bool initializeNvptx() {
  static std::once_flag once;
  static bool isReady = false;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    isReady = askForShortPointers();
  });
  return isReady;
}

namespace {

/// Everything that LLVM works on. Nothing of it is the caller's, because a
/// fatal error inside LLVM leaves it in an unknown state: then all of it is
/// leaked. An interruption comes between two passes, which know nothing of each
/// other's stack: then all is freed but what was on it.
struct Workspace {
  std::unique_ptr<OptPassGate> gate;
  std::unique_ptr<LLVMContext> context;
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine;
  SmallString<0> ptx;
  std::string errors;
  bool wasInterrupted = false;
  raw_svector_ostream stream{ptx};
  CodeGenPasses passes;
};

} // namespace

static std::unique_ptr<TargetMachine> createMachine(const GpuTarget &target,
                                                    std::string &error) {
  if (!initializeNvptx()) {
    error = "it has no option nvptx-short-ptr";
    return nullptr;
  }
  Triple triple("nvptx64-nvidia-cuda");
  const Target *nvptx = TargetRegistry::lookupTarget(triple, error);
  if (!nvptx)
    return nullptr;
  std::string features = "+ptx" + std::to_string(target.ptxVersion);
  return std::unique_ptr<TargetMachine>(nvptx->createTargetMachine(
      triple, target.name, features, TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Default));
}

/// PTX text that only computes may be left out and moved like any arithmetic;
/// LLVM asks for more than that it has no side effects.
static void markPureText(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      auto *text =
          call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!text || text->hasSideEffects())
        continue;
      call->setDoesNotAccessMemory();
      call->setDoesNotThrow();
      call->addFnAttr(Attribute::WillReturn);
    }
}

/// LLVM tells where an inlined function was called in comments only.
static bool hasInlinedCode(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (const DebugLoc &line = instruction.getDebugLoc();
          line && line.getInlinedAt())
        return true;
  return false;
}

static void prepareModule(Workspace &work) {
  work.module->setTargetTriple(work.machine->getTargetTriple());
  work.module->setDataLayout(work.machine->createDataLayout());
  markConvergent(*work.module);
  markPureText(*work.module);
}

static Error generateCode(Workspace &work) {
  work.machine->Options.MCOptions.AsmVerbose = hasInlinedCode(*work.module);
  work.passes.prepareFor(*work.module);
  if (work.machine->addPassesToEmitFile(work.passes, work.stream, nullptr,
                                        CodeGenFileType::AssemblyFile))
    return createStringError("LLVM's NVPTX target cannot emit PTX");
  work.passes.run(*work.module);
  return Error::success();
}

/// Keeps LLVM's errors; remarks and warnings of the code generator concern
/// generated code that no user wrote.
static void collectErrors(const DiagnosticInfo *info, void *errors) {
  if (info->getSeverity() != DS_Error)
    return;
  auto &text = *static_cast<std::string *>(errors);
  raw_string_ostream stream(text);
  if (!text.empty())
    stream << '\n';
  DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
}

static Error compile(const PtxOptions &options, Workspace &work) {
  work.context->setDiagnosticHandlerCallBack(collectErrors, &work.errors);
  prepareModule(work);
  InterruptQuestion isInterrupted;
  if (options.isInterrupted)
    isInterrupted = [&] {
      return work.wasInterrupted = options.isInterrupted();
    };
  if (options.optimize)
    if (Error error =
            optimizeModule(*work.module, *work.machine, isInterrupted))
      return error;
  waitForDoubles(*work.module);
  work.gate =
      createCodeGenPassGate(*work.module, options.optimize, isInterrupted);
  work.context->setOptPassGate(*work.gate);
  if (Error error = generateCode(work))
    return error;
  if (!work.errors.empty())
    return createStringError(work.errors);
  return Error::success();
}

Expected<std::string> tilewright::emitPtx(std::unique_ptr<LLVMContext> context,
                                          std::unique_ptr<Module> module,
                                          const GpuTarget &target,
                                          const PtxOptions &options) {
  // Parameters may be destroyed in any order, members are so module first.
  auto work = std::make_unique<Workspace>();
  work->context = std::move(context);
  work->module = std::move(module);
  std::string reason;
  if (options.verify) {
    raw_string_ostream stream(reason);
    if (verifyModule(*work->module, &stream))
      return createStringError("the LLVM module is malformed: " +
                               StringRef(reason).rtrim());
  }

  work->machine = createMachine(target, reason);
  if (!work->machine)
    return createStringError("LLVM has no code generator for " + target.name +
                             ": " + reason);

  std::string failure;
  std::optional<std::string> fatal =
      runGuarded([&] { failure = toString(compile(options, *work)); });
  if (fatal) {
    failure = *fatal;
    // See Workspace: it must not be destroyed.
    if (!work->wasInterrupted)
      (void)work.release();
  }
  if (!failure.empty())
    return createStringError("LLVM cannot compile this module for " +
                             target.name + ": " + failure);
  return repairNarrowIntegers(work->ptx);
}
