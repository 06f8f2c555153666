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

static constexpr double undefined = std::numeric_limits<double>::infinity();

/// Products of 0 and of what is undefined are undefined too: NaN.
static double known(double uncertainty) {
  return std::isnan(uncertainty) ? undefined : uncertainty;
}

//===----------------------------------------------------------------------===//
// Integers: 64 bits, wrapping
//===----------------------------------------------------------------------===//

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

/// As the language says: the quotient of the one division that overflows wraps,
/// that by zero is -1, and its remainder the dividend.
static bool isPlainDivision(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
static int64_t wrappingDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a / b : b == 0 ? -1 : a;
}
static int64_t wrappingRemainder(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? a % b : b == 0 ? a : 0;
}
static int64_t wrappingCeilDivide(int64_t a, int64_t b) {
  return isPlainDivision(a, b) ? llvm::divideCeilSigned(a, b) : b == 0 ? -1 : a;
}

static double size(int64_t value) {
  return std::fabs(static_cast<double>(value));
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

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

void LaneMath::setConstant(const Instruction &instruction,
                           Lanes &target) const {
  for (unsigned i = 0; i < lanes; ++i) {
    if (instruction.isInteger)
      target.integer[i] = instruction.integer;
    else
      target.real[i] = instruction.real;
    target.uncertainty[i] =
        instruction.isUncertain ? std::fabs(instruction.real) : 0;
  }
}

void LaneMath::convertToReal(const Instruction &instruction, Lanes &target,
                             const Lanes &a) const {
  for (unsigned i = 0; i < lanes; ++i) {
    double value = static_cast<double>(a.integer[i]);
    if (instruction.isUncertain)
      target.uncertainty[i] =
          a.uncertainty[i] +
          (std::fabs(value) * roundoff > 1 ? std::fabs(value) : 0);
    target.real[i] = value;
  }
}

void LaneMath::castInteger(const Instruction &instruction, Lanes &target,
                           const Lanes &a) const {
  ElementType type = instruction.type;
  auto wrapTo = [&](int64_t value) {
    return decodeInteger(type, encodeInteger(type, value));
  };
  for (unsigned i = 0; i < lanes; ++i) {
    int64_t value = a.integer[i];
    double off = toDistance(a.uncertainty[i]);
    target.integer[i] = wrapTo(value);
    // Around the ends of the type, a value that is off a little wraps.
    constexpr double mostSteps = 1024;
    if (off == 0) {
      target.uncertainty[i] = 0;
    } else if (!(off <= mostSteps)) {
      target.uncertainty[i] = undefined;
    } else {
      double spread = 0;
      auto steps = static_cast<int64_t>(off);
      for (int64_t step = -steps; step <= steps; ++step)
        spread = std::fmax(spread,
                           size(wrapTo(wrap(uint64_t(value) + uint64_t(step))) -
                                target.integer[i]));
      target.uncertainty[i] = toUncertainty(spread);
    }
  }
}

void LaneMath::castToInteger(const Instruction &instruction, Lanes &target,
                             const Lanes &a) const {
  ElementType type = instruction.type;
  bool isBool = type == ElementType::I1;
  // As the language says: what does not fit becomes the nearest end of the
  // type, and a NaN 0; i1 is a test for zero.
  double limit = std::ldexp(1.0, 8 * getByteSize(type) - 1);
  auto convert = [&](double x) -> double {
    if (isBool)
      return x != 0;
    return std::isnan(x) ? 0 : std::clamp(std::trunc(x), -limit, limit);
  };
  for (unsigned i = 0; i < lanes; ++i) {
    double x = a.real[i];
    double value = convert(x);
    double off = toDistance(a.uncertainty[i]);
    double spread = off == 0 ? 0 : getMonotoneSpread(convert, x, value, off);
    // The test for zero is not monotone.
    if (isBool && off != 0 && std::fabs(x) <= off)
      spread = 1;
    target.uncertainty[i] =
        std::isfinite(off) ? toUncertainty(spread) : undefined;
    target.integer[i] = value == limit ? wrap(static_cast<uint64_t>(limit) - 1)
                                       : static_cast<int64_t>(value);
  }
}

/// The kernel rounds here too: its result differs only where its operand may
/// lie on the other side of the middle of two numbers.
void LaneMath::castToReal(const Instruction &instruction, Lanes &target,
                          const Lanes &a) const {
  ElementType type = instruction.type;
  auto round = [&](double x) { return decodeReal(type, encodeReal(type, x)); };
  for (unsigned i = 0; i < lanes; ++i) {
    double x = a.real[i];
    double value = round(x);
    double spread = 0;
    if (a.uncertainty[i] != 0)
      spread = getMonotoneSpread(round, x, value,
                                 toDistance(a.uncertainty[i]) + flushed);
    bool isDefined = std::isfinite(spread);
    target.uncertainty[i] = isDefined ? toUncertainty(spread) : undefined;
    target.real[i] = isDefined ? value : 0;
  }
}

void LaneMath::cast(const Instruction &instruction, Lanes &target,
                    const Lanes &a) const {
  if (instruction.isInteger)
    return castInteger(instruction, target, a);
  if (isInteger(instruction.type))
    return castToInteger(instruction, target, a);
  return castToReal(instruction, target, a);
}

/// The kernel rounds this value, perhaps times a factor.
void LaneMath::keepWithin(const Instruction &instruction, Lanes &target,
                          const Lanes &a) const {
  double relative = getUnitRoundoff(instruction.type);
  double absolute = getSmallestDenormal(instruction.type) / 2;
  for (unsigned i = 0; i < lanes; ++i) {
    double value = a.real[i];
    double largest = std::fabs(value) + toDistance(a.uncertainty[i]);
    target.uncertainty[i] =
        std::isfinite(value)
            ? a.uncertainty[i] + toUncertainty(largest * relative + absolute)
            : 0;
    target.real[i] = value;
  }
}

/// An index that is not in its range becomes one that is, so that it can be
/// used.
void LaneMath::checkIndex(const Instruction &instruction, Lanes &target,
                          const Lanes &a) const {
  for (unsigned i = 0; i < lanes; ++i) {
    int64_t value = a.integer[i];
    bool isInside = instruction.integer <= value &&
                    value <= instruction.limit && a.uncertainty[i] == 0;
    target.integer[i] = isInside ? value : instruction.integer;
    target.uncertainty[i] = isInside ? 0 : undefined;
  }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Of numbers that are off by as much as they differ, each outcome is right.
void LaneMath::compare(const Instruction &instruction, Lanes &target,
                       const Lanes &a, const Lanes &b) const {
  auto holds = [op = instruction.op](auto x, auto y) {
    switch (op) {
    case Opcode::Less:
      return x < y;
    case Opcode::LessEqual:
      return x <= y;
    case Opcode::Equal:
      return x == y;
    case Opcode::NotEqual:
      return x != y;
    default:
      llvm_unreachable("no comparison");
    }
  };
  for (unsigned i = 0; i < lanes; ++i) {
    bool result = instruction.isInteger ? holds(a.integer[i], b.integer[i])
                                        : holds(a.real[i], b.real[i]);
    if (instruction.isUncertain) {
      double off = toDistance(a.uncertainty[i] + b.uncertainty[i]);
      double distance =
          instruction.isInteger
              ? std::fabs(double(a.integer[i]) - double(b.integer[i]))
              : std::fabs(a.real[i] - b.real[i]);
      target.uncertainty[i] = !std::isfinite(off)           ? undefined
                              : off != 0 && distance <= off ? toUncertainty(1)
                                                            : 0;
    }
    target.integer[i] = result;
  }
}

/// Where the condition may have gone either way, the result may be either
/// operand.
void LaneMath::select(const Instruction &instruction, Lanes &target,
                      const Lanes &condition, const Lanes &a,
                      const Lanes &b) const {
  for (unsigned i = 0; i < lanes; ++i) {
    bool takesFirst = condition.integer[i] != 0;
    const Lanes &taken = takesFirst ? a : b;
    double uncertainty = taken.uncertainty[i];
    double off = toDistance(condition.uncertainty[i]);
    bool isOpen = off != 0 && size(condition.integer[i]) <= off;
    if (instruction.isInteger) {
      int64_t value = taken.integer[i];
      if (isOpen)
        uncertainty =
            std::max(known(a.uncertainty[i]), known(b.uncertainty[i])) +
            toUncertainty(
                std::fabs(double(a.integer[i]) - double(b.integer[i])));
      target.integer[i] = value;
    } else {
      double value = taken.real[i];
      double x = a.real[i], y = b.real[i];
      bool isSame = x == y || (std::isnan(x) && std::isnan(y));
      if (isOpen && !isSame) {
        uncertainty =
            std::max(known(a.uncertainty[i]), known(b.uncertainty[i])) +
            toUncertainty(std::fabs(x - y));
        // A number or none: nothing is known.
        if (!std::isfinite(uncertainty)) {
          uncertainty = undefined;
          value = 0;
        }
      }
      target.real[i] = value;
    }
    if (instruction.isUncertain)
      target.uncertainty[i] = std::isfinite(off) ? uncertainty : undefined;
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
