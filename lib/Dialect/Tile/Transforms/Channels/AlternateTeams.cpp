//===- AlternateTeams.cpp - Programs of a block in turn -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the hardware says of an mbarrier is the parity of its phase: a team that
// waited for its first slot while the other one still reads the slots before
// would take an older phase for its own. So each part of a program that touches
// channels or shared tiles is one team's at a time, in the order of programs:
//
//   scf.for %program ... {
//     enter 0;  the loop of products;  leave 0
//     enter 1;  all behind it;         leave 1
//
//===----------------------------------------------------------------------===//

#include "Channels/AlternateTeams.h"

#include "Channels/RoleRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// How far a program counts what its loop carries: by `trips` of an inner loop
/// times `step`, or by `step` where there is no loop.
struct Advance {
  scf::ForOp loop;
  int64_t step;
};

/// A loop over programs that two teams can share.
class Alternation {
public:
  explicit Alternation(RolesOp roles) : roles(roles) {}

  bool isPossible() {
    return haveRegistersForTeams(roles) && findPrograms() && findProducts() &&
           findAdvances() && findReleases() && keepsSlotsApart();
  }

  void run() {
    OpBuilder builder(programs);
    roles->setAttr(kTeamsAttr, builder.getI32IntegerAttr(kMostTeams));
    giveRegistersToTeams(roles);
    shareOutPrograms(builder);
    for (auto [index, advance] : llvm::enumerate(advances))
      skip(builder, index, advance);
    releaseOwnSlots(builder);
    takeTurns(builder);
    roles.getMain().walk([](BarrierOp barrier) { makeOfWarpgroup(barrier); });
  }

private:
  //===--------------------------------------------------------------------===//
  // Whether it can be
  //===--------------------------------------------------------------------===//

  /// Whether the op waits, copies, or touches memory that teams share.
  static bool touchesSharedMemory(Operation *op) {
    return anyOpIn(*op, [](Operation *inner) {
      return isa<HandOverOpInterface>(inner) || isBarrier(inner) ||
             findMemoryAccess(inner, MemorySpace::Shared);
    });
  }

  /// The only loop of the role, which nothing stands beside but scalars, the
  /// last releases and the last waits for stores.
  bool findPrograms() {
    for (Operation &op : roles.getMain().front()) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && isOverPrograms(&op)) {
        if (programs)
          return false;
        programs = loop;
      } else if (isa<ReleaseOp, StoreTmaWaitOp>(op)) {
        if (!programs)
          return false;
      } else if (!isMemoryEffectFree(&op)) {
        return false;
      }
    }
    return programs != nullptr;
  }

  /// The first loop that reads slots, and no other tiles; nothing before it
  /// touches shared memory.
  bool findProducts() {
    for (Operation &op : programs.getBody()->without_terminator())
      if (touchesSharedMemory(&op)) {
        products = dyn_cast<scf::ForOp>(op);
        break;
      }
    return products && !anyOpIn(products, [](Operation *op) {
             return isBarrier(op) || touchesOtherTiles(op);
           });
  }

  static bool touchesOtherTiles(Operation *op) {
    return llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
      return access.space == MemorySpace::Shared &&
             !access.base.getDefiningOp<WaitOp>();
    });
  }

  /// Whether what one team puts into shared memory is nowhere where the slots
  /// are that the other one reads.
  bool keepsSlotsApart() {
    SmallVector<AllocSharedOp> slots, tiles;
    roles->getParentOfType<KernelOp>().walk([&](AllocSharedOp tile) {
      bool isSlot = llvm::any_of(tile->getUsers(), [](Operation *user) {
        return isa<ChannelOp>(user);
      });
      (isSlot ? slots : tiles).push_back(tile);
    });
    return llvm::none_of(tiles, [&](AllocSharedOp tile) {
      return llvm::any_of(slots, [&](AllocSharedOp slot) {
        return begin(tile) < end(slot) && begin(slot) < end(tile);
      });
    });
  }
  static int64_t begin(AllocSharedOp tile) {
    return static_cast<int64_t>(*tile.getOffset());
  }
  static int64_t end(AllocSharedOp tile) {
    return begin(tile) + tile.getType().getSizeInBytes();
  }

  /// All that the loop over programs carries are numbers of hand-overs, which
  /// each program counts on equally far.
  bool findAdvances() {
    auto yield = cast<scf::YieldOp>(programs.getBody()->getTerminator());
    for (auto [carried, init, next] :
         llvm::zip_equal(programs.getRegionIterArgs(), programs.getInitArgs(),
                         yield.getOperands())) {
      Count first = Count::of(init), count = Count::of(next);
      if (!carried.getType().isInteger(32) || first != Count{})
        return false;
      Advance advance = {nullptr, count.offset};
      if (auto loop = count.base ? count.base.getDefiningOp<scf::ForOp>()
                                 : scf::ForOp()) {
        auto result = cast<OpResult>(count.base);
        BlockArgument inner = loop.getTiedLoopRegionIterArg(result);
        Count step = Count::of(loop.getTiedLoopYieldedValue(inner)->get());
        if (count.offset != 0 || step.base != inner ||
            loop->getParentOp() != programs || !hasFixedTrips(loop))
          return false;
        advance = {loop, step.offset};
        count = Count::of(loop.getTiedLoopInit(inner)->get());
        if (count.offset != 0)
          return false;
      }
      if (count.base != carried)
        return false;
      advances.push_back(advance);
    }
    return true;
  }

  bool hasFixedTrips(scf::ForOp loop) {
    return llvm::all_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        [&](Value bound) { return programs.isDefinedOutsideOfLoop(bound); });
  }

  /// Slots that are released one iteration late, the last of them behind all
  /// programs.
  bool findReleases() {
    bool isFollowed = true;
    roles.getMain().walk([&](ReleaseOp release) {
      Count count = Count::of(release.getCount());
      if (count.offset == 0)
        return;
      auto inner = dyn_cast_or_null<BlockArgument>(count.base);
      auto result = dyn_cast_or_null<OpResult>(count.base);
      if (inner && count.offset == -1 && release->getParentOp() == products &&
          inner.getOwner() == products.getBody())
        lateReleases.push_back(release);
      else if (result && count.offset == -1 && result.getOwner() == programs)
        lastReleases.push_back(release);
      else
        isFollowed = false;
    });
    waitForAll = findWaitForAll();
    return isFollowed && lateReleases.size() == lastReleases.size() &&
           (lateReleases.empty() || waitForAll);
  }

  /// The wait behind which the products of the loop are made.
  DotWaitOp findWaitForAll() {
    for (auto op = std::next(products->getIterator());
         op != programs.getBody()->end(); ++op)
      if (auto wait = dyn_cast<DotWaitOp>(*op); wait && wait.getPending() == 0)
        return wait;
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // How it is written
  //===--------------------------------------------------------------------===//

  void shareOutPrograms(OpBuilder &builder) {
    Location loc = programs.getLoc();
    team = TeamOp::create(builder, loc);
    Value step = programs.getStep();
    Value ahead = arith::MulIOp::create(builder, loc, team, step);
    programs.setLowerBound(
        arith::AddIOp::create(builder, loc, programs.getLowerBound(), ahead));
    Value teams = arith::ConstantIndexOp::create(builder, loc, kMostTeams);
    programs.setStep(arith::MulIOp::create(builder, loc, step, teams));
    teamNumber =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), team);
  }

  /// i32: by how much a program counts on.
  Value makeAdvance(OpBuilder &builder, Advance advance) {
    Location loc = programs.getLoc();
    Value step = arith::ConstantIntOp::create(builder, loc, advance.step, 32);
    if (!advance.loop)
      return step;
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value length =
        arith::SubIOp::create(builder, loc, advance.loop.getUpperBound(),
                              advance.loop.getLowerBound());
    Value atLeast = arith::MaxSIOp::create(builder, loc, length, zero);
    Value trips = arith::CeilDivSIOp::create(builder, loc, atLeast,
                                             advance.loop.getStep());
    Value number =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), trips);
    return advance.step == 1
               ? number
               : arith::MulIOp::create(builder, loc, number, step);
  }

  /// A team begins behind the programs of those before it, and goes on behind
  /// the program of the other one.
  void skip(OpBuilder &builder, unsigned index, Advance advance) {
    Location loc = programs.getLoc();
    Value distance = makeAdvance(builder, advance);
    programs.getInitArgsMutable()[index].set(
        arith::MulIOp::create(builder, loc, teamNumber, distance));
    OpBuilder::InsertionGuard guard(builder);
    Operation *yield = programs.getBody()->getTerminator();
    builder.setInsertionPoint(yield);
    yield->setOperand(index, arith::AddIOp::create(builder, loc,
                                                   yield->getOperand(index),
                                                   distance));
  }

  /// No slot of a program is left to the next one, which another team does.
  void releaseOwnSlots(OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    for (ReleaseOp release : lateReleases) {
      builder.setInsertionPoint(release);
      Value isLater = arith::CmpIOp::create(
          builder, release.getLoc(), arith::CmpIPredicate::ne,
          products.getInductionVar(), products.getLowerBound());
      release->moveBefore(makeBranch(builder, isLater));
    }
    for (ReleaseOp release : lastReleases) {
      builder.setInsertionPointAfter(waitForAll);
      Location loc = release.getLoc();
      Value isAny = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, products.getLowerBound(),
          products.getUpperBound());
      auto result = cast<OpResult>(Count::of(release.getCount()).base);
      auto yield = cast<scf::YieldOp>(programs.getBody()->getTerminator());
      // What the program counted to, without what is skipped behind it.
      Value end = yield.getOperand(result.getResultNumber())
                      .getDefiningOp<arith::AddIOp>()
                      .getLhs();
      Operation *inBranch = makeBranch(builder, isAny);
      builder.setInsertionPoint(inBranch);
      Value one = arith::ConstantIntOp::create(builder, loc, -1, 32);
      Value last = arith::AddIOp::create(builder, loc, end, one);
      release->moveBefore(inBranch);
      release->setOperand(1, last);
    }
  }

  /// Gives what stands at the end of the branch.
  static Operation *makeBranch(OpBuilder &builder, Value condition) {
    return scf::IfOp::create(builder, condition.getLoc(), condition,
                             /*withElseRegion=*/false)
        .thenYield();
  }

  void takeTurns(OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Location loc = programs.getLoc();
    builder.setInsertionPoint(products);
    TeamEnterOp::create(builder, loc, 0);
    builder.setInsertionPointAfter(products);
    TeamLeaveOp::create(builder, loc, 0);
    TeamEnterOp::create(builder, loc, 1);
    builder.setInsertionPoint(programs.getBody()->getTerminator());
    // Then the other team may write the tiles that were stored.
    if (storesLast())
      StoreTmaWaitOp::create(builder, loc, /*read=*/true);
    TeamLeaveOp::create(builder, loc, 1);
  }

  /// Whether a bulk store of a program is waited for by nobody.
  bool storesLast() {
    for (Operation &op : llvm::reverse(*programs.getBody())) {
      if (waitsForStoredTiles(&op))
        return false;
      if (anyOpIn(op, [](Operation *inner) {
            return endsWith(inner, AccessEnd::WithStore);
          }))
        return true;
    }
    return false;
  }

  static void makeOfWarpgroup(BarrierOp barrier) {
    if (!barrier.isOfAll())
      return;
    barrier.removeWarpsAttr();
    barrier.setEachWarpgroup(true);
  }

  RolesOp roles;
  scf::ForOp programs, products;
  SmallVector<Advance> advances;
  SmallVector<ReleaseOp> lateReleases, lastReleases;
  DotWaitOp waitForAll;
  Value team, teamNumber;
};
} // namespace

void tilewright::tile::alternateTeams(RolesOp roles) {
  Alternation alternation(roles);
  if (alternation.isPossible())
    alternation.run();
}
