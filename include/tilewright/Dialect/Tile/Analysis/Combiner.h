//===- Combiner.h - What a region combines to -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions and scans have a region that combines two elements:
//
//   ^bb0(%a: f32, %b: f32):
//     %sum = arith.addf %a, %b : f32
//     tile.yield %sum : f32
//
// What it does is not known by its name, but by its ops: whether it gives the
// same in any order is tried with numbers, extremes with places are matched.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_COMBINER_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_COMBINER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <optional>
#include <string>

namespace tilewright::tile {

/// An example of numbers that the region of the op combines to one result
/// in one order and to another in another order: "combine(1, 2) is -1,
/// combine(2, 1) is 1". None where a few numbers, through the ops' folders,
/// show nothing. Floats may differ by rounding. Elements that tie may be taken
/// in any order, so the numbers of a pair differ; a region that yields an
/// argument as it is takes any element, which is a way to combine, too.
std::optional<std::string> findOrderMatters(CombineOpInterface op);

/// The op of two elements that the region is, and nothing else; null: it is
/// not one.
mlir::Operation *findCombiningOp(CombineOpInterface op);

/// Which extreme a region takes, if it takes that one of two elements, and with
/// it what another tile has at that place, of equal ones the lesser. It does
/// not say which place that is where there are only NaN.
std::optional<mlir::arith::AtomicRMWKind>
findExtremeOfPairs(CombineOpInterface op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_COMBINER_H
