//===- RewriteInductions.cpp - What loops add up, by their counter --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEREWRITEINDUCTIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {

/// An amount that is added to a carried value in each trip, or taken away.
struct InductionStep {
  Value amount;
  bool isNegative;
};

/// A carried value that grows by the same in each trip.
struct Induction {
  unsigned index;
  SmallVector<InductionStep, 1> steps;
};

/// Finds the inductions of one loop.
class InductionFinder {
public:
  explicit InductionFinder(scf::ForOp loop) : loop(loop), invariants(loop) {}

  std::optional<Induction> find(unsigned index) {
    BlockArgument argument = loop.getRegionIterArg(index);
    Type type = getElementTypeOrSelf(argument.getType());
    if (!isa<PtrType>(type) && !type.isIntOrIndex())
      return std::nullopt;
    Induction induction{index, {}};
    Value value = loop.getYieldedValues()[index];
    while (value != argument) {
      Operation *op = value.getDefiningOp();
      // A promise is of the same number.
      if (isa_and_nonnull<AssumeOp>(op) && op->getBlock() == loop.getBody()) {
        value = op->getOperand(0);
        continue;
      }
      if (!op || op->getBlock() != loop.getBody() || !stepBack(op, induction))
        return std::nullopt;
      value = op->getOperand(0) == induction.steps.back().amount
                  ? op->getOperand(1)
                  : op->getOperand(0);
    }
    if (induction.steps.empty())
      return std::nullopt;
    return induction;
  }

private:
  /// Notes what the op adds, if it adds an invariant to something.
  bool stepBack(Operation *op, Induction &induction) {
    if (!isa<AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
      return false;
    if (invariants.contains(op->getOperand(1)))
      induction.steps.push_back({op->getOperand(1), isa<arith::SubIOp>(op)});
    else if (isa<arith::AddIOp>(op) && invariants.contains(op->getOperand(0)))
      induction.steps.push_back({op->getOperand(0), false});
    else
      return false;
    return true;
  }

  scf::ForOp loop;
  LoopInvariants invariants;
};

/// The scalar that every element of a tile is; null where that is not known.
Value getSplatScalar(OpBuilder &builder, Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && op->hasTrait<MovesElements>()) {
    Value source = op->getOperand(0);
    if (!isTile(source))
      return source;
    op = source.getDefiningOp();
  }
  DenseElementsAttr value;
  if (!op || !matchPattern(op, m_Constant(&value)) || !value.isSplat())
    return nullptr;
  return arith::ConstantOp::create(
      builder, op->getLoc(), cast<TypedAttr>(value.getSplatValue<Attribute>()));
}

/// Whether the counter of a loop, or of what is ahead of it, may wrap around
/// before the loop has ended. One of 64 bits that begins and steps small does
/// not live to see it.
bool mayWrap(scf::ForOp loop, NumberRanges &ranges) {
  constexpr unsigned kLeast = 64, kStepBits = 32, kMostAhead = 64;
  ConstantIntRanges low = ranges.get(loop.getLowerBound()),
                    high = ranges.get(loop.getUpperBound()),
                    step = ranges.get(loop.getStep());
  bool isSigned = !loop.getUnsignedCmp();
  unsigned bits = high.smax().getBitWidth(), wide = 2 * bits;
  auto getMost = [&](const ConstantIntRanges &range) {
    return isSigned ? range.smax().sext(wide) : range.umax().zext(wide);
  };
  APInt most = getMost(ConstantIntRanges::maxRange(bits));
  if (bits >= kLeast && getMost(low).sle(most.lshr(1)) &&
      getMost(step).getActiveBits() <= kStepBits)
    return false;
  return (getMost(high) + getMost(step) * APInt(wide, kMostAhead)).sgt(most);
}

/// What is known of a loop before any is rewritten.
struct LoopFacts {
  /// Its counter may wrap around.
  bool isFar;
  /// Its step may be 0.
  bool mayStay;
};

/// Writes one loop so that it counts trips, from which its inductions follow.
class LoopRewriter {
public:
  LoopRewriter(scf::ForOp loop, ArrayRef<Induction> inductions, LoopFacts facts)
      : loop(loop), inductions(inductions), facts(facts), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    for (const Induction &induction : inductions)
      distances.push_back(computeDistance(induction));
    Value trips = countTrips();
    SmallVector<Value> inits;
    for (auto [index, init] : llvm::enumerate(loop.getInitArgs()))
      if (!isInduction(index))
        inits.push_back(init);
    auto newLoop = scf::ForOp::create(
        builder, loc, constant(builder.getIndexType(), 0), trips,
        constant(builder.getIndexType(), 1), inits,
        [&](OpBuilder &inner, Location, Value trip, ValueRange carried) {
          moveBody(inner, trip, carried);
        });
    newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    builder.setInsertionPointAfter(newLoop);
    replaceResults(newLoop, trips);
    loop.erase();
  }

private:
  /// What an induction moves by in a trip: a scalar or a tile, of `index` for
  /// pointers, computed before the loop.
  Value computeDistance(const Induction &induction) {
    Type type = loop.getRegionIterArg(induction.index).getType();
    bool isPointer = isa<PtrType>(getElementTypeOrSelf(type));
    Value sum;
    for (const InductionStep &step : induction.steps) {
      LoopInvariants(loop).hoist(step.amount);
      Value amount = step.amount;
      if (isTile(amount))
        if (Value scalar = getSplatScalar(builder, amount))
          amount = scalar;
      if (isPointer)
        amount = cast(amount, builder.getIndexType());
      if (step.isNegative) {
        Value zero =
            makeLike(constant(getElementTypeOrSelf(amount), 0), amount);
        amount = arith::SubIOp::create(builder, loc, zero, amount);
      }
      if (!sum) {
        sum = amount;
        continue;
      }
      if (isTile(amount))
        sum = makeLike(sum, amount);
      amount = makeLike(amount, sum);
      sum = arith::AddIOp::create(builder, loc, sum, amount);
    }
    return sum;
  }

  /// How often the loop runs, in `index`; not positive where it does not.
  Value countTrips() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
          step = loop.getStep();
    if (!loop.getUnsignedCmp() && isConstantIntValue(lower, 0) &&
        isConstantIntValue(step, 1))
      return cast(upper, builder.getIndexType());
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(builder, loc, less, lower, upper);
    Value range = arith::SubIOp::create(builder, loc, upper, lower);
    // What is divided by 0 is no number that a later choice may leave out.
    if (facts.mayStay)
      step = arith::MaxUIOp::create(builder, loc, step,
                                    constant(step.getType(), 1));
    Value count = arith::CeilDivUIOp::create(builder, loc, range, step);
    if (!count.getType().isIndex())
      count = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                           count);
    return arith::SelectOp::create(builder, loc, runs, boundTrips(count),
                                   constant(builder.getIndexType(), 0));
  }

  /// No loop of more trips lives to see its end, and their number is not to be
  /// taken for one below zero. One with a step of 0 does not end either.
  Value boundTrips(Value count) {
    constexpr unsigned kMostBits = 62;
    Value most = constant(count.getType(), int64_t(1) << kMostBits);
    Value by = loop.getStep();
    APInt step;
    bool isKnown = matchPattern(by, m_ConstantInt(&step));
    bool isWide = by.getType().isIndex() || by.getType().isInteger(64);
    if (facts.isFar && isWide &&
        !(isKnown && step.getActiveBits() > 64 - kMostBits))
      count = arith::MinUIOp::create(builder, loc, count, most);
    if (!facts.mayStay)
      return count;
    Value stays = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        by, constant(by.getType(), 0));
    return arith::SelectOp::create(builder, loc, stays, most, count);
  }

  void moveBody(OpBuilder &inner, Value trip, ValueRange carried) {
    builder.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
    Block *body = loop.getBody();
    loop.getInductionVar().replaceAllUsesWith(getCounter(trip));
    unsigned nextCarried = 0, nextInduction = 0;
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      if (!isInduction(index)) {
        argument.replaceAllUsesWith(carried[nextCarried++]);
        continue;
      }
      argument.replaceAllUsesWith(valueAt(nextInduction++, trip));
    }
    SmallVector<Value> yielded;
    for (auto [index, value] : llvm::enumerate(loop.getYieldedValues()))
      if (!isInduction(index))
        yielded.push_back(value);
    Block *block = builder.getInsertionBlock();
    Operation *terminator = body->getTerminator();
    block->getOperations().splice(block->end(), body->getOperations(),
                                  body->begin(), terminator->getIterator());
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, yielded);
  }

  /// The counter of the old loop.
  Value getCounter(Value trip) {
    Type type = loop.getInductionVar().getType();
    Value count = cast(trip, type);
    if (!isConstantIntValue(loop.getStep(), 1))
      count = arith::MulIOp::create(builder, loc, count, loop.getStep());
    if (!isConstantIntValue(loop.getLowerBound(), 0))
      count = arith::AddIOp::create(builder, loc, loop.getLowerBound(), count);
    return count;
  }

  /// An induction after so many trips.
  Value valueAt(unsigned number, Value trip) {
    Value init = loop.getInitArgs()[inductions[number].index];
    Value distance = distances[number];
    Value count =
        makeLike(cast(trip, getElementTypeOrSelf(distance)), distance);
    Value moved = arith::MulIOp::create(builder, loc, count, distance);
    moved = makeLike(moved, init);
    if (isa<PtrType>(getElementTypeOrSelf(init)))
      return AddPtrOp::create(builder, loc, init.getType(), init, moved);
    return arith::AddIOp::create(builder, loc, init, moved);
  }

  void replaceResults(scf::ForOp newLoop, Value trips) {
    unsigned nextResult = 0, nextInduction = 0;
    for (OpResult result : loop.getResults()) {
      if (!isInduction(result.getResultNumber())) {
        result.replaceAllUsesWith(newLoop.getResult(nextResult++));
        continue;
      }
      unsigned number = nextInduction++;
      if (result.use_empty())
        continue;
      Value count = arith::MaxSIOp::create(builder, loc, trips,
                                           constant(trips.getType(), 0));
      result.replaceAllUsesWith(valueAt(number, count));
    }
  }

  bool isInduction(unsigned index) const {
    return llvm::any_of(inductions, [index](const Induction &each) {
      return each.index == index;
    });
  }

  /// An integer in another type: its low bits, or with its sign above.
  Value cast(Value value, Type element) {
    Type from = getElementTypeOrSelf(value);
    if (from == element)
      return value;
    Type type = element;
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      type = tile.clone(element);
    if (from.isIndex() || element.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, value);
    llvm_unreachable("one of both is index");
  }

  /// A scalar as a tile, if `model` is one.
  Value makeLike(Value value, Value model) {
    auto tile = dyn_cast<RankedTensorType>(model.getType());
    if (!tile || isTile(value))
      return value;
    return SplatOp::create(builder, loc,
                           RankedTensorType::get(tile.getShape(),
                                                 value.getType(),
                                                 tile.getEncoding()),
                           value);
  }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  scf::ForOp loop;
  ArrayRef<Induction> inductions;
  LoopFacts facts;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> distances;
};

/// Whether it is said who holds what, or who hands what to whom: loops then
/// carry what their author wants them to. A tile that threads only write and
/// read, as for elements by number, tells nothing of loops.
bool isPlaced(KernelOp kernel) {
  return anyOpIn(kernel, [](Operation *op) {
    return llvm::any_of(op->getResults(), [](Value result) {
      Type type = result.getType();
      bool isHandedOver =
          isa<SharedType>(type) &&
          !llvm::all_of(result.getUsers(), [](Operation *user) {
            return findMemoryAccess(user, MemorySpace::Shared) &&
                   !findMemoryAccess(user, MemorySpace::Global);
          });
      return isHandedOver || isa<ChannelType>(type) || getRegisterLayout(type);
    });
  });
}

struct RewriteInductions
    : tilewright::tile::impl::TileRewriteInductionsBase<RewriteInductions> {
  void runOnOperation() override {
    if (isPlaced(getOperation()))
      return;
    // Before a loop is rewritten: ranges are kept by values.
    NumberRanges ranges;
    SmallVector<std::pair<scf::ForOp, LoopFacts>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      // Numbers of programs are far from wrapping around.
      bool ofPrograms = isOverPrograms(loop);
      loops.push_back({loop,
                       {!ofPrograms && mayWrap(loop, ranges),
                        ranges.get(loop.getStep()).umin().isZero()}});
    });
    for (auto [loop, facts] : loops) {
      InductionFinder finder(loop);
      SmallVector<Induction> inductions;
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        if (auto induction = finder.find(index))
          inductions.push_back(std::move(*induction));
      if (!inductions.empty() || facts.isFar)
        LoopRewriter(loop, inductions, facts).run();
    }
  }
};

} // namespace
