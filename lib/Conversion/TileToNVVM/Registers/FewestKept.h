//===- FewestKept.h - What to keep, and compute the rest anew ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that uses many addresses need not keep them all, if they are made of
// few numbers. Of 16 of them, which take 32 registers,
//
//   %p00 = %base + (%row0 * %stride + %column0)
//   %p01 = %base + (%row0 * %stride + %column1)
//   ...
//   %p33 = %base + (%row3 * %stride + %column3)
//
// findFewestKept({%p00, ..., %p33}) is a smallest cut of the graph of values,
// where each has as much room as it takes registers: four times %row * %stride
// and four times %column, 8 registers. What a kernel is given, such as %base,
// takes none.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_FEWESTKEPT_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_FEWESTKEPT_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tonvvm {

/// The 32-bit registers that the value takes as long as it is live. Constants
/// and what a kernel is given take none: instructions read them where they lie.
int64_t countWords(mlir::Value value);
int64_t countAllWords(llvm::ArrayRef<mlir::Value> values);
/// The bits of it, of which 32 can be in a register.
int64_t countBits(mlir::Value value);

/// Whether a few instructions make it of its operands, all of them numbers or
/// addresses: no division, and nothing that reads memory.
bool isCheap(mlir::Operation *op);

/// Values in the fewest registers from which all that is wanted can be computed
/// by cheap ops. Of several such sets, the one that leaves least to compute.
llvm::SetVector<mlir::Value> findFewestKept(llvm::ArrayRef<mlir::Value> wanted);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_FEWESTKEPT_H
