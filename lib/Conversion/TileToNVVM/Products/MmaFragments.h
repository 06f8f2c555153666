//===- MmaFragments.h - What products multiply, in registers ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of an operand, as instructions of tensor cores take them: words
// of 16x16 or 16x8 elements, of which a thread has a few, found by where the
// fragment begins in the tile.
//
//   fragments.at(/*row=*/16, /*column=*/32)    // the words of an instruction
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_MMAFRAGMENTS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_MMAFRAGMENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <map>

namespace tilewright::tonvvm {

/// An operand's fragments: each as words, by the point of its first element.
/// Those of A are the same for `mma.sync` and `wgmma`.
class MmaFragments {
public:
  /// Operand 0 or 1 of a product; with `isA` it is the instruction's A, as
  /// operand 1 of a transposed product is.
  MmaFragments(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::ValueRange registers, mlir::RankedTensorType tile,
               unsigned operand, bool isA);

  llvm::ArrayRef<mlir::Value> at(int64_t row, int64_t column) const {
    return words
        .find({static_cast<int32_t>(row), static_cast<int32_t>(column)})
        ->second;
  }

  /// All words, in some order, and the same words as other values.
  void appendTo(llvm::SmallVectorImpl<mlir::Value> &values) const;
  void takeFrom(llvm::ArrayRef<mlir::Value> values);

private:
  std::map<LinearLayout::Point, llvm::SmallVector<mlir::Value>> words;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_MMAFRAGMENTS_H
