//===- LoadedCompiler.cpp - The compiler, when it is needed ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/LoadedCompiler.h"

#include "llvm/Support/Path.h"
#include <atomic>
#include <dlfcn.h>
#include <utility>

using namespace tilewright;
using namespace tilewright::jit;

static std::atomic<CompilerLibrary *> loaded = nullptr;
static thread_local runtime::Interrupt *interrupt = nullptr;

CompileInterruptScope::CompileInterruptScope(runtime::Interrupt *asked)
    : before(std::exchange(interrupt, asked)) {}

CompileInterruptScope::~CompileInterruptScope() { interrupt = before; }

std::string jit::getCompilerPath() {
  Dl_info here = {};
  llvm::SmallString<128> path;
  if (dladdr(&loaded, &here) && here.dli_fname)
    path = llvm::sys::path::parent_path(here.dli_fname);
  llvm::sys::path::append(path, "libTilewrightCompiler.so");
  return path.str().str();
}

bool jit::isCompilerLoaded() { return loaded.load() != nullptr; }

llvm::Expected<CompilerLibrary *> jit::loadCompiler() {
  if (CompilerLibrary *library = loaded.load(std::memory_order_acquire))
    return library;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (CompilerLibrary *library = loaded.load(std::memory_order_acquire))
    return library;
  // Not by LLVM's DynamicLibrary, which lets others see the symbols of what it
  // opens: other packages bring an LLVM of their own.
  std::string path = getCompilerPath();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *function = handle ? dlsym(handle, getCompilerSymbol) : nullptr;
  if (!function)
    return llvm::createStringError(
        "the compiler cannot be loaded: " + std::string(dlerror()) +
        "; install tilewright again");
  CompilerLibrary *library =
      reinterpret_cast<GetCompilerFunction *>(function)();
  loaded.store(library, std::memory_order_release);
  return library;
}

KernelSource jit::fromTextWhenNeeded(std::string text, std::string name) {
  auto compileText =
      [text, name = std::move(name)](
          const CompileOptions &options) -> llvm::Expected<CompiledModule> {
    llvm::Expected<CompilerLibrary *> compiler = loadCompiler();
    if (!compiler)
      return compiler.takeError();
    CompileOptions interruptible = options;
    if (interrupt)
      interruptible.isInterrupted = [asked = interrupt] {
        return asked->isRequested();
      };
    CompileOutcome outcome = (*compiler)->compile(text, name, interruptible);
    if (outcome.module)
      return std::move(*outcome.module);
    return llvm::make_error<CompileFailure>(std::move(outcome.text),
                                            std::move(outcome.diagnostics));
  };
  return KernelSource(std::move(compileText), std::move(text));
}
