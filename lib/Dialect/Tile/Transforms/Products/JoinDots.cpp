//===- JoinDots.cpp - Products made by one instruction --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEJOINDOTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether both tiles are the same stage of theirs: slots of one hand-over, or
/// whole tiles.
static bool areSameStage(Value tile, Value other) {
  Operation *from = tile.getDefiningOp();
  return from == other.getDefiningOp() ||
         (isa<AllocSharedOp>(from) &&
          isa<AllocSharedOp>(other.getDefiningOp()));
}

namespace {
/// Products with one left operand, and their right tiles, which can stand in a
/// row.
class Row {
public:
  explicit Row(SharedProductOpInterface first) { append(first); }

  /// Adds the product if the instructions of the others can make it too, and
  /// joins it: whether they can make the next one hangs on all before it.
  bool add(SharedProductOpInterface product, const DominanceInfo &dominance) {
    bool fits = product.canJoin(products.back()) &&
                areSameStage(product.getOperandTile(1),
                             products.back().getOperandTile(1)) &&
                llvm::all_of(product->getOperands(),
                             [&](Value operand) {
                               return dominance.properlyDominates(
                                   operand, products.front());
                             }) &&
                canAlternate(getAllocation(product.getOperandTile(1)));
    if (!fits)
      return false;
    product->moveAfter(products.back());
    product.join();
    append(product);
    return true;
  }

  /// Has stages of all right tiles stand in turn.
  void alternateTiles() {
    if (tiles.size() < 2)
      return;
    int64_t every = 0;
    for (AllocSharedOp tile : tiles)
      every += tile.getType().getStageBytes();
    for (AllocSharedOp tile : tiles)
      tile.getResult().setType(tile.getType().withStageStride(every));
  }

private:
  void append(SharedProductOpInterface product) {
    products.push_back(product);
    tiles.push_back(getAllocation(product.getOperandTile(1)));
  }

  /// Whether stages of the tile can stand between those of the others.
  bool canAlternate(AllocSharedOp tile) {
    int64_t stages = tile.getType().getNumStages();
    return isFree(tile) && llvm::all_of(tiles, [&](AllocSharedOp other) {
             return other != tile && isFree(other) &&
                    other.getType().getNumStages() == stages;
           });
  }

  /// Whether it is nowhere yet, and leaves another that begins behind a stage
  /// of it where the hardware wants it.
  static bool isFree(AllocSharedOp tile) {
    SharedType type = tile.getType();
    return !tile.getOffset() && type.getEvery() == 0 &&
           type.getStageBytes() % getHardwareAlignment(tile) == 0;
  }

  SmallVector<SharedProductOpInterface> products;
  SmallVector<AllocSharedOp> tiles;
};

struct JoinDots : tilewright::tile::impl::TileJoinDotsBase<JoinDots> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    llvm::MapVector<Block *, SmallVector<Row>> rows;
    getOperation().walk([&](SharedProductOpInterface product) {
      if (!endsWith(product, AccessEnd::WithProduct) ||
          product.getProductBefore())
        return;
      SmallVector<Row> &inBlock = rows[product->getBlock()];
      if (inBlock.empty() || !inBlock.back().add(product, dominance))
        inBlock.emplace_back(product);
    });
    for (auto &[block, inBlock] : rows)
      for (Row &row : inBlock)
        row.alternateTiles();
  }
};
} // namespace
