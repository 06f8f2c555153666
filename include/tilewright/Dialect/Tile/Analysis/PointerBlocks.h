//===- PointerBlocks.h - Pointers that are a block of a view ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of pointers is a block of a view where it is a base plus, for each
// dimension, the place in the tile times a stride, and its mask says of each
// dimension between which places it is true:
//
//   x + (pid * 128 + iota)    mask  pid * 128 + iota < n
//
// is the block of 128 elements at x + pid * 128, of which as many are inside as
// n - pid * 128 says. Base, strides and ends are scalars, written beside the
// tiles that they are found in. Each tile of integers is a *form*
//
//   start + coefficient[0] * place[0] + coefficient[1] * place[1] ...
//
// Sums of N bits wrap around. Before such a form is used with 64 bits, as
// pointers and comparisons do, it must be known not to: the start is a multiple
// of a power of two that is more than all that is added to it, or all of it is
// constant. Where arrays are short, it suffices that all elements are in one of
// them: two neighbours whose places wrapped around would be 2^31 elements
// apart, or more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_POINTERBLOCKS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_POINTERBLOCKS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

namespace tilewright::tile {

/// A tile of integers or pointers that grows evenly along each dimension.
struct AffineForm {
  /// The first element.
  mlir::Value start;
  /// What the start is a multiple of; of integers.
  int64_t divisibility = 1;
  /// What each dimension adds, of the integers' type, and `index` elements for
  /// pointers; null for nothing.
  llvm::SmallVector<mlir::Value, 3> coefficients;
  /// Of pointers, the dimensions along which nothing but a sum that may wrap
  /// around adds. Elements are where the form has them if they are inside of a
  /// short array, as the first one is, and all between.
  llvm::SmallVector<bool, 3> wrapping;

  bool isUniform() const;
};

/// Between which places of each dimension a mask is true.
struct MaskForm {
  struct Bounds {
    /// `index` without a sign; null for the end of the tile.
    mlir::Value lower, upper;
  };
  llvm::SmallVector<Bounds, 3> bounds;
  /// An i1 that is true for all elements or for none; null for true.
  mlir::Value all;
};

/// Finds forms. Scalars that they need are created beside the tiles, and are
/// known to no analysis that ran before.
class PointerBlocks {
public:
  explicit PointerBlocks(const AxisInfoAnalysis &axes, bool areShort = false)
      : axes(axes), areShort(areShort) {}

  /// The form of a tile of pointers or integers; none, and `getReason`, where
  /// it has none.
  std::optional<AffineForm> find(mlir::Value tile);
  std::optional<MaskForm> findMask(mlir::Value mask);
  /// Whether the elements that the mask leaves are where the form has them.
  bool isExactInside(const AffineForm &form, const MaskForm &mask);
  /// What stood in the way: a clause.
  const std::string &getReason() const { return reason; }

  /// The scalar that every element of a tile is, as a form has it; null where
  /// there is none.
  mlir::Value getUniform(mlir::Value tile);

private:
  std::optional<AffineForm> compute(mlir::Value tile);
  std::optional<AffineForm> repeat(mlir::Value tile);
  std::optional<AffineForm> addPointers(AddPtrOp op);
  std::optional<AffineForm> multiply(mlir::Operation *op);
  std::optional<AffineForm> extend(mlir::Operation *op);
  std::optional<MaskForm> computeMask(mlir::Value tile);
  std::optional<MaskForm> compare(mlir::Operation *op);
  template <typename F> void renameDims(DimensionMapOpInterface op, F &form);
  bool isExact(const AffineForm &form, mlir::Value tile);
  bool addOffset(AffineForm &form, const AffineForm &offset, mlir::Value tile);
  std::nullopt_t fail(const llvm::Twine &why);

  const AxisInfoAnalysis &axes;
  /// Whether all arrays that are arguments are of less than 2^31 bytes.
  bool areShort;
  llvm::DenseMap<mlir::Value, AffineForm> known;
  llvm::DenseMap<mlir::Value, MaskForm> knownMasks;
  std::string reason;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_POINTERBLOCKS_H
