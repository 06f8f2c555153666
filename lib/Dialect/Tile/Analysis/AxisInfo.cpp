//===- AxisInfo.cpp - What is known of integers and pointers ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/AxisInfo.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilewright::tile;

using Axis = AxisInfo::Axis;

/// The largest power of two that divides `value`, as far as we count.
static int64_t powerOfTwoDivisor(const APInt &value) {
  constexpr unsigned maxBits = llvm::ConstantLog2<AxisInfo::kMaxDivisibility>();
  if (value.isZero())
    return AxisInfo::kMaxDivisibility;
  return int64_t(1) << std::min(value.countr_zero(), maxBits);
}

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

int64_t Axis::elementDivisibility() const {
  return contiguity == 1 ? divisibility : 1;
}

int64_t Axis::groupDivisibility(int64_t size, int64_t unit) const {
  return contiguity <= size ? divisibility
                            : std::gcd(divisibility, size * unit);
}

static SmallVector<int64_t> getExtents(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return llvm::to_vector(shaped.getShape());
  return {1};
}

AxisInfo AxisInfo::pessimistic(Type type) {
  return AxisInfo(SmallVector<Axis, 2>(getExtents(type).size(), Axis{}));
}

AxisInfo AxisInfo::splat(Type type, int64_t divisibility) {
  SmallVector<Axis, 2> axes;
  for (int64_t extent : getExtents(type))
    axes.push_back({1, divisibility, extent});
  return AxisInfo(std::move(axes));
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (!lhs.isInitialized())
    return rhs;
  if (!rhs.isInitialized())
    return lhs;
  SmallVector<Axis, 2> axes;
  for (auto [a, b] : llvm::zip_equal(lhs.axes, rhs.axes)) {
    Axis joined;
    joined.contiguity = std::gcd(a.contiguity, b.contiguity);
    joined.constancy = std::gcd(a.constancy, b.constancy);
    // Smaller groups begin at numbers between the old beginnings.
    joined.divisibility = std::gcd(a.groupDivisibility(joined.contiguity),
                                   b.groupDivisibility(joined.contiguity));
    axes.push_back(joined);
  }
  return AxisInfo(std::move(axes));
}

void AxisInfo::print(llvm::raw_ostream &os) const {
  llvm::interleaveComma(axes, os, [&](const Axis &axis) {
    os << "contiguity " << axis.contiguity << " divisibility "
       << axis.divisibility << " constancy " << axis.constancy;
  });
}

//===----------------------------------------------------------------------===//
// Transfer functions
//===----------------------------------------------------------------------===//

/// lhs + rhs, where `unit` is what one step of rhs adds to lhs (the element
/// size, for pointers).
static Axis addAxes(const Axis &lhs, const Axis &rhs, int64_t unit) {
  Axis sum;
  sum.contiguity = std::max(std::gcd(lhs.contiguity, rhs.constancy),
                            std::gcd(lhs.constancy, rhs.contiguity));
  sum.constancy = std::gcd(lhs.constancy, rhs.constancy);
  sum.divisibility =
      std::gcd(lhs.groupDivisibility(sum.contiguity, unit),
               std::min(rhs.groupDivisibility(sum.contiguity) * unit,
                        AxisInfo::kMaxDivisibility));
  return sum;
}

/// How many elements in a row are consecutive numbers whether their bits are
/// read as signed or as unsigned ones: no run that begins at a multiple of its
/// length wraps around within.
static int64_t unwrappedRun(const Axis &axis, unsigned bits) {
  int64_t run = std::gcd(axis.contiguity, axis.divisibility);
  return bits > 30 ? run : std::min(run, int64_t(1) << std::max(bits, 1u) >> 1);
}

/// The same numbers in a wider type.
static Axis extendAxis(const Axis &axis, unsigned bits) {
  int64_t run = unwrappedRun(axis, bits);
  return {run, axis.groupDivisibility(run), axis.constancy};
}

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
  int64_t run = std::gcd(unwrappedRun(lhs, bits), divisor);
  int64_t divisibility =
      std::max<int64_t>(1, lhs.elementDivisibility() / divisor);
  return {1, divisibility, std::max(run, lhs.constancy)};
}

static Axis remAxis(const Axis &lhs, int64_t divisor, unsigned bits) {
  int64_t run = std::gcd(unwrappedRun(lhs, bits), divisor);
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
    return std::gcd(unwrappedRun(counting, bits),
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

using Lattice = dataflow::Lattice<AxisInfo>;
using Operands = ArrayRef<AxisInfo>;

template <typename F> static AxisInfo zipAxes(Operands operands, F combine) {
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0, rank = operands[0].rank(); dim < rank; ++dim)
    axes.push_back(combine(operands[0].axis(dim), operands[1].axis(dim)));
  return AxisInfo(std::move(axes));
}

template <typename F> static AxisInfo mapAxes(const AxisInfo &operand, F map) {
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0; dim < operand.rank(); ++dim)
    axes.push_back(map(operand.axis(dim)));
  return AxisInfo(std::move(axes));
}

static AxisInfo transferConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat() || !dense.getElementType().isIntOrIndex())
      return AxisInfo::pessimistic(op.getType());
    return AxisInfo::splat(op.getType(),
                           powerOfTwoDivisor(dense.getSplatValue<APInt>()));
  }
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return AxisInfo::splat(op.getType(), powerOfTwoDivisor(integer.getValue()));
  return AxisInfo::pessimistic(op.getType());
}

static AxisInfo transferExpandDims(ExpandDimsOp op, const AxisInfo &source) {
  // Along the new axis nothing is consecutive: its divisibility is what every
  // element is a multiple of.
  int64_t divisibility = source.axis(0).elementDivisibility();
  for (unsigned dim = 1; dim < source.rank(); ++dim)
    divisibility =
        std::max(divisibility, source.axis(dim).elementDivisibility());
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0; dim < source.rank(); ++dim)
    axes.push_back(source.axis(dim));
  axes.insert(axes.begin() + op.getAxis(), Axis{1, divisibility, 1});
  return AxisInfo(std::move(axes));
}

static AxisInfo transferBroadcast(BroadcastOp op, const AxisInfo &source) {
  auto from = cast<RankedTensorType>(op.getSource().getType()).getShape();
  auto to = cast<RankedTensorType>(op.getType()).getShape();
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0; dim < source.rank(); ++dim) {
    Axis axis = source.axis(dim);
    if (from[dim] != to[dim])
      axis = {1, axis.divisibility, to[dim]};
    axes.push_back(axis);
  }
  return AxisInfo(std::move(axes));
}

static AxisInfo transferTrans(TransOp op, const AxisInfo &source) {
  SmallVector<Axis, 2> axes;
  for (int64_t dim : op.getPermutation())
    axes.push_back(source.axis(dim));
  return AxisInfo(std::move(axes));
}

static int64_t getPointeeBytes(Type pointer) {
  return getElementBytes(
      cast<PtrType>(getElementTypeOrSelf(pointer)).getElementType());
}

/// What a step between neighbours in a run is: of pointers bytes of an element,
/// of integers 1.
static int64_t getUnit(Value value) {
  Type type = value.getType();
  return isa<PtrType>(getElementTypeOrSelf(type)) ? getPointeeBytes(type) : 1;
}

/// The same addresses, among which other steps make a run.
static Axis changeUnit(const Axis &axis, int64_t from, int64_t to) {
  return from == to ? axis
                    : Axis{1, axis.groupDivisibility(1, from), axis.constancy};
}

/// What is known of a value and what is promised of it hold both.
static AxisInfo transferAssume(AssumeOp op, const AxisInfo &source) {
  int64_t unit = getUnit(op);
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0; dim < source.rank(); ++dim) {
    Axis axis = source.axis(dim);
    // Longer groups begin where shorter ones do.
    int64_t contiguity = std::max(
        axis.contiguity, AssumeOp::getPromise(op.getContiguity(), dim));
    axis.divisibility =
        std::max(axis.groupDivisibility(contiguity, unit),
                 AssumeOp::getPromise(op.getDivisibility(), dim));
    axis.contiguity = contiguity;
    axis.constancy =
        std::max(axis.constancy, AssumeOp::getPromise(op.getConstancy(), dim));
    axes.push_back(axis);
  }
  return AxisInfo(std::move(axes));
}

/// Bits of the integers in a scalar or a tile.
static unsigned getBits(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIndex() ? IndexType::kInternalStorageBitWidth
                        : type.getIntOrFloatBitWidth();
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

static AxisInfo transfer(Operation *op, Operands in) {
  Type type = op->getResult(0).getType();
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) {
        return transferConstant(constant);
      })
      .Case([&](arith::AddIOp) {
        return zipAxes(in, [](auto &l, auto &r) { return addAxes(l, r, 1); });
      })
      .Case([&](AddPtrOp add) {
        // Offsets are extended to the 64 bits of an address.
        int64_t unit = getPointeeBytes(type);
        unsigned bits = getBits(add.getOffset());
        return zipAxes(in, [&](auto &l, auto &r) {
          return addAxes(l, bits < 64 ? extendAxis(r, bits) : r, unit);
        });
      })
      .Case([&](arith::SubIOp) { return zipAxes(in, subAxes); })
      .Case([&](arith::MulIOp) { return zipAxes(in, mulAxes); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp,
            arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemUIOp,
            arith::RemSIOp>([&](auto divide) {
        unsigned bits = getBits(divide.getLhs());
        auto divisor = matchPowerOfTwo(divide.getRhs());
        if (!divisor)
          return zipAxes(in, onlyConstancy);
        return mapAxes(in[0], [&](auto &lhs) {
          return divideAxis(op, lhs, *divisor, bits);
        });
      })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp,
            arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return zipAxes(in, pointwise); })
      .Case([&](arith::CmpIOp compare) {
        return zipAxes(in, [&](auto &l, auto &r) {
          return compareAxes(compare.getPredicate(), l, r,
                             getBits(compare.getLhs()));
        });
      })
      .Case([&](arith::SelectOp select) {
        // Alternatives of whole runs keep the runs where the choice is one.
        if (select.getCondition().getType().isInteger(1))
          return AxisInfo::join(in[1], in[2]);
        return zipAxes({in[0], zipAxes(in.drop_front(), pointwise)},
                       [](auto &condition, auto &value) {
                         return Axis{
                             1, value.divisibility,
                             std::gcd(condition.constancy, value.constancy)};
                       });
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto cast) {
        unsigned bits = getBits(cast.getIn());
        return mapAxes(in[0], [&](auto &axis) {
          return getBits(cast.getOut()) > bits ? extendAxis(axis, bits) : axis;
        });
      })
      .Case<PtrCastOp, PtrToIntOp, IntToPtrOp>([&](auto cast) {
        return mapAxes(in[0], [&](auto &axis) {
          return changeUnit(axis, getUnit(cast.getSource()), getUnit(cast));
        });
      })
      .Case([&](ConvertLayoutOp) { return in[0]; })
      .Case([&](AssumeOp assume) { return transferAssume(assume, in[0]); })
      .Case([&](IotaOp iota) {
        Axis axis{getExtents(type)[0],
                  powerOfTwoDivisor(iota.getStartAttr().getValue()), 1};
        return AxisInfo({axis});
      })
      .Case([&](SplatOp) {
        return AxisInfo::splat(type, in[0].axis(0).divisibility);
      })
      .Case([&](ExpandDimsOp expand) {
        return transferExpandDims(expand, in[0]);
      })
      .Case([&](BroadcastOp broadcast) {
        return transferBroadcast(broadcast, in[0]);
      })
      .Case([&](TransOp trans) { return transferTrans(trans, in[0]); })
      .Default([&](Operation *) { return AxisInfo::pessimistic(type); });
}

class AxisInfoDataFlow
    : public dataflow::SparseForwardDataFlowAnalysis<Lattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const Lattice *> operands,
                               ArrayRef<Lattice *> results) override {
    SmallVector<AxisInfo> in;
    for (const Lattice *operand : operands) {
      if (!operand->getValue().isInitialized())
        return success(); // Comes again when it is.
      in.push_back(operand->getValue());
    }
    if (results.size() == 1)
      propagateIfChanged(results[0], results[0]->join(transfer(op, in)));
    else
      setAllToEntryStates(results);
    return success();
  }

  void setToEntryState(Lattice *lattice) override {
    propagateIfChanged(lattice,
                       lattice->join(getEntryState(lattice->getAnchor())));
  }

  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<Lattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    auto counter = loop ? loop.getSingleInductionVar() : std::nullopt;
    if (!counter || successor.isParent())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
          op, successor, arguments, firstIndex);
    // The counter is the lower bound plus multiples of the step.
    ProgramPoint *entry =
        getProgramPointBefore(&counter->getParentRegion()->front());
    std::optional<int64_t> lower =
        getDivisibility(entry, *loop.getSingleLowerBound());
    std::optional<int64_t> step = getDivisibility(entry, *loop.getSingleStep());
    if (!lower || !step)
      return; // Comes again when they are known.
    Lattice *lattice = arguments[cast<BlockArgument>(*counter).getArgNumber()];
    propagateIfChanged(lattice,
                       lattice->join(AxisInfo::splat(counter->getType(),
                                                     std::gcd(*lower, *step))));
  }

private:
  /// That of a scalar at a point; none where nothing is known of it yet.
  std::optional<int64_t> getDivisibility(ProgramPoint *point,
                                         OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return powerOfTwoDivisor(APInt(64, *constant, /*isSigned=*/true));
    const AxisInfo &info =
        getLatticeElementFor(point, cast<Value>(value))->getValue();
    if (!info.isInitialized())
      return std::nullopt;
    return info.axis(0).divisibility;
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
    if (isa<PtrType>(
            value.getType())) // An element stands at its own alignment.
      divisibility = std::max(divisibility, getPointeeBytes(value.getType()));
    return AxisInfo::splat(value.getType(), divisibility);
  }
};

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  dataflow::loadBaselineAnalyses(solver);
  solver.load<AxisInfoDataFlow>();
  // The analysis has no way to fail on verified IR.
  (void)solver.initializeAndRun(root);
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  const auto *lattice = solver.lookupState<Lattice>(value);
  if (!lattice || !lattice->getValue().isInitialized())
    return AxisInfo::pessimistic(value.getType());
  return lattice->getValue();
}

int64_t AxisInfoAnalysis::getDivisibility(OpFoldResult value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return powerOfTwoDivisor(APInt(64, *constant, /*isSigned=*/true));
  return get(cast<Value>(value)).axis(0).divisibility;
}
