//===- LikelySteps.cpp - How far neighbours are apart, likely -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LikelySteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/DimensionMaps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

/// With fewer equal neighbours the steps between them count.
static constexpr int64_t kManyEqual = 8;

namespace {
/// Walks from a value to what it is made of. Loops hand on what they began
/// with, moved, so that it ends.
class StepFinder {
public:
  StepFinder(const AxisInfoAnalysis &axes) : axes(axes) {}

  int64_t find(Value tile, unsigned dim) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    if (!type || type.getDimSize(dim) == 1)
      return 0;
    auto [found, isNew] = known.try_emplace({tile, dim}, kFarStep);
    if (!isNew)
      return found->second;
    AxisInfo::Axis axis = axes.get(tile).axis(dim);
    int64_t step = axis.constancy >= kManyEqual ? 0
                   : axis.contiguity > 1        ? 1
                                                : compute(tile, dim);
    return known[{tile, dim}] = step;
  }

private:
  int64_t compute(Value tile, unsigned dim) {
    if (auto argument = dyn_cast<BlockArgument>(tile)) {
      auto loop =
          dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      return init ? find(init->get(), dim) : kFarStep;
    }
    Operation *op = tile.getDefiningOp();
    if (auto renames = dyn_cast<DimensionMapOpInterface>(op)) {
      std::optional<unsigned> from = renames.getSourceDim(dim);
      return from ? find(op->getOperand(0), *from) : 0;
    }
    if (givesOperand(op))
      return find(op->getOperand(0), dim);
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp,
              arith::AddFOp, arith::SubFOp, AddPtrOp>([&](auto sum) {
          return least(find(sum->getOperand(0), dim),
                       find(sum->getOperand(1), dim));
        })
        .Case([&](arith::MulIOp product) {
          return std::min(scale(product.getLhs(), product.getRhs(), dim),
                          scale(product.getRhs(), product.getLhs(), dim));
        })
        .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto quotient) {
          return divide(find(quotient.getLhs(), dim),
                        getConstant(quotient.getRhs()).value_or(kManyEqual));
        })
        .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto shifted) {
          std::optional<int64_t> bits = getConstant(shifted.getRhs());
          return bits.value_or(-1) < 0 || *bits > 31
                     ? kFarStep
                     : divide(find(shifted.getLhs(), dim), int64_t(1) << *bits);
        })
        // A remainder counts.
        .Case<arith::RemUIOp, arith::RemSIOp, arith::MinSIOp, arith::MinUIOp,
              arith::MaxSIOp, arith::MaxUIOp, arith::ExtSIOp, arith::ExtUIOp,
              arith::TruncIOp, arith::IndexCastOp, arith::SIToFPOp,
              arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
              arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
              arith::MinimumFOp, math::FloorOp, math::CeilOp>(
            [&](auto same) { return find(same->getOperand(0), dim); })
        // Places in an image of another size: neighbours stay neighbours.
        .Case<arith::MulFOp, arith::DivFOp>([&](auto scaled) {
          return find(scaled.getRhs(), dim) == 0 ? find(scaled.getLhs(), dim)
                                                 : kFarStep;
        })
        .Case([&](arith::SelectOp select) {
          return std::max(find(select.getTrueValue(), dim),
                          find(select.getFalseValue(), dim));
        })
        .Default(kFarStep);
  }

  /// Of two that change: the larger one mostly stands still.
  static int64_t least(int64_t lhs, int64_t rhs) {
    return lhs == 0 || rhs == 0 ? lhs + rhs : std::min(lhs, rhs);
  }

  /// Of a count most neighbours have one quotient.
  static int64_t divide(int64_t step, int64_t divisor) {
    if (step == kFarStep || divisor < 1)
      return kFarStep;
    return divisor >= kManyEqual * step ? 0 : llvm::divideCeil(step, divisor);
  }

  /// That all elements are.
  static std::optional<int64_t> getConstant(Value value) {
    APInt constant;
    if (!matchPattern(stripDimensionMaps(value), m_ConstantInt(&constant)) ||
        constant.getSignificantBits() > 31)
      return std::nullopt;
    return constant.getSExtValue();
  }

  int64_t scale(Value factor, Value other, unsigned dim) {
    int64_t step = find(factor, dim);
    if (step == 0)
      return find(other, dim) == 0 ? 0 : kFarStep;
    std::optional<int64_t> times = getConstant(other);
    return times ? std::min(kFarStep, step * std::abs(*times)) : kFarStep;
  }

  const AxisInfoAnalysis &axes;
  llvm::DenseMap<std::pair<Value, unsigned>, int64_t> known;
};
} // namespace

int64_t tilewright::tile::getLikelyStep(Value tile, unsigned dim,
                                        const AxisInfoAnalysis &axes) {
  return StepFinder(axes).find(tile, dim);
}
