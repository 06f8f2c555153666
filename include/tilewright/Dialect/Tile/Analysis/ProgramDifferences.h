//===- ProgramDifferences.h - What differs between programs -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that are neighbours along an axis of the grid differ in their number
// there, and in what is computed by it:
//
//   %p = tile.program_id 0
//   %i = arith.muli %p, %n : index           // differs
//   %w = tile.load %weights : ...            // does not
//   scf.if %c { ... }                        // a branch, if %c differs
//
// Of a kernel with clusters of programs (ClusterPrograms.h) these are the
// programs of a cluster, which differ by tile.place_in_cluster.
//
// A branch by such a condition is taken by some of them; what it does to memory
// is done for each, whatever it hangs on.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_PROGRAMDIFFERENCES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_PROGRAMDIFFERENCES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether the op does more than to read and to write: it prints, or checks.
bool touchesExecution(mlir::Operation *op);

/// Whether programs may wait for one another.
bool mayWaitForOthers(KernelOp kernel);

/// Whether they may, or tell somebody of what they do.
bool talksToOthers(KernelOp kernel);

/// On a kernel: a block runs no more of its programs at once than this, since
/// more have no room in shared memory.
inline constexpr llvm::StringLiteral kMostProgramsAttr = "tile.most_programs";
std::optional<int64_t> getMostPrograms(KernelOp kernel);

class ProgramDifferences {
public:
  ProgramDifferences(KernelOp kernel, unsigned axis);

  bool differs(mlir::Value value) const { return values.contains(value); }
  /// Whether programs take an scf.if, or the trips of an scf.for, differently.
  bool diverges(mlir::Operation *op) const { return divergent.contains(op); }
  /// Whether the op does something else for each program.
  bool differs(mlir::Operation *op) const;

  /// What cannot be done for several programs at once, or null.
  mlir::Operation *findObstacle(KernelOp kernel) const;

  /// Whether a number is that of the program along the axis, in another type.
  bool isProgramId(mlir::Value value) const;

private:
  bool mark(mlir::Value value) { return values.insert(value).second; }
  bool isNumber(mlir::Operation *op) const;
  bool visit(mlir::Operation *op);
  bool visitLoop(mlir::scf::ForOp loop);
  bool visitBranch(mlir::scf::IfOp branch);
  bool isObstacle(mlir::Operation *op) const;
  bool canStart(mlir::scf::ForOp loop) const;
  /// Whether no program may come here, though the block does.
  bool mayBeIdle(mlir::Operation *op) const;

  unsigned axis;
  bool inCluster;
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::Operation *> divergent;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_PROGRAMDIFFERENCES_H
