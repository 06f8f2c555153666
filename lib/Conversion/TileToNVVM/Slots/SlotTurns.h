//===- SlotTurns.h - Rows ahead in slots that take turns --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that is copied ahead goes to other slots than the one at hand, so that
// its copies begin before anything of that is read (keep-in-slots).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTTURNS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTTURNS_H

#include "Slots/SlotCandidates.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::tonvvm {

/// Moves the loads, of arrays that the kernel does not write, to where an
/// iteration begins. Returns the last of them; null, with nothing moved, where
/// branches have them, or their addresses hang on what else an iteration does.
mlir::Operation *loadFirst(mlir::scf::ForOp loop,
                           mlir::ArrayRef<SlotLoads> ahead);

/// Has the loop carry how many bytes behind the first slots those are whose
/// turn it is, and hand on how many the others are.
void carryTurn(mlir::scf::ForOp &loop, int64_t bytes);

/// Whether threads may load other words than each other.
bool isOfThread(mlir::Operation *load);

/// Whether the loop loads other words for its next iteration, which are not the
/// same for all threads.
bool loadsOfThreads(mlir::scf::ForOp loop, mlir::ArrayRef<SlotLoads> ahead);

/// Whether the function has copies already, for which it waits by groups.
bool hasAsyncCopies(mlir::LLVM::LLVMFuncOp function);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTTURNS_H
