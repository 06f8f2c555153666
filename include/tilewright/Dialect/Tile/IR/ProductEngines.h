//===- ProductEngines.h - The table of what multiplies ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is made by an engine: a kind of instruction. This is all that the
// compiler knows of them; what they multiply is a row for each operand type.
//
//   engine    warps  M, N, K bytes  operands      any order   turned targets
//   FMA       1      1, 1, 4        registers     yes                    all
//   mma.sync  1      16, 8, 16      registers     yes                    all
//   wgmma     4      64, 8, 32      shared tiles  of 2 bytes  of 1 byte  sm_90a
//
// A left operand of words, in whatever order, wgmma takes from registers.
//
//   operands      sums   engines, the best one last
//   f16, bf16     f32    mma.sync, wgmma
//   f32           f32    FMA
//   f32, as tf32  f32    mma.sync, wgmma
//   f64           f64    mma.sync
//   i8            i32    mma.sync, wgmma
//   8-bit floats  f32    mma.sync, from sm_89 on; wgmma, where imprecise
//
// A new engine is a row here, an enumerator of EngineAttr, an accumulator
// layout (ProductLayout.cpp) and a lowering.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_PRODUCTENGINES_H
#define TILEWRIGHT_DIALECT_TILE_IR_PRODUCTENGINES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

struct EngineInfo {
  Engine engine;
  /// Warps that do one instruction together.
  unsigned warps;
  /// The least product.
  int64_t leastM, leastN, leastKBytes;
  /// Operands are read from shared tiles, where they lie.
  bool readsShared;
  /// The size of elements whose rows may go along M or N; 0: any. Others go
  /// along K.
  unsigned anyOrderBytes;
  /// The size of those that threads turn in front of the product; 0: none.
  unsigned turnedBytes;
  /// What a target must have; null: nothing.
  bool GpuTarget::*feature;
};

/// A kind of operand, what it is added up in, and by what.
struct ProductType {
  bool (*isOperand)(mlir::Type type);
  bool (*isSum)(mlir::Type type);
  bool isTf32;
  /// The best one last.
  llvm::SmallVector<Engine, 2> engines;
  /// What a target must have; null: nothing.
  bool GpuTarget::*feature;
  /// Why a target's best engine is left out, where there is a reason.
  llvm::StringRef whyNotBest;
  /// Some engine adds with fewer bits than sums have, which products allow.
  bool hasImpreciseSums = false;

  bool isMadeBy(Engine engine) const;
};

const EngineInfo &getEngineInfo(Engine engine);

/// The row of these operands; null where there is no such product.
const ProductType *findProductType(mlir::Type operand, mlir::Type sum,
                                   bool isTf32);
/// Whether a row has both: of one type, or 8-bit floats of two.
bool mayMultiply(mlir::Type left, mlir::Type right);
const ProductType &getProductType(DotOp dot);

/// Where threads have operand 0 or 1, as registers, of a product whose sums are
/// in this layout; for a large K, more than a layout of a program can be.
LinearLayout layOutOperand(DotOp dot, unsigned operand,
                           const LinearLayout &sums);

/// Fails, with an error, where that is so.
mlir::LogicalResult checkOperands(DotOp dot, const LinearLayout &sums);
mlir::LogicalResult checkOperand(mlir::Operation *product, unsigned operand,
                                 const LinearLayout &layout);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_PRODUCTENGINES_H
