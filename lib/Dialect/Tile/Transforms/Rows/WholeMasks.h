//===- WholeMasks.h - When masks leave out no column ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is taken apart into what it says of rows, and comparisons of columns
// with a number that is the same for all of them. Columns count up, so that one
// of them tells of all: the last one of `columns < %n`, the first one of
// `columns >= %n`.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEMASKS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEMASKS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

namespace tilewright::tile {

class WholeMasks {
public:
  explicit WholeMasks(const AxisInfoAnalysis &axes) : axes(axes) {}

  /// Adds the condition that so much is left.
  void addLeast(mlir::OpFoldResult left, int64_t extent);
  /// Adds that a mask leaves out no column, which are along `dim`. Returns
  /// false where that cannot be told by scalars.
  bool addMask(mlir::Value mask, unsigned dim);

  /// Whether no two conditions rule each other out.
  bool mayHold() const;
  /// i1: whether all hold; null where one is not known at this place.
  mlir::Value emit(mlir::ImplicitLocOpBuilder &builder) const;

  /// The parts of a mask that say something of rows, where it leaves out no
  /// column.
  llvm::SmallVector<mlir::Value> getRest(mlir::Value mask, unsigned dim) const;

private:
  /// `start` and `distance` more, compared with a number; `start` is null for
  /// 0.
  struct Condition {
    mlir::arith::CmpIPredicate predicate;
    mlir::Value start;
    int64_t distance;
    mlir::OpFoldResult number;
    bool operator==(const Condition &other) const {
      return predicate == other.predicate && start == other.start &&
             distance == other.distance && number == other.number;
    }
  };
  void add(const Condition &condition);
  /// Adds what a part says of columns, which says nothing else.
  bool addColumns(mlir::Value mask, unsigned dim);
  bool addComparison(mlir::arith::CmpIOp compare, unsigned dim);

  const AxisInfoAnalysis &axes;
  llvm::SmallVector<Condition> conditions;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEMASKS_H
