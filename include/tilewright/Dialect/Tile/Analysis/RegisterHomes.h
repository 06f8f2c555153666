//===- RegisterHomes.h - In which layout each tile is made ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tile of a tile program that is expensive to make gets a *home*: the
// register layout it is made in. Homes start at loads and products and follow
// the data forward, through regions and around loops. What is cheap
// (constants, iota, arithmetic of those) has none.
//
// Where all that is made of a load is needed in one other layout, the load
// itself moves there, if that costs no more than to convert what it loads:
//
//      %bias = load_view ...   64 x f32, register[4] lane[16] by its wish
//      %rows = broadcast %bias, needed as register[8] lane[8] lane*4 by what it
//                              is added to: two loads of 16 bytes instead of
//                              one, and no way through shared memory
//
// What a loop loads by pointers that begin as what was made before, as slots of
// a table that are looked at one after the other, stands where that does.
//
// Which layout an op stands in it says itself (RegisterLayoutOpInterface); what
// region ops hand on has one home at all places (CarriedTiles.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_REGISTERHOMES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_REGISTERHOMES_H

#include "tilewright/Dialect/Tile/Analysis/CarriedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutWishes.h"

#include <deque>

namespace tilewright::tile {

/// The homes of a kernel's tiles, and the layouts of its ops.
class RegisterHomes : public LayoutContext {
public:
  RegisterHomes(KernelOp kernel, const LayoutWishes &wishes);

  RegisterLayoutAttr getHome(mlir::Value tile) const override {
    return homes.lookup(tile);
  }
  RegisterLayoutAttr getHome(const CarriedTile &tile) const {
    return getHome(tile.inputs.front());
  }

  /// The layout that the op stands in; none where it is to be made again for
  /// each use.
  RegisterLayoutAttr getLayout(RegisterLayoutOpInterface op) const {
    return layouts.lookup(op);
  }

  /// The layout in which an op that is not made again takes a tile.
  RegisterLayoutAttr getNeeded(mlir::OpOperand &operand) const;

private:
  void collect(KernelOp kernel);
  bool visit(mlir::Operation *op);
  bool setLayout(RegisterLayoutOpInterface op, RegisterLayoutAttr layout);
  bool setHome(const CarriedTile &tile, RegisterLayoutAttr home);
  bool takeEntryHome(mlir::Value tile,
                     llvm::SmallPtrSetImpl<mlir::Value> &seen);
  bool settle(KernelOp kernel);
  RegisterLayoutAttr chooseByTiles(RegisterLayoutOpInterface op);
  RegisterLayoutAttr getWishOfUsers(const CarriedTile &tile) const;
  bool follows(mlir::Operation *op, mlir::Value tile);
  mlir::Value getSource(mlir::Value tile);
  mlir::Value findSource(mlir::Value tile);
  RegisterLayoutAttr getOnlyNeed(mlir::Value tile);
  RegisterLayoutAttr findOnlyNeed(mlir::Value tile);
  void moveLoads(KernelOp kernel);
  void move(RegisterLayoutOpInterface op, RegisterLayoutAttr layout);

  const LayoutWishes &wishes;
  llvm::DenseMap<mlir::Value, RegisterLayoutAttr> homes;
  llvm::DenseMap<mlir::Operation *, RegisterLayoutAttr> layouts;
  std::deque<CarriedTile> tiles;
  /// Which of them are those of a region op, and the one that an operand feeds.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<const CarriedTile *>>
      carriedBy;
  llvm::DenseMap<mlir::OpOperand *, const CarriedTile *> fedBy;
  llvm::DenseMap<mlir::Value, const CarriedTile *> carriedAs;
  /// What tiles stand where they do for.
  llvm::DenseMap<mlir::Value, mlir::Value> sources;
  /// Layouts in which tiles are needed, where that is one.
  llvm::DenseMap<mlir::Value, RegisterLayoutAttr> needs;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_REGISTERHOMES_H
