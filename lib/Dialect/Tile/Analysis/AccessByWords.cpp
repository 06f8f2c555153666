//===- AccessByWords.cpp - Rows that begin anywhere, by words -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// A thread has two words of a row, or what a warp tells itself of the row's
/// ends costs more than the words save.
static constexpr int64_t kLeastRowBytes = 2 * lanesPerWarp * bytesPerWord;

/// How many elements numbers or addresses of a tile, taken as integers of their
/// width, go on from place to place along a dimension.
static std::optional<int> findStep(Value tile, unsigned dim,
                                   const AxisInfoAnalysis &axes) {
  if (axes.isSameAlong(tile, dim))
    return 0;
  int64_t extent = cast<RankedTensorType>(tile.getType()).getDimSize(dim);
  if (axes.get(tile).axis(dim).contiguity >= extent)
    return 1;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return std::nullopt;
  // Of two that change, both may wrap around.
  auto combine = [&](int sign) -> std::optional<int> {
    Value first = op->getOperand(0), second = op->getOperand(1);
    if (axes.isSameAlong(second, dim))
      return findStep(first, dim, axes);
    if (!axes.isSameAlong(first, dim))
      return std::nullopt;
    std::optional<int> step = findStep(second, dim, axes);
    return step ? std::optional(sign * *step) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<int>>(op)
      .Case<arith::AddIOp, AddPtrOp>([&](auto) { return combine(1); })
      .Case([&](arith::SubIOp) { return combine(-1); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(
          [&](auto) { return findStep(op->getOperand(0), dim, axes); })
      .Case([&](DimensionMapOpInterface map) -> std::optional<int> {
        std::optional<unsigned> from = map.getSourceDim(dim);
        Value source = op->getOperand(0);
        if (!from || !isTile(source) ||
            cast<RankedTensorType>(source.getType()).getDimSize(*from) !=
                extent)
          return std::nullopt;
        return findStep(source, *from, axes);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int>
tilewright::tile::findStepOfRows(GlobalAccessOpInterface access,
                                 const AddressVector &vector,
                                 const AxisInfoAnalysis &axes) {
  RankedTensorType tile = access.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  auto kernel = access->getParentOfType<KernelOp>();
  std::optional<MemoryAccess> touched =
      findMemoryAccess(access, MemorySpace::Global);
  if (!kernel || tile.getRank() < 2 ||
      vector.width.elements * bytes >= bytesPerWord ||
      tile.getDimSize(vector.dim) * bytes < kLeastRowBytes ||
      touched->talksToOthers() || touched->isRotated || !isElementwise(kernel))
    return std::nullopt;
  if (isa<ViewType>(touched->base.getType())) {
    auto view = cast<ViewType>(touched->base.getType());
    return view.getContiguousDim() == vector.dim ? std::optional(1)
                                                 : std::nullopt;
  }
  std::optional<int> step = findStep(touched->base, vector.dim, axes);
  return step == 0 ? std::nullopt : step;
}

/// Whether each row of the tile is there with all of its columns, or not at
/// all.
static bool hasWholeRows(GlobalAccessOpInterface access, unsigned dim,
                         const AxisInfoAnalysis &axes) {
  MemoryAccess touched = *findMemoryAccess(access, MemorySpace::Global);
  int64_t extent = access.getTileType().getDimSize(dim);
  if (auto type = dyn_cast<ViewType>(touched.base.getType()))
    return !ShapedType::isDynamic(type.getShape()[dim]) &&
           type.getShape()[dim] >= extent &&
           isConstantIntValue(OpFoldResult(touched.indices[dim]), 0);
  return !touched.mask || axes.isSameAlong(touched.mask, dim);
}

std::optional<int>
tilewright::tile::findStepOfWords(GlobalAccessOpInterface access,
                                  const AddressVector &vector,
                                  const AxisInfoAnalysis &axes) {
  std::optional<int> step = findStepOfRows(access, vector, axes);
  return step && hasWholeRows(access, vector.dim, axes) ? step : std::nullopt;
}

std::optional<WordsOfRows>
tilewright::tile::findWordsOfThreads(GlobalAccessOpInterface access) {
  RankedTensorType tile = access.getTileType();
  auto find = [&](unsigned dim) {
    return WordsOfRows::find(getRegisterLayout(tile).getLayout(),
                             getElementBytes(tile.getElementType()), dim);
  };
  Value base = findMemoryAccess(access, MemorySpace::Global)->base;
  if (auto view = dyn_cast<ViewType>(base.getType())) {
    std::optional<unsigned> dim = view.getContiguousDim();
    return dim ? find(*dim) : std::nullopt;
  }
  for (unsigned dim = 0; dim < tile.getRank(); ++dim)
    if (std::optional<WordsOfRows> words = find(dim))
      return words;
  return std::nullopt;
}
