//===- Convergence.h - What all threads of a warp do together ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_CONVERGENCE_H
#define TILEWRIGHT_LIB_TARGET_CONVERGENCE_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Marks the calls convergent in which all threads of a warp take part: such a
/// call stays out of branches that part of a warp takes. LLVM's intrinsics for
/// products and `ldmatrix` do not say so, and inline PTX cannot in MLIR.
void markConvergent(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_CONVERGENCE_H
