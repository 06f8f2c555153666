//===- ElementType.h - The element types of tensors and scalars -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types an element may have in global memory, and the conversions between
// their bits and host numbers. Every format widens exactly (integers to
// int64_t, floats to double); narrowing rounds to nearest, ties to even:
//
//   encodeReal(ElementType::F16, 0.1)     == 0x2e66
//   decodeReal(ElementType::F16, 0x2e66)  == 0.0999755859375
//
// Narrowing to an 8-bit float saturates at the largest finite number, as PTX's
// only conversion to these formats does (cvt.rn.satfinite, PTX ISA 9.7.9.22).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_ELEMENTTYPE_H
#define TILEWRIGHT_SPEC_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::spec {

enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E4M3, ///< E4M3FN: no infinity, one NaN pattern, largest 448.
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

/// Every type's name, in the order of the enumeration, for error messages.
inline constexpr llvm::StringLiteral elementTypeNames =
    "i1, i8, i16, i32, i64, f8e4m3, f8e5m2, f16, bf16, f32, f64";

/// "f16" and so on.
llvm::StringRef getName(ElementType type);
/// The type of that name; nothing for any other text.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// Bytes of one element in memory (an i1 takes a byte).
unsigned getByteSize(ElementType type);
/// Bits of one element as a number: 1 of an i1.
unsigned getBitWidth(ElementType type);

inline bool isInteger(ElementType type) { return type <= ElementType::I64; }
inline bool isReal(ElementType type) { return !isInteger(type); }

/// The integer of these bits. \p type is an integer type; i1 gives the whole
/// byte, so that a byte that is neither 0 nor 1 is seen.
int64_t decodeInteger(ElementType type, uint64_t bits);
/// The low bits of \p value (i1: 1 unless it is 0).
uint64_t encodeInteger(ElementType type, int64_t value);

/// The bits of an integer that someone gives for one of \p type. A kernel's
/// integers have no sign, so that N bits take -2^(N-1), the least with one, to
/// 2^N - 1, the largest without; nothing for any other.
std::optional<uint64_t> encodeGivenInteger(ElementType type, bool isNegative,
                                           uint64_t magnitude);

/// The number of these bits, exactly. \p type is a float type.
double decodeReal(ElementType type, uint64_t bits);
/// \p value rounded to \p type. NaN gives a quiet NaN.
uint64_t encodeReal(ElementType type, double value);

/// The bits of a number that someone gives for one of \p type, rounded to it.
/// Nothing for a finite number that is nearer to the one which would follow the
/// largest than to the largest, and for an infinity that the type has not: they
/// are not what was given.
std::optional<uint64_t> encodeGivenReal(ElementType type, double value);

/// Whether the bits are a NaN of \p type; false for an integer type.
bool isNaN(ElementType type, uint64_t bits);

/// Half the distance from 1 to the next number: the largest relative error of
/// rounding to \p type in its normal range. 0 for an integer type.
double getUnitRoundoff(ElementType type);
/// The smallest positive number of a float type.
double getSmallestDenormal(ElementType type);
/// The largest finite number of a float type.
double getLargestFinite(ElementType type);

/// The number as text, with enough digits that different ones read differently.
std::string formatElement(ElementType type, uint64_t bits);

/// Reads the element at \p address, which needs no alignment.
uint64_t readElement(ElementType type, const void *address);
/// Writes the low bits of \p bits as the element at \p address.
void writeElement(ElementType type, void *address, uint64_t bits);

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_ELEMENTTYPE_H
