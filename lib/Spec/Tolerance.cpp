//===- Tolerance.cpp - Whether a result is right --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/Tolerance.h"
#include "tilewright/Spec/SpecError.h"
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

llvm::Expected<Tolerance> Tolerance::parse(llvm::StringRef text) {
  Tolerance tolerance;
  auto [relative, absolute] = text.split(',');
  auto isNumber = [](llvm::StringRef number, double &value) {
    return !number.trim().getAsDouble(value) && std::isfinite(value) &&
           value >= 0;
  };
  bool isPair = text.contains(',');
  if (isNumber(relative, tolerance.relative) &&
      (!isPair || isNumber(absolute, tolerance.absolute)))
    return tolerance;
  return makeSpecError("a tolerance is REL or REL,ABS, numbers that are not "
                       "negative, such as 1e-3 or 1e-3,1e-5; '" +
                       text + "' is none");
}

Matcher::Matcher(const ReferenceProgram &program, Tolerance tolerance)
    : type(program.getOutputType()),
      movesElements(program.movesElements() && tolerance.isNone()),
      unit(toleranceFactor * program.getRoundoff()),
      flushed(getFlushed(program.getRoundoff())), tolerance(tolerance) {
  if (isInteger(type))
    return;
  unitRoundoff = getUnitRoundoff(type);
  smallestDenormal = getSmallestDenormal(type);
  double largest = getLargestFinite(type);
  bool hasOverflow = std::isinf(decodeReal(type, encodeReal(type, HUGE_VAL)));
  // Halfway between the largest number and the one that would follow it, whose
  // distance is 2 * roundoff * the power of two below.
  overflow = hasOverflow
                 ? largest + unitRoundoff * std::exp2(std::ilogb(largest))
                 : HUGE_VAL;
}

bool Matcher::isUndefined(const ReferenceValue &reference) const {
  return !std::isfinite(reference.uncertainty);
}

uint64_t Matcher::encode(const ReferenceValue &reference) const {
  return isInteger(type) ? encodeInteger(type, reference.integer)
                         : encodeReal(type, reference.real);
}

double Matcher::getAllowed(const ReferenceValue &reference) const {
  double value =
      isInteger(type) ? static_cast<double>(reference.integer) : reference.real;
  return tolerance.isNone() || !std::isfinite(value)
             ? 0
             : tolerance.relative * std::fabs(value) + tolerance.absolute;
}

double Matcher::getSlack(const ReferenceValue &reference) const {
  double allowed = getAllowed(reference);
  if (reference.uncertainty == 0)
    return allowed;
  return unit * reference.uncertainty + (isInteger(type) ? 0 : flushed) +
         allowed;
}

/// Whether the reference is larger than every number of a type whose numbers
/// end without an infinity.
bool Matcher::isSaturated(const ReferenceValue &reference) const {
  return overflow == HUGE_VAL &&
         std::fabs(reference.real) > getLargestFinite(type);
}

double Matcher::getRounding(const ReferenceValue &reference) const {
  double value = std::fabs(reference.real);
  if (isInteger(type) || !std::isfinite(value) || isSaturated(reference))
    return 0;
  double rounded = std::fabs(decodeReal(type, encode(reference)));
  if (getSlack(reference) == 0 && std::isfinite(rounded))
    return std::fabs(rounded - value);
  // Numbers from 2^e to 2^(e+1) are 2 * roundoff * 2^e apart.
  double largest = value + getSlack(reference);
  double half = largest > 0 && std::isfinite(largest)
                    ? std::ldexp(unitRoundoff, std::ilogb(largest))
                    : largest;
  return std::max(half, smallestDenormal / 2);
}

double Matcher::getBound(const ReferenceValue &reference) const {
  return getSlack(reference) + getRounding(reference);
}

double Matcher::getError(uint64_t gotBits,
                         const ReferenceValue &reference) const {
  if (isInteger(type))
    return std::fabs(
        static_cast<double>(decodeInteger(type, gotBits)) -
        static_cast<double>(decodeInteger(type, encode(reference))));
  double got = decodeReal(type, gotBits);
  double expected = decodeReal(type, encode(reference));
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0;
  double error =
      std::fabs(got - (std::isfinite(expected) ? reference.real : expected));
  return std::isnan(error) ? HUGE_VAL : error;
}

bool Matcher::matchesInteger(uint64_t gotBits,
                             const ReferenceValue &reference) const {
  if (gotBits == encode(reference))
    return true;
  return getSlack(reference) != 0 &&
         getError(gotBits, reference) <= getBound(reference);
}

bool Matcher::matchesReal(uint64_t gotBits,
                          const ReferenceValue &reference) const {
  uint64_t expectedBits = encode(reference);
  if (gotBits == expectedBits)
    return true;
  bool expectsNaN = isNaN(type, expectedBits);
  if (expectsNaN || isNaN(type, gotBits))
    return expectsNaN && isNaN(type, gotBits);
  if (movesElements)
    return false;

  double got = decodeReal(type, gotBits);
  if (std::isinf(got))
    return std::isfinite(reference.real) &&
           std::signbit(got) == std::signbit(reference.real) &&
           std::fabs(reference.real) + getSlack(reference) >= overflow;
  double expected = decodeReal(type, expectedBits);
  if (!std::isfinite(reference.real))
    return got == expected;
  double target = isSaturated(reference) ? expected : reference.real;
  return std::fabs(got - target) <= getBound(reference);
}

bool Matcher::matches(uint64_t gotBits, const ReferenceValue &reference) const {
  if (isUndefined(reference))
    return true;
  return isInteger(type) ? matchesInteger(gotBits, reference)
                         : matchesReal(gotBits, reference);
}
