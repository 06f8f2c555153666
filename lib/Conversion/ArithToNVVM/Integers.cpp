//===- Integers.cpp - Divisions and shifts of any operands ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A division by 0 is one by 1, so the dividend is the quotient and nothing is
// left; the least integer divided by -1 is itself. Shifts by the width or more
// move everything out, as PTX has it. LLVM must not see what it calls
// undefined: it divides by a divisor that cannot be 0, nor -1 where the
// dividend may be the least integer. (The hardware
// gives all ones for a division by 0. Choosing that afterwards took up to 23
// registers in the products of the examples:
// docs/decisions/0010-what-llvm-does-behind-us.md.)
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/LoopCounters.h"

using namespace mlir;
using namespace tilewright;

static Value makeConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value a, Value other) {
  return arith::CmpIOp::create(b, predicate, a, other);
}

/// Whether it is a constant that any integer of its type can be divided by,
/// with the result that mathematics says.
static bool isHarmlessDivisor(Value divisor) {
  llvm::APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
         !value.isAllOnes();
}

static bool isHarmlessShift(Value amount, Type type) {
  llvm::APInt value;
  return matchPattern(amount, m_ConstantInt(&value)) &&
         (isa<IndexType>(type) ? value.ult(64)
                               : value.ult(type.getIntOrFloatBitWidth()));
}

/// Between which numbers a value lies, by the op that makes it and those that
/// make its operands.
static ConstantIntRanges getRange(Value value, unsigned depth = 2) {
  ConstantIntRanges range = ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || depth == 0)
    return range;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getRange(operand, depth - 1));
  op.inferResultRanges(operands,
                       [&](Value result, const ConstantIntRanges &known) {
                         if (result == value)
                           range = known;
                       });
  return range;
}

/// Whether its quotient by -1 may be more than its type holds.
static bool mayBeLeastInteger(Value dividend) {
  // Quotients and what is left are no further from 0.
  while (Operation *op = dividend.getDefiningOp()) {
    if (!isa<arith::DivSIOp, arith::RemSIOp>(op))
      break;
    dividend = op->getOperand(0);
  }
  return getRange(dividend, /*depth=*/3).smin().isMinSignedValue();
}

/// 1 for 0. Addresses often depend on a division, and LLVM's loop strength
/// reduction keeps more of them in registers where it sees a maximum inside: it
/// is an instruction that LLVM does not look into. What 32 bits hold it takes
/// in 32, so that LLVM knows that it may divide by that in 32.
static Value atLeastOne(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (isa<IndexType>(type)) {
    if (getRange(value).umax().getActiveBits() <= 32) {
      Value narrow = arith::IndexCastUIOp::create(b, b.getI32Type(), value);
      return arith::IndexCastUIOp::create(b, type, atLeastOne(b, narrow));
    }
    Value wide = arith::IndexCastOp::create(b, b.getI64Type(), value);
    return arith::IndexCastOp::create(b, type, atLeastOne(b, wide));
  }
  if (!type.isInteger(32) && !type.isInteger(64))
    return arith::MaxUIOp::create(b, value, makeConstant(b, type, 1));
  bool isWide = type.isInteger(64);
  return tonvvm::emitPurePtx(b, b.getLoc(), type, value,
                             isWide ? "max.u64 $0, $1, 1;"
                                    : "max.u32 $0, $1, 1;",
                             isWide ? "=l,l" : "=r,r");
}

namespace {
/// The division of one integer by another, toward zero, and what follows from
/// it.
template <typename DivOp, typename RemOp, bool isSigned> class Division {
public:
  Division(Location loc, RewriterBase &rewriter, Value dividend, Value divisor)
      : b(loc, rewriter), type(dividend.getType()), dividend(dividend),
        divisor(divisor), safe(divisor) {
    if (isHarmlessDivisor(divisor))
      return;
    this->divisor = safe = atLeastOne(b, divisor);
    if (!isSigned || !mayBeLeastInteger(dividend))
      return;
    isMinusOne = compare(b, arith::CmpIPredicate::eq, divisor, constant(-1));
    safe = arith::SelectOp::create(b, isMinusOne, constant(1), safe);
  }

  Value quotient() {
    Value some = DivOp::create(b, dividend, safe);
    if (!isMinusOne)
      return some;
    Value negated = arith::SubIOp::create(b, constant(0), dividend);
    return arith::SelectOp::create(b, isMinusOne, negated, some);
  }

  Value remainder() { return RemOp::create(b, dividend, safe); }

  /// Toward plus infinity.
  Value ceiling() {
    if (isSigned)
      return rounded(/*up=*/true);
    // One less divided, and one more: no product.
    Value less = arith::SubIOp::create(b, dividend, constant(1));
    Value some = DivOp::create(b, less, safe);
    Value more = arith::AddIOp::create(b, some, constant(1));
    Value isNone = compare(b, arith::CmpIPredicate::eq, dividend, constant(0));
    return arith::SelectOp::create(b, isNone, constant(0), more);
  }
  /// Toward minus infinity.
  Value floor() { return rounded(/*up=*/false); }

private:
  Value constant(int64_t value) { return makeConstant(b, type, value); }

  /// The quotient of signed integers, rounded: it lies between 0 and itself
  /// unrounded, above that if the signs differ.
  Value rounded(bool up) {
    Value toZero = quotient();
    Value rest = arith::SubIOp::create(
        b, dividend, arith::MulIOp::create(b, toZero, divisor));
    Value isInexact = compare(b, arith::CmpIPredicate::ne, rest, constant(0));
    Value signs = arith::XOrIOp::create(b, rest, divisor);
    Value isOnWrongSide =
        compare(b, up ? arith::CmpIPredicate::sge : arith::CmpIPredicate::slt,
                signs, constant(0));
    Value moves = arith::AndIOp::create(b, isInexact, isOnWrongSide);
    Value moved = arith::AddIOp::create(b, toZero, constant(up ? 1 : -1));
    return arith::SelectOp::create(b, moves, moved, toZero);
  }

  ImplicitLocOpBuilder b;
  Type type;
  Value dividend;
  /// 1 for 0.
  Value divisor;
  /// What LLVM divides by: not -1 either where that must not be.
  Value safe;
  /// Null where it does not matter.
  Value isMinusOne;
};

using SignedDivision = Division<arith::DivSIOp, arith::RemSIOp, true>;
using UnsignedDivision = Division<arith::DivUIOp, arith::RemUIOp, false>;

/// How a result comes out of a division.
template <typename Kind> Value writeQuotient(Kind &division) {
  return division.quotient();
}
template <typename Kind> Value writeRemainder(Kind &division) {
  return division.remainder();
}
template <typename Kind> Value writeCeiling(Kind &division) {
  return division.ceiling();
}
template <typename Kind> Value writeFloor(Kind &division) {
  return division.floor();
}

template <typename Op, typename Kind, Value (*write)(Kind &)>
struct DivisionPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Kind division(op.getLoc(), rewriter, op.getLhs(), op.getRhs());
    rewriter.replaceOp(op, write(division));
    return success();
  }
};

/// Divides integers of one bit: 0, and 1 or -1. By either the quotient is the
/// dividend, and nothing is left; there is no 1 that LLVM would not take for
/// -1.
template <typename Op> struct BitDivisionPattern : OpRewritePattern<Op> {
  BitDivisionPattern(MLIRContext *context)
      : OpRewritePattern<Op>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(1))
      return failure();
    if constexpr (std::is_same_v<Op, arith::RemSIOp> ||
                  std::is_same_v<Op, arith::RemUIOp>)
      rewriter.replaceOpWithNewOp<arith::ConstantIntOp>(op, 0, 1);
    else
      rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

template <typename... Ops> void addBitDivisions(RewritePatternSet &patterns) {
  patterns.add<BitDivisionPattern<Ops>...>(patterns.getContext());
}

/// What is shifted out is gone, and zeros come in; or the sign.
template <typename Op, bool keepsSign>
struct ShiftPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Value amount = op.getRhs();
    if (isHarmlessShift(amount, type))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
    if (keepsSign) {
      Value most =
          arith::MinUIOp::create(b, amount, makeConstant(b, type, width - 1));
      rewriter.replaceOpWithNewOp<Op>(op, op.getLhs(), most);
      return success();
    }
    Value some = width == 64 ? shiftWide(b, op.getLhs(), amount)
                             : Op::create(b, op.getLhs(), amount).getResult();
    Value inside = compare(b, arith::CmpIPredicate::ule, amount,
                           makeConstant(b, type, width - 1));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, inside, some,
                                                 makeConstant(b, type, 0));
    return success();
  }

private:
  /// Shifts by less than 64 bits. PTX takes the amount in 32 bits. LLVM, which
  /// knows that PTX clamps it, cuts it to those without looking at the others;
  /// and ptxas, where it knows all, shifts -1 by 64 bits to -1.
  static Value shiftWide(ImplicitLocOpBuilder &b, Value value, Value amount) {
    Type type = value.getType(), i64 = b.getI64Type();
    if (isa<IndexType>(type)) {
      value = arith::IndexCastOp::create(b, i64, value);
      amount = arith::IndexCastOp::create(b, i64, amount);
      return arith::IndexCastOp::create(b, type, shiftWide(b, value, amount));
    }
    Value most = arith::MinUIOp::create(b, amount, makeConstant(b, i64, 63));
    Value bits = arith::TruncIOp::create(b, b.getI32Type(), most);
    return tonvvm::emitPurePtx(b, b.getLoc(), i64, {value, bits},
                               std::is_same_v<Op, arith::ShLIOp>
                                   ? "shl.b64 $0, $1, $2;"
                                   : "shr.u64 $0, $1, $2;",
                               "=l,l,r");
  }
};

/// The larger of the number and its negative, since ptxas has abs.s16 of -32768
/// wrong (lib/Target/PtxRepairs.h); in at least 32 bits, and as text of which
/// LLVM does not make an abs again.
struct AbsPattern : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getType();
    unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
    bool isWide = width > 32;
    Type wide = b.getIntegerType(isWide ? 64 : 32);
    Value value = op.getOperand();
    if (isa<IndexType>(type))
      value = arith::IndexCastOp::create(b, wide, value);
    else if (type != wide)
      value = arith::ExtSIOp::create(b, wide, value);
    Value negated = arith::SubIOp::create(b, makeConstant(b, wide, 0), value);
    Value larger = tonvvm::emitPurePtx(b, b.getLoc(), wide, {value, negated},
                                       isWide ? "max.s64 $0, $1, $2;"
                                              : "max.s32 $0, $1, $2;",
                                       isWide ? "=l,l,l" : "=r,r,r");
    if (isa<IndexType>(type))
      larger = arith::IndexCastOp::create(b, type, larger);
    else if (type != wide)
      larger = arith::TruncIOp::create(b, type, larger);
    rewriter.replaceOp(op, larger);
    return success();
  }
};

/// The number of a trip, cut to as few bits as the bounds of its loop had and
/// extended again for the address of a number: nothing was cut off. LLVM would
/// shift it left and right, and count that on. (Of rows ptxas makes code with
/// more registers if there is less to compute:
/// docs/decisions/0138-numbers-ahead.md.)
struct TripPattern : OpRewritePattern<arith::ExtSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getDefiningOp<arith::IndexCastOp>() ||
        !op.getType().isInteger(64) || !isForNumbers(op))
      return failure();
    scf::ForOp loop = tile::findLoopOfCounter(op.getIn());
    if (!loop)
      return failure();
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(),
                                                    loop.getInductionVar());
    return success();
  }

private:
  static bool isForNumbers(Value offset) {
    return llvm::all_of(offset.getUsers(), [](Operation *address) {
      return isa<LLVM::GEPOp>(address) &&
             llvm::all_of(address->getUsers(), [](Operation *load) {
               return isa<LLVM::LoadOp>(load) &&
                      load->getResult(0).getType().isIntOrFloat();
             });
    });
  }
};
} // namespace

void arithnvvm::populateIntegerPatterns(RewritePatternSet &patterns) {
  addBitDivisions<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                  arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                  arith::FloorDivSIOp>(patterns);
  patterns.add<
      DivisionPattern<arith::DivSIOp, SignedDivision, writeQuotient>,
      DivisionPattern<arith::DivUIOp, UnsignedDivision, writeQuotient>,
      DivisionPattern<arith::RemSIOp, SignedDivision, writeRemainder>,
      DivisionPattern<arith::RemUIOp, UnsignedDivision, writeRemainder>,
      DivisionPattern<arith::CeilDivSIOp, SignedDivision, writeCeiling>,
      DivisionPattern<arith::CeilDivUIOp, UnsignedDivision, writeCeiling>,
      DivisionPattern<arith::FloorDivSIOp, SignedDivision, writeFloor>,
      ShiftPattern<arith::ShLIOp, false>, ShiftPattern<arith::ShRUIOp, false>,
      ShiftPattern<arith::ShRSIOp, true>, AbsPattern, TripPattern>(
      patterns.getContext());
}
