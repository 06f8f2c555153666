//===- SlotCopies.h - Copies to slots of threads ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCOPIES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCOPIES_H

#include "Slots/SlotCandidates.h"

namespace tilewright::tonvvm {

/// Copies to the place what was loaded, by threads of which the mask holds, if
/// there is one.
void copyToSlot(const LoadedAhead &ahead, mlir::Value place, mlir::Value mask);

/// Stores what the branch hands out that does not load, and has the other one
/// hand out nothing that it has loaded.
void storeElse(mlir::scf::ForOp loop, LoadedAhead ahead, mlir::Value place);

void awaitCopies(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTCOPIES_H
