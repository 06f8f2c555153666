//===- BranchAddresses.h - Addresses in branches of loops -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas writes out short loops, and replaces their branches by predicates, so
// that the loads of all iterations are under way at once; but no branch that
// computes where it loads. So the branch is left with a pointer from before the
// loop, and a constant times the counter:
//
//   base[sext(block * 2048 + i * 128)]   ->   start[i * 128]
//
// Sums of fewer bits than addresses may wrap around. They do not where they
// begin at a multiple of more than what the iterations add.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BRANCHADDRESSES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BRANCHADDRESSES_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright::tonvvm {

/// Works on a loop that counts few trips from 0, by one.
void takeAddressesOutOfBranches(mlir::LoopLikeOpInterface loop);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BRANCHADDRESSES_H
