//===- ArriveLate.cpp - Stored slots released while products run ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEARRIVELATE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// The loop of a block that has one.
static LoopLikeOpInterface getOnlyLoop(Block &block) {
  auto loops = block.getOps<LoopLikeOpInterface>();
  return llvm::hasSingleElement(loops) ? *loops.begin() : LoopLikeOpInterface();
}

static bool waitsForReads(Operation *op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  return order &&
         order.getMemoryOrder().kind == MemoryOrder::Kind::WaitForReads;
}

/// Whether threads put anything into shared memory.
static bool fillsTiles(Operation *op) {
  return op
      ->walk([](SharedAccessOpInterface access) {
        return access.isStore() ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the op of a block stands behind its only loop.
static bool isBehindLoop(Operation *op) {
  LoopLikeOpInterface loop = getOnlyLoop(*op->getBlock());
  return loop && loop->isBeforeInBlock(op);
}

namespace {
/// The end of a program that waits until its results were read, and then
/// releases the slots that they were in.
class LateArrivals {
public:
  /// None where it may not be done later.
  static std::optional<LateArrivals> find(LoopLikeOpInterface programs) {
    if (!programs->hasAttr(TileDialect::kProgramsAttr) ||
        !programs->getParentOfType<RolesOp>())
      return std::nullopt;
    Block &body = programs.getLoopRegions().front()->front();
    LateArrivals found(programs, getOnlyLoop(body));
    if (!found.products || !found.countsFromConstant() ||
        !found.collect(*body.getTerminator()))
      return std::nullopt;
    return found;
  }

  /// Does it in the second iteration of the loop of products of the next
  /// program, or behind that loop where there is none.
  void run() {
    OpBuilder builder(products);
    Location loc = wait->getLoc();
    Value isNext = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         *programs.getSingleInductionVar(),
                                         getBound(programs, false));
    Value second =
        arith::ConstantIndexOp::create(builder, loc, getSecondCounter());
    Block &body = products.getLoopRegions().front()->front();
    builder.setInsertionPoint(body.getTerminator());
    makeBranch(builder, isNext,
               arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     *products.getSingleInductionVar(),
                                     second));
    builder.setInsertionPointAfter(products);
    makeBranch(builder, isNext,
               arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     getBound(products, true), second));
    builder.setInsertionPointAfter(programs);
    StoreTmaWaitOp::create(builder, loc, /*read=*/true);
    for (Operation *arrival : arrivals)
      arrival->erase();
    wait->erase();
  }

private:
  LateArrivals(LoopLikeOpInterface programs, LoopLikeOpInterface products)
      : programs(programs), products(products) {}

  static Value getBound(LoopLikeOpInterface loop, bool isUpper) {
    return cast<Value>(isUpper ? *loop.getSingleUpperBound()
                               : *loop.getSingleLowerBound());
  }

  /// Whether the loop has a second iteration that is known by its counter, and
  /// products are under way in it.
  bool countsFromConstant() {
    Block &body = products.getLoopRegions().front()->front();
    return products.getSingleInductionVar() &&
           products.getSingleInductionVar()->getType().isIndex() &&
           programs.getSingleInductionVar() &&
           getConstantIntValue(*products.getSingleLowerBound()) &&
           getConstantIntValue(*products.getSingleStep()) &&
           llvm::any_of(body, [](Operation &op) {
             return endsWith(&op, AccessEnd::WithProduct);
           });
  }

  int64_t getSecondCounter() {
    return *getConstantIntValue(*products.getSingleLowerBound()) +
           *getConstantIntValue(*products.getSingleStep());
  }

  /// The wait and the arrivals that it is for, at the end of the program.
  bool collect(Operation &end) {
    for (Operation *op = end.getPrevNode(); op && !wait;
         op = op->getPrevNode()) {
      if (auto arrival = dyn_cast<MbarrierArriveOp>(op)) {
        if (!mayBeLate(arrival))
          return false;
        arrivals.push_back(arrival);
      } else if (waitsForReads(op))
        wait = op;
      else if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
        return false;
    }
    return wait && !arrivals.empty() && isBehindLoop(wait) &&
           isUnusedTillThen();
  }

  /// Whether no thread fills a tile before the wait in its new place: who does
  /// may count on the old one.
  bool isUnusedTillThen() {
    for (Operation *op = products; op; op = op->getPrevNode())
      if (fillsTiles(op))
        return false;
    return true;
  }

  static AllocSharedOp getMbarriers(Value barrier) {
    return getAllocation(barrier);
  }

  /// Whether the arrival says that the only slot of a channel is free, which is
  /// filled and read behind the loop of each program only: till then nobody
  /// waits for it.
  static bool mayBeLate(MbarrierArriveOp arrival) {
    if (arrival.getWhich() != SlotBarrier::Empty || arrival.getCondition())
      return false;
    AllocSharedOp mbarriers = getMbarriers(arrival.getBarrier());
    if (!mbarriers || mbarriers.getType().getNumStages() != 1)
      return false;
    return llvm::all_of(mbarriers->getUsers(), [](Operation *part) {
      return llvm::all_of(part->getUsers(), [](Operation *user) {
        return !isa<MbarrierWaitOp>(user) || isBehindLoop(user);
      });
    });
  }

  /// Where both hold: the wait, and the arrivals.
  void makeBranch(OpBuilder &builder, Value isNext, Value isHere) {
    Location loc = wait->getLoc();
    Value both = arith::AndIOp::create(builder, loc, isNext, isHere);
    auto branch = scf::IfOp::create(builder, loc, both, /*withElse=*/false);
    OpBuilder inner(branch.thenBlock()->getTerminator());
    StoreTmaWaitOp::create(inner, loc, /*read=*/true);
    for (MbarrierArriveOp arrival : llvm::reverse(arrivals)) {
      AllocSharedOp mbarriers = getMbarriers(arrival.getBarrier());
      Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
      Value slot = SubviewOp::create(inner, loc, arrival.getBarrier().getType(),
                                     mbarriers, zero);
      MbarrierArriveOp::create(inner, loc, slot, SlotBarrier::Empty,
                               /*condition=*/nullptr, IntegerAttr(),
                               /*each_warp=*/true);
    }
  }

  LoopLikeOpInterface programs, products;
  Operation *wait = nullptr;
  SmallVector<MbarrierArriveOp> arrivals;
};

struct ArriveLate : tilewright::tile::impl::TileArriveLateBase<ArriveLate> {
  void runOnOperation() override {
    SmallVector<LateArrivals> all;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (std::optional<LateArrivals> found = LateArrivals::find(loop))
        all.push_back(std::move(*found));
    });
    for (LateArrivals &arrivals : all)
      arrivals.run();
  }
};
} // namespace
