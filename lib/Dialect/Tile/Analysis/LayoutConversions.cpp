//===- LayoutConversions.cpp - How conversions are carried out ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"

using namespace tilewright;
using namespace tilewright::tile;

template <typename Decide>
static auto decideBy(ConvertLayoutOp convert, Decide decide) {
  mlir::Type from = convert.getSource().getType(), to = convert.getType();
  return decide(getRegisterLayout(from).getLayout(),
                getRegisterLayout(to).getLayout(),
                getElementBytes(mlir::getElementTypeOrSelf(to)));
}

ConversionChoice tile::chooseConversion(ConvertLayoutOp convert) {
  ConversionChoice choice = decideBy(convert, tilewright::chooseConversion);
  // Shared tiles hold no pointers.
  if (choice.plan &&
      llvm::isa<PtrType>(mlir::getElementTypeOrSelf(convert.getType()))) {
    choice.way = ConversionWay::Shuffles;
    choice.wavefronts = std::nullopt;
  }
  return choice;
}

std::optional<llvm::SmallVector<unsigned>>
tile::mapRegisters(ConvertLayoutOp convert) {
  return tilewright::mapRegisters(
      getRegisterLayout(convert.getSource().getType()).getLayout(),
      getRegisterLayout(convert.getType()).getLayout());
}

std::optional<llvm::SmallVector<unsigned>>
tile::mapRepeated(mlir::RankedTensorType source,
                  mlir::RankedTensorType result) {
  LinearLayout collapsed = getRegisterLayout(result).getLayout();
  for (auto [axis, extent] : llvm::enumerate(source.getShape()))
    if (extent == 1)
      collapsed = collapsed.collapseDim(axis);
  return tilewright::mapRegisters(getRegisterLayout(source).getLayout(),
                                  collapsed);
}

std::optional<ShufflePlan> tile::planShuffles(ConvertLayoutOp convert) {
  return decideBy(convert, tilewright::planShuffles);
}

bool tilewright::tile::feedsProducts(ConvertLayoutOp convert) {
  return !convert->use_empty() &&
         llvm::all_of(convert->getUsers(), llvm::IsaPred<DotOp>);
}
