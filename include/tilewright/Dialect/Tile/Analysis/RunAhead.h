//===- RunAhead.h - Loads that need not wait for their loop -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load that stands in a loop may be made some iterations early, if it is
// known by then where it loads from, and nothing is written there meanwhile:
//
//   scf.for %k = 0 to %K step 32 {
//     %a = tile.load %A[%row, %k]           // ahead, by %k alone
//     %page = tile.load %list[%k]           // a number, an iteration earlier
//     %b = tile.load %B[%page, 0]           // ahead, once that is there
//     %c = tile.load %C[%sum, 0]            // not ahead: %sum is carried
//   }
//
// Who copies, or has to say why nothing is copied, asks here; and for the
// number of stages.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_RUNAHEAD_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_RUNAHEAD_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On a load: it has no room to run ahead.
inline constexpr llvm::StringLiteral kStaysAttr = "tile.stays";
/// On a loop: it carries what it has loaded for its next iteration, and where
/// there is none, zeros, at which nobody looks.
inline constexpr llvm::StringLiteral kLoadsAheadAttr = "tile.loads_ahead";

/// Whether the op does nothing but to read global memory, once.
bool isPlainLoad(mlir::Operation *op);

/// Whether programs may learn from what the op itself touches how far others
/// are: what stands in memory may be something else behind it.
bool talksByMemory(mlir::Operation *op);
/// Whether the op itself tells this program how far others are.
bool hearsOfOthers(mlir::Operation *op);

/// Whether something in the regions of the op may write global memory.
bool mayWriteGlobalMemory(mlir::Operation *op);
/// Whether it may write what is reached through this root (getRoot()).
bool mayWriteThrough(mlir::Operation *op, mlir::Value root);
/// Whether it keeps a load through this root behind it: it may write what is
/// loaded, tell how far programs are, or end the launch where the load would
/// touch what is not there.
bool keepsBehind(mlir::Operation *op, mlir::Value root);

/// For a load in the body of a loop that can be made iterations before its own:
/// the ops of the body, in order, that compute where it loads from the
/// induction variable, and the loads among them of numbers that hang on it
/// alone (isPlainLoad). None where that hangs on what the loop computes, where
/// it has kStaysAttr, where no copy can do what the load does, where it has
/// more than one use, and where the loop writes global memory that the load of
/// a later iteration may read, or may end the launch before it: then `why` says
/// so, if it is not null.
std::optional<llvm::SmallVector<mlir::Operation *>>
getCoordinatesAhead(GlobalAccessOpInterface load, std::string *why = nullptr);
/// The same, however often what it loads is used.
std::optional<llvm::SmallVector<mlir::Operation *>>
findCoordinatesAhead(GlobalAccessOpInterface load, std::string *why = nullptr);

/// The stages of a loop: what it says itself, or else what its kernel says; no
/// more than there is room for.
int getNumStages(mlir::Operation *loop);

/// On a kernel: its loops have no more stages than this, since more have no
/// room in shared memory.
inline constexpr llvm::StringLiteral kMostStagesAttr = "tile.most_stages";
std::optional<int> getMostStages(KernelOp kernel);

/// Where tile-allocate-shared leaves why there are no more.
inline constexpr llvm::StringLiteral kStagesReasonAttr = "tile.stages_reason";

/// As a sentence without an end; empty where loops have what was asked for.
std::string describeFewerStages(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_RUNAHEAD_H
