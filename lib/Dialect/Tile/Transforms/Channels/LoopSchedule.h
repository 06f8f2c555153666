//===- LoopSchedule.h - Which loads of a loop run ahead ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs ahead, and by how much, is decided before anything is rewritten,
// and apart from how it is copied (CopyEmission.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPSCHEDULE_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPSCHEDULE_H

#include "Channels/CopyEmission.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tile {

/// A load that runs ahead: it only goes into a shared tile of the same
/// iteration.
struct StagedLoad {
  GlobalAccessOpInterface load;
  LocalStoreOp store;
  AllocSharedOp tile;
  CopyShape shape;
  /// Ops of the loop's body that compute where it loads from the induction
  /// variable.
  llvm::SmallVector<mlir::Operation *> coordinates;
};

/// These loads of a loop run `numStages - 1` iterations ahead of it.
struct LoopSchedule {
  mlir::scf::ForOp loop;
  llvm::SmallVector<StagedLoad> loads;
  int numStages;
};

/// The loops with loads that run ahead, inner ones first.
llvm::SmallVector<LoopSchedule> scheduleLoops(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOOPSCHEDULE_H
