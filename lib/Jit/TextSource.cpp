//===- TextSource.cpp - Text, by the compiler in this program -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/Variants.h"

using namespace tilewright;
using namespace tilewright::jit;

KernelSource jit::fromText(std::string text, std::string name) {
  auto compileText = [text,
                      name = std::move(name)](const CompileOptions &options) {
    return compile(text, name, options);
  };
  return KernelSource(std::move(compileText), std::move(text));
}
