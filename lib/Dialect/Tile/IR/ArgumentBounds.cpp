//===- ArgumentBounds.cpp - From where to where an argument is ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// What stands on arguments
//===----------------------------------------------------------------------===//

std::optional<ArgumentBounds> tilewright::tile::getArgBounds(KernelOp kernel,
                                                             unsigned index) {
  auto attr = kernel.getArgAttrOfType<DenseI64ArrayAttr>(index, kBoundsAttr);
  if (!attr)
    return std::nullopt;
  return ArgumentBounds{attr[0], attr[1]};
}

void tilewright::tile::setArgBounds(KernelOp kernel, unsigned index,
                                    ArgumentBounds bounds) {
  kernel.setArgAttr(
      index, kBoundsAttr,
      DenseI64ArrayAttr::get(kernel.getContext(), {bounds.least, bounds.most}));
}

bool tilewright::tile::areLegalBounds(Attribute attr, Type type) {
  auto bounds = dyn_cast<DenseI64ArrayAttr>(attr);
  return bounds && bounds.size() == 2 && bounds[0] <= bounds[1] &&
         type.isSignlessIntOrIndex();
}

//===----------------------------------------------------------------------===//
// Tiles that end at arguments
//===----------------------------------------------------------------------===//

/// Of one column there is no part.
static constexpr int64_t kMinColumns = 2;

/// Whether the number is 0, at least the first time.
static bool beginsAtZero(Value number) {
  number = stripCasts(number);
  if (auto counter = dyn_cast<BlockArgument>(number)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(counter.getOwner()->getParentOp());
    return loop && loop.getSingleInductionVar() == number &&
           getNumber(loop.getSingleLowerBound()) == 0;
  }
  if (auto sum = number.getDefiningOp<arith::AddIOp>())
    return beginsAtZero(sum.getLhs()) && beginsAtZero(sum.getRhs());
  return getNumber(number) == 0;
}

/// The scalar that all elements are, through what spreads and casts it.
static Value getScalar(Value value) {
  while (isTileType(value.getType())) {
    Operation *op = value.getDefiningOp();
    bool passes = isa_and_nonnull<SplatOp, DimensionMapOpInterface,
                                  arith::ExtSIOp, arith::IndexCastOp>(op) ||
                  (op && op->hasTrait<MovesElements>());
    if (!passes)
      return nullptr;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether it is no negative number: of blocks of columns, to which rows that
/// are no longer than a block have no second one.
static bool beginsAtBlock(Value number) {
  return !NumberRanges().get(number).smin().isNegative();
}

using StartCheck = bool (*)(Value);

/// Columns of a tile that has in each place the number of its column, from such
/// a start on; 0 for another tile.
static int64_t countColumns(Value tile, StartCheck isStart) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return 0;
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getStart() == 0
               ? cast<RankedTensorType>(iota.getType()).getDimSize(0)
               : 0;
  if (isa<DimensionMapOpInterface, arith::ExtSIOp, arith::ExtUIOp,
          arith::IndexCastOp, arith::IndexCastUIOp>(op) ||
      op->hasTrait<MovesElements>())
    return countColumns(op->getOperand(0), isStart);
  if (!isa<arith::AddIOp>(op))
    return 0;
  for (unsigned side : {0, 1}) {
    Value start = getScalar(op->getOperand(side));
    if (start && isStart(start))
      return countColumns(op->getOperand(1 - side), isStart);
  }
  return 0;
}

namespace {
class RowColumns {
public:
  RowColumns(KernelOp kernel, StartCheck isStart)
      : columns(kernel.getNumArguments(), 0), isStart(isStart) {
    kernel.getBody().walk([&](Operation *op) {
      if (auto compare = dyn_cast<arith::CmpIOp>(op))
        visit(compare);
      if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
        visit(access);
    });
  }

  SmallVector<unsigned> columns;

private:
  StartCheck isStart;

  void add(OpFoldResult end, int64_t extent) {
    BlockArgument argument = getArgument(end);
    if (!argument || extent < kMinColumns)
      return;
    unsigned &known = columns[argument.getArgNumber()];
    known = std::max(known, static_cast<unsigned>(extent));
  }

  void visit(arith::CmpIOp compare) {
    if (!isTileType(compare.getLhs().getType()))
      return;
    for (unsigned side : {0, 1})
      if (Value end = getScalar(compare->getOperand(1 - side)))
        add(end, countColumns(compare->getOperand(side), isStart));
  }

  void visit(GlobalAccessOpInterface access) {
    MemoryAccess touched = *findMemoryAccess(access, MemorySpace::Global);
    auto view = touched.base.getDefiningOp<ViewOp>();
    if (!view || !isTileType(access.getTileType()))
      return;
    for (auto [extent, start, end] :
         llvm::zip(touched.extents, touched.indices, view.getMixedShape()))
      if (beginsAtZero(start))
        add(end, extent);
  }
};
} // namespace

/// Whether all that a kernel does is to store rows of tiles, which may be one
/// run of memory (tile-move-runs).
static bool storesRows(KernelOp kernel) {
  return isElementwise(kernel) &&
         anyOpIn(kernel, [](GlobalAccessOpInterface access) {
           return access.isStore() && access.getTileType().getRank() == 2;
         });
}

SmallVector<unsigned> tilewright::tile::findRowColumns(KernelOp kernel) {
  bool combines = anyOpIn<CombineOpInterface>(kernel);
  if (anyOpIn<ProductOpInterface>(kernel) ||
      !(combines || movesFewBytes(kernel) || storesRows(kernel)))
    return SmallVector<unsigned>(kernel.getNumArguments(), 0);
  return RowColumns(kernel, combines ? beginsAtZero : beginsAtBlock).columns;
}
