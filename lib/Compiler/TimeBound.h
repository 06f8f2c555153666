//===- TimeBound.h - What limits a kernel -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_TIMEBOUND_H
#define TILEWRIGHT_LIB_COMPILER_TIMEBOUND_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Compiler/KernelReport.h"

namespace tilewright {

/// Adds up what the accesses, conversions and products of the report, and the
/// other arithmetic of the placed kernel, take of an SM.
TimeBound boundTime(tile::KernelOp kernel, const KernelReport &report,
                    const GpuTarget &target);

/// The same of what has the number of this loop in the report.
TimeBound boundTime(mlir::LoopLikeOpInterface loop, unsigned number,
                    const KernelReport &report, const GpuTarget &target);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_TIMEBOUND_H
