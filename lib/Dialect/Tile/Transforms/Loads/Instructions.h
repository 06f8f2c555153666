//===- Instructions.h - What a thread computes in a loop --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// About how many instructions a loop computes with in a trip: one for each op
// and element, more for functions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// About how many instructions an element takes: of what is combined, of a
/// function that is one instruction or two, of one that a unit of its own
/// approximates, of a quotient, and of a function by a series.
struct FloatPrices {
  int64_t combined, simple, approximation, quotient, series;

  int64_t get(mlir::Operation *op) const {
    namespace math = mlir::math;
    if (llvm::isa<CombineOpInterface>(op))
      return combined;
    if (llvm::isa<mlir::arith::DivFOp>(op))
      return quotient;
    if (!llvm::isa<math::MathDialect>(op->getDialect()))
      return 1;
    if (llvm::isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
                  math::FloorOp, math::FmaOp, math::RoundEvenOp, math::TruncOp>(
            op))
      return simple;
    return llvm::isa<math::Exp2Op, math::SqrtOp, math::RsqrtOp>(op)
               ? approximation
               : series;
  }
};

/// Instructions of a loop's trip on floats, which are most of them, as a thread
/// has them that is one of so many.
inline int64_t priceTrip(mlir::LoopLikeOpInterface loop,
                         const FloatPrices &prices, int64_t threads) {
  int64_t instructions = 0;
  loop->walk([&](mlir::Operation *op) {
    bool combines = llvm::isa<CombineOpInterface>(op);
    if (!combines && !op->hasTrait<mlir::OpTrait::Elementwise>())
      return;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(
        combines ? op->getOperand(0).getType() : op->getResult(0).getType());
    if (type && llvm::isa<mlir::FloatType>(type.getElementType()))
      instructions +=
          llvm::divideCeil(type.getNumElements(), threads) * prices.get(op);
  });
  return instructions;
}

/// Instructions of a thread, but for those that combine: all functions alike.
inline int64_t countFloatInstructions(mlir::LoopLikeOpInterface loop) {
  constexpr FloatPrices prices = {/*combined=*/0, /*simple=*/10,
                                  /*approximation=*/10, /*quotient=*/10,
                                  /*series=*/10};
  return priceTrip(loop, prices,
                   loop->getParentOfType<KernelOp>().getNumThreads());
}

/// Those that all threads need, by what functions take.
inline int64_t countAllInstructions(mlir::LoopLikeOpInterface loop) {
  constexpr FloatPrices prices = {/*combined=*/1, /*simple=*/1,
                                  /*approximation=*/4, /*quotient=*/10,
                                  /*series=*/25};
  return priceTrip(loop, prices, /*threads=*/1);
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_INSTRUCTIONS_H
