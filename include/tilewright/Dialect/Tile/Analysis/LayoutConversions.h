//===- LayoutConversions.h - How conversions are carried out ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the elements of a tile come from the threads that have them to those that
// want them, of a `tile.convert_layout`: by other names for registers, by
// shuffles within warps, or through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTCONVERSIONS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTCONVERSIONS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Conversion/ConversionChoice.h"

namespace tilewright::tile {

/// The cheapest way by the layouts alone; pointers never go through shared
/// memory if there is another way.
ConversionChoice chooseConversion(ConvertLayoutOp convert);

/// The register of the source for each of the result, if the conversion only
/// renames registers (Layout/LayoutConversion.h).
std::optional<llvm::SmallVector<unsigned>>
mapRegisters(ConvertLayoutOp convert);
/// The same of a tile that is repeated along its extents of 1; none where a
/// thread lacks elements that it repeats.
std::optional<llvm::SmallVector<unsigned>>
mapRepeated(mlir::RankedTensorType source, mlir::RankedTensorType result);

/// How a conversion that was left in registers is carried out by shuffles; none
/// where warps lack elements that they need.
std::optional<ShufflePlan> planShuffles(ConvertLayoutOp convert);

/// Whether products, and nothing else, read the result: then it is staged the
/// way that they read it.
bool feedsProducts(ConvertLayoutOp convert);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTCONVERSIONS_H
