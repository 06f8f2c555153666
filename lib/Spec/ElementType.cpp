//===- ElementType.cpp - The element types of tensors and scalars ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/ElementType.h"
#include "tilewright/Spec/ElementCodec.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::spec;

llvm::StringRef spec::getName(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "i1";
  case ElementType::I8:
    return "i8";
  case ElementType::I16:
    return "i16";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  case ElementType::F8E4M3:
    return "f8e4m3";
  case ElementType::F8E5M2:
    return "f8e5m2";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  }
  llvm_unreachable("not an element type");
}

std::optional<ElementType> spec::parseElementType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Case("i1", ElementType::I1)
      .Case("i8", ElementType::I8)
      .Case("i16", ElementType::I16)
      .Case("i32", ElementType::I32)
      .Case("i64", ElementType::I64)
      .Case("f8e4m3", ElementType::F8E4M3)
      .Case("f8e5m2", ElementType::F8E5M2)
      .Case("f16", ElementType::F16)
      .Case("bf16", ElementType::BF16)
      .Case("f32", ElementType::F32)
      .Case("f64", ElementType::F64)
      .Default(std::nullopt);
}

unsigned spec::getByteSize(ElementType type) {
  return dispatchElementType(type, [](auto codec) -> unsigned {
    return sizeof(typename decltype(codec)::Storage);
  });
}

unsigned spec::getBitWidth(ElementType type) {
  return type == ElementType::I1 ? 1 : 8 * getByteSize(type);
}

int64_t spec::decodeInteger(ElementType type, uint64_t bits) {
  return dispatchElementType(type, [&](auto codec) -> int64_t {
    using Codec = decltype(codec);
    if constexpr (Codec::isInteger)
      return Codec::decode(static_cast<typename Codec::Storage>(bits));
    llvm_unreachable("a float type");
  });
}

uint64_t spec::encodeInteger(ElementType type, int64_t value) {
  return dispatchElementType(type, [&](auto codec) -> uint64_t {
    using Codec = decltype(codec);
    if constexpr (Codec::isInteger)
      return Codec::encode(value);
    llvm_unreachable("a float type");
  });
}

std::optional<uint64_t> spec::encodeGivenInteger(ElementType type,
                                                 bool isNegative,
                                                 uint64_t magnitude) {
  unsigned width = getBitWidth(type);
  uint64_t most = isNegative ? uint64_t(1) << (width - 1)
                             : llvm::maskTrailingOnes<uint64_t>(width);
  if (magnitude > most)
    return std::nullopt;
  uint64_t value = isNegative ? 0 - magnitude : magnitude;
  return encodeInteger(type, static_cast<int64_t>(value));
}

double spec::decodeReal(ElementType type, uint64_t bits) {
  return dispatchElementType(type, [&](auto codec) -> double {
    using Codec = decltype(codec);
    if constexpr (!Codec::isInteger)
      return Codec::decode(static_cast<typename Codec::Storage>(bits));
    llvm_unreachable("an integer type");
  });
}

uint64_t spec::encodeReal(ElementType type, double value) {
  return dispatchElementType(type, [&](auto codec) -> uint64_t {
    using Codec = decltype(codec);
    if constexpr (!Codec::isInteger)
      return Codec::encode(value);
    llvm_unreachable("an integer type");
  });
}

std::optional<uint64_t> spec::encodeGivenReal(ElementType type, double value) {
  // All types have these, and launches are to be quick.
  constexpr double commonLimit = 256;
  if (LLVM_LIKELY(std::fabs(value) <= commonLimit))
    return encodeReal(type, value);
  double largest = getLargestFinite(type);
  uint64_t largestBits = encodeReal(type, largest);
  if (std::isinf(value)) {
    if (type == ElementType::F8E4M3)
      return std::nullopt;
    // Encoding saturates where PTX does; infinity follows the largest.
    return encodeReal(type, std::copysign(largest, value)) + 1;
  }
  // A tie goes to the even one. Of f64 the limit is infinity.
  double limit = largest + (largest - decodeReal(type, largestBits - 1)) / 2;
  bool isTieTooLarge = (largestBits & 1) != 0;
  if (std::fabs(value) > limit || (std::fabs(value) == limit && isTieTooLarge))
    return std::nullopt;
  return encodeReal(type, value);
}

bool spec::isNaN(ElementType type, uint64_t bits) {
  return dispatchElementType(type, [&](auto codec) -> bool {
    using Codec = decltype(codec);
    if constexpr (!Codec::isInteger)
      return Codec::isNaN(static_cast<typename Codec::Storage>(bits));
    return false;
  });
}

/// The bits of 1.0 and of the largest finite number, from which the limits of a
/// format follow.
static uint64_t getOneBits(ElementType type) { return encodeReal(type, 1.0); }

double spec::getUnitRoundoff(ElementType type) {
  if (isInteger(type))
    return 0;
  return (decodeReal(type, getOneBits(type) + 1) - 1.0) / 2;
}

double spec::getSmallestDenormal(ElementType type) {
  return decodeReal(type, 1);
}

double spec::getLargestFinite(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return decodeReal(type, F8E4M3Codec::largestFinite);
  case ElementType::F8E5M2:
    return decodeReal(type, F8E5M2Codec::largestFinite);
  default:
    // The number below infinity, whose bits are one less.
    return decodeReal(type, encodeReal(type, HUGE_VAL) - 1);
  }
}

std::string spec::formatElement(ElementType type, uint64_t bits) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isInteger(type))
    os << decodeInteger(type, bits);
  else
    os << llvm::format(type == ElementType::F64 ? "%.17g" : "%.9g",
                       decodeReal(type, bits));
  return text;
}

uint64_t spec::readElement(ElementType type, const void *address) {
  return dispatchElementType(type, [&](auto codec) -> uint64_t {
    return decltype(codec)::load(address, 0);
  });
}

void spec::writeElement(ElementType type, void *address, uint64_t bits) {
  dispatchElementType(type, [&](auto codec) {
    using Codec = decltype(codec);
    Codec::store(address, 0, static_cast<typename Codec::Storage>(bits));
  });
}
