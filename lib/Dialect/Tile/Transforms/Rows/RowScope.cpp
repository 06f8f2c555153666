//===- RowScope.cpp - Blocks of ops whose rows may be rotated -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowScope.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether it is no list of numbers, which have their places.
static bool isEven(Operation *op) {
  DenseElementsAttr elements;
  return !matchPattern(op, m_Constant(&elements)) || elements.isSplat();
}

bool RowScope::mayRotate() {
  WalkResult result = block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!check(op))
      return WalkResult::interrupt();
    return isa<CombineOpInterface>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
  });
  // Tiles that come from elsewhere, or go there, have their elements in
  // order.
  return !result.wasInterrupted() && extent != 0 &&
         llvm::none_of(block.getArgumentTypes(), isTileType) &&
         llvm::none_of(block.getTerminator()->getOperandTypes(), isTileType);
}

bool RowScope::countsPlaces() {
  return anyOpIn(block, [](IotaOp iota) {
    // Masks of what has become a block of a view are for nobody.
    SetVector<Operation *> users;
    getForwardSlice(iota.getOperation(), &users);
    return !llvm::all_of(users, isPure);
  });
}

void RowScope::rotate(ImplicitLocOpBuilder &builder, Value rotation,
                      function_ref<bool(Operation *)> startsAligned) {
  dropPromises();
  SmallVector<GlobalAccessOpInterface> rows;
  SmallVector<IotaOp> iotas;
  block.walk([&](Operation *op) {
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op);
        access && access.mayRotate())
      rows.push_back(access);
    if (auto iota = dyn_cast<IotaOp>(op))
      iotas.push_back(iota);
  });
  // One that begins with a vector is rotated out of its vectors.
  for (GlobalAccessOpInterface row : rows)
    row.setRotation(rotation, startsAligned(row));
  // An op that has got an operand more has the others in another place.
  for (OpOperand *operand : findOuterTiles())
    operand->set(remake(builder, operand->get(), rotation));
  for (IotaOp iota : iotas) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(iota);
    iota.replaceAllUsesWith(rotatePlaces(builder, iota, rotation));
    iota.erase();
  }
}

void RowScope::dropPromises() {
  SmallVector<AssumeOp> promises;
  block.walk([&](AssumeOp promise) {
    if (isTileType(promise.getType()))
      promises.push_back(promise);
  });
  for (AssumeOp promise : promises) {
    promise.replaceAllUsesWith(promise.getSource());
    promise.erase();
  }
}

bool RowScope::isHere(Value value) {
  return block.getParent()->isAncestor(value.getParentRegion());
}

SmallVector<OpOperand *> RowScope::findOuterTiles() {
  SmallVector<OpOperand *> outer;
  block.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTileType(operand.get().getType()) && !isHere(operand.get()))
        outer.push_back(&operand);
  });
  return outer;
}

bool RowScope::check(Operation *op) {
  if (!keepsPlaces(op))
    return false;
  // Of a view, a row; what goes by pointers goes where they do.
  if (auto access = dyn_cast<GlobalAccessOpInterface>(op);
      access && !access.mayRotate() &&
      isa<ViewType>(findMemoryAccess(op, MemorySpace::Global)->base.getType()))
    return false;
  return llvm::all_of(op->getResultTypes(),
                      [&](Type type) { return fits(type); }) &&
         isEven(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTileType(operand.getType()) || isHere(operand) ||
                  canRemake(operand);
         });
}

bool RowScope::fits(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return true;
  if (extent == 0)
    extent = tile.getDimSize(0);
  return tile.getDimSize(0) == extent;
}

bool RowScope::canRemake(Value tile) {
  if (remakeable.contains(tile))
    return true;
  Operation *op = tile.getDefiningOp();
  bool isAble = op && isComputation(op) && keepsPlaces(op) && isEven(op) &&
                fits(tile.getType()) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return !isTileType(operand.getType()) || canRemake(operand);
                });
  if (isAble)
    remakeable.insert(tile);
  return isAble;
}

Value RowScope::remake(ImplicitLocOpBuilder &builder, Value tile,
                       Value rotation) {
  Operation *op = tile.getDefiningOp();
  Value &made = remade[tile];
  if (made)
    return made;
  if (auto iota = dyn_cast<IotaOp>(op))
    return made = rotatePlaces(builder, iota, rotation);
  if (auto promise = dyn_cast<AssumeOp>(op))
    return remake(builder, promise.getSource(), rotation);
  // The same everywhere.
  if (llvm::none_of(op->getOperandTypes(), isTileType))
    return made = tile;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isTileType(operand.getType()))
      mapping.map(operand, remake(builder, operand, rotation));
  return remade[tile] = builder.clone(*op, mapping)
                            ->getResult(cast<OpResult>(tile).getResultNumber());
}

Value RowScope::rotatePlaces(ImplicitLocOpBuilder &builder, IotaOp iota,
                             Value rotation) {
  auto type = cast<RankedTensorType>(iota.getType());
  Type element = type.getElementType();
  auto spread = [&](Value scalar) -> Value {
    return SplatOp::create(builder, type, scalar);
  };
  auto constant = [&](int64_t value) {
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    APInt number(bits, value, /*isSigned=*/true, /*implicitTrunc=*/true);
    return spread(arith::ConstantOp::create(
        builder, builder.getIntegerAttr(element, number)));
  };
  Value by = rotation;
  if (!element.isIndex())
    by = arith::IndexCastOp::create(builder, element, rotation);
  Value places = IotaOp::create(builder, type, 0);
  places = arith::SubIOp::create(builder, places, spread(by));
  places = arith::AndIOp::create(builder, places, constant(extent - 1));
  return arith::AddIOp::create(builder, places, constant(iota.getStart()));
}
