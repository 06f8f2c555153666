//===- BranchAddresses.cpp - Addresses in branches of loops ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/BranchAddresses.h"
#include "Registers/OffsetPointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/OverflowFlags.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// How many zeros an integer ends with, at the least.
static unsigned countTrailingZeros(Value value, unsigned depth = 0) {
  constexpr unsigned maxDepth = 12, most = 32;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isZero() ? most : std::min(most, constant.countr_zero());
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return 0;
  auto of = [&](unsigned operand) {
    return countTrailingZeros(op->getOperand(operand), depth + 1);
  };
  if (isa<arith::MulIOp>(op))
    return std::min(most, of(0) + of(1));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::min(of(0), of(1));
  if (tile::isIntegerCast(op))
    return of(0);
  return 0;
}

namespace {
class BranchAddresses {
public:
  explicit BranchAddresses(LoopLikeOpInterface loop)
      : loop(loop), counter(*loop.getSingleInductionVar()), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    if (!isShort())
      return;
    for (Operation &op : loop.getLoopRegions().front()->front())
      if (isa<RegionBranchOpInterface>(op) && !isa<LoopLikeOpInterface>(op) &&
          mayBecomePredicates(op))
        for (Region &region : op.getRegions())
          for (Operation &inner : llvm::make_early_inc_range(region.getOps()))
            if (auto pointer = dyn_cast<LLVM::GEPOp>(&inner))
              rewrite(pointer);
  }

private:
  /// Where threads meet, or go round a loop, a branch stays one.
  static bool mayBecomePredicates(Operation &branch) {
    return !tile::anyOpIn(branch, [](Operation *op) {
      bool isMeeting = isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()) &&
                       !isMemoryEffectFree(op);
      return isMeeting || isa<LoopLikeOpInterface>(op);
    });
  }

  bool isShort() {
    // As many as ptxas may write out.
    constexpr uint64_t maxTrips = 64;
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->ugt(maxTrips) || trips->ult(2) ||
        getConstantIntValue(*loop.getSingleLowerBound()) != 0 ||
        getConstantIntValue(*loop.getSingleStep()) != 1 ||
        !counter.getType().isIndex())
      return false;
    numTrips = static_cast<int64_t>(trips->getZExtValue());
    return true;
  }

  /// What a value is in the first iteration, and how much more in each of the
  /// next, modulo the type's range; of pointers, in elements.
  struct Course {
    Value start;
    int64_t slope;
  };

  void rewrite(LLVM::GEPOp pointer) {
    std::optional<Course> course = of(pointer);
    if (!course)
      return;
    builder.setInsertionPoint(pointer);
    Value now = course->start;
    if (course->slope != 0) {
      Type i64 = builder.getI64Type();
      Value trip = arith::IndexCastOp::create(builder, loc, i64, counter);
      Value slope = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(i64, course->slope));
      now = tonvvm::advance(builder, pointer, now,
                            arith::MulIOp::create(builder, loc, trip, slope));
    }
    pointer.replaceAllUsesWith(now);
    courses[now] = course;
  }

  const std::optional<Course> &of(Value value) {
    auto found = courses.find(value);
    if (found == courses.end())
      found = courses.insert({value, find(value)}).first;
    return found->second;
  }

  std::optional<Course> find(Value value) {
    if (value == counter) {
      builder.setInsertionPoint(loop);
      return Course{getValueOrCreateConstantIndexOp(
                        builder, loc, *loop.getSingleLowerBound()),
                    1};
    }
    if (loop.isDefinedOutsideOfLoop(value))
      return Course{value, 0};
    Operation *op = value.getDefiningOp();
    if (!op || !isPure(op) || op->getNumRegions() != 0 ||
        op->getNumResults() != 1)
      return std::nullopt;
    IRMapping starts;
    SmallVector<int64_t, 2> slopes;
    for (Value operand : op->getOperands()) {
      std::optional<Course> course = of(operand);
      if (!course)
        return std::nullopt;
      starts.map(operand, course->start);
      slopes.push_back(course->slope);
    }
    std::optional<int64_t> slope = findSlope(op, slopes, starts);
    if (!slope)
      return std::nullopt;
    builder.setInsertionPoint(loop);
    Operation *first = builder.clone(*op, starts);
    dropFlags(first);
    return Course{first->getResult(0), *slope};
  }

  /// The branch may leave the first iteration out, whose numbers may wrap
  /// around then.
  static void dropFlags(Operation *op) {
    if (auto pointer = dyn_cast<LLVM::GEPOp>(op))
      pointer.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
    tile::dropOverflowFlags(op);
  }

  static unsigned getBits(Type type) {
    return type.isIndex() ? IndexType::kInternalStorageBitWidth
                          : type.getIntOrFloatBitWidth();
  }

  std::optional<int64_t> findSlope(Operation *op, ArrayRef<int64_t> slopes,
                                   const IRMapping &starts) {
    if (llvm::all_of(slopes, [](int64_t slope) { return slope == 0; }))
      return 0;
    if (isa<arith::AddIOp>(op))
      return slopes[0] + slopes[1];
    if (isa<arith::MulIOp>(op)) {
      unsigned moving = slopes[0] != 0 ? 0 : 1;
      APInt factor;
      if (slopes[1 - moving] != 0 ||
          !matchPattern(op->getOperand(1 - moving), m_ConstantInt(&factor)) ||
          factor.getSignificantBits() > 31)
        return std::nullopt;
      int64_t product;
      return llvm::MulOverflow(slopes[moving], factor.getSExtValue(), product)
                 ? std::nullopt
                 : std::optional(product);
    }
    if (tile::isSignedCast(op)) {
      Value start = starts.lookup(op->getOperand(0));
      unsigned width = getBits(start.getType());
      if (width >= getBits(op->getResult(0).getType()))
        return slopes[0];
      // A multiple of more than what the iterations add does not wrap around.
      unsigned bits = std::min({width - 1, 31u, countTrailingZeros(start)});
      bool fits = slopes[0] >= 0 && slopes[0] < int64_t(1) << 31 &&
                  slopes[0] * (numTrips - 1) < int64_t(1) << bits;
      return fits ? std::optional(slopes[0]) : std::nullopt;
    }
    return findSlopeOfPointer(dyn_cast<LLVM::GEPOp>(op), slopes);
  }

  std::optional<int64_t> findSlopeOfPointer(LLVM::GEPOp pointer,
                                            ArrayRef<int64_t> slopes) {
    if (!pointer || slopes.size() != 2 || pointer.getIndices().size() != 1)
      return std::nullopt;
    auto base = pointer.getBase().getDefiningOp<LLVM::GEPOp>();
    if (slopes[0] != 0 &&
        (!base || base.getElemType() != pointer.getElemType()))
      return std::nullopt;
    return slopes[0] + slopes[1];
  }

  LoopLikeOpInterface loop;
  Value counter;
  OpBuilder builder;
  Location loc;
  int64_t numTrips = 0;
  DenseMap<Value, std::optional<Course>> courses;
};
} // namespace

void tonvvm::takeAddressesOutOfBranches(LoopLikeOpInterface loop) {
  BranchAddresses(loop).run();
}
