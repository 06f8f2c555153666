//===- ProductBodies.h - Bodies of products by threads ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop that multiplies by FMAs, or products of f64, is made of once it
// is the program of a thread: copies that run ahead, reads of shared memory,
// and products, one step along K after another.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PRODUCTBODIES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PRODUCTBODIES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::tonvvm {

/// Whether it starts an asynchronous copy.
bool isCopy(mlir::Operation &op);
/// Whether it reads shared memory, and may change places with other reads.
bool isSharedRead(mlir::Operation &op);
/// Whether it stores to shared memory, and may change places with other ops.
bool isSharedWrite(mlir::Operation &op);
/// Whether it loads from global memory, and may change places with ops that
/// write none of it.
bool isGlobalLoad(mlir::Operation &op);
/// Whether PTX text, which may be the user's, may store to global memory, at
/// once or later.
bool textMayWriteGlobal(llvm::StringRef text);
bool isMatrixProduct(mlir::Operation &op);
/// Whether it is a product by `mma.sync` or `wgmma`, of whatever type.
bool isProductOfFragments(mlir::Operation &op);
bool isProduct(mlir::Operation &op);
/// The words of its left operand, of a product that has them in registers.
mlir::ValueRange getLeftWords(mlir::Operation &op);

/// Moves an op of `waiting` in front of `end`, behind those of them that it is
/// computed from; they wait no longer.
void placeBefore(mlir::Operation *end, mlir::Operation *op,
                 llvm::DenseSet<mlir::Operation *> &waiting);

/// Products in their order, of one kind.
class Products {
public:
  /// The products among `ops`, if they are many; else none. `overFmas`: whether
  /// FMAs count.
  static Products find(llvm::ArrayRef<mlir::Operation *> ops, bool overFmas);

  llvm::ArrayRef<mlir::Operation *> get() const { return products; }
  bool isEmpty() const { return products.empty(); }

  /// The products of the first step along K, which begin sums, and of the last
  /// one.
  llvm::SmallVector<mlir::Operation *> getFirst() const;
  llvm::SmallVector<mlir::Operation *> getLast() const;
  size_t getNumSteps() const;

private:
  llvm::SmallVector<mlir::Operation *> products;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_PRODUCTBODIES_H
