//===- BranchWholeRows.cpp - Blocks that have their rows' columns ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Rows/WholeBranch.h"
#include "Rows/WholeMasks.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEBRANCHWHOLEROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// What a kernel moves of rows, and when its blocks have all of the columns.
class BlocksOfRows {
public:
  explicit BlocksOfRows(KernelOp kernel)
      : kernel(kernel), body(kernel.getBody().front()), axes(kernel),
        masks(axes) {}

  /// Whether some rows could go by words, and all have one direction.
  bool wantBranch() {
    // Rows that are no longer than their tile.
    if (RunsOfKernel(kernel).moveAll(axes) || !findDim())
      return false;
    WalkResult result = body.walk([&](Operation *op) {
      if (op->getBlock() != &body)
        return WalkResult::interrupt();
      auto access = dyn_cast<GlobalAccessOpInterface>(op);
      if (!access || !hasColumns(access))
        return WalkResult::advance();
      AddressVector vector = getAddressVector(access, axes);
      int64_t size = getElementBytes(access.getTileType().getElementType());
      bool isByWords = findStepOfRows(access, vector, axes).has_value();
      bool hasWords = vector.width.elements * size >= bytesPerWord;
      if (*dim != vector.dim || bytes.value_or(size) != size ||
          (!isByWords && !hasWords) || !collect(access, vector))
        return WalkResult::interrupt();
      bytes = size;
      return WalkResult::advance();
    });
    return !result.wasInterrupted() && masks.mayHold();
  }

  void branch() {
    Operation *front = moveScalarsToFront(body);
    if (!front)
      return;
    ImplicitLocOpBuilder builder(front->getLoc(), front);
    Value isWhole = masks.emit(builder);
    if (!isWhole)
      return;
    branchOnWhole(builder, isWhole,
                  [&](OpBuilder &whole, Operation &op, IRMapping &mapping) {
                    Operation *clone = whole.clone(op, mapping);
                    if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
                      makeWhole(access, clone, mapping);
                  });
  }

private:
  /// Returns false where no rows could go by words.
  bool findDim() {
    kernel.walk([&](GlobalAccessOpInterface access) {
      AddressVector vector = getAddressVector(access, axes);
      if (!findStepOfRows(access, vector, axes))
        return WalkResult::advance();
      dim = vector.dim;
      return WalkResult::interrupt();
    });
    return dim.has_value();
  }

  /// Whether the tile has rows: a number for each of them goes as it went.
  bool hasColumns(GlobalAccessOpInterface access) const {
    RankedTensorType tile = access.getTileType();
    return tile.getRank() >= 2 && tile.getDimSize(*dim) > 1;
  }

  /// Returns false where it is not known when the access has all columns.
  bool collect(GlobalAccessOpInterface op, const AddressVector &vector) {
    MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
    int64_t extent = op.getTileType().getDimSize(vector.dim);
    if (auto view = access.base.getDefiningOp<ViewOp>()) {
      if (view.getType().getContiguousDim() != vector.dim ||
          !isConstantIntValue(OpFoldResult(access.indices[vector.dim]), 0))
        return false;
      masks.addLeast(view.getMixedShape()[vector.dim], extent);
      return true;
    }
    return !access.mask || masks.addMask(access.mask, vector.dim);
  }

  /// Leaves out of the clone what the op's mask, or the end of its view, says
  /// of columns.
  void makeWhole(GlobalAccessOpInterface op, Operation *clone,
                 const IRMapping &mapping) const {
    if (!hasColumns(op))
      return;
    MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
    OpBuilder builder(clone);
    if (access.base.getDefiningOp<ViewOp>()) {
      Value inClone = mapping.lookupOrDefault(access.base);
      clone->replaceUsesOfWith(
          inClone, makeWholeView(builder, inClone.getDefiningOp<ViewOp>(), *dim,
                                 op.getTileType().getDimSize(*dim)));
      return;
    }
    if (!access.mask)
      return;
    Value rest;
    for (Value part : masks.getRest(access.mask, *dim)) {
      Value next = mapping.lookupOrDefault(part);
      rest =
          rest ? arith::AndIOp::create(builder, op.getLoc(), rest, next) : next;
    }
    if (!rest)
      rest = arith::ConstantOp::create(
          builder, op.getLoc(),
          DenseElementsAttr::get(cast<ShapedType>(access.mask.getType()),
                                 true));
    clone->replaceUsesOfWith(mapping.lookupOrDefault(access.mask), rest);
  }

  KernelOp kernel;
  Block &body;
  AxisInfoAnalysis axes;
  WholeMasks masks;
  /// Along which rows go, and how large elements are.
  std::optional<unsigned> dim;
  std::optional<int64_t> bytes;
};

struct BranchWholeRows
    : tilewright::tile::impl::TileBranchWholeRowsBase<BranchWholeRows> {
  void runOnOperation() override {
    if (getOperation().getBlockPrograms() || getOperation().getPersistent())
      return;
    BlocksOfRows blocks(getOperation());
    if (blocks.wantBranch())
      blocks.branch();
  }
};
} // namespace
