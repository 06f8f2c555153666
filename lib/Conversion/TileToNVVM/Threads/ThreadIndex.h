//===- ThreadIndex.h - Layouts, evaluated by a thread -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout is linear over bits, so the point that a thread holds in register r
// splits:
//
//   point(r, lane, warp) = point(r, 0, 0) ^ point(0, lane, warp)
//
// The left part is a constant; the right one is computed once for all
// registers. Where both never have a bit in common, ^ is +, and the constant
// folds into the address of the instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_THREADINDEX_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_THREADINDEX_H

#include "mlir/IR/Builders.h"
#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright::tonvvm {

/// One coordinate of a layout: a constant for each register, and a value of the
/// thread.
class ThreadCoordinate {
public:
  /// The i32 coordinate along `dim` of register `reg`.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Location loc,
                  int32_t registerPart) const;
  /// The thread's part, and whether adding a register's part to it is right.
  mlir::Value getThreadPart() const { return threadPart; }
  bool isDisjoint(int32_t registerPart) const {
    return (registerPart & threadBits) == 0;
  }

private:
  friend class ThreadIndex;
  mlir::Value threadPart;
  int32_t threadBits = 0;
};

/// The thread's place among those of its program, and with it in layouts.
class ThreadIndex {
public:
  ThreadIndex(mlir::OpBuilder &builder, mlir::Location loc);

  /// Bits of the thread's lane and number of warp, i32.
  mlir::Value getLane() const { return lane; }
  mlir::Value getWarp() const { return warp; }

  /// The coordinate along `dim` of the elements a layout gives this thread.
  ThreadCoordinate getCoordinate(const LinearLayout &layout, unsigned dim);

  /// i1: whether none of these bits of lane and warp is set; null for always.
  mlir::Value isCanonical(int64_t idleLanes, int64_t idleWarps);

  /// i1: whether this is the first thread of the program, null where others
  /// have ended; or of its warp.
  mlir::Value isFirst();
  mlir::Value isFirstOfWarp();

  /// i32: the number of the warpgroup, of four warps; and i1: whether this is
  /// its first thread.
  mlir::Value getWarpgroup();
  mlir::Value isFirstOfWarpgroup();

  /// i32: the number of the warpgroup among those of all teams.
  mlir::Value getWarpgroupOfBlock();

private:
  mlir::Value constant(int32_t value);
  /// The XOR of the images of the bits that are set in `input`.
  mlir::Value applyBits(mlir::Value input, llvm::ArrayRef<int32_t> images);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value threadOfBlock, thread, lane, warp;
};

/// i1: whether this is the first thread of the block.
mlir::Value isFirstOfBlock(mlir::OpBuilder &builder, mlir::Location loc);

/// The lanes of a warp meet, and see what the others have written. ptxas moves
/// no access to memory over it.
mlir::Operation *syncWarp(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_THREADINDEX_H
