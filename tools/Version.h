//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_VERSION_H
#define TILEWRIGHT_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

/// Prints this project's version and LLVM's. TILEWRIGHT_VERSION comes from
/// CMake's project().
inline void printVersion(llvm::raw_ostream &os) {
  os << "Tilewright " TILEWRIGHT_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
}

/// Makes `--version` of every tool print it.
inline void installVersion() { llvm::cl::SetVersionPrinter(printVersion); }

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_VERSION_H
