//===- LaneConversions.cpp - Conversions and choice on lanes --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "MathFunctions.h"
#include "tilewright/Spec/ElementCodec.h"
#include <algorithm>

using namespace tilewright;
using namespace tilewright::spec;

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
