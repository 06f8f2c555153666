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
#include "llvm/ADT/SmallSet.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEBRANCHWHOLEROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of a row that is turned: each pays for its ends.
static constexpr int64_t kLeastTurned = 256;

/// Whether a tile, which may have fewer dimensions than others, has several
/// elements along one.
static bool isExtendedAlong(RankedTensorType tile, unsigned dim) {
  return dim < tile.getRank() && tile.getDimSize(dim) > 1;
}

namespace {
/// What a kernel moves of rows, and when its blocks have all of the columns.
class BlocksOfRows {
public:
  explicit BlocksOfRows(KernelOp kernel)
      : kernel(kernel), body(kernel.getBody().front()), axes(kernel),
        masks(axes) {}

  /// Whether some rows could go by words.
  bool wantBranch() {
    // Rows that are no longer than their tile.
    if (RunsOfKernel(kernel).moveAll(axes))
      return false;
    findDims();
    if (dims.empty())
      return false;
    WalkResult result = body.walk([&](Operation *op) {
      if (op->getBlock() != &body)
        return WalkResult::interrupt();
      auto access = dyn_cast<GlobalAccessOpInterface>(op);
      if (!access)
        return WalkResult::advance();
      if (!getColumns(access))
        return isScattered(access) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      AddressVector vector = getAddressVector(access, axes);
      int64_t size = getElementBytes(access.getTileType().getElementType());
      bool isByWords = findStepOfRows(access, vector, axes).has_value();
      bool hasWords = vector.width.elements * size >= bytesPerWord;
      if (bytes.value_or(size) != size || (!isByWords && !hasWords) ||
          !collect(access, vector))
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
  /// Of rows that are stored; of those that are loaded, if nothing is turned:
  /// what is read across is as fast by elements, which the first-level cache
  /// has for those that follow.
  void findDims() {
    kernel.walk([&](GlobalAccessOpInterface access) {
      AddressVector vector = getAddressVector(access, axes);
      if (!findStepOfRows(access, vector, axes))
        return;
      bool isLong = access.isStore() &&
                    access.getTileType().getDimSize(vector.dim) >= kLeastTurned;
      if (isLong || goAlong(vector.dim))
        dims.insert(vector.dim);
    });
  }

  /// Whether all rows go along a dimension.
  bool goAlong(unsigned dim) {
    WalkResult result = kernel.walk([&](GlobalAccessOpInterface access) {
      RankedTensorType tile = access.getTileType();
      bool isTurned = tile.getRank() >= 2 && isExtendedAlong(tile, dim) &&
                      getAddressVector(access, axes).dim != dim;
      return isTurned ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !result.wasInterrupted();
  }

  /// Along which dimension the access has columns. A number for each row has
  /// none, and neither has what is turned: these go as they went.
  std::optional<unsigned> getColumns(GlobalAccessOpInterface access) const {
    RankedTensorType tile = access.getTileType();
    unsigned dim = getAddressVector(access, axes).dim;
    bool hasColumns =
        dims.contains(dim) && tile.getRank() >= 2 && isExtendedAlong(tile, dim);
    return hasColumns ? std::optional(dim) : std::nullopt;
  }

  /// Whether its elements lie anywhere along rows.
  bool isScattered(GlobalAccessOpInterface access) const {
    RankedTensorType tile = access.getTileType();
    return tile.getRank() >= 2 &&
           !isExtendedAlong(tile, getAddressVector(access, axes).dim) &&
           llvm::any_of(
               dims, [&](unsigned dim) { return isExtendedAlong(tile, dim); });
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
    std::optional<unsigned> dim = getColumns(op);
    if (!dim)
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
  /// Along which rows go that could be moved by words.
  llvm::SmallSet<unsigned, 2> dims;
  /// How large elements are.
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
