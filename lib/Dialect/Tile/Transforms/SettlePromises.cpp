//===- SettlePromises.cpp - What code will rely on, written down ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfo.h"

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
static void merge(AssumeOp op) {
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

/// Whether an integer is not negative, unless one on the way wrapped around or
/// a divisor is negative.
static bool countsFromZero(Value value, unsigned depth = 0) {
  // Chains of arithmetic are short.
  constexpr unsigned maxDepth = 32;
  Operation *op = value.getDefiningOp();
  if (depth == maxDepth)
    return false;
  auto holds = [depth](Value operand) {
    return countsFromZero(operand, depth + 1);
  };
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
    return loop && value == loop.getInductionVar() &&
           holds(loop.getLowerBound());
  }
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getStartAttr().getValue().isNonNegative();
  if (isa<ProgramIdOp, NumProgramsOp>(op))
    return true;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
          arith::RemUIOp, arith::ShRSIOp, arith::ShRUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op) ||
      op->hasTrait<MovesElements>())
    return holds(op->getOperand(0));
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp>(op))
    return llvm::all_of(op->getOperands(), holds);
  if (isa<arith::MaxSIOp, arith::AndIOp>(op))
    return llvm::any_of(op->getOperands(), holds);
  return false;
}

/// Promises what a division of numbers that count up makes of their runs, by a
/// divisor that is a multiple of them: a remainder counts up as well, a
/// quotient stays the same.
static void promiseOfDivision(Operation *op, const AxisInfoAnalysis &axes) {
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if (!isTile(op->getResult(0)) || !countsFromZero(op->getOperand(0)))
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
  void runOnOperation() override {
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
    llvm::for_each(promises, merge);
    for (AssumeOp promise : promises)
      if (promise->use_empty())
        promise.erase();
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk([&](AssumeOp op) { nameGroups(op, axes); });
    for (Operation *op : divisions)
      promiseOfDivision(op, axes);
  }
};
} // namespace
