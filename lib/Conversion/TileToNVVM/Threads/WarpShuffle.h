//===- WarpShuffle.h - Values that change lanes -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl.sync moves words of 32 bits; these functions take registers of any type:
// narrow ones travel in one word, wide ones in two.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPSHUFFLE_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPSHUFFLE_H

#include "mlir/IR/Builders.h"

namespace tilewright::tonvvm {

/// The value that lane ^ laneMask has.
mlir::Value shuffleButterfly(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, unsigned laneMask);

/// The value that lane `lane` (i32) has.
mlir::Value shuffleFromLane(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, mlir::Value lane);

/// The bits of a register as an integer of as many; index and pointers have 64.
mlir::Value toBits(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value);
mlir::Value fromBits(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value integer, mlir::Type type);

/// An integer of another width: its low bits, or with zeros above.
mlir::Value resizeInteger(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value integer, unsigned bits);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPSHUFFLE_H
