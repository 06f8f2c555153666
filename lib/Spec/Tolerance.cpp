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

double Matcher::getBound(const ReferenceValue &reference) const {
  double bound = factorTimesRoundoff * reference.uncertainty;
  if (isInteger(type))
    return bound;
  if (reference.uncertainty != 0)
    bound += flushed;
  double rounded = decodeReal(type, encode(reference));
  if (rounded != reference.real)
    bound += std::max(unitRoundoff * std::fabs(reference.real),
                      smallestDenormal / 2);
  return bound;
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
  double expected = decodeReal(type, expectedBits);
  double bound = getBound(reference);
  if (std::isinf(got))
    return std::isfinite(reference.real) &&
           std::signbit(got) == std::signbit(reference.real) &&
           std::fabs(reference.real) + bound >= overflow;
  if (!std::isfinite(reference.real))
    return got == expected;
  // A reference beyond the type's range: where it may round to the largest
  // number, or saturates there, that is right too.
  double target = reference.real;
  if (overflow == HUGE_VAL && std::fabs(target) > std::fabs(expected))
    target = expected;
  return std::fabs(got - target) <= bound;
}

bool Matcher::matches(uint64_t gotBits, const ReferenceValue &reference) const {
  if (isUndefined(reference))
    return true;
  return isInteger(type) ? matchesInteger(gotBits, reference)
                         : matchesReal(gotBits, reference);
}
