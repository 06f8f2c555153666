//===- CloneTrip.h - A trip of a loop, written once more --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_CLONETRIP_H
#define TILEWRIGHT_DIALECT_TILE_IR_CLONETRIP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::tile {

/// What a trip of a loop gives to the next one, written where the builder is,
/// for a counter and what the trip before gives.
inline llvm::SmallVector<mlir::Value> cloneTrip(mlir::OpBuilder &builder,
                                                mlir::scf::ForOp loop,
                                                mlir::Value counter,
                                                mlir::ValueRange given) {
  mlir::IRMapping map;
  map.map(loop.getInductionVar(), counter);
  map.map(loop.getRegionIterArgs(), given);
  for (mlir::Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, map);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](mlir::Value yielded) {
    return map.lookupOrDefault(yielded);
  });
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_CLONETRIP_H
