//===- StagedConversions.cpp - Conversions by shared memory ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"

#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Algebra/LayoutHalves.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

Type tilewright::tile::getStoredType(Type elementType) {
  if (isMemoryElementType(elementType) || isa<PtrType>(elementType))
    return elementType;
  return IntegerType::get(elementType.getContext(),
                          8 * getElementBytes(elementType));
}

int64_t tilewright::tile::getStagedBytes(ConvertLayoutOp convert) {
  auto type = cast<RankedTensorType>(convert.getType());
  return type.getNumElements() *
         getElementBytes(getStoredType(type.getElementType()));
}

Operation *tilewright::tile::findTransposition(ConvertLayoutOp convert) {
  auto op = convert.getSource().getDefiningOp<DimensionMapOpInterface>();
  return op && isa<RegisterLayoutOpInterface>(op.getOperation()) &&
                 op.findPermutation()
             ? op.getOperation()
             : nullptr;
}

GlobalAccessOpInterface
tilewright::tile::getLoadAhead(ConvertLayoutOp convert) {
  Operation *trans =
      feedsProducts(convert) ? findTransposition(convert) : nullptr;
  Value loaded = trans ? trans->getOperand(0) : convert.getSource();
  auto load = loaded.getDefiningOp<GlobalAccessOpInterface>();
  return load && getCoordinatesAhead(load) ? load : nullptr;
}

bool tilewright::tile::canLoadMatrices(RankedTensorType loaded) {
  if (loaded.getRank() != 2)
    return false;
  SharedAccess access;
  access.kind = SharedAccessKind::LoadMatrix;
  access.registers = getRegisterLayout(loaded).getLayout();
  access.elementBytes = getElementBytes(loaded.getElementType());
  auto serves = [&](ArrayRef<int64_t> order) {
    return planSharedAccess(access,
                            SharedLayout::ordered(loaded.getShape(), order))
               .vectorElements != 0;
  };
  return serves({1, 0}) || serves({0, 1});
}

namespace {
/// A conversion of a piece of a tile.
struct PieceLayouts {
  LinearLayout from, to;
};
} // namespace

/// Halves the pieces where each thread has both halves before and after: along
/// the first axis that allows it, in blocks as large as can be.
static std::optional<Cut> halve(PieceLayouts &piece) {
  for (unsigned axis = 0; axis < piece.from.rank(); ++axis)
    for (int64_t stride = piece.from.shape()[axis] / 2; stride > 0;
         stride /= 2) {
      auto from = halveLayout(piece.from, axis, stride);
      auto to = halveLayout(piece.to, axis, stride);
      if (!from || !to)
        continue;
      piece = {from->half, to->half};
      return Cut{axis, stride};
    }
  return std::nullopt;
}

SmallVector<Cut> tilewright::tile::chooseCuts(ConvertLayoutOp convert,
                                              int64_t maxBytes) {
  PieceLayouts piece = {
      getRegisterLayout(convert.getSource().getType()).getLayout(),
      getRegisterLayout(convert.getType()).getLayout()};
  SmallVector<Cut> cuts;
  for (int64_t bytes = getStagedBytes(convert); bytes > maxBytes; bytes /= 2) {
    std::optional<Cut> cut = halve(piece);
    if (!cut)
      return {};
    cuts.push_back(*cut);
  }
  return cuts;
}

/// Whether it goes through shared memory, to be stored from there.
static bool isStagedToStore(ConvertLayoutOp convert) {
  return llvm::any_of(convert->getUsers(), takesAnyLayout) &&
         chooseConversion(convert).way != ConversionWay::Registers;
}

int64_t tilewright::tile::countStoredBeside(ConvertLayoutOp convert) {
  if (!isStagedToStore(convert))
    return 0;
  int64_t mine = getStagedBytes(convert), beside = 0;
  for (auto other : convert->getBlock()->getOps<ConvertLayoutOp>()) {
    if (other == convert || !isStagedToStore(other))
      continue;
    // Of two alike the first one.
    int64_t bytes = getStagedBytes(other);
    if (bytes < mine || (bytes == mine && other->isBeforeInBlock(convert)))
      beside += bytes;
  }
  return beside;
}
