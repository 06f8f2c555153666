//===- AxisInfoAnalysis.cpp - What is known of a kernel's values ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace tilewright::tile;

using Axis = AxisInfo::Axis;

//===----------------------------------------------------------------------===//
// Transfer functions
//===----------------------------------------------------------------------===//

static Axis subAxes(const Axis &lhs, const Axis &rhs) {
  // What is subtracted counts down: only a constant keeps the order.
  Axis difference;
  difference.contiguity = std::gcd(lhs.contiguity, rhs.constancy);
  difference.constancy = std::gcd(lhs.constancy, rhs.constancy);
  int64_t subtrahend =
      difference.contiguity > 1 ? rhs.divisibility : rhs.elementDivisibility();
  difference.divisibility =
      std::gcd(lhs.groupDivisibility(difference.contiguity), subtrahend);
  return difference;
}

static Axis mulAxes(const Axis &lhs, const Axis &rhs) {
  int64_t product = lhs.elementDivisibility() * rhs.elementDivisibility();
  return {1, std::min(product, AxisInfo::kMaxDivisibility),
          std::gcd(lhs.constancy, rhs.constancy)};
}

/// lhs / divisor and lhs % divisor for a power of two.
static Axis divAxis(const Axis &lhs, int64_t divisor, unsigned bits) {
  // A group that begins at a multiple of the divisor stays constant over it.
  int64_t run = std::gcd(lhs.unwrappedRun(bits), divisor);
  int64_t divisibility =
      std::max<int64_t>(1, lhs.elementDivisibility() / divisor);
  return {1, divisibility, std::max(run, lhs.constancy)};
}

static Axis remAxis(const Axis &lhs, int64_t divisor, unsigned bits) {
  int64_t run = std::gcd(lhs.unwrappedRun(bits), divisor);
  return {run, std::gcd(lhs.groupDivisibility(run), divisor), lhs.constancy};
}

/// Division toward zero, or up: of a run that begins at a multiple of the
/// divisor, the first element may have another quotient than the rest.
static Axis divUnevenly(const Axis &lhs, int64_t divisor) {
  int64_t multiple = lhs.elementDivisibility();
  return {1, std::max<int64_t>(1, multiple / divisor), lhs.constancy};
}

/// The remainder has the sign of lhs: -3 % 4 is -3.
static Axis remTowardZero(const Axis &lhs, int64_t divisor) {
  return {1, std::gcd(lhs.elementDivisibility(), divisor), lhs.constancy};
}

/// Nothing but equal results for equal operands.
static Axis onlyConstancy(const Axis &lhs, const Axis &rhs) {
  return {1, 1, std::gcd(lhs.constancy, rhs.constancy)};
}

/// Any function of each pair of elements: equal arguments, equal results.
static Axis pointwise(const Axis &lhs, const Axis &rhs) {
  return {1, std::gcd(lhs.elementDivisibility(), rhs.elementDivisibility()),
          std::gcd(lhs.constancy, rhs.constancy)};
}

/// A comparison gives one answer over a run of consecutive numbers where both
/// sides are multiples of the run and the bound stands at its beginning.
static Axis compareAxes(arith::CmpIPredicate predicate, const Axis &lhs,
                        const Axis &rhs, unsigned bits) {
  using P = arith::CmpIPredicate;
  Axis result{1, 1, std::gcd(lhs.constancy, rhs.constancy)};
  auto run = [bits](const Axis &counting, const Axis &bound) {
    return std::gcd(counting.unwrappedRun(bits),
                    std::gcd(bound.constancy, bound.divisibility));
  };
  if (llvm::is_contained({P::slt, P::ult, P::sge, P::uge}, predicate))
    result.constancy = std::max(result.constancy, run(lhs, rhs));
  if (llvm::is_contained({P::sgt, P::ugt, P::sle, P::ule}, predicate))
    result.constancy = std::max(result.constancy, run(rhs, lhs));
  return result;
}

/// The power of two that a value is everywhere, if it is a constant.
static std::optional<int64_t> matchPowerOfTwo(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.isPowerOf2() &&
      constant.getActiveBits() < 31)
    return constant.getZExtValue();
  return std::nullopt;
}

namespace {

using Operands = ArrayRef<AxisInfo>;

static AxisInfo transferConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return AxisInfo::pessimistic(op.getType());
    if (!dense.getElementType().isIntOrIndex())
      return AxisInfo::splat(op.getType(), /*divisibility=*/1);
    return AxisInfo::splat(op.getType(), AxisInfo::powerOfTwoDivisor(
                                             dense.getSplatValue<APInt>()));
  }
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return AxisInfo::splat(op.getType(),
                           AxisInfo::powerOfTwoDivisor(integer.getValue()));
  return AxisInfo::pessimistic(op.getType());
}

/// Quotient or remainder by a power of two.
static Axis divideAxis(Operation *op, const Axis &lhs, int64_t divisor,
                       unsigned bits) {
  // The highest bit of a type is negative where numbers have signs.
  bool isPositive = divisor < int64_t(1) << std::min(bits - 1, 31u);
  if (isa<arith::DivUIOp>(op) || (isa<arith::FloorDivSIOp>(op) && isPositive))
    return divAxis(lhs, divisor, bits);
  if (isa<arith::RemUIOp>(op))
    return remAxis(lhs, divisor, bits);
  if (isa<arith::RemSIOp>(op))
    return remTowardZero(lhs, divisor);
  return divUnevenly(lhs, divisor);
}

/// Elements under other coordinates.
static AxisInfo transferDimensions(DimensionMapOpInterface op,
                                   const AxisInfo &source) {
  auto getExtent = [](Value value, unsigned dim) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getDimSize(dim) : 1;
  };
  // What every element is a multiple of.
  int64_t divisibility = 1;
  for (unsigned dim = 0; dim < source.rank(); ++dim)
    divisibility =
        std::max(divisibility, source.axis(dim).elementDivisibility());
  Value result = op->getResult(0);
  SmallVector<Axis, 2> axes;
  for (int64_t dim = 0,
               rank = cast<RankedTensorType>(result.getType()).getRank();
       dim < rank; ++dim) {
    std::optional<unsigned> from = op.getSourceDim(dim);
    int64_t extent = getExtent(result, dim);
    if (from && getExtent(op->getOperand(0), *from) == extent)
      axes.push_back(source.axis(*from));
    else
      axes.push_back(
          {1, from ? source.axis(*from).divisibility : divisibility, extent});
  }
  return AxisInfo(std::move(axes));
}

static AxisInfo transferDivision(Operation *op, Operands in, unsigned bits) {
  std::optional<int64_t> divisor = matchPowerOfTwo(op->getOperand(1));
  if (!divisor)
    return AxisInfo::zip(in[0], in[1], onlyConstancy);
  return in[0].map(
      [&](const Axis &lhs) { return divideAxis(op, lhs, *divisor, bits); });
}

static AxisInfo transferSelect(arith::SelectOp select, Operands in) {
  // Alternatives of whole runs keep the runs where the choice is one.
  if (select.getCondition().getType().isInteger(1))
    return AxisInfo::join(in[1], in[2]);
  return AxisInfo::zip(in[0], AxisInfo::zip(in[1], in[2], pointwise),
                       [](const Axis &condition, const Axis &value) {
                         return Axis{
                             1, value.divisibility,
                             std::gcd(condition.constancy, value.constancy)};
                       });
}

static AxisInfo transferArith(Operation *op, Operands in) {
  Type type = op->getResult(0).getType();
  unsigned bits =
      op->getNumOperands() == 0
          ? 0
          : ConstantIntRanges::getStorageBitwidth(op->getOperand(0).getType());
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) {
        return transferConstant(constant);
      })
      .Case([&](arith::AddIOp) {
        return AxisInfo::zip(in[0], in[1], [](const Axis &l, const Axis &r) {
          return l.add(r, 1);
        });
      })
      .Case([&](arith::SubIOp) { return AxisInfo::zip(in[0], in[1], subAxes); })
      .Case([&](arith::MulIOp) { return AxisInfo::zip(in[0], in[1], mulAxes); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp,
            arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemUIOp,
            arith::RemSIOp>(
          [&](auto) { return transferDivision(op, in, bits); })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp,
            arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return AxisInfo::zip(in[0], in[1], pointwise); })
      .Case([&](arith::CmpIOp compare) {
        return AxisInfo::zip(in[0], in[1], [&](const Axis &l, const Axis &r) {
          return compareAxes(compare.getPredicate(), l, r, bits);
        });
      })
      .Case([&](arith::SelectOp select) { return transferSelect(select, in); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto) {
        bool widens = ConstantIntRanges::getStorageBitwidth(type) > bits;
        return in[0].map([&](const Axis &axis) {
          return widens ? axis.extend(bits) : axis;
        });
      })
      .Default([&](Operation *) { return AxisInfo::pessimistic(type); });
}

static AxisInfo transfer(Operation *op, Operands in) {
  if (auto known = dyn_cast<AxisInfoOpInterface>(op))
    return known.inferAxisInfo(in);
  if (auto dimensions = dyn_cast<DimensionMapOpInterface>(op))
    return transferDimensions(dimensions, in[0]);
  return transferArith(op, in);
}

/// The tile that a load of shared memory finds again, where all of it has been
/// stored there, and nothing else; or null.
static Value findStored(Operation *op) {
  auto load = dyn_cast<SharedAccessOpInterface>(op);
  auto place = load && !load.isStore()
                   ? load.getSharedTile().getDefiningOp<AllocSharedOp>()
                   : nullptr;
  if (!place)
    return nullptr;
  Value stored;
  for (Operation *user : place->getUsers()) {
    auto access = dyn_cast<SharedAccessOpInterface>(user);
    if (!access || findMemoryAccess(access, MemorySpace::Global))
      return nullptr;
    if (!access.isStore())
      continue;
    auto tiles = llvm::make_filter_range(access->getOperands(), isTile);
    if (stored || !llvm::hasSingleElement(tiles))
      return nullptr;
    stored = *tiles.begin();
  }
  auto shapeOf = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getShape();
  };
  return stored && shapeOf(stored) == shapeOf(op->getResult(0)) ? stored
                                                                : nullptr;
}

/// What holds of a value whatever happens: promises of the kernel.
static AxisInfo getEntryState(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : nullptr;
  if (!kernel)
    return AxisInfo::pessimistic(value.getType());
  int64_t divisibility = kernel.getArgDivisibility(argument.getArgNumber());
  if (isa<PtrType>(value.getType())) // An element stands at its own alignment.
    divisibility = std::max(divisibility, getPointeeBytes(value.getType()));
  return AxisInfo::splat(value.getType(), divisibility);
}

/// Walks an op from front to back, until what goes around loops is what they
/// began with: at first they are taken to carry what they are given. (MLIR's
/// framework for this knows of blocks in any order, and takes ten times as
/// long.)
class Propagation {
public:
  explicit Propagation(llvm::DenseMap<Value, AxisInfo> &known) : known(known) {}

  void run(Operation *root) {
    walk(root);
    // What is known by itself alone is not known.
    isUnknownTaken = isIncomplete;
    if (isUnknownTaken)
      walk(root);
  }

private:
  using Feeders = RegionBranchInverseSuccessorMapping;

  void walk(Operation *root) {
    do {
      hasNews = isIncomplete = goesAround = false;
      readBack.clear();
      for (Region &region : root->getRegions())
        visit(region, /*feeders=*/nullptr);
      for (auto [loaded, stored] : readBack)
        goesAround |= join(loaded, get(stored));
    } while (goesAround || (isIncomplete && hasNews));
  }

  AxisInfo get(Value value) const { return known.lookup(value); }

  /// Returns whether less is known of the value than before.
  bool join(Value value, const AxisInfo &info) {
    if (!info.isInitialized())
      return false;
    auto [found, isNew] = known.try_emplace(value, info);
    AxisInfo joined = isNew ? info : AxisInfo::join(found->second, info);
    bool isChanged = isNew || !(joined == found->second);
    found->second = std::move(joined);
    hasNews |= isChanged;
    return isChanged;
  }

  /// The same of what may be known only the next time.
  bool joinOrWait(Value value, AxisInfo info) {
    if (!info.isInitialized() && isUnknownTaken)
      info = AxisInfo::pessimistic(value.getType());
    isIncomplete |= !info.isInitialized();
    return join(value, info);
  }

  /// Joins what goes to an argument of a region, or a result.
  bool joinFeeders(Value input, const Feeders *feeders) {
    auto found = feeders ? feeders->find(input) : Feeders::const_iterator();
    if (!feeders || found == feeders->end())
      return joinOrWait(input, getUnfed(input));
    bool isChanged = false;
    for (OpOperand *feeder : found->second)
      isChanged |= join(input, get(feeder->get()));
    return isChanged;
  }

  /// The counter of a loop is the lower bound plus multiples of the step.
  AxisInfo getUnfed(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop =
        argument
            ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
            : nullptr;
    if (!loop || loop.getSingleInductionVar() != value)
      return getEntryState(value);
    std::optional<int64_t> lower = getDivisibility(*loop.getSingleLowerBound());
    std::optional<int64_t> step = getDivisibility(*loop.getSingleStep());
    return lower && step
               ? AxisInfo::splat(value.getType(), std::gcd(*lower, *step))
               : AxisInfo();
  }

  /// That of a scalar; none where nothing is known of it yet.
  std::optional<int64_t> getDivisibility(OpFoldResult value) const {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return AxisInfo::powerOfTwoDivisor(
          APInt(64, *constant, /*isSigned=*/true));
    AxisInfo info = get(cast<Value>(value));
    return info.isInitialized() ? std::optional(info.axis(0).divisibility)
                                : std::nullopt;
  }

  void visit(Region &region, const Feeders *feeders) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        joinFeeders(argument, block.isEntryBlock() ? feeders : nullptr);
      for (Operation &op : block)
        visit(&op);
    }
  }

  void visit(Operation *op) {
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (branch)
      return visitBranch(branch);
    for (Region &region : op->getRegions())
      visit(region, /*feeders=*/nullptr);
    if (op->getNumResults() == 1)
      visitResult(op);
    else
      for (Value result : op->getResults())
        join(result, getEntryState(result));
  }

  void visitBranch(RegionBranchOpInterface op) {
    Feeders feeders;
    op.getSuccessorInputOperandMapping(feeders);
    for (Region &region : op->getRegions())
      visit(region, &feeders);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        goesAround |= joinFeeders(argument, &feeders);
    for (Value result : op->getResults())
      joinFeeders(result, &feeders);
  }

  void visitResult(Operation *op) {
    AxisInfo result;
    if (Value stored = findStored(op)) {
      result = get(stored);
      readBack.push_back({op->getResult(0), stored});
    } else {
      SmallVector<AxisInfo> in;
      for (Value operand : op->getOperands())
        in.push_back(get(operand));
      if (llvm::all_of(in, std::mem_fn(&AxisInfo::isInitialized)))
        result = transfer(op, in);
    }
    joinOrWait(op->getResult(0), result);
  }

  llvm::DenseMap<Value, AxisInfo> &known;
  /// Whether there was something new, or not all was known, in this walk; and
  /// whether less came around a loop than it had begun with.
  bool hasNews = false, isIncomplete = false, goesAround = false;
  /// Whether what nothing is known of is taken for any value.
  bool isUnknownTaken = false;
  /// What is loaded of shared memory and the tile that is stored there, which
  /// may come later in a loop.
  SmallVector<std::pair<Value, Value>> readBack;
};

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  Propagation(known).run(root);
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? AxisInfo::pessimistic(value.getType())
                              : found->second;
}

int64_t AxisInfoAnalysis::getDivisibility(OpFoldResult value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return AxisInfo::powerOfTwoDivisor(APInt(64, *constant, /*isSigned=*/true));
  return get(cast<Value>(value)).axis(0).divisibility;
}

bool AxisInfoAnalysis::isSameAlong(Value value, unsigned dim) const {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return !tile || get(value).axis(dim).constancy >= tile.getDimSize(dim);
}
