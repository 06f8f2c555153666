//===- Instructions.h - What a thread computes in a loop --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// About how many instructions a thread computes with in a trip of a loop: one
// for each op and element of its own, more for functions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// About what an element of a function or a quotient takes.
inline constexpr int64_t kInstructionsOfFunction = 10;

/// Instructions of a trip on floats, which are most of them.
inline int64_t countFloatInstructions(mlir::LoopLikeOpInterface loop) {
  int64_t instructions = 0;
  int64_t threads = loop->getParentOfType<KernelOp>().getNumThreads();
  loop->walk([&](mlir::Operation *op) {
    if (!op->hasTrait<mlir::OpTrait::Elementwise>())
      return;
    auto type =
        llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (!type || !llvm::isa<mlir::FloatType>(type.getElementType()))
      return;
    bool isFunction = llvm::isa<mlir::math::MathDialect>(op->getDialect()) ||
                      llvm::isa<mlir::arith::DivFOp>(op);
    instructions += llvm::divideCeil(type.getNumElements(), threads) *
                    (isFunction ? kInstructionsOfFunction : 1);
  });
  return instructions;
}

/// About what an element of a function takes that the GPU has no instruction
/// for, and of one that it has.
inline constexpr int64_t kInstructionsOfSeries = 25, kInstructionsOfUnit = 4;

/// Instructions on floats that all threads need for an iteration of a loop,
/// those that combine and convert among them.
inline int64_t countAllInstructions(mlir::LoopLikeOpInterface loop) {
  int64_t instructions = 0;
  loop->walk([&](mlir::Operation *op) {
    bool combines = llvm::isa<CombineOpInterface>(op);
    if (!combines && !op->hasTrait<mlir::OpTrait::Elementwise>())
      return;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(
        combines ? op->getOperand(0).getType() : op->getResult(0).getType());
    if (!type || !llvm::isa<mlir::FloatType>(type.getElementType()))
      return;
    int64_t ofElement = 1;
    if (llvm::isa<mlir::math::Exp2Op, mlir::math::SqrtOp, mlir::math::RsqrtOp>(
            op))
      ofElement = kInstructionsOfUnit;
    else if (llvm::isa<mlir::arith::DivFOp>(op))
      ofElement = kInstructionsOfFunction;
    else if (llvm::isa<mlir::math::MathDialect>(op->getDialect()) &&
             !llvm::isa<mlir::math::AbsFOp, mlir::math::FmaOp>(op))
      ofElement = kInstructionsOfSeries;
    instructions += ofElement * type.getNumElements();
  });
  return instructions;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H
