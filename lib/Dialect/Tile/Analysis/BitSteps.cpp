//===- BitSteps.cpp - How far bits of coordinates move --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BitSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/IR/DimensionMaps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

using Found = std::optional<BitSteps>;

namespace {
class BitStepFinder {
public:
  explicit BitStepFinder(const AxisInfoAnalysis &axes) : axes(axes) {}

  Found find(Value value) {
    auto [known, isNew] = found.try_emplace(value);
    if (!isNew)
      return known->second;
    Found steps = compute(value);
    found[value] = steps;
    return steps;
  }

private:
  static BitSteps makeEqual(Value value) {
    BitSteps steps;
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      for (int64_t extent : tile.getShape())
        steps.emplace_back(llvm::Log2_64(extent), 0);
    return steps;
  }

  /// What counts up by 1 along dimensions, or stands still.
  Found getCount(RankedTensorType type, Value tile) const {
    BitSteps steps = makeEqual(tile);
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      AxisInfo::Axis axis = axes.get(tile).axis(dim);
      if (axis.constancy >= extent)
        continue;
      if (axis.contiguity < extent)
        return std::nullopt;
      for (auto [bit, step] : llvm::enumerate(steps[dim]))
        step = int64_t(1) << bit;
    }
    return steps;
  }

  Found compute(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return BitSteps();
    if (Found count = getCount(type, value))
      return count;
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto renames = dyn_cast<DimensionMapOpInterface>(op))
      return rename(renames, type);
    if (givesOperand(op))
      return find(op->getOperand(0));
    return llvm::TypeSwitch<Operation *, Found>(op)
        .Case<arith::AddIOp, AddPtrOp, arith::OrIOp>(
            [&](auto sum) { return add(sum, /*mayMeet=*/false); })
        .Case([&](arith::XOrIOp sum) { return add(sum, /*mayMeet=*/true); })
        // By more than all bits any number comes out.
        .Case([&](arith::ShLIOp op) {
          return map(op, [](int64_t step, int64_t by) {
            return multiply(step, int64_t(uint64_t(1) << (by & 63)));
          });
        })
        .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto op) {
          return map(
              op, [](int64_t step, int64_t by) { return step >> (by & 63); });
        })
        .Case([&](arith::AndIOp op) {
          return map(op, [](int64_t step, int64_t by) { return step & by; });
        })
        .Case([&](arith::MulIOp op) { return scale(op); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
              arith::IndexCastOp>(
            [&](auto same) { return find(same->getOperand(0)); })
        .Default(Found());
  }

  Found rename(DimensionMapOpInterface op, RankedTensorType type) {
    Found source = find(op->getOperand(0));
    if (!source)
      return source;
    BitSteps steps = makeEqual(op->getResult(0));
    for (unsigned dim = 0; dim < steps.size(); ++dim)
      if (std::optional<unsigned> from = op.getSourceDim(dim);
          from && (*source)[*from].size() == steps[dim].size())
        steps[dim] = (*source)[*from];
    return steps;
  }

  /// Bits that two numbers have in common would carry, or be lost.
  Found add(Operation *sum, bool mayMeet) {
    Found lhs = find(sum->getOperand(0)), rhs = find(sum->getOperand(1));
    if (!lhs || !rhs || (!mayMeet && (getBits(*lhs) & getBits(*rhs)) != 0))
      return std::nullopt;
    for (auto [mine, others] : llvm::zip_equal(*lhs, *rhs))
      for (auto [step, other] : llvm::zip_equal(mine, others))
        step ^= other;
    return lhs;
  }

  static int64_t getBits(const BitSteps &steps) {
    int64_t bits = 0;
    for (ArrayRef<int64_t> ofDim : steps)
      for (int64_t step : ofDim)
        bits |= step;
    return bits;
  }

  /// Maps steps by a number that is known, and the same for all elements.
  Found map(Operation *op, llvm::function_ref<int64_t(int64_t, int64_t)> map) {
    Found steps = find(op->getOperand(0));
    APInt by;
    if (!steps ||
        !matchPattern(stripDimensionMaps(op->getOperand(1)),
                      m_ConstantInt(&by)) ||
        by.getSignificantBits() > 32)
      return std::nullopt;
    for (SmallVector<int64_t> &ofDim : *steps)
      for (int64_t &step : ofDim)
        step = map(step, by.getSExtValue());
    return steps;
  }

  Found scale(arith::MulIOp op) {
    APInt times;
    if (matchPattern(stripDimensionMaps(op.getRhs()), m_ConstantInt(&times)) &&
        !times.isPowerOf2())
      return std::nullopt;
    return map(op, multiply);
  }

  /// Wraps around, as numbers of tiles do.
  static int64_t multiply(int64_t step, int64_t times) {
    return static_cast<int64_t>(static_cast<uint64_t>(step) *
                                static_cast<uint64_t>(times));
  }

  const AxisInfoAnalysis &axes;
  llvm::DenseMap<Value, Found> found;
};
} // namespace

std::optional<BitSteps>
tilewright::tile::findBitSteps(Value tile, const AxisInfoAnalysis &axes) {
  return BitStepFinder(axes).find(tile);
}
