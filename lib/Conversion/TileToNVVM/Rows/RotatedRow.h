//===- RotatedRow.h - Vectors of a block that begins anywhere ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of a rotated block (RowPlaces.h) are vectors of memory, as a rule.
// The one where the row is joined, those that cross an end of the view, and all
// of them where the block is rotated by something else, are put together of
// edges (RowEdges.h), or moved one by one. What is moved one by one anyhow has
// vectors of one element.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H

#include "Rows/RowPlaces.h"

namespace tilewright::tonvvm {

class RotatedRow : RowPlaces {
public:
  using RowPlaces::isReadOnly;
  using RowPlaces::RowPlaces;
  using RowPlaces::Vector;

  /// The elements of vectors, each of consecutive places, or `other`, or zeros.
  /// Where vectors of the tile are none of memory, as a rule, `isShifted`, each
  /// is put together of the words that it is in.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  load(llvm::ArrayRef<Vector> vectors, mlir::Value other, bool isShifted);
  /// Stores vectors, whose values are among those of all registers; where the
  /// predicate holds, or always where it is null.
  void store(llvm::ArrayRef<Vector> vectors, llvm::ArrayRef<mlir::Value> values,
             mlir::Value predicate);

private:
  /// The vectors that may have elements.
  llvm::SmallVector<Vector> dropOutside(llvm::ArrayRef<Vector> vectors) const;
  /// Loads vectors that may have elements.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  loadInside(llvm::ArrayRef<Vector> vectors, mlir::Value other, bool isShifted);
  /// A vector, where the condition holds; else zeros.
  struct Loaded {
    mlir::Value condition;
    llvm::SmallVector<mlir::Value> elements;
  };
  Loaded loadAligned(llvm::ArrayRef<unsigned> vector);
  Loaded loadShifted(llvm::ArrayRef<unsigned> vector);
  /// What begins so many bytes behind the first of these words.
  llvm::SmallVector<mlir::Value>
  shiftWords(llvm::SmallVector<mlir::Value> words, mlir::Value behind);
  /// The elements of a vector that could not be loaded at once.
  llvm::SmallVector<mlir::Value> loadRest(llvm::ArrayRef<unsigned> vector,
                                          mlir::Value condition,
                                          llvm::ArrayRef<mlir::Value> elements,
                                          mlir::Value other);
  /// i1: whether elements from the one of the first register on are a vector of
  /// memory, all inside of the view.
  mlir::Value isVector(llvm::ArrayRef<unsigned> vector);
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H
