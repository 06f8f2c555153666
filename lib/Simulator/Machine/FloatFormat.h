//===- FloatFormat.h - Exact arithmetic and rounding for PTX ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation on f16, bf16, tf32, fp8 or f32 is computed in double
// without losing anything that matters, then rounded once to its format:
//
//   odd sum of a * b + c in double    the exact value, rounded to odd
//   roundTo(format, value, mode)      the bits, as PTX defines them
//
// Rounding to odd (a result that is not exact gets an odd last bit) keeps the
// second rounding right if the double has at least two bits more than the
// format (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
// proved algorithms using rounding to odd", IEEE TC 2008).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_FLOATFORMAT_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_FLOATFORMAT_H

#include "Ptx/Type.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>

namespace tilewright::sim {

enum class Rounding : uint8_t {
  NearestEven, ///< .rn
  NearestAway, ///< .rna
  Zero,        ///< .rz
  Down,        ///< .rm
  Up           ///< .rp
};

/// A binary format with a sign, `exponentBits` and `mantissaBits` (without
/// the implicit one).
struct FloatFormat {
  unsigned exponentBits;
  unsigned mantissaBits;
  uint32_t nan; ///< what PTX operations return for NaN
  /// e4m3 has no infinity: its all-ones exponent holds ordinary values, and
  /// only the all-ones mantissa there is NaN.
  bool isFinite = false;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  uint32_t signBit() const { return uint32_t(1) << (bits() - 1); }
  uint32_t infinity() const {
    return ((uint32_t(1) << exponentBits) - 1) << mantissaBits;
  }
  uint32_t largest() const { return isFinite ? nan - 1 : infinity() - 1; }
};

constexpr FloatFormat formatF32 = {8, 23, 0x7fffffff};
constexpr FloatFormat formatF16 = {5, 10, 0x7fff};
constexpr FloatFormat formatBF16 = {8, 7, 0x7fff};
/// As a 19-bit number; PTX keeps it in the upper bits of 32.
constexpr FloatFormat formatTF32 = {8, 10, 0x3ffff};
constexpr FloatFormat formatE5M2 = {5, 2, 0x7f};
constexpr FloatFormat formatE4M3 = {4, 3, 0x7f, true};

/// The bits of `value` in `format`. Overflow gives infinity, or the largest
/// number when `saturate` or the mode rounds toward zero there, or for a
/// finite format NaN.
uint32_t roundTo(const FloatFormat &format, double value,
                 Rounding mode = Rounding::NearestEven, bool saturate = false);

/// The value of `bits`; exact. NaN becomes a quiet NaN.
double valueOf(const FloatFormat &format, uint32_t bits);

/// Round-to-odd results: see the top of the file.
double oddAdd(double a, double b);
/// `a` and `b` must have an exact product in double.
inline double oddFma(double a, double b, double c) { return oddAdd(a * b, c); }
double oddDiv(double a, double b);
double oddSqrt(double a);

inline float f16Value(uint16_t bits) {
  return static_cast<float>(valueOf(formatF16, bits));
}
inline float bf16Value(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

/// Flush subnormals to zero of the same sign (.ftz).
inline float flush(float value) {
  const uint32_t bits = llvm::bit_cast<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? llvm::bit_cast<float>(bits & 0x80000000)
                                  : value;
}

/// `.sat`: to [0, 1], NaN to 0.
template <class T> inline T saturate01(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

/// The NaN that f32 operations return.
inline float canonical(float value) {
  return value != value ? llvm::bit_cast<float>(uint32_t(0x7fffffff)) : value;
}

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_FLOATFORMAT_H
