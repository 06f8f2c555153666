//===- RegisterLayoutContext.h - What ops ask about layouts -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op that has tiles in registers chooses the layout that it stands in
// (RegisterLayoutOpInterface). It sees no other op for that, but asks
//
//   context.getHome(tile)              in which layout is its operand made?
//   context.preferences.get(access)    which one would be best for memory?
//
// RegisterHomes.h and LayoutWishes.h, in Analysis/, answer.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_REGISTERLAYOUTCONTEXT_H
#define TILEWRIGHT_DIALECT_TILE_IR_REGISTERLAYOUTCONTEXT_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The most copies of an element that a thread may have beside one another:
/// weights of 2 bits are 16 in a word.
inline constexpr int64_t kFewCopies = 16;

/// What would be best of a kernel's ops, wherever tiles come to stand.
class LayoutPreferences {
public:
  LayoutPreferences() = default;
  LayoutPreferences(const LayoutPreferences &) = delete;
  LayoutPreferences &operator=(const LayoutPreferences &) = delete;
  virtual ~LayoutPreferences();

  /// The layout in which an access touches global memory best, and that of a
  /// product's accumulator.
  virtual RegisterLayoutAttr get(GlobalAccessOpInterface access) const = 0;
  virtual RegisterLayoutAttr get(DotOp dot) const = 0;

  /// Whether a store, or an atomic access, may as well use `layout`.
  virtual bool serves(GlobalAccessOpInterface store,
                      RegisterLayoutAttr layout) const = 0;

  /// Whether a product takes what the op makes, or what is made of that.
  virtual bool makesOperand(mlir::Operation *op) const = 0;

  /// For a tile of no known use.
  virtual RegisterLayoutAttr getDefault(mlir::RankedTensorType tile) const = 0;
};

/// What an op may ask when it chooses the register layout that it stands in.
class LayoutContext {
public:
  explicit LayoutContext(const LayoutPreferences &preferences)
      : preferences(preferences) {}
  LayoutContext(const LayoutContext &) = delete;
  LayoutContext &operator=(const LayoutContext &) = delete;
  virtual ~LayoutContext();

  /// The layout that a tile is made in; none where it is cheap, or nothing is
  /// known of it yet.
  virtual RegisterLayoutAttr getHome(mlir::Value tile) const = 0;

  const LayoutPreferences &preferences;
};

/// Gives elementwise ops and constants of arith and math, which are loaded,
/// RegisterLayoutOpInterface.
void attachRegisterLayoutModels(mlir::MLIRContext *context);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_REGISTERLAYOUTCONTEXT_H
