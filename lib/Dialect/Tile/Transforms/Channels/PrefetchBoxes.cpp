//===- PrefetchBoxes.cpp - What is copied behind a loop -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPREFETCHBOXES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// How many steps of the loop before its end the last box is asked for, and
/// each of the others before the next one
/// (docs/decisions/0044-boxes-asked-for-ahead.md).
static constexpr int64_t kStepsBeforeEnd = 8, kStepsApart = 4;

namespace {
/// A loop of the role that copies, and what is copied behind it.
class Ahead {
public:
  explicit Ahead(LoopLikeOpInterface loop) : loop(loop) {}

  /// Whether there is such.
  bool collect() {
    if (!loop.getSingleInductionVar() || !copies(loop))
      return false;
    for (Operation *op = loop->getNextNode(); op && op->getNumRegions() == 0;
         op = op->getNextNode())
      if (auto copy = dyn_cast<CopyTmaOp>(op))
        behind.push_back(copy);
    return !behind.empty();
  }

  void prefetch() {
    IRRewriter rewriter(loop);
    SmallVector<Value> needed;
    int64_t boxes = 0;
    for (CopyTmaOp copy : behind) {
      needed.push_back(copy.getMap());
      llvm::append_range(needed, copy.getOffsets());
      if (Value moved = copy.getMoved())
        needed.push_back(moved);
      boxes += getBoxes(copy).size();
    }
    if (failed(moveValueDefinitions(rewriter, needed, loop)))
      return;
    int64_t steps = kStepsBeforeEnd + (boxes - 1) * kStepsApart;
    for (CopyTmaOp copy : behind)
      for (const TensorBoxes::Box &box : getBoxes(copy)) {
        prefetch(rewriter, copy, box, steps);
        steps -= kStepsApart;
      }
  }

private:
  static bool copies(Operation *op) { return anyOpIn<CopyTmaOp>(*op); }

  static SmallVector<TensorBoxes::Box> getBoxes(CopyTmaOp copy) {
    return llvm::to_vector(copy.getDest().getType().getTensorBoxes()->boxes);
  }

  Value toValue(OpBuilder &builder, std::optional<OpFoldResult> bound) {
    return getValueOrCreateConstantIndexOp(builder, loop.getLoc(), *bound);
  }

  /// The counter of the trip that is so many before the end; less than where
  /// the loop begins if it has fewer.
  Value getCounter(OpBuilder &builder, int64_t steps) {
    Location loc = loop.getLoc();
    Value lower = toValue(builder, loop.getSingleLowerBound()),
          upper = toValue(builder, loop.getSingleUpperBound()),
          step = toValue(builder, loop.getSingleStep());
    Value length = arith::SubIOp::create(builder, loc, upper, lower);
    Value trips = arith::CeilDivSIOp::create(builder, loc, length, step);
    Value number = arith::SubIOp::create(
        builder, loc, trips,
        arith::ConstantIndexOp::create(builder, loc, steps));
    return arith::AddIOp::create(
        builder, loc, lower, arith::MulIOp::create(builder, loc, number, step));
  }

  void prefetch(OpBuilder &builder, CopyTmaOp copy, const TensorBoxes::Box &box,
                int64_t steps) {
    Location loc = copy.getLoc();
    builder.setInsertionPoint(loop);
    Value then = getCounter(builder, steps);
    SmallVector<Value> offsets;
    for (auto [offset, start] : llvm::zip_equal(copy.getOffsets(), box.start))
      offsets.push_back(builder.createOrFold<arith::AddIOp>(
          loc, offset, arith::ConstantIndexOp::create(builder, loc, start)));
    builder.setInsertionPoint(
        loop.getLoopRegions().front()->front().getTerminator());
    Value isNow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        *loop.getSingleInductionVar(), then);
    scf::IfOp::create(builder, loc, isNow, [&](OpBuilder &inner, Location) {
      PrefetchTmaOp::create(inner, loc, copy.getMap(), offsets,
                            copy.getMoved());
      scf::YieldOp::create(inner, loc);
    });
  }

  LoopLikeOpInterface loop;
  SmallVector<CopyTmaOp> behind;
};

struct PrefetchBoxes
    : tilewright::tile::impl::TilePrefetchBoxesBase<PrefetchBoxes> {
  void runOnOperation() override {
    SmallVector<Ahead> all;
    getOperation().walk([&](RolesOp roles) {
      roles.getCopy().walk([&](LoopLikeOpInterface loop) {
        if (Ahead ahead(loop); ahead.collect())
          all.push_back(ahead);
      });
    });
    for (Ahead &ahead : all)
      ahead.prefetch();
  }
};
} // namespace
