//===- AxisInfo.cpp - What is known of integers and pointers ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AxisInfo, and AxisInfoOpInterface and InferIntRangeInterface of all ops.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/AxisInfo.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tilewright::tile;

using Axis = AxisInfo::Axis;

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

int64_t Axis::elementDivisibility() const {
  return contiguity == 1 ? divisibility : 1;
}

int64_t Axis::groupDivisibility(int64_t size, int64_t unit) const {
  return contiguity <= size ? divisibility
                            : std::gcd(divisibility, size * unit);
}

int64_t Axis::unwrappedRun(unsigned bits) const {
  int64_t run = std::gcd(contiguity, divisibility);
  return bits > 30 ? run : std::min(run, int64_t(1) << std::max(bits, 1u) >> 1);
}

Axis Axis::extend(unsigned bits) const {
  int64_t run = unwrappedRun(bits);
  return {run, groupDivisibility(run), constancy};
}

Axis Axis::add(const Axis &other, int64_t unit) const {
  Axis sum;
  sum.contiguity = std::max(std::gcd(contiguity, other.constancy),
                            std::gcd(constancy, other.contiguity));
  sum.constancy = std::gcd(constancy, other.constancy);
  sum.divisibility =
      std::gcd(groupDivisibility(sum.contiguity, unit),
               std::min(other.groupDivisibility(sum.contiguity) * unit,
                        AxisInfo::kMaxDivisibility));
  return sum;
}

//===----------------------------------------------------------------------===//
// All dimensions
//===----------------------------------------------------------------------===//

int64_t AxisInfo::powerOfTwoDivisor(const APInt &value) {
  constexpr unsigned maxBits = llvm::ConstantLog2<kMaxDivisibility>();
  if (value.isZero())
    return kMaxDivisibility;
  return int64_t(1) << std::min(value.countr_zero(), maxBits);
}

AxisInfo AxisInfo::map(function_ref<Axis(const Axis &)> compute) const {
  return AxisInfo(llvm::map_to_vector<2>(axes, compute));
}

AxisInfo AxisInfo::zip(const AxisInfo &lhs, const AxisInfo &rhs,
                       function_ref<Axis(const Axis &, const Axis &)> compute) {
  SmallVector<Axis, 2> axes;
  for (auto [a, b] : llvm::zip_equal(lhs.axes, rhs.axes))
    axes.push_back(compute(a, b));
  return AxisInfo(std::move(axes));
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
// Ops
//===----------------------------------------------------------------------===//

static APInt makeNumber(int64_t value, Type type) {
  return APInt(ConstantIntRanges::getStorageBitwidth(type), value,
               /*isSigned=*/true);
}

AxisInfo IotaOp::inferAxisInfo(ArrayRef<AxisInfo>) {
  int64_t extent = cast<RankedTensorType>(getType()).getNumElements();
  return AxisInfo(
      {{extent, AxisInfo::powerOfTwoDivisor(getStartAttr().getValue()), 1}});
}

void IotaOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                               SetIntRangeFn setRange) {
  auto first = static_cast<int64_t>(getStart());
  int64_t extent = cast<RankedTensorType>(getType()).getNumElements();
  setRange(getResult(), ConstantIntRanges::fromSigned(
                            makeNumber(first, getType()),
                            makeNumber(first + extent - 1, getType())));
}

/// Grids are longer along the first axis than along others.
static constexpr int64_t kMaxProgramsOfOtherAxes = 65535;

static void setProgramRange(Value number, unsigned axis, int64_t least,
                            SetIntRangeFn setRange) {
  int64_t most = axis == 0 ? kMaxPrograms : kMaxProgramsOfOtherAxes;
  setRange(number,
           ConstantIntRanges::fromSigned(makeNumber(least, number.getType()),
                                         makeNumber(most, number.getType())));
}

void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                    SetIntRangeFn setRange) {
  setProgramRange(getResult(), getAxis(), /*least=*/0, setRange);
}

// Who asks is one of them.
void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                      SetIntRangeFn setRange) {
  setProgramRange(getResult(), getAxis(), /*least=*/1, setRange);
}

void BlockIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                  SetIntRangeFn setRange) {
  setProgramRange(getResult(), /*axis=*/0, /*least=*/0, setRange);
}

void NumBlocksOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                    SetIntRangeFn setRange) {
  setProgramRange(getResult(), /*axis=*/0, /*least=*/1, setRange);
}

int64_t tilewright::tile::getPointeeBytes(Type pointers) {
  return getElementBytes(
      cast<PtrType>(getElementTypeOrSelf(pointers)).getElementType());
}

AxisInfo AddPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  // Offsets are extended to the 64 bits of an address.
  int64_t unit = getPointeeBytes(getType());
  unsigned bits = ConstantIntRanges::getStorageBitwidth(getOffset().getType());
  return AxisInfo::zip(
      operands[0], operands[1], [&](const Axis &pointer, const Axis &offset) {
        return pointer.add(bits < 64 ? offset.extend(bits) : offset, unit);
      });
}

/// What a step between neighbours in a run is: of pointers bytes of an element,
/// of integers 1.
static int64_t getUnit(Type type) {
  return isa<PtrType>(getElementTypeOrSelf(type)) ? getPointeeBytes(type) : 1;
}

/// The same addresses, among which other steps make a run.
static AxisInfo changeUnit(const AxisInfo &addresses, Type from, Type to) {
  if (getUnit(from) == getUnit(to))
    return addresses;
  return addresses.map([&](const Axis &axis) {
    return Axis{1, axis.groupDivisibility(1, getUnit(from)), axis.constancy};
  });
}

AxisInfo PtrCastOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return changeUnit(operands[0], getSource().getType(), getType());
}
AxisInfo PtrToIntOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return changeUnit(operands[0], getSource().getType(), getType());
}
AxisInfo IntToPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return changeUnit(operands[0], getSource().getType(), getType());
}

/// What is known of a value and what is promised of it hold both.
AxisInfo AssumeOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  int64_t unit = getUnit(getType());
  SmallVector<Axis, 2> axes;
  for (unsigned dim = 0; dim < operands[0].rank(); ++dim) {
    Axis axis = operands[0].axis(dim);
    // Longer groups begin where shorter ones do.
    int64_t contiguity =
        std::max(axis.contiguity, getPromise(getContiguity(), dim));
    axis.divisibility = std::max(axis.groupDivisibility(contiguity, unit),
                                 getPromise(getDivisibility(), dim));
    axis.contiguity = contiguity;
    axis.constancy = std::max(axis.constancy, getPromise(getConstancy(), dim));
    axes.push_back(axis);
  }
  return AxisInfo(std::move(axes));
}
