//===- PtxEmitter.h - LLVM IR to PTX text -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_PTXEMITTER_H
#define TILEWRIGHT_TARGET_PTXEMITTER_H

#include "tilewright/Target/GpuTarget.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tilewright {

struct PtxOptions {
  /// Without it, the PTX follows the module line by line.
  bool optimize = true;
  /// Check the module first, so that a malformed one is an error with LLVM's
  /// reason and not a surprise later.
  bool verify = true;
  /// Asked before each pass, if there is one; true ends the work with an error.
  std::function<bool()> isInterrupted;
};

/// The PTX text of `module` for `target`. The module may have any triple and
/// data layout; both are replaced by those of NVPTX. It is taken with its
/// context, in which nothing else may be. Kernels are the functions with the
/// calling convention `ptx_kernel`.
///
/// Multiply-adds are fused where the instructions carry the `contract` flag.
///
/// Errors: a module that does not verify, and whatever LLVM's optimiser and
/// code generator reject, with their words. An internal failure of LLVM comes
/// back as an error too and leaves the process usable. May be called from
/// several threads at once.
llvm::Expected<std::string> emitPtx(std::unique_ptr<llvm::LLVMContext> context,
                                    std::unique_ptr<llvm::Module> module,
                                    const GpuTarget &target,
                                    const PtxOptions &options = {});

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_PTXEMITTER_H
