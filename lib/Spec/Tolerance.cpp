//===- Tolerance.cpp - Whether a result is right --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/Tolerance.h"
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::spec;

Matcher::Matcher(const ReferenceProgram &program, double factor)
    : type(program.getOutputType()), movesElements(program.movesElements()),
      factorTimesRoundoff(factor * program.getRoundoff()) {
  bool computesInF64 =
      program.getRoundoff() == getUnitRoundoff(ElementType::F64);
  flushed = computesInF64 ? std::numeric_limits<double>::min()
                          : std::numeric_limits<float>::min();
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

double Matcher::getSlack(const ReferenceValue &reference) const {
  if (reference.uncertainty == 0)
    return 0;
  return factorTimesRoundoff * reference.uncertainty +
         (isInteger(type) ? 0 : flushed);
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
  if (reference.uncertainty == 0 && std::isfinite(rounded))
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
  return reference.uncertainty != 0 &&
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
