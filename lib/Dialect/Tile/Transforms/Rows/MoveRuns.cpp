//===- MoveRuns.cpp - Short rows that follow one another in memory --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEMOVERUNS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
struct MoveRuns : tilewright::tile::impl::TileMoveRunsBase<MoveRuns> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    RunsOfKernel runs(kernel);
    SmallVector<GlobalAccessOpInterface> accesses;
    kernel.walk([&](GlobalAccessOpInterface access) {
      if (std::optional<int64_t> vector = access.getVectorWidth();
          vector && runs.getLanes(access, *vector))
        accesses.push_back(access);
    });
    storesRows = llvm::any_of(accesses, [](GlobalAccessOpInterface access) {
      return access.isStore();
    });
    for (GlobalAccessOpInterface access : accesses)
      rewrite(access, *findShortRows(access));
  }

private:
  void rewrite(GlobalAccessOpInterface access, const ShortRows &rows) {
    int64_t numWarps = getOperation().getNumWarpsOrDefault();
    auto pointers = cast<RankedTensorType>(rows.pointers.getType());
    std::optional<RunsOfWarps> runs = RunsOfWarps::find(pointers, numWarps);
    if (!runs || !isa<LoadOp, StoreOp>(*access))
      return;
    ImplicitLocOpBuilder builder(access.getLoc(), access);
    bool areApart = !rows.last && isWorthWords(*runs, rows) && lieApart(rows);
    Value scratch =
        AllocSharedOp::create(builder, runs->getScratchType(pointers, areApart),
                              IntegerAttr(), StringAttr());
    Value count = rows.count, begin = rows.pointers;
    if (rows.start) {
      // What of the rows is here, of which none may be left.
      Value first = builder.createOrFold<arith::MinSIOp>(rows.start, count);
      count = arith::SubIOp::create(builder, count, first);
      if (!rows.last)
        begin = moveBy(builder, begin, rows.start);
    }
    if (rows.last)
      begin = moveToLast(builder, begin, count, rows);
    if (!count.getType().isIndex())
      count =
          arith::IndexCastOp::create(builder, builder.getIndexType(), count);
    const ConstantIntRanges known = NumberRanges().get(rows.count);
    int64_t most =
        std::clamp<int64_t>(known.smax().getSExtValue(), 1, runs->columns);
    // Of a row that begins here.
    int64_t least = std::clamp<int64_t>(known.smin().getSExtValue(), 1, most);
    bool isReversed = rows.last != nullptr;
    if (auto store = dyn_cast<StoreOp>(*access)) {
      StoreRunOp::create(builder, store.getValue(), begin, rows.active,
                         rows.inside, count, scratch, most, least, isReversed,
                         areApart);
    } else {
      auto load = cast<LoadOp>(*access);
      Type type = load.getResult().getType();
      Value other = load.getOther();
      if (!other)
        other = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
      load.replaceAllUsesWith(Value(LoadRunOp::create(
          builder, type, begin, rows.active, rows.inside, other, count, scratch,
          most, least, isReversed, areApart)));
    }
    access->erase();
  }

  /// Whether all lanes of a warp had better move words of rows that are no run.
  /// Halves that are only loaded are in the first-level cache, as long as lanes
  /// do not have a row each of some sectors.
  bool isWorthWords(const RunsOfWarps &runs, const ShortRows &rows) const {
    constexpr int64_t someSectors = 64;
    int64_t most = NumberRanges().get(rows.count).smax().getSExtValue();
    return runs.mayLieApart() && runs.areOfFewLanes &&
           (storesRows || runs.elementBytes == bytesPerWord ||
            (runs.rows >= lanesPerWarp &&
             most * runs.elementBytes >= someSectors));
  }

  /// The argument that a number is, in some number of bits.
  static BlockArgument findArgument(Value number) {
    while (Operation *cast = number.getDefiningOp()) {
      if (!isa<arith::ExtSIOp, arith::IndexCastOp, SplatOp>(cast))
        return nullptr;
      number = cast->getOperand(0);
    }
    return dyn_cast<BlockArgument>(number);
  }

  /// Whether launches tell that rows are no run of memory: what takes from one
  /// to the next is divided by other powers of two than what a row has. Rows of
  /// a variant may still be one, which is slower then.
  bool lieApart(const ShortRows &rows) {
    KernelOp kernel = getOperation();
    BlockArgument columns = findArgument(rows.count);
    if (!columns || columns.getOwner() != &kernel.getBody().front())
      return false;
    int64_t ofRow = kernel.getArgDivisibility(columns.getArgNumber());
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    Operation *maker = rows.pointers.getDefiningOp();
    if (!maker || failed(getBackwardSlice(maker, &slice, options)))
      return false;
    return llvm::any_of(slice, [&](Operation *op) {
      return isa<arith::MulIOp>(op) &&
             llvm::any_of(op->getOperands(), [&](Value factor) {
               BlockArgument stride = findArgument(factor);
               return stride && stride.getOwner() == columns.getOwner() &&
                      kernel.getArgDivisibility(stride.getArgNumber()) != ofRow;
             });
    });
  }

  static Value moveBy(ImplicitLocOpBuilder &builder, Value pointers,
                      Value offset) {
    auto type = cast<RankedTensorType>(pointers.getType());
    auto offsets = cast<RankedTensorType>(type.clone(offset.getType()));
    return AddPtrOp::create(builder, type, pointers,
                            SplatOp::create(builder, offsets, offset));
  }

  /// To where the last one of `count` columns is, of rows that go down.
  static Value moveToLast(ImplicitLocOpBuilder &builder, Value pointers,
                          Value count, const ShortRows &rows) {
    Value one = arith::ConstantOp::create(
        builder, builder.getIntegerAttr(count.getType(), 1));
    Value first = rows.start
                      ? arith::SubIOp::create(builder, rows.last, rows.start)
                      : rows.last;
    Value offset = arith::SubIOp::create(
        builder, first, arith::SubIOp::create(builder, count, one));
    return moveBy(builder, pointers, offset);
  }

  bool storesRows = false;
};
} // namespace
