//===- SettlePromises.cpp - What code will rely on, written down ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Programs/ViewExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESETTLEPROMISES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Promises of promises
//===----------------------------------------------------------------------===//

static DenseI64ArrayAttr join(DenseI64ArrayAttr lhs, DenseI64ArrayAttr rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  auto most = llvm::map_to_vector(
      llvm::zip_equal(lhs.asArrayRef(), rhs.asArrayRef()), [](auto numbers) {
        auto [left, right] = numbers;
        return std::max(left, right);
      });
  return DenseI64ArrayAttr::get(lhs.getContext(), most);
}

/// What is promised of a promise's operand is promised of the same value.
static void mergePromises(AssumeOp op) {
  while (auto inner = op.getSource().getDefiningOp<AssumeOp>()) {
    op.setDivisibilityAttr(
        join(op.getDivisibilityAttr(), inner.getDivisibilityAttr()));
    op.setContiguityAttr(
        join(op.getContiguityAttr(), inner.getContiguityAttr()));
    op.setConstancyAttr(join(op.getConstancyAttr(), inner.getConstancyAttr()));
    op.getSourceMutable().assign(inner.getSource());
  }
}

/// Says of which groups the divisibility is: those that are known.
static void nameGroups(AssumeOp op, const AxisInfoAnalysis &axes) {
  if (!op.getDivisibility() || op.getContiguity())
    return;
  AxisInfo known = axes.get(op.getSource());
  SmallVector<int64_t> groups;
  for (unsigned dim = 0; dim < known.rank(); ++dim)
    groups.push_back(AssumeOp::getPromise(op.getConstancy(), dim) > 1
                         ? 1
                         : known.axis(dim).contiguity);
  op.setContiguity(groups);
}

//===----------------------------------------------------------------------===//
// Quotients and remainders
//===----------------------------------------------------------------------===//

namespace {
/// An integer that is not negative, and the most that it is, where that is
/// known here. Else the launch decides, which has so few programs and trips
/// that nothing wraps around.
struct BoundedCount {
  std::optional<int64_t> most;
};
} // namespace

/// A count in the type of a value: none where it may be negative there.
static std::optional<BoundedCount> fit(Value value, BoundedCount count) {
  // Programs and trips are numbers of 32 bits.
  constexpr unsigned launchBits = 32;
  unsigned bits = ConstantIntRanges::getStorageBitwidth(value.getType());
  if (count.most ? !llvm::isIntN(std::min(bits, 64u), *count.most)
                 : bits < launchBits)
    return std::nullopt;
  return count;
}

namespace {
/// Finds what counts from zero: numbers of programs and trips, and what is
/// computed of them and of constants.
class CountFinder {
public:
  explicit CountFinder(const llvm::StringSet<> &negative)
      : negative(negative) {}

  std::optional<BoundedCount> getCount(Value value, unsigned depth = 0);

private:
  std::optional<BoundedCount> findCount(Value value, unsigned depth);
  bool isTakenAsPositive(Value divisor, unsigned depth);
  std::optional<BoundedCount> getCountOf(Operation *op, unsigned depth);
  std::optional<BoundedCount> getCountOfCarried(BlockArgument argument,
                                                unsigned depth);

  /// Names of arguments that are.
  const llvm::StringSet<> &negative;
  NumberRanges ranges;
  /// Carried values whose steps are being looked at.
  llvm::SmallPtrSet<Value, 4> pending;
  /// What was found, beside these.
  llvm::DenseMap<Value, std::optional<BoundedCount>> known;
};
} // namespace

/// The count that a sum or a product is. Beside a number near the end of the
/// type, few programs are too many.
static std::optional<BoundedCount> combine(Operation *op, BoundedCount lhs,
                                           BoundedCount rhs) {
  if (!lhs.most || !rhs.most) {
    int64_t known = std::max(lhs.most.value_or(0), rhs.most.value_or(0));
    unsigned bits =
        ConstantIntRanges::getStorageBitwidth(op->getResult(0).getType());
    return llvm::isUIntN(std::min(bits, 64u) - 2, known)
               ? fit(op->getResult(0), BoundedCount())
               : std::nullopt;
  }
  int64_t most = 0;
  bool wraps = isa<arith::AddIOp>(op)
                   ? llvm::AddOverflow(*lhs.most, *rhs.most, most)
                   : llvm::MulOverflow(*lhs.most, *rhs.most, most);
  return wraps ? std::nullopt : fit(op->getResult(0), BoundedCount{most});
}

/// The count that an op makes of nothing: a scalar is a number of the launch.
static std::optional<BoundedCount> getCountOfSource(InferIntRangeInterface op) {
  std::optional<BoundedCount> count;
  op.inferResultRanges({}, [&](Value result, const ConstantIntRanges &range) {
    if (range.smin().isNonNegative())
      count = isTile(result) ? BoundedCount{range.smax().getSExtValue()}
                             : BoundedCount();
  });
  return count;
}

/// Whether the op makes something negative of numbers that are not, and means
/// it: -n, ~n, n * -2. Added, a constant is a difference (n - 2).
static bool turnsSign(Operation *op) {
  APInt number;
  if (isa<arith::SubIOp>(op))
    return matchPattern(op->getOperand(0), m_ConstantInt(&number)) &&
           !number.isStrictlyPositive();
  return !isa<arith::AddIOp, arith::AndIOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return matchPattern(operand, m_ConstantInt(&number)) &&
                  number.isNegative();
         });
}

/// Whether nothing but a difference of numbers that are not negative could make
/// a divisor negative. What is in memory may be anything.
bool CountFinder::isTakenAsPositive(Value divisor, unsigned depth) {
  SmallVector<Value> open = {divisor};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!open.empty()) {
    Value value = stripCasts(open.pop_back_val());
    if (!getElementTypeOrSelf(value).isIntOrIndex())
      return false;
    bool isNew = seen.insert(value).second;
    if (!isNew || isSize(value, negative) ||
        ranges.get(value).smin().isNonNegative() || getCount(value, depth + 1))
      continue;
    Operation *op = value.getDefiningOp();
    bool isNegative = matchPattern(value, m_Constant()) && value == divisor;
    if (!op || !isPure(op) || isNegative || turnsSign(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

std::optional<BoundedCount> CountFinder::getCountOf(Operation *op,
                                                    unsigned depth) {
  auto of = [&](unsigned operand) {
    return getCount(op->getOperand(operand), depth + 1);
  };
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.isNonNegative() && constant.getActiveBits() < 63
               ? std::optional(BoundedCount{constant.getSExtValue()})
               : std::nullopt;
  if (auto source = dyn_cast<InferIntRangeInterface>(op);
      source && op->getNumOperands() == 0)
    return getCountOfSource(source);
  if (op->hasTrait<MovesElements>() || isIntegerCast(op)) {
    std::optional<BoundedCount> source = of(0);
    return source ? fit(op->getResult(0), *source) : std::nullopt;
  }
  // Remainders have the sign of the dividend.
  if (isa<arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return of(0);
  if (isa<arith::DivSIOp>(op))
    return isTakenAsPositive(op->getOperand(1), depth) ? of(0) : std::nullopt;
  if (isa<arith::AddIOp, arith::MulIOp>(op)) {
    std::optional<BoundedCount> lhs = of(0), rhs = lhs ? of(1) : std::nullopt;
    return rhs ? combine(op, *lhs, *rhs) : std::nullopt;
  }
  if (isa<arith::MinSIOp>(op)) {
    std::optional<BoundedCount> lhs = of(0), rhs = lhs ? of(1) : std::nullopt;
    return rhs ? BoundedCount{rhs->most ? rhs->most : lhs->most} : rhs;
  }
  return std::nullopt;
}

/// The count that a loop carries: it begins as one, and each trip adds counts
/// to it or leaves it as it is.
std::optional<BoundedCount>
CountFinder::getCountOfCarried(BlockArgument argument, unsigned depth) {
  auto branch = dyn_cast<RegionBranchOpInterface>(
      argument.getParentBlock()->getParentOp());
  if (!branch || !pending.insert(argument).second)
    return std::nullopt;
  llvm::scope_exit done([&, before = known]() mutable {
    pending.erase(argument);
    known = std::move(before);
  });
  RegionBranchInverseSuccessorMapping feeders;
  branch.getSuccessorInputOperandMapping(feeders);
  llvm::SetVector<Value> parts;
  parts.insert(argument);
  for (size_t index = 0; index < parts.size(); ++index) {
    Value part = parts[index];
    if (auto carried = dyn_cast<BlockArgument>(part);
        carried && carried.getOwner()->getParentOp() == branch) {
      auto found = feeders.find(carried);
      if (found == feeders.end())
        return std::nullopt;
      for (OpOperand *feeder : found->second)
        parts.insert(feeder->get());
      continue;
    }
    auto sum = part.getDefiningOp<arith::AddIOp>();
    if (sum && branch->isProperAncestor(sum)) {
      bool addsRight = getCount(sum.getRhs(), depth + 1).has_value();
      if (!addsRight && !getCount(sum.getLhs(), depth + 1))
        return std::nullopt;
      parts.insert(addsRight ? sum.getLhs() : sum.getRhs());
      continue;
    }
    if (!getCount(part, depth + 1))
      return std::nullopt;
  }
  return fit(argument, BoundedCount());
}

std::optional<BoundedCount> CountFinder::getCount(Value value, unsigned depth) {
  // Chains of arithmetic are short.
  constexpr unsigned maxDepth = 32;
  if (depth == maxDepth)
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<BoundedCount> count = findCount(value, depth);
  known[value] = count;
  return count;
}

std::optional<BoundedCount> CountFinder::findCount(Value value,
                                                   unsigned depth) {
  if (Operation *op = value.getDefiningOp())
    return getCountOf(op, depth);
  auto loop =
      dyn_cast<LoopLikeOpInterface>(value.getParentBlock()->getParentOp());
  if (!loop || loop.getSingleInductionVar() != value)
    return getCountOfCarried(cast<BlockArgument>(value), depth);
  OpFoldResult low = *loop.getSingleLowerBound();
  bool counts = isa<Attribute>(low) ? *getConstantIntValue(low) >= 0
                                    : !!getCount(cast<Value>(low), depth + 1);
  return counts ? fit(value, BoundedCount()) : std::nullopt;
}

/// Whether an op has as a result what its first operand is, in 32 bits or more.
static bool keepsNumber(Operation *op) {
  if (isa<AssumeOp>(op) || op->hasTrait<MovesElements>())
    return true;
  return isIntegerCast(op) && ConstantIntRanges::getStorageBitwidth(
                                  op->getResult(0).getType()) >= 32;
}

namespace {
/// Arguments of which some low bits are 0 in no launch, by their names.
struct NonzeroArguments {
  llvm::StringSet<> in32Bits, in16Bits;

  /// The most zeros that the argument ends with, where it is not 0.
  std::optional<unsigned> getMostTrailingZeros(StringRef name) const {
    if (in16Bits.contains(name))
      return 15;
    return in32Bits.contains(name) ? std::optional<unsigned>(31) : std::nullopt;
  }
};
} // namespace

/// The most zeros that a divisor ends with, none where it may be 0: a product
/// of what is not 0 ends with those of all factors, and is 0 where these are
/// all its bits.
static std::optional<unsigned>
getMostTrailingZeros(Value value, const NonzeroArguments &nonzero,
                     const llvm::StringSet<> &negative, unsigned depth = 0) {
  // Sizes have few factors.
  constexpr unsigned maxDepth = 8;
  if (depth == maxDepth)
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    return kernel ? nonzero.getMostTrailingZeros(
                        kernel.getArgName(argument.getArgNumber()))
                  : std::nullopt;
  }
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.isZero() ? std::nullopt
                             : std::optional<unsigned>(constant.countr_zero());
  unsigned bits =
      ConstantIntRanges::getStorageBitwidth(op->getResult(0).getType());
  auto isOneSize = [&](Value part) { return isSize(part, negative); };
  auto isNonzero = [&](Value part) {
    return getMostTrailingZeros(part, nonzero, negative, depth + 1).has_value();
  };
  // Two sizes, of which one is not 0, do not wrap around to 0.
  if (isa<arith::AddIOp>(op) && llvm::all_of(op->getOperands(), isOneSize) &&
      llvm::any_of(op->getOperands(), isNonzero))
    return bits - 1;
  bool isProduct = isa<arith::MulIOp>(op);
  if (!isProduct && !keepsNumber(op))
    return std::nullopt;
  unsigned zeros = 0;
  for (unsigned operand = 0; operand < (isProduct ? 2 : 1); ++operand) {
    std::optional<unsigned> more = getMostTrailingZeros(
        op->getOperand(operand), nonzero, negative, depth + 1);
    if (!more)
      return std::nullopt;
    zeros += *more;
  }
  return zeros < bits ? std::optional<unsigned>(zeros) : std::nullopt;
}

/// Promises what a division of numbers that count up makes of their runs, by a
/// divisor that is a multiple of them: a remainder counts up as well, a
/// quotient stays the same. Of a divisor of 0, which is a multiple of all, they
/// do not.
static void promiseOfDivision(Operation *op, const AxisInfoAnalysis &axes,
                              const NonzeroArguments &nonzero,
                              const llvm::StringSet<> &negative) {
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if (!isTile(op->getResult(0)) ||
      !getMostTrailingZeros(op->getOperand(1), nonzero, negative) ||
      !CountFinder(negative).getCount(op->getOperand(0)))
    return;
  AxisInfo dividend = axes.get(op->getOperand(0)),
           divisor = axes.get(op->getOperand(1)),
           known = axes.get(op->getResult(0));
  SmallVector<int64_t> divisibility, groups;
  bool isNews = false;
  for (unsigned dim = 0; dim < dividend.rank(); ++dim) {
    const AxisInfo::Axis &up = dividend.axis(dim), &by = divisor.axis(dim);
    int64_t run = std::gcd(std::gcd(up.contiguity, up.divisibility),
                           std::gcd(by.constancy, by.divisibility));
    groups.push_back(run);
    divisibility.push_back(
        run == 1 ? 1 : std::gcd(up.groupDivisibility(run), by.divisibility));
    isNews |= run > (isRemainder ? known.axis(dim).contiguity
                                 : known.axis(dim).constancy);
  }
  if (!isNews)
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto list = [&](ArrayRef<int64_t> numbers) {
    return builder.getDenseI64ArrayAttr(numbers);
  };
  auto promise =
      isRemainder
          ? AssumeOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                             op->getResult(0), list(divisibility), list(groups),
                             nullptr)
          : AssumeOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                             op->getResult(0), nullptr, nullptr, list(groups));
  op->getResult(0).replaceAllUsesExcept(promise.getResult(), promise);
}

namespace {
struct SettlePromises
    : tilewright::tile::impl::TileSettlePromisesBase<SettlePromises> {
  using TileSettlePromisesBase::TileSettlePromisesBase;

  void runOnOperation() override {
    llvm::StringSet<> negatives;
    negatives.insert_range(negative);
    boundViewExtents(getOperation(), negatives);
    SmallVector<AssumeOp> promises;
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (auto promise = dyn_cast<AssumeOp>(op))
        promises.push_back(promise);
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op))
        divisions.push_back(op);
    });
    if (promises.empty() && divisions.empty())
      return;
    llvm::for_each(promises, mergePromises);
    for (AssumeOp promise : promises)
      if (promise->use_empty())
        promise.erase();
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk([&](AssumeOp op) { nameGroups(op, axes); });
    NonzeroArguments arguments;
    arguments.in32Bits.insert_range(nonzero);
    arguments.in16Bits.insert_range(nonzeroHalves);
    for (Operation *op : divisions)
      promiseOfDivision(op, axes, arguments, negatives);
  }
};
} // namespace
