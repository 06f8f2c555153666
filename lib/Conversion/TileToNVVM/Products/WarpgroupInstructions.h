//===- WarpgroupInstructions.h - Instructions of wgmma ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup multiplies 64 rows by up to 256 columns, and a few steps of what
// is summed over. Where an operand lies in shared memory, a matrix descriptor
// tells: the address, and how it is laid out from there. A product of tiles is
// several instructions, whose descriptors differ in the address alone.
//
//   WarpgroupMultiplier multiplier(builder, op, /*n=*/128, /*kStep=*/16, a, b);
//   for (int64_t k = 0; k < op.getK(); k += 16)     // 64 x 128 sums, from the
//     sums = multiplier.multiply(sums, true, k, {64, 0}); // 64th row on
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPGROUPINSTRUCTIONS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPGROUPINSTRUCTIONS_H

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

namespace tilewright::tonvvm {

/// The matrix descriptors of one operand.
class MatrixDescriptors {
public:
  /// `isWide`: each is one addition of 64 bits. Else the lower half is added
  /// to, which is cheaper where ptxas makes each right in front of its use.
  MatrixDescriptors(const mlir::OpBuilder &atProduct, tile::WarpgroupDotOp op,
                    unsigned operand, mlir::Value tile, bool isWide);

  /// The descriptor of the part that begins at step `k` of the dimension that
  /// is summed over and at `other` of the other one.
  mlir::Value get(int64_t k, int64_t other);

  mlir::NVVM::MMALayout getLayout() const;

private:
  mlir::Value extend(mlir::Value word);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  llvm::SmallVector<int32_t, 2> makePoint(int64_t k, int64_t other) const;
  mlir::Value getPartOfWarpgroup(mlir::Operation *op, const LinearLayout &sums);

  mlir::OpBuilder builder;
  mlir::Location loc;
  unsigned operand, kDim;
  bool isWide;
  WarpgroupOperand read;
  /// The lower half of the descriptor of the whole.
  mlir::Value low;
};

/// Makes the instructions of a product, each of `n` columns and `kStep` steps.
class WarpgroupMultiplier {
public:
  WarpgroupMultiplier(mlir::OpBuilder &builder, tile::WarpgroupDotOp op,
                      int64_t n, int64_t kStep, mlir::Value a, mlir::Value b);

  /// sums + a * b, of the parts that begin at `k` and at `point` of the sums;
  /// a * b where they do not add.
  mlir::Value multiply(mlir::Value sums, bool adds, int64_t k,
                       const LinearLayout::Point &point);

  /// The same with `words` of A, for which NVVM has no op.
  mlir::Value multiply(mlir::Value sums, bool adds,
                       llvm::ArrayRef<mlir::Value> words, int64_t k,
                       const LinearLayout::Point &point);

private:
  std::string getText(unsigned count, bool adds) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t n, kStep;
  mlir::Type element;
  mlir::NVVM::WGMMATypes leftType, rightType;
  std::optional<MatrixDescriptors> left;
  MatrixDescriptors right;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_WARPGROUPINSTRUCTIONS_H
