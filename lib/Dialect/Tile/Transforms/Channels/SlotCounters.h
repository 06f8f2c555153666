//===- SlotCounters.h - Which slot a hand-over has --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hand-over `n` is in slot `n mod stages`. A loop that carries the count
// carries the slot as well, which is one further in each iteration and begins
// again after the last; so nothing is divided.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SLOTCOUNTERS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SLOTCOUNTERS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

/// Leaves out the end of a hand-over, and its count where that was for it
/// alone.
void eraseWithCount(HandOverOpInterface op);

class SlotCounters {
public:
  explicit SlotCounters(int64_t numStages) : numStages(numStages) {}

  /// The slot, as an index.
  mlir::Value getIndex(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value count);

  /// Leaves out counts that nothing but their loop uses any more.
  void dropCounts();

private:
  /// The slot, in 32 bits: an index would take two registers.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Location loc, Count count);
  mlir::Value getOfBase(mlir::Value base);
  mlir::Value getOfPrevious(mlir::Value base);
  /// The number of the slot that is so many behind another one.
  mlir::Value add(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value slot, mlir::Value distance);
  mlir::Value step(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value slot, int64_t distance);
  mlir::Value carry(mlir::BlockArgument count, int64_t ahead,
                    llvm::DenseMap<mlir::Value, mlir::Value> &known,
                    llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                                   mlir::Location, mlir::Value)>
                        next);
  /// The slot of a count that is this number.
  int64_t toSlot(int64_t count) const {
    return (count % numStages + numStages) % numStages;
  }

  int64_t numStages;
  llvm::DenseMap<mlir::Value, mlir::Value> slots, previousSlots;
  llvm::SetVector<mlir::BlockArgument> counts;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SLOTCOUNTERS_H
