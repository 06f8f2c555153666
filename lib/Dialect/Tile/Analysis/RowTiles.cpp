//===- RowTiles.cpp - How much of a row a program takes -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

using namespace mlir;
using namespace tilewright::tile;

int64_t tilewright::tile::countElementsOfRow(KernelOp kernel) {
  int64_t most = 0;
  kernel.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        most = std::max(most, tile.getNumElements());
  });
  return most;
}

int64_t tilewright::tile::countColumnsOfRow(KernelOp kernel) {
  int64_t most = countElementsOfRow(kernel);
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number)
    if (std::optional<ArgumentBounds> bounds = getArgBounds(kernel, number))
      most = std::min(most, bounds->most);
  return most;
}

int64_t tilewright::tile::countColumnsAtMost(GlobalAccessOpInterface access) {
  int64_t elements = access.getTileType().getNumElements();
  MemoryAccess touched = *findMemoryAccess(access, MemorySpace::Global);
  auto view = touched.base.getDefiningOp<ViewOp>();
  if (!view || view.getType().getRank() != 1)
    return elements;
  OpFoldResult start = touched.indices.front(), end = view.getMixedShape()[0];
  if (getConstantIntValue(start) != 0)
    return elements;
  int64_t most = getConstantIntValue(end).value_or(elements);
  if (auto number = dyn_cast<Value>(end))
    most = NumberRanges().get(number).smax().getSExtValue();
  return std::clamp<int64_t>(most, 0, elements);
}

bool tilewright::tile::storesRows(KernelOp kernel) {
  int64_t elements = countElementsOfRow(kernel);
  return anyOpIn(kernel, [&](GlobalAccessOpInterface access) {
    return access.isStore() && isTileType(access.getTileType()) &&
           access.getTileType().getNumElements() == elements;
  });
}

bool tilewright::tile::combinesRows(KernelOp kernel) {
  return anyOpIn<CombineOpInterface>(kernel);
}

bool tilewright::tile::combinesLoadedRows(KernelOp kernel) {
  return anyOpIn(kernel, [](CombineOpInterface combine) {
    return llvm::any_of(combine->getOperands(), hangsOnLoads);
  });
}

static bool isScalarOrRow(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.getRank() == 1;
  return isa<ViewType>(type) || isScalarOfLanguage(type);
}

/// Whether a tile has fewer elements than what it is made of, and so some of
/// them in other places.
static bool hasFewerElements(Operation *op) {
  auto count = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? tile.getNumElements() : 0;
  };
  return llvm::any_of(op->getResultTypes(), [&](Type result) {
    return isTileType(result) &&
           llvm::any_of(op->getOperandTypes(), [&](Type operand) {
             return count(operand) > count(result);
           });
  });
}

// What can be done for several programs, each of which has a row, asks for no
// element of another place but to combine it: of ops that move elements,
// a tile of one dimension has but one order for all of them.
bool tilewright::tile::keepsPlaces(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isScalarOrRow) ||
      !llvm::all_of(op->getResultTypes(), isScalarOrRow))
    return false;
  if (llvm::none_of(op->getOperandTypes(), isTileType))
    return true;
  if (auto combine = dyn_cast<CombineOpInterface>(op))
    return combine.combinesInAnyOrder();
  if (isa<BatchOpInterface>(op))
    return !hasFewerElements(op);
  return isa<GlobalAccessOpInterface, ViewLikeOpInterface,
             RegionBranchOpInterface>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>();
}

Operation *tilewright::tile::findMixOfPlaces(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!keepsPlaces(op)) {
      found = op;
      return WalkResult::interrupt();
    }
    return isa<CombineOpInterface>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
  });
  return found;
}
