//===- TripsTogether.h - Several trips of a loop in one ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TRIPSTOGETHER_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TRIPSTOGETHER_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tile {

/// Whether a loop does nothing but to load and to compute, so that what it
/// loads may be there before what is computed of the trip before.
bool mayGoTogether(mlir::scf::ForOp loop);

/// Does so many trips at once, and loads first what they take. Those that are
/// left over follow alone.
void goTogether(mlir::scf::ForOp loop, int64_t trips);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TRIPSTOGETHER_H
