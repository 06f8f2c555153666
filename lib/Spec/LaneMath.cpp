//===- LaneMath.cpp - Arithmetic with uncertainties on lanes --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "tilewright/Spec/ElementCodec.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

static constexpr double undefined = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Integers: 64 bits, wrapping
//===----------------------------------------------------------------------===//

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

/// The quotient of the one division that overflows wraps; that of a division by
/// zero is undefined and given as 0.
static bool isPlainDivision(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
static int64_t wrappingDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a / b : b == 0 ? 0 : a;
}
static int64_t wrappingRemainder(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a % b : 0;
}
static int64_t wrappingCeilDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? llvm::divideCeilSigned(a, b) : b == 0 ? 0 : a;
}

static double size(int64_t value) {
  return std::fabs(static_cast<double>(value));
}

void LaneMath::applyInteger(const Instruction &instruction, Lanes &target,
                            const Lanes &a, const Lanes &b) const {
  // A quotient of uncertain operands may be off by one beside the operands'
  // share: one, in units of the roundoff.
  double one = 1 / roundoff;
  auto map = [&](auto value, auto uncertainty) {
    for (unsigned i = 0; i < lanes; ++i) {
      int64_t left = a.integer[i];
      int64_t right = b.integer[i];
      int64_t result = value(left, right);
      if (instruction.isUncertain)
        target.uncertainty[i] = uncertainty(left, right, result,
                                            a.uncertainty[i], b.uncertainty[i]);
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
  auto ofQuotient = [one](int64_t, int64_t y, int64_t result, double ua,
                          double ub) -> double {
    if (y == 0)
      return undefined;
    return ua == 0 && ub == 0 ? 0 : (ua + size(result) * ub) / size(y) + one;
  };
  auto ofRemainder = [](int64_t, int64_t y, int64_t, double ua, double ub) {
    return y == 0 || ua != 0 || ub != 0 ? undefined : 0;
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

/// The f32 that `x` is, without the low 13 of its 23 bits: tensor cores read 10
/// (PTX ISA, "Alternate Floating-Point Data Formats", tf32). A NaN stays one.
static double truncateToTF32(double x) {
  if (std::isnan(x))
    return x;
  auto bits = llvm::bit_cast<uint32_t>(static_cast<float>(x));
  return llvm::bit_cast<float>(bits & ~uint32_t(0x1fff));
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
    return std::max(ua, ub);
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
    return map([](double x, double y) { return x / y; },
               [](double, double y, double result, double ua, double ub) {
                 return (ua + std::fabs(result) * ub) / std::fabs(y) +
                        std::fabs(result);
               });
  case Opcode::Min:
    return map(minimum, larger);
  case Opcode::Max:
    return map(maximum, larger);
  case Opcode::MinNum:
    return map([](double x, double y) { return std::fmin(x, y); }, larger);
  case Opcode::MaxNum:
    return map([](double x, double y) { return std::fmax(x, y); }, larger);
  case Opcode::Exp:
    return map([](double x, double) { return std::exp(x); },
               [](double x, double, double result, double ua, double) {
                 return result == 0 ? 0 : result * (1 + std::fabs(x) + ua);
               });
  case Opcode::Log:
    return map([](double x, double) { return std::log(x); },
               [](double x, double, double result, double ua, double) {
                 return 1 + std::fabs(result) + ua / std::fabs(x);
               });
  case Opcode::Sqrt:
    return map([](double x, double) { return std::sqrt(x); },
               [](double, double, double result, double ua, double) {
                 return result + (ua == 0 ? 0 : ua / (2 * result));
               });
  case Opcode::TF32:
    // An uncertain operand may be cut one step lower.
    return map([](double x, double) { return truncateToTF32(x); },
               [step = std::ldexp(1.0, -10) / roundoff,
                least = std::ldexp(1.0, -136) / roundoff](
                   double, double, double result, double ua, double) {
                 return ua == 0
                            ? 0
                            : ua + std::max(std::fabs(result) * step, least);
               });
  case Opcode::Tanh:
    return map([](double x, double) { return std::tanh(x); },
               [](double, double, double result, double ua, double) {
                 return 1 + (ua == 0 ? 0 : (1 - result * result) * ua);
               });
  default:
    llvm_unreachable("no operation on real numbers");
  }
}

//===----------------------------------------------------------------------===//
// Between the two
//===----------------------------------------------------------------------===//

static double toReal(int64_t value) { return static_cast<double>(value); }

void LaneMath::cast(const Instruction &instruction, Lanes &target,
                    const Lanes &a) const {
  ElementType type = instruction.type;
  if (instruction.isInteger) {
    for (unsigned i = 0; i < lanes; ++i) {
      target.uncertainty[i] = a.uncertainty[i];
      target.integer[i] =
          decodeInteger(type, encodeInteger(type, a.integer[i]));
    }
    return;
  }
  if (isInteger(type)) {
    // From -2^(width-1) to 2^(width-1), the latter excluded; i1 is a test for
    // zero.
    double limit = std::ldexp(1.0, 8 * getByteSize(type) - 1);
    for (unsigned i = 0; i < lanes; ++i) {
      double value = std::trunc(a.real[i]);
      bool isBool = type == ElementType::I1;
      if (!isBool && !(value >= -limit && value < limit)) {
        target.integer[i] = 0;
        target.uncertainty[i] = undefined;
        continue;
      }
      double ua = a.uncertainty[i];
      target.uncertainty[i] = ua == 0 ? 0 : ua + 1 / roundoff;
      target.integer[i] = isBool ? a.real[i] != 0 : static_cast<int64_t>(value);
    }
    return;
  }
  double relative = 2 * getUnitRoundoff(type) / roundoff;
  double absolute = getSmallestDenormal(type) / roundoff;
  for (unsigned i = 0; i < lanes; ++i) {
    double value = decodeReal(type, encodeReal(type, a.real[i]));
    double ua = a.uncertainty[i];
    target.uncertainty[i] =
        ua == 0 || !std::isfinite(value)
            ? 0
            : ua + std::max(std::fabs(value) * relative, absolute);
    target.real[i] = value;
  }
}

void LaneMath::apply(const Instruction &instruction, Lanes &target,
                     const Lanes &a, const Lanes &b) const {
  switch (instruction.op) {
  case Opcode::Constant:
    for (unsigned i = 0; i < lanes; ++i) {
      if (instruction.isInteger)
        target.integer[i] = instruction.integer;
      else
        target.real[i] = instruction.real;
      target.uncertainty[i] =
          instruction.isUncertain ? std::fabs(instruction.real) : 0;
    }
    return;
  case Opcode::ToReal:
    for (unsigned i = 0; i < lanes; ++i) {
      double value = toReal(a.integer[i]);
      if (instruction.isUncertain)
        target.uncertainty[i] =
            a.uncertainty[i] +
            (std::fabs(value) * roundoff > 1 ? std::fabs(value) : 0);
      target.real[i] = value;
    }
    return;
  case Opcode::Cast:
    return cast(instruction, target, a);
  default:
    if (instruction.isInteger)
      return applyInteger(instruction, target, a, b);
    return applyReal(instruction, target, a, b);
  }
}
