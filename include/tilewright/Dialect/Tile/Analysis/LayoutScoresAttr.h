//===- LayoutScoresAttr.h - Scores kept with a tile -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTSCORESATTR_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTSCORESATTR_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/LayoutScores.h"

namespace tilewright::tile {

/// Where tile-assign-shared-layouts leaves the scores of a tile, for reports.
/// No pass reads it.
inline constexpr llvm::StringLiteral kLayoutScoresAttr = "tile.layout_scores";

/// {candidates = [{bytes = 16384, cost = 320, name = "...", ...}, ...],
///  bounds = [{cost = 160, why = "..."}, ...], lower_bound = 320, proven}
mlir::DictionaryAttr toAttr(mlir::MLIRContext *context,
                            const LayoutScores &scores);

/// The scores that a tile carries. Nothing where it carries none, or something
/// else under their name.
std::optional<LayoutScores> getLayoutScores(AllocSharedOp tile);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTSCORESATTR_H
