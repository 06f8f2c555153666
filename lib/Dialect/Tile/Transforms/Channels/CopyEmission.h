//===- CopyEmission.h - How what runs ahead is copied -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_COPYEMISSION_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_COPYEMISSION_H

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

namespace tilewright::tile {

/// How a thread copies what a load would load.
struct CopyShape {
  /// Elements that it copies at once.
  int64_t vectorWidth;
  /// The dimension along which they follow one another.
  unsigned axis;
};

/// None where no copy can do what the load does.
std::optional<CopyShape> getCopyShape(GlobalAccessOpInterface load,
                                      const AxisInfoAnalysis &axes);

/// Starts copying into a shared tile what the load would load with the values
/// that `mapping` has for its operands.
void startCopy(mlir::OpBuilder &builder, GlobalAccessOpInterface load,
               const mlir::IRMapping &mapping, mlir::Value dest,
               const CopyShape &shape);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_COPYEMISSION_H
