//===- RowReport.h - What moves of rows that begin anywhere cost *- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_ROWREPORT_H
#define TILEWRIGHT_LIB_COMPILER_ROWREPORT_H

#include "tilewright/Compiler/KernelReport.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

namespace tilewright {

/// Adds what threads take to move rows between both memories. Instructions for
/// elements at the ends of rows are not counted.
void addMoveOfRows(AccessReport &report, mlir::Operation *op,
                   const tile::AxisInfoAnalysis &axes);

/// Adds what a walk along rows takes for each time that it fills its rings, for
/// what it reads or for what it stores.
void addWalkAlongRows(AccessReport &report, mlir::Operation *op,
                      const tile::AxisInfoAnalysis &axes);

/// The access of threads, from registers or to them, to a row of shared memory
/// that lies there as in memory; none where the op is no such access.
std::optional<tile::MemoryAccess> findRowAccess(mlir::Operation *op);

/// Adds what such an access takes, an element after the other.
void addRowAccess(AccessReport &report, const tile::MemoryAccess &access);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_ROWREPORT_H
