//===- RuntimeFunctions.h - Functions that CUDA has on devices --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_RUNTIMEFUNCTIONS_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_RUNTIMEFUNCTIONS_H

#include "Families/Family.h"

namespace tilewright::sim {

/// True if the call is to a function that the simulator stands in for.
bool decodeRuntimeFunction(Decoder &d, Instr &i, const Operand &name,
                           llvm::ArrayRef<Operand> results,
                           llvm::ArrayRef<Operand> arguments);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_RUNTIMEFUNCTIONS_H
