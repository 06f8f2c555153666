//===- SourceLayouts.h - Where tiles would stand --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is made of a repeated tile has no home: more than one would do. Where
// nothing says which, that of the repeated tile does, if it leaves no thread
// without elements of its own, and the copies are more registers:
//
//   %a, %b          64 elements, register[2] lane[32]
//   %x = select of %a and %b, repeated to 64 x 2
//   %r = reshape %x to 2 x 2 x 32
//                   %x as register[1,2] register[2,1] lane[32,1], and
//                   %r where that is
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_SOURCELAYOUTS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_SOURCELAYOUTS_H

#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"

namespace tilewright::tile {

/// The layout that an op would choose if one of its tiles had this home.
RegisterLayoutAttr chooseLayoutWith(RegisterLayoutOpInterface op,
                                    mlir::Value tile, RegisterLayoutAttr home,
                                    const LayoutContext &context);

/// A cheap op, and the layout that follows for it.
struct SourceStep {
  RegisterLayoutOpInterface op;
  RegisterLayoutAttr layout;
};

/// How a tile without a home follows from one with a home that it is made of,
/// first things first; nothing where it does not.
llvm::SmallVector<SourceStep> findStepsFromSource(mlir::Value tile,
                                                  const LayoutContext &context);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_SOURCELAYOUTS_H
