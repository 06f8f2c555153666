//===- StagedConversions.h - Conversions by shared memory -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between register layouts that go through a shared tile: how many
// bytes they have there, in which pieces they go if that is too many, and which
// load may run ahead once they do.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_STAGEDCONVERSIONS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_STAGEDCONVERSIONS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// What an element is while it is in memory: masks and index tiles are whole
/// bytes there.
mlir::Type getStoredType(mlir::Type elementType);

/// Bytes of a conversion's tile in shared memory, without padding.
int64_t getStagedBytes(ConvertLayoutOp convert);

/// Where a tile is halved: as tile.split has it.
struct Cut {
  unsigned axis;
  int64_t stride;
};

/// The cuts that leave pieces of at most `maxBytes`; none where it cannot be
/// done, or need not.
llvm::SmallVector<Cut> chooseCuts(ConvertLayoutOp convert, int64_t maxBytes);

/// Bytes of what goes through shared memory only to be stored, beside
/// `convert` in its block and smaller: where each has a place of its own, the
/// largest goes in pieces.
int64_t countStoredBeside(ConvertLayoutOp convert);

/// What gives the dimensions of the converted tile their order, without moving
/// it; null where nothing does.
mlir::Operation *findTransposition(ConvertLayoutOp convert);

/// The load of what is converted, where tile-pipeline may let it run ahead once
/// it goes into a shared tile: of an operand, also before it is transposed.
GlobalAccessOpInterface getLoadAhead(ConvertLayoutOp convert);

/// Whether ldmatrix makes the layout of what is read, from rows or from columns
/// of a shared tile.
bool canLoadMatrices(mlir::RankedTensorType read);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_STAGEDCONVERSIONS_H
