//===- ElementCodec.h - Inline conversions for hot loops --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions of ElementType.h with the type known at compile time, and a
// dispatch that lifts a run-time type out of a loop:
//
//   dispatchElementType(type, [&](auto codec) {
//     for (size_t i = 0; i < n; ++i)
//       out[i] = codec.decode(codec.load(data, i));
//   });
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_ELEMENTCODEC_H
#define TILEWRIGHT_SPEC_ELEMENTCODEC_H

#include "tilewright/Spec/ElementType.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>
#include <type_traits>

namespace tilewright::spec {

/// Loads and stores shared by every codec. The bytes need no alignment.
template <typename StorageT> struct CodecStorage {
  using Storage = StorageT;

  static Storage load(const void *data, uint64_t index) {
    Storage bits;
    std::memcpy(&bits,
                static_cast<const char *>(data) + index * sizeof(Storage),
                sizeof(Storage));
    return bits;
  }
  static void store(void *data, uint64_t index, Storage bits) {
    std::memcpy(static_cast<char *>(data) + index * sizeof(Storage), &bits,
                sizeof(Storage));
  }
};

/// Two's complement integers. i1 reads as an unsigned byte.
template <typename Storage, bool isBool = false>
struct IntegerCodec : CodecStorage<Storage> {
  static constexpr bool isInteger = true;

  static int64_t decode(Storage bits) {
    if (isBool)
      return static_cast<uint8_t>(bits);
    return static_cast<std::make_signed_t<Storage>>(bits);
  }
  static Storage encode(int64_t value) {
    if (isBool)
      return value != 0;
    return static_cast<Storage>(value);
  }
};

/// Floats of at most 16 bits. \p hasInfinity: the top exponent holds infinity
/// and NaNs as IEEE 754 says; without it only the top exponent with an all-ones
/// mantissa is special: NaN. \p saturates: too large a number, infinity among
/// them, becomes the largest finite one.
template <typename StorageT, int exponentBits, int mantissaBits,
          bool hasInfinity, bool saturates>
struct SmallFloatCodec : CodecStorage<StorageT> {
  using Storage = StorageT;
  static constexpr bool isInteger = false;
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr unsigned topExponent = (1u << exponentBits) - 1;
  static constexpr unsigned mantissaMask = (1u << mantissaBits) - 1;
  static constexpr unsigned signShift = exponentBits + mantissaBits;
  static constexpr unsigned magnitudeMask = (1u << signShift) - 1;
  static constexpr unsigned infinity = topExponent << mantissaBits;
  static constexpr unsigned quietNaN =
      hasInfinity ? infinity | 1u << (mantissaBits - 1) : magnitudeMask;
  static constexpr unsigned largestFinite =
      hasInfinity ? infinity - 1 : magnitudeMask - 1;

  static bool isNaN(Storage bits) {
    unsigned magnitude = bits & magnitudeMask;
    return hasInfinity ? magnitude > infinity : magnitude == magnitudeMask;
  }

  static double decode(Storage bits) {
    unsigned magnitude = bits & magnitudeMask;
    unsigned exponent = magnitude >> mantissaBits;
    uint64_t sign = static_cast<uint64_t>(bits >> signShift & 1) << 63;
    uint64_t wide;
    if (exponent == 0) {
      double value = magnitude * powerOfTwo(1 - bias - mantissaBits);
      wide = llvm::bit_cast<uint64_t>(value);
    } else {
      uint64_t wideExponent = exponent - bias + 1023;
      if ((hasInfinity && exponent == topExponent) || isNaN(bits))
        wideExponent = 2047;
      wide =
          wideExponent << 52 | static_cast<uint64_t>(magnitude & mantissaMask)
                                   << (52 - mantissaBits);
    }
    return llvm::bit_cast<double>(wide | sign);
  }

  static Storage encode(double value) {
    uint64_t wide = llvm::bit_cast<uint64_t>(value);
    unsigned sign = static_cast<unsigned>(wide >> 63) << signShift;
    int exponent = static_cast<int>(wide >> 52 & 2047) - 1023;
    uint64_t fraction = wide & ((uint64_t(1) << 52) - 1);
    if (exponent == 1024)
      return sign | (fraction ? quietNaN : overflow());

    // Bits of the 53-bit significand below the result's last place.
    int dropped = 52 - mantissaBits;
    if (exponent < 1 - bias)
      dropped += 1 - bias - exponent;
    if (dropped > 53)
      return sign; // Less than half the smallest denormal.
    uint64_t significand = fraction | uint64_t(1) << 52;
    uint64_t kept = significand >> dropped;
    uint64_t rest = significand & ((uint64_t(1) << dropped) - 1);
    uint64_t half = uint64_t(1) << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
    // A carry out of the mantissa is the next exponent, by the format's design.
    int64_t base = exponent < 1 - bias
                       ? 0
                       : static_cast<int64_t>(exponent + bias - 1)
                             << mantissaBits;
    uint64_t magnitude = base + kept;
    return sign |
           (magnitude > largestFinite ? overflow()
                                      : static_cast<unsigned>(magnitude));
  }

private:
  static constexpr unsigned overflow() {
    return saturates || !hasInfinity ? largestFinite : infinity;
  }
  /// 2^exponent, for an exponent of double's normal range.
  static double powerOfTwo(int exponent) {
    return llvm::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
  }
};

/// float and double: the machine's own conversions round to nearest even.
template <typename Storage, typename Float>
struct WideFloatCodec : CodecStorage<Storage> {
  static constexpr bool isInteger = false;

  static double decode(Storage bits) { return llvm::bit_cast<Float>(bits); }
  static Storage encode(double value) {
    return llvm::bit_cast<Storage>(static_cast<Float>(value));
  }
  static bool isNaN(Storage bits) {
    Float value = llvm::bit_cast<Float>(bits);
    return value != value;
  }
};

using I1Codec = IntegerCodec<uint8_t, /*isBool=*/true>;
using I8Codec = IntegerCodec<uint8_t>;
using I16Codec = IntegerCodec<uint16_t>;
using I32Codec = IntegerCodec<uint32_t>;
using I64Codec = IntegerCodec<uint64_t>;
using F8E4M3Codec = SmallFloatCodec<uint8_t, 4, 3, false, true>;
using F8E5M2Codec = SmallFloatCodec<uint8_t, 5, 2, true, true>;
using F16Codec = SmallFloatCodec<uint16_t, 5, 10, true, false>;
using BF16Codec = SmallFloatCodec<uint16_t, 8, 7, true, false>;
using F32Codec = WideFloatCodec<uint32_t, float>;
using F64Codec = WideFloatCodec<uint64_t, double>;

/// Calls \p fn with the codec of \p type and returns what it returns.
template <typename Fn>
decltype(auto) dispatchElementType(ElementType type, Fn &&fn) {
  switch (type) {
  case ElementType::I1:
    return fn(I1Codec());
  case ElementType::I8:
    return fn(I8Codec());
  case ElementType::I16:
    return fn(I16Codec());
  case ElementType::I32:
    return fn(I32Codec());
  case ElementType::I64:
    return fn(I64Codec());
  case ElementType::F8E4M3:
    return fn(F8E4M3Codec());
  case ElementType::F8E5M2:
    return fn(F8E5M2Codec());
  case ElementType::F16:
    return fn(F16Codec());
  case ElementType::BF16:
    return fn(BF16Codec());
  case ElementType::F32:
    return fn(F32Codec());
  case ElementType::F64:
    return fn(F64Codec());
  }
  llvm_unreachable("not an element type");
}

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_ELEMENTCODEC_H
