//===- SourceLayouts.cpp - Where tiles would stand ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceLayouts.h"

#include "tilewright/Layout/Algebra/LayoutHalves.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// What is known, and one home more.
class Supposed : public LayoutContext {
public:
  Supposed(const LayoutContext &known, Value tile, RegisterLayoutAttr home)
      : LayoutContext(known.preferences), known(known), tile(tile), home(home) {
  }

  RegisterLayoutAttr getHome(Value other) const override {
    return other == tile ? home : known.getHome(other);
  }

private:
  const LayoutContext &known;
  Value tile;
  RegisterLayoutAttr home;
};

/// Goes back from a tile through cheap ops.
class SourceFinder {
public:
  explicit SourceFinder(const LayoutContext &context) : context(context) {}

  RegisterLayoutAttr infer(Value tile) {
    if (RegisterLayoutAttr home = context.getHome(tile))
      return home;
    auto op = dyn_cast_or_null<RegisterLayoutOpInterface>(tile.getDefiningOp());
    if (!op || !op.isCheap() || !seen.insert(op).second)
      return nullptr;
    for (Value operand : op->getOperands()) {
      RegisterLayoutAttr source = isTile(operand) ? infer(operand) : nullptr;
      if (!source)
        continue;
      RegisterLayoutAttr layout =
          chooseLayoutWith(op, operand, source, context);
      if (!layout)
        layout = repeat(operand, tile, source);
      if (layout)
        steps.push_back({op, layout});
      return layout;
    }
    return nullptr;
  }

  SmallVector<SourceStep> steps;

private:
  /// Copies in registers, where the tile becomes no more than twice as large.
  static RegisterLayoutAttr repeat(Value from, Value to,
                                   RegisterLayoutAttr layout) {
    auto source = cast<RankedTensorType>(from.getType());
    auto result = cast<RankedTensorType>(to.getType());
    if (source.getRank() != result.getRank() ||
        2 * source.getNumElements() < result.getNumElements() ||
        !layout.getLayout().isInjective())
      return nullptr;
    LinearLayout repeated = layout.getLayout();
    for (int64_t dim = 0; dim < result.getRank(); ++dim)
      if (int64_t copies = result.getDimSize(dim);
          source.getDimSize(dim) != copies)
        repeated = repeatInRegisters(repeated, dim, copies);
    return RegisterLayoutAttr::get(to.getContext(), repeated);
  }

  const LayoutContext &context;
  llvm::SmallPtrSet<Operation *, 16> seen;
};
} // namespace

RegisterLayoutAttr
tilewright::tile::chooseLayoutWith(RegisterLayoutOpInterface op, Value tile,
                                   RegisterLayoutAttr home,
                                   const LayoutContext &context) {
  return op.chooseLayout(Supposed(context, tile, home));
}

SmallVector<SourceStep>
tilewright::tile::findStepsFromSource(Value tile,
                                      const LayoutContext &context) {
  SourceFinder finder(context);
  return finder.infer(tile) ? finder.steps : SmallVector<SourceStep>();
}
