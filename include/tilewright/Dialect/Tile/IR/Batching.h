//===- Batching.h - What one program does, for several ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of one program is, for P programs, a value with one more dimension in
// front, of extent P: a scalar becomes a tile of P, a tile of 512 one of P x
// 512. Each op says how it is written for these (BatchOpInterface):
//
//   %sum = tile.reduce %x axis 0 : tensor<512xf32> -> f32
//   %sum = tile.reduce %x axis 1 : tensor<8x512xf32> -> tensor<8xf32>
//
// What is the same for all programs may stay as it is, and is repeated where it
// meets what is not.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_BATCHING_H
#define TILEWRIGHT_DIALECT_TILE_IR_BATCHING_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Programs that a block runs at once.
int64_t countBlockPrograms(KernelOp kernel);

/// The type for so many programs of what has `type` for one; null where there
/// is none.
mlir::RankedTensorType getBatchedType(mlir::Type type, int64_t numPrograms);

/// What is the same for all programs, once for each of them.
mlir::Value repeatForPrograms(mlir::OpBuilder &builder, mlir::Value value,
                              int64_t numPrograms);

/// What has one element a program, or some dimensions more, everywhere in tiles
/// of `shape`, which begins with the programs.
mlir::Value spreadOverTiles(mlir::OpBuilder &builder, mlir::Value value,
                            llvm::ArrayRef<int64_t> shape);

/// Whether a value may be computed of what is loaded of global memory.
bool hangsOnLoads(mlir::Value value);

/// Whether programs combine nothing, and each loads so little of every array,
/// once, that blocks of one are too many. Where a place is stored to is no
/// matter of what is loaded: programs that meet there stay apart, so that the
/// simulator tells.
bool movesFewBytes(KernelOp kernel);

/// Whether a kernel has no loops, and combines nothing.
bool isElementwise(KernelOp kernel);

/// Gives elementwise ops of arith and math, which are loaded, and assertions
/// BatchOpInterface.
void attachBatchModels(mlir::MLIRContext *context);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_BATCHING_H
