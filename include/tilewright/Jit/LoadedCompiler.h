//===- LoadedCompiler.h - The compiler, when it is needed ---*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's library lies beside the one that this code is in. A process
// loads it when it first compiles, and then keeps it:
//
//   KernelSource source = fromTextWhenNeeded(text, "add.mlir");  // loads
//   nothing source(options)                                              //
//   loads it
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_LOADEDCOMPILER_H
#define TILEWRIGHT_JIT_LOADEDCOMPILER_H

#include "tilewright/Compiler/CompilerLibrary.h"
#include "tilewright/Jit/Variants.h"
#include "tilewright/Runtime/Interrupt.h"

namespace tilewright::jit {

/// Any thread may ask.
llvm::Expected<CompilerLibrary *> loadCompiler();

/// Whether something was compiled in this process.
bool isCompilerLoaded();

/// Where the library is to be found.
std::string getCompilerPath();

/// Text in the tile dialect; `name` stands for it in messages.
KernelSource fromTextWhenNeeded(std::string text, std::string name);

/// Whom what this thread compiles asks whether to end, from here to the end of
/// the scope; null: no one.
class CompileInterruptScope {
public:
  explicit CompileInterruptScope(runtime::Interrupt *asked);
  ~CompileInterruptScope();
  CompileInterruptScope(const CompileInterruptScope &) = delete;
  CompileInterruptScope &operator=(const CompileInterruptScope &) = delete;

private:
  runtime::Interrupt *before;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_LOADEDCOMPILER_H
