//===- StrengthReducePointers.cpp - Pointers that loops carry ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_STRENGTHREDUCEPOINTERS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

/// A pointer that is `start` in the first iteration and `step` elements further
/// in each of the next.
struct Recurrence {
  LLVM::GEPOp pointer;
  Value start;
  Value step;
};

/// Rewrites the pointers of one loop's body. Their offsets are functions of the
/// induction variable modulo 2^64, as address arithmetic is, so it does not
/// matter whether a sum on the way would wrap.
class LoopRewriter {
public:
  explicit LoopRewriter(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

  void run() {
    if (!loop.getInductionVar().getType().isIndex())
      return;
    for (auto pointer : loop.getBody()->getOps<LLVM::GEPOp>())
      if (std::optional<Recurrence> recurrence = match(pointer))
        recurrences.push_back(*recurrence);
    if (!recurrences.empty())
      carry();
  }

private:
  bool isInvariant(Value value) {
    if (loop.isDefinedOutsideOfLoop(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == loop.getBody() && isPure(op) &&
           op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isInvariant(operand); });
  }

  /// A value that is the same in all iterations, before the loop.
  Value hoist(Value value) {
    if (loop.isDefinedOutsideOfLoop(value))
      return value;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      hoist(operand);
    op->moveBefore(loop);
    return value;
  }

  /// Whether the value is an invariant plus the induction variable times
  /// another.
  bool isAffine(Value value) {
    if (value == loop.getInductionVar() || isInvariant(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return false;
    if (isa<arith::MulIOp>(op) &&
        llvm::none_of(op->getOperands(),
                      [&](Value v) { return isInvariant(v); }))
      return false;
    if (auto cast = dyn_cast<arith::IndexCastOp>(op);
        cast && !cast.getType().isInteger(64))
      return false;
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(
               op) &&
           llvm::all_of(op->getOperands(),
                        [&](Value v) { return isAffine(v); });
  }

  /// What an affine value grows by where the induction variable grows by one.
  Value getSlope(Value value) {
    Type type = value.getType();
    if (value == loop.getInductionVar())
      return constant(type, 1);
    if (isInvariant(value))
      return constant(type, 0);
    Operation *op = value.getDefiningOp();
    if (isa<arith::IndexCastOp>(op))
      return builder.createOrFold<arith::IndexCastOp>(
          loc, type, getSlope(op->getOperand(0)));
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isa<arith::AddIOp>(op))
      return builder.createOrFold<arith::AddIOp>(loc, getSlope(lhs),
                                                 getSlope(rhs));
    if (isa<arith::SubIOp>(op))
      return builder.createOrFold<arith::SubIOp>(loc, getSlope(lhs),
                                                 getSlope(rhs));
    if (isInvariant(lhs))
      std::swap(lhs, rhs);
    return builder.createOrFold<arith::MulIOp>(loc, getSlope(lhs), hoist(rhs));
  }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  /// An affine value in the first iteration.
  Value getStart(Value value) {
    if (value == loop.getInductionVar())
      return loop.getLowerBound();
    if (isInvariant(value))
      return hoist(value);
    IRMapping mapping;
    for (Value operand : value.getDefiningOp()->getOperands())
      mapping.map(operand, getStart(operand));
    return builder.clone(*value.getDefiningOp(), mapping)->getResult(0);
  }

  std::optional<Recurrence> match(LLVM::GEPOp pointer) {
    if (pointer.getDynamicIndices().size() != 1 ||
        !isInvariant(pointer.getBase()))
      return std::nullopt;
    Value offset = pointer.getDynamicIndices().front();
    if (!offset.getType().isInteger(64) || isInvariant(offset) ||
        !isAffine(offset))
      return std::nullopt;
    Value slope = getSlope(offset);
    Value width = builder.createOrFold<arith::IndexCastOp>(
        loc, offset.getType(), loop.getStep());
    return Recurrence{
        pointer, advance(pointer, hoist(pointer.getBase()), getStart(offset)),
        builder.createOrFold<arith::MulIOp>(loc, slope, width)};
  }

  Value advance(LLVM::GEPOp pointer, Value base, Value elements) {
    return LLVM::GEPOp::create(builder, pointer.getLoc(), pointer.getType(),
                               pointer.getElemType(), base,
                               ArrayRef<LLVM::GEPArg>{elements});
  }

  void carry() {
    IRRewriter rewriter(builder);
    auto starts = llvm::map_to_vector(
        recurrences, [](const Recurrence &each) { return each.start; });
    auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          SmallVector<Value> next;
          for (auto [each, argument] :
               llvm::zip_equal(recurrences, arguments)) {
            // ptxas leaves the addition where it is. That of a constant is best
            // at the end of a body, that of two registers before its products
            // (docs/decisions/0003-gemm.md).
            if (matchPattern(each.step, m_Constant()))
              builder.setInsertionPoint(inner.getInsertionBlock(),
                                        inner.getInsertionPoint());
            else
              builder.setInsertionPointToStart(argument.getOwner());
            next.push_back(advance(each.pointer, argument, each.step));
          }
          return next;
        }));
    auto carried = newLoop.getRegionIterArgs().take_back(recurrences.size());
    for (auto [each, argument] : llvm::zip_equal(recurrences, carried))
      rewriter.replaceOp(each.pointer, argument);
  }

  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  SmallVector<Recurrence> recurrences;
};

struct StrengthReducePointers
    : tilewright::impl::StrengthReducePointersBase<StrengthReducePointers> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopRewriter(loop).run();
  }
};

} // namespace
