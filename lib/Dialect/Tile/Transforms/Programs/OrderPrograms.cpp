//===- OrderPrograms.cpp - Programs along rows of memory first ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProgramOrder.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEORDERPROGRAMS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// What the first two axes of the grid tell apart.
class Axes {
public:
  explicit Axes(KernelOp kernel) : first(kernel, 0), second(kernel, 1) {}

  /// Whether programs along the second axis store what lies side by side in
  /// rows, and those along the first one what lies below.
  bool goAcrossRows(GlobalAccessOpInterface store) const {
    std::optional<MemoryAccess> access =
        findMemoryAccess(store, MemorySpace::Global);
    auto view = access->base.getDefiningOp<ViewOp>();
    std::optional<unsigned> alongRow =
        view ? view.getType().getContiguousDim() : std::nullopt;
    if (!alongRow || store.getTileType().getRank() < 2)
      return false;
    bool goesDown = false;
    SmallVector<OpFoldResult> shape = view.getMixedShape();
    for (auto [dim, index] : llvm::enumerate(access->indices)) {
      bool byFirst = differs(first, shape[dim], index);
      bool bySecond = differs(second, shape[dim], index);
      if (dim == *alongRow ? byFirst || !bySecond : bySecond)
        return false;
      goesDown |= byFirst;
    }
    return goesDown;
  }

private:
  /// Whether the block's place along a dimension does, or what is left there.
  static bool differs(const ProgramDifferences &programs, OpFoldResult extent,
                      Value index) {
    auto left = dyn_cast<Value>(extent);
    return programs.differs(index) || (left && programs.differs(left));
  }

  ProgramDifferences first, second;
};

struct OrderPrograms
    : tilewright::tile::impl::TileOrderProgramsBase<OrderPrograms> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getPersistent() || kernel.getBlockPrograms() ||
        kernel.getClusterBlocksOrOne() != 1 || kernel.getCopyWarps() ||
        anyOpIn<ProductOpInterface>(kernel) || talksToOthers(kernel))
      return;
    Axes axes(kernel);
    bool isAcross = false;
    WalkResult result = kernel.walk([&](GlobalAccessOpInterface access) {
      if (!access.isStore())
        return WalkResult::advance();
      isAcross = axes.goAcrossRows(access);
      return isAcross ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (isAcross && !result.wasInterrupted())
      kernel->setAttr(kSecondAxisFirstAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
