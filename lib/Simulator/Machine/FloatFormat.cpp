//===- FloatFormat.cpp - Exact arithmetic and rounding for PTX ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/FloatFormat.h"
#include <limits>

namespace tilewright::sim {

/// True if a magnitude that lies `rest` above `kept` (with half a unit at
/// `half`) is rounded up.
static bool roundsUp(uint64_t kept, uint64_t rest, uint64_t half, bool negative,
                     Rounding mode) {
  switch (mode) {
  case Rounding::NearestEven:
    return rest > half || (rest == half && (kept & 1));
  case Rounding::NearestAway:
    return rest >= half;
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return negative && rest != 0;
  case Rounding::Up:
    return !negative && rest != 0;
  }
  return false;
}

static uint32_t overflow(const FloatFormat &format, bool negative,
                         Rounding mode, bool saturate) {
  const bool towardZero = mode == Rounding::Zero ||
                          (mode == Rounding::Down && !negative) ||
                          (mode == Rounding::Up && negative);
  if (saturate || towardZero)
    return format.largest();
  return format.isFinite ? format.nan : format.infinity();
}

uint32_t roundTo(const FloatFormat &format, double value, Rounding mode,
                 bool saturate) {
  if (value != value)
    return format.nan;
  // The host has this one.
  if (format.bits() == 32 && mode == Rounding::NearestEven && !saturate)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  const uint64_t bits = llvm::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const uint32_t sign = negative ? format.signBit() : 0;
  const uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  if (magnitude == 0)
    return sign;
  if (std::isinf(value))
    return sign |
           (saturate ? format.largest()
                     : (format.isFinite ? format.nan : format.infinity()));

  // value = significand * 2^(exponent - 52), with the leading one at bit 52;
  // doubles that are subnormal are far below every format's range.
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const uint64_t significand =
      (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
  const int smallest = 1 - format.bias();
  const int mantissa = static_cast<int>(format.mantissaBits);
  const int unit = (exponent > smallest ? exponent : smallest) - mantissa;
  const int drop = unit - (exponent - 52);
  uint64_t kept = 0, rest = 1, half = 2; // far below half a unit
  if (drop < 64) {
    kept = drop == 0 ? significand : significand >> drop;
    rest = significand & ((uint64_t(1) << drop) - 1);
    half = drop == 0 ? 1 : uint64_t(1) << (drop - 1);
  }
  kept += roundsUp(kept, rest, half, negative, mode);
  // `kept` includes the implicit one, which counts as one exponent step.
  const int field = exponent > smallest ? exponent - smallest : 0;
  const uint64_t result = (uint64_t(field) << mantissa) + kept;
  if (result > format.largest())
    return sign | overflow(format, negative, mode, saturate);
  return sign | static_cast<uint32_t>(result);
}

double valueOf(const FloatFormat &format, uint32_t bits) {
  const bool negative = bits & format.signBit();
  const uint32_t magnitude = bits & (format.signBit() - 1);
  const uint32_t mantissa =
      magnitude & ((uint32_t(1) << format.mantissaBits) - 1);
  const int field = static_cast<int>(magnitude >> format.mantissaBits);
  double value = 0;
  if (format.isFinite ? magnitude == format.nan : magnitude > format.infinity())
    return std::numeric_limits<double>::quiet_NaN();
  if (!format.isFinite && magnitude == format.infinity()) {
    value = std::numeric_limits<double>::infinity();
  } else if (field == 0) {
    value = std::ldexp(mantissa, 1 - format.bias() -
                                     static_cast<int>(format.mantissaBits));
  } else {
    const uint64_t wide = uint64_t(field - format.bias() + 1023) << 52 |
                          uint64_t(mantissa) << (52 - format.mantissaBits);
    value = llvm::bit_cast<double>(wide);
  }
  return negative ? -value : value;
}

/// `nearest` is a correctly rounded result and `residual` has the sign of the
/// exact result minus it: of the two neighbours, take the odd one.
static double makeOdd(double nearest, double residual) {
  const uint64_t bits = llvm::bit_cast<uint64_t>(nearest);
  if (residual == 0 || (bits & 1) || !std::isfinite(nearest))
    return nearest;
  const bool away = (residual > 0) == !(bits >> 63);
  return llvm::bit_cast<double>(away ? bits + 1 : bits - 1);
}

double oddAdd(double a, double b) {
  // TwoSum (Knuth): the error of a floating-point sum is itself a number.
  const double sum = a + b;
  if (!std::isfinite(sum) || sum == 0)
    return sum;
  const double bPart = sum - a;
  const double error = (a - (sum - bPart)) + (b - bPart);
  return makeOdd(sum, error);
}

double oddDiv(double a, double b) {
  const double quotient = a / b;
  if (!std::isfinite(quotient) || !std::isfinite(b) || quotient == 0)
    return quotient;
  const double residual = std::fma(-quotient, b, a);
  return makeOdd(quotient, b < 0 ? -residual : residual);
}

double oddSqrt(double a) {
  const double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0)
    return root;
  return makeOdd(root, std::fma(-root, root, a));
}

} // namespace tilewright::sim
