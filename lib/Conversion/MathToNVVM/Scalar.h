//===- Scalar.h - Formulas that write IR ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Scalar is a number of the program that is compiled, a float or an integer.
// Arithmetic on Scalars writes the ops that do it, so that an approximation
// reads as the formula it is:
//
//   Scalar x(builder, op.getOperand());
//   Scalar y = fma(x, x * 0.5, x.constant(1));     // 1 + x * x / 2
//   rewriter.replaceOp(op, select(x < 0.0, x, y));
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALAR_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::mathfn {

class Scalar {
public:
  Scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }
  mlir::Type getType() const { return value.getType(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(value.getType()); }

  /// A constant of this one's type.
  Scalar constant(double number) const {
    mlir::Type type = value.getType();
    mlir::TypedAttr attr =
        isFloat() ? mlir::TypedAttr(builder->getFloatAttr(type, number))
                  : mlir::TypedAttr(builder->getIntegerAttr(
                        type, static_cast<int64_t>(number)));
    return {*builder, mlir::arith::ConstantOp::create(*builder, attr)};
  }

  /// The result of an op with these operands.
  template <typename Op, typename... Rest>
  Scalar apply(const Rest &...rest) const {
    return {*builder, Op::create(*builder, value, mlir::Value(rest)...)};
  }
  /// The result of a conversion.
  template <typename Op> Scalar convert(mlir::Type type) const {
    return {*builder, Op::create(*builder, type, value)};
  }
  Scalar bitcast(mlir::Type type) const {
    return convert<mlir::arith::BitcastOp>(type);
  }

private:
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

inline Scalar operator+(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? a.apply<mlir::arith::AddFOp>(b)
                     : a.apply<mlir::arith::AddIOp>(b);
}
inline Scalar operator-(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? a.apply<mlir::arith::SubFOp>(b)
                     : a.apply<mlir::arith::SubIOp>(b);
}
inline Scalar operator*(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? a.apply<mlir::arith::MulFOp>(b)
                     : a.apply<mlir::arith::MulIOp>(b);
}
inline Scalar operator/(const Scalar &a, const Scalar &b) {
  return a.apply<mlir::arith::DivFOp>(b);
}
inline Scalar operator+(const Scalar &a, double b) { return a + a.constant(b); }
inline Scalar operator-(const Scalar &a, double b) { return a - a.constant(b); }
inline Scalar operator*(const Scalar &a, double b) { return a * a.constant(b); }
inline Scalar operator-(const Scalar &a) {
  return a.apply<mlir::arith::NegFOp>();
}

/// Bits of integers; right shifts bring in zeros.
inline Scalar operator&(const Scalar &a, const Scalar &b) {
  return a.apply<mlir::arith::AndIOp>(b);
}
inline Scalar operator|(const Scalar &a, const Scalar &b) {
  return a.apply<mlir::arith::OrIOp>(b);
}
inline Scalar operator&(const Scalar &a, double b) { return a & a.constant(b); }
inline Scalar operator|(const Scalar &a, double b) { return a | a.constant(b); }
inline Scalar shiftLeft(const Scalar &a, const Scalar &bits) {
  return a.apply<mlir::arith::ShLIOp>(bits);
}
inline Scalar shiftRight(const Scalar &a, const Scalar &bits) {
  return a.apply<mlir::arith::ShRUIOp>(bits);
}
inline Scalar shiftLeft(const Scalar &a, double bits) {
  return shiftLeft(a, a.constant(bits));
}
inline Scalar shiftRight(const Scalar &a, double bits) {
  return shiftRight(a, a.constant(bits));
}

/// Comparisons, false for NaNs; of integers, signed.
inline Scalar compare(mlir::arith::CmpFPredicate predicate, const Scalar &a,
                      const Scalar &b) {
  return {a.getBuilder(),
          mlir::arith::CmpFOp::create(a.getBuilder(), predicate, a, b)};
}
inline Scalar compare(mlir::arith::CmpIPredicate predicate, const Scalar &a,
                      const Scalar &b) {
  return {a.getBuilder(),
          mlir::arith::CmpIOp::create(a.getBuilder(), predicate, a, b)};
}
inline Scalar operator==(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? compare(mlir::arith::CmpFPredicate::OEQ, a, b)
                     : compare(mlir::arith::CmpIPredicate::eq, a, b);
}
inline Scalar operator==(const Scalar &a, double b) {
  return a == a.constant(b);
}
inline Scalar operator<(const Scalar &a, const Scalar &b) {
  return a.isFloat() ? compare(mlir::arith::CmpFPredicate::OLT, a, b)
                     : compare(mlir::arith::CmpIPredicate::slt, a, b);
}
inline Scalar operator<(const Scalar &a, double b) { return a < a.constant(b); }

inline Scalar select(const Scalar &condition, const Scalar &a,
                     const Scalar &b) {
  return condition.apply<mlir::arith::SelectOp>(a, b);
}
inline Scalar select(const Scalar &condition, const Scalar &a, double b) {
  return select(condition, a, a.constant(b));
}
inline Scalar select(const Scalar &condition, double a, const Scalar &b) {
  return select(condition, b.constant(a), b);
}

/// a * b + c, rounded once.
inline Scalar fma(const Scalar &a, const Scalar &b, const Scalar &c) {
  return a.apply<mlir::math::FmaOp>(b, c);
}
inline Scalar fma(const Scalar &a, double b, const Scalar &c) {
  return fma(a, a.constant(b), c);
}
inline Scalar fma(const Scalar &a, const Scalar &b, double c) {
  return fma(a, b, a.constant(c));
}
/// What LLVM has a name for, of one number.
inline Scalar callIntrinsic(llvm::StringRef name, const Scalar &a) {
  mlir::ImplicitLocOpBuilder &builder = a.getBuilder();
  return {builder,
          mlir::LLVM::CallIntrinsicOp::create(
              builder, a.getType(), builder.getStringAttr(name), mlir::Value(a))
              .getResult(0)};
}
/// 1 / a within one unit in the last place of f32, and 0 where it is subnormal.
inline Scalar reciprocal(const Scalar &a) {
  return callIntrinsic("llvm.nvvm.rcp.approx.ftz.f", a);
}
/// Right to the last bits only for what has no finite logarithm.
inline Scalar approximateLog2(const Scalar &a) {
  return callIntrinsic("llvm.nvvm.lg2.approx.ftz.f", a);
}
inline Scalar abs(const Scalar &a) { return a.apply<mlir::math::AbsFOp>(); }
inline Scalar copySign(const Scalar &magnitude, const Scalar &sign) {
  return magnitude.apply<mlir::math::CopySignOp>(sign);
}
/// NaN where one of both is.
inline Scalar minimum(const Scalar &a, const Scalar &b) {
  return a.apply<mlir::arith::MinimumFOp>(b);
}
inline Scalar maximum(const Scalar &a, const Scalar &b) {
  return a.apply<mlir::arith::MaximumFOp>(b);
}
inline Scalar maximum(const Scalar &a, double b) {
  return maximum(a, a.constant(b));
}
inline Scalar truncate(const Scalar &a) {
  return a.apply<mlir::math::TruncOp>();
}
inline Scalar roundEven(const Scalar &a) {
  return a.apply<mlir::math::RoundEvenOp>();
}
inline Scalar exp2(const Scalar &a) { return a.apply<mlir::math::Exp2Op>(); }

/// c[0] + c[1] * x + c[2] * x^2 + ..., by Horner's rule.
inline Scalar polynomial(const Scalar &x, llvm::ArrayRef<double> coefficients) {
  Scalar sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

} // namespace tilewright::mathfn

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALAR_H
