//===- LaneMath.cpp - Arithmetic with uncertainties on lanes --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "MathFunctions.h"
#include "tilewright/Spec/ElementCodec.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

//===----------------------------------------------------------------------===//
// Integers: 64 bits, wrapping
//===----------------------------------------------------------------------===//

/// As the language says: the quotient of the one division that overflows wraps,
/// and a division by 0 is one by 1.
static bool isPlainDivision(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
static int64_t wrappingDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a / b : a;
}
static int64_t wrappingRemainder(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a % b : 0;
}
static int64_t wrappingCeilDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? llvm::divideCeilSigned(a, b) : a;
}

void LaneMath::applyInteger(const Instruction &instruction, Lanes &target,
                            const Lanes &a, const Lanes &b) const {
  // A quotient of uncertain operands may be off by one beside the operands'
  // share.
  double one = toUncertainty(1);
  auto map = [&](auto value, auto uncertainty) {
    for (unsigned i = 0; i < lanes; ++i) {
      int64_t left = a.integer[i];
      int64_t right = b.integer[i];
      int64_t result = value(left, right);
      if (instruction.isUncertain)
        target.uncertainty[i] = known(uncertainty(
            left, right, result, a.uncertainty[i], b.uncertainty[i]));
      target.integer[i] = result;
    }
  };
  auto ofOperand = [](int64_t, int64_t, int64_t, double ua, double) {
    return ua;
  };
  auto larger = [](int64_t, int64_t, int64_t, double ua, double ub) {
    return std::max(ua, ub);
  };
  auto sum = [](int64_t, int64_t, int64_t, double ua, double ub) {
    return ua + ub;
  };
  auto ofProduct = [](int64_t x, int64_t y, int64_t, double ua, double ub) {
    return (ub == 0 ? 0 : size(x) * ub) + (ua == 0 ? 0 : size(y) * ua);
  };
  auto ofQuotient = [&](int64_t, int64_t y, int64_t result, double ua,
                        double ub) -> double {
    if (ua == 0 && ub == 0)
      return 0;
    // The divisor may be zero, or have the other sign.
    if (size(y) <= toDistance(ub))
      return undefined;
    return (ua + size(result) * ub) / (size(y) - toDistance(ub)) + one;
  };
  auto ofRemainder = [](int64_t, int64_t, int64_t, double ua, double ub) {
    return ua != 0 || ub != 0 ? undefined : 0;
  };

  switch (instruction.op) {
  case Opcode::Negate:
    return map([](int64_t x, int64_t) { return wrap(-uint64_t(x)); },
               ofOperand);
  case Opcode::Abs:
    return map(
        [](int64_t x, int64_t) { return x < 0 ? wrap(-uint64_t(x)) : x; },
        ofOperand);
  case Opcode::Add:
  case Opcode::SumStep:
    return map(
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) + uint64_t(y)); },
        sum);
  case Opcode::Subtract:
    return map(
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) - uint64_t(y)); },
        sum);
  case Opcode::Multiply:
    return map(
        [](int64_t x, int64_t y) { return wrap(uint64_t(x) * uint64_t(y)); },
        ofProduct);
  case Opcode::Divide:
    return map(wrappingDivide, ofQuotient);
  case Opcode::CeilDivide:
    return map(wrappingCeilDivide, ofQuotient);
  case Opcode::Remainder:
    return map(wrappingRemainder, ofRemainder);
  case Opcode::Min:
  case Opcode::MinNum:
    return map([](int64_t x, int64_t y) { return std::min(x, y); }, larger);
  case Opcode::Max:
  case Opcode::MaxNum:
    return map([](int64_t x, int64_t y) { return std::max(x, y); }, larger);
  default:
    llvm_unreachable("no operation on integers");
  }
}

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

/// NaN if either is NaN, as IEEE 754-2019's minimum and maximum.
static double minimum(double x, double y) {
  return std::isnan(x) || x < y ? x : y;
}
static double maximum(double x, double y) {
  return std::isnan(x) || x > y ? x : y;
}

void LaneMath::applyReal(const Instruction &instruction, Lanes &target,
                         const Lanes &a, const Lanes &b) const {
  // A result that is infinite or NaN must be met as such: no uncertainty.
  auto map = [&](auto value, auto uncertainty) {
    for (unsigned i = 0; i < lanes; ++i) {
      double left = a.real[i];
      double right = b.real[i];
      double result = value(left, right);
      if (instruction.isUncertain)
        target.uncertainty[i] =
            std::isfinite(result)
                ? uncertainty(left, right, result, a.uncertainty[i],
                              b.uncertainty[i])
                : 0;
      target.real[i] = result;
    }
  };
  auto ofOperand = [](double, double, double, double ua, double) { return ua; };
  auto larger = [](double, double, double, double ua, double ub) {
    return std::max(known(ua), known(ub));
  };
  auto ofSum = [](double, double, double result, double ua, double ub) {
    return ua + ub + std::fabs(result);
  };

  switch (instruction.op) {
  case Opcode::Negate:
    return map([](double x, double) { return -x; }, ofOperand);
  case Opcode::Abs:
    return map([](double x, double) { return std::fabs(x); }, ofOperand);
  case Opcode::Add:
    return map([](double x, double y) { return x + y; }, ofSum);
  case Opcode::Subtract:
    return map([](double x, double y) { return x - y; }, ofSum);
  case Opcode::SumStep:
    return map([](double x, double y) { return x + y; },
               [weight = instruction.real](double term, double, double,
                                           double ua, double ub) {
                 return ub + ua + weight * std::fabs(term);
               });
  case Opcode::Multiply:
    return map([](double x, double y) { return x * y; },
               [](double x, double y, double result, double ua, double ub) {
                 return std::fabs(x) * ub + std::fabs(y) * ua +
                        std::fabs(result);
               });
  case Opcode::Divide:
    return divide(instruction, target, a, b);
  case Opcode::Min:
    return map(minimum, larger);
  case Opcode::Max:
    return map(maximum, larger);
  case Opcode::MinNum:
    return map([](double x, double y) { return std::fmin(x, y); }, larger);
  case Opcode::MaxNum:
    return map([](double x, double y) { return std::fmax(x, y); }, larger);
  default:
    llvm_unreachable("no operation on real numbers");
  }
}

/// A result that is infinite or NaN must be met as such where the divisor is
/// certain.
void LaneMath::divide(const Instruction &instruction, Lanes &target,
                      const Lanes &a, const Lanes &b) const {
  for (unsigned i = 0; i < lanes; ++i) {
    double divisor = b.real[i];
    double result = a.real[i] / divisor;
    double ua = a.uncertainty[i];
    double ub = b.uncertainty[i];
    bool mayBeZero = ub != 0 && std::fabs(divisor) <= toDistance(ub);
    double uncertainty = 0;
    if (mayBeZero)
      uncertainty = undefined;
    else if (std::isfinite(result))
      uncertainty = known((ua + std::fabs(result) * ub) /
                              (std::fabs(divisor) - toDistance(ub)) +
                          std::fabs(result));
    if (instruction.isUncertain)
      target.uncertainty[i] = uncertainty;
    target.real[i] = mayBeZero ? 0 : result;
  }
}

/// Where an operand that is off may lead to a number or to none, nothing is
/// known.
void LaneMath::applyFunction(const Instruction &instruction, Lanes &target,
                             const Lanes &a, const Lanes &b) const {
  const MathFunction &function = *instruction.function;
  for (unsigned i = 0; i < lanes; ++i) {
    double x = a.real[i];
    double y = function.arity == 2 ? b.real[i] : 0;
    double result = function.value(x, y);
    if (instruction.isUncertain) {
      double ux = toDistance(a.uncertainty[i]);
      double uy = function.arity == 2 ? toDistance(b.uncertainty[i]) : 0;
      double spread =
          ux == 0 && uy == 0 ? 0 : function.getSpread(x, y, result, ux, uy);
      if (!std::isfinite(ux + uy))
        spread = undefined;
      target.uncertainty[i] = 0;
      if (!std::isfinite(spread)) {
        target.uncertainty[i] = undefined;
        result = 0;
      } else if (std::isfinite(result)) {
        double own = function.isExact() ? 0 : function.rounding(x, result);
        target.uncertainty[i] = own + toUncertainty(spread);
      }
    }
    target.real[i] = result;
  }
}

void LaneMath::apply(const Instruction &instruction, Lanes &target,
                     const Lanes &a, const Lanes &b, const Lanes &c) const {
  switch (instruction.op) {
  case Opcode::Constant:
    return setConstant(instruction, target);
  case Opcode::CheckedIndex:
    return checkIndex(instruction, target, a);
  case Opcode::ToReal:
    return convertToReal(instruction, target, a);
  case Opcode::Cast:
    return cast(instruction, target, a);
  case Opcode::Within:
    return keepWithin(instruction, target, a);
  case Opcode::Function:
    return applyFunction(instruction, target, a, b);
  case Opcode::Less:
  case Opcode::LessEqual:
  case Opcode::Equal:
  case Opcode::NotEqual:
    return compare(instruction, target, a, b);
  case Opcode::Select:
    return select(instruction, target, a, b, c);
  default:
    if (instruction.isInteger)
      return applyInteger(instruction, target, a, b);
    return applyReal(instruction, target, a, b);
  }
}
