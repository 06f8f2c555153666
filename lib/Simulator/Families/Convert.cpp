//===- Convert.cpp - cvt --------------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/FloatFormat.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// What a `cvt` says besides its types.
enum class Integral : uint8_t { No, Nearest, Zero, Down, Up };
struct Conversion {
  Type to;
  Type from;
  Rounding rounding;
  Integral integral;
  bool ftz;
  bool sat;
  bool satfinite;
  bool relu;
};
static_assert(sizeof(Conversion) <= sizeof(Instr::attr));

Conversion conversionOf(const Instr &instr) {
  Conversion c;
  std::memcpy(&c, instr.attr.data(), sizeof(c));
  return c;
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

/// The format of a type narrower than f64; of the element, if it is packed.
const FloatFormat &formatOf(Type type) {
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return formatF16;
  case Type::BF16:
  case Type::BF16x2:
    return formatBF16;
  case Type::TF32:
    return formatTF32;
  case Type::E4M3:
  case Type::E4M3x2:
    return formatE4M3;
  case Type::E5M2:
  case Type::E5M2x2:
    return formatE5M2;
  default:
    return formatF32;
  }
}

/// Sign- or zero-extends the low bits of an integer type.
uint64_t extend(uint64_t bits, Type type) {
  const unsigned shift = 64 - typeBits(type);
  return isSigned(type) ? static_cast<uint64_t>(
                              static_cast<int64_t>(bits << shift) >> shift)
                        : bits << shift >> shift;
}

double loadFloat(uint64_t bits, const Conversion &c) {
  switch (c.from) {
  case Type::F64:
    return llvm::bit_cast<double>(bits);
  case Type::F32: {
    const auto value = fromBits<float>(bits);
    return c.ftz ? flush(value) : value;
  }
  case Type::BF16:
  case Type::BF16x2:
    return bf16Value(static_cast<uint16_t>(bits));
  default:
    return valueOf(formatOf(c.from), static_cast<uint32_t>(bits));
  }
}

double roundToIntegral(double value, Integral mode) {
  switch (mode) {
  case Integral::Nearest:
    return std::nearbyint(value);
  case Integral::Zero:
    return std::trunc(value);
  case Integral::Down:
    return std::floor(value);
  case Integral::Up:
    return std::ceil(value);
  default:
    return value;
  }
}

/// What an H200 makes of a NaN: one from f64 keeps its sign and the upper bits
/// of its payload, and so does one that .rna takes to tf32; all others become
/// the NaN of the format.
uint64_t nanResult(double value, const Conversion &c) {
  const FloatFormat &format = formatOf(c.to);
  const bool isTF32 = c.to == Type::TF32;
  const unsigned unused = isTF32 ? 32 - format.bits() : 0;
  const bool keepsPayload =
      isTF32 ? c.rounding == Rounding::NearestAway : c.from == Type::F64;
  if (!keepsPayload)
    return uint64_t(format.nan) << unused;
  const uint64_t bits = llvm::bit_cast<uint64_t>(value);
  const uint64_t quiet = uint64_t(1) << (format.mantissaBits - 1);
  const uint64_t payload =
      (bits & maskTrailingOnes<uint64_t>(52)) >> (52 - format.mantissaBits);
  const uint64_t sign = bits >> 63 ? format.signBit() : 0;
  return (sign | format.infinity() | quiet | payload) << unused;
}

uint64_t storeFloat(double value, const Conversion &c) {
  value = roundToIntegral(value, c.integral);
  if (c.sat)
    value = saturate01(value);
  if (c.relu && value < 0)
    value = 0;
  if (c.to == Type::F64)
    return llvm::bit_cast<uint64_t>(value);
  if (value != value)
    return nanResult(value, c);
  if (c.to == Type::TF32)
    return roundTo(formatTF32, value, c.rounding, c.satfinite) << 13;
  const FloatFormat &format = formatOf(c.to);
  uint32_t bits = roundTo(format, value, c.rounding, c.satfinite);
  if (c.relu && bits == format.signBit())
    bits = 0;
  if (c.ftz && c.to == Type::F32)
    bits = llvm::bit_cast<uint32_t>(flush(llvm::bit_cast<float>(bits)));
  return bits;
}

/// PTX ISA, cvt: NaN becomes 0, or the lone top bit for 64-bit sources or
/// results; everything else is clamped to the range of the result.
uint64_t floatToInteger(double value, const Conversion &c) {
  const unsigned bits = typeBits(c.to);
  if (value != value)
    return c.from == Type::F64 || bits == 64 ? uint64_t(1) << (bits - 1) : 0;
  value = roundToIntegral(value, c.integral);
  const double limit =
      std::ldexp(1.0, static_cast<int>(bits) - (isSigned(c.to) ? 1 : 0));
  const double least = isSigned(c.to) ? -limit : 0;
  if (value >= limit)
    return maskTrailingOnes<uint64_t>(bits - (isSigned(c.to) ? 1 : 0));
  if (value <= least)
    return isSigned(c.to) ? extend(uint64_t(1) << (bits - 1), c.to) : 0;
  return isSigned(c.to) ? static_cast<uint64_t>(static_cast<int64_t>(value))
                        : static_cast<uint64_t>(value);
}

uint64_t saturateInteger(uint64_t value, Type from, Type to) {
  const unsigned bits = typeBits(to);
  const auto asSigned = static_cast<int64_t>(value);
  const bool isNegative = isSigned(from) && asSigned < 0;
  const uint64_t most = maskTrailingOnes<uint64_t>(bits - isSigned(to));
  if (isNegative) {
    const int64_t least = isSigned(to) ? -static_cast<int64_t>(most) - 1 : 0;
    return static_cast<uint64_t>(std::max(asSigned, least));
  }
  return std::min(value, most);
}

/// The integer as a double, rounded to odd if it has more than 53 bits.
double oddFromInteger(uint64_t value, bool isNegative) {
  const uint64_t magnitude = isNegative ? -value : value;
  const double high =
      static_cast<double>(magnitude & 0xFFFF'FFFF'0000'0000); // exact
  const double low = static_cast<double>(magnitude & 0xFFFF'FFFF);
  const double sum = oddAdd(high, low);
  return isNegative ? -sum : sum;
}

double integerToDouble(uint64_t value, bool isNegative, Rounding mode) {
  APFloat result(APFloat::IEEEdouble());
  static constexpr RoundingMode modes[] = {
      RoundingMode::NearestTiesToEven, RoundingMode::NearestTiesToAway,
      RoundingMode::TowardZero, RoundingMode::TowardNegative,
      RoundingMode::TowardPositive};
  result.convertFromAPInt(APInt(64, value), isNegative,
                          modes[static_cast<size_t>(mode)]);
  return result.convertToDouble();
}

//===----------------------------------------------------------------------===//
// All lanes
//===----------------------------------------------------------------------===//

template <class F>
Step convertLanes(Warp &warp, const Instr &instr, uint32_t mask, F convert) {
  const Conversion c = conversionOf(instr);
  const uint64_t *a = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = convert(a[lane], c); });
  return Step::Next;
}

Step integerToIntegerExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return convertLanes(warp, instr, mask, [](uint64_t a, const Conversion &c) {
    const uint64_t value = extend(a, c.from);
    return c.sat ? saturateInteger(value, c.from, c.to) : extend(value, c.to);
  });
}

Step floatToIntegerExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return convertLanes(warp, instr, mask, [](uint64_t a, const Conversion &c) {
    return floatToInteger(loadFloat(a, c), c);
  });
}

Step integerToFloatExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return convertLanes(warp, instr, mask, [](uint64_t a, const Conversion &c) {
    const uint64_t value = extend(a, c.from);
    const bool isNegative = isSigned(c.from) && static_cast<int64_t>(value) < 0;
    if (c.to == Type::F64)
      return llvm::bit_cast<uint64_t>(
          integerToDouble(value, isNegative, c.rounding));
    double exact = oddFromInteger(value, isNegative);
    if (c.sat)
      exact = saturate01(exact);
    return uint64_t(roundTo(formatOf(c.to), exact, c.rounding));
  });
}

Step floatToFloatExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return convertLanes(warp, instr, mask, [](uint64_t a, const Conversion &c) {
    // bf16 is the upper half of f32: the bits move, those of NaNs too.
    if (c.from == Type::BF16 && c.to == Type::F32 && !c.sat &&
        c.integral == Integral::No)
      return (a & 0xffff) << 16;
    return storeFloat(loadFloat(a, c), c);
  });
}

/// d = {a, b}: a goes into the upper half.
Step packExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const Conversion c = conversionOf(instr);
  const unsigned bits = typeBits(c.to) / 2;
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = storeFloat(loadFloat(a[lane], c), c) << bits |
              storeFloat(loadFloat(b[lane], c), c);
  });
  return Step::Next;
}

/// Both halves of a packed source.
Step packedExec(Warp &warp, const Instr &instr, uint32_t mask) {
  return convertLanes(warp, instr, mask, [](uint64_t a, const Conversion &c) {
    const unsigned to = typeBits(c.to) / 2, from = typeBits(c.from) / 2;
    const uint64_t low = a & maskTrailingOnes<uint64_t>(from);
    const uint64_t high = a >> from & maskTrailingOnes<uint64_t>(from);
    return storeFloat(loadFloat(high, c), c) << to |
           storeFloat(loadFloat(low, c), c);
  });
}

bool isPacked(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2 ||
         type == Type::E5M2x2;
}

void decodeConvert(Decoder &d, Instr &i) {
  i.kind = InstrKind::Convert;
  constexpr Rounding roundings[] = {Rounding::NearestEven, Rounding::Zero,
                                    Rounding::Down, Rounding::Up,
                                    Rounding::NearestAway};
  const int rounding = d.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  const int integral = d.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  Conversion c;
  c.rounding = roundings[rounding < 0 ? 0 : rounding];
  c.integral = static_cast<Integral>(integral + 1);
  c.ftz = d.take("ftz");
  c.sat = d.take("sat");
  c.satfinite = d.take("satfinite");
  c.relu = d.take("relu");
  c.to = d.takeType();
  c.from = d.takeType();
  if (d.failed())
    return;
  std::memcpy(i.attr.data(), &c, sizeof(c));
  i.type = c.to;
  if (isPacked(c.to) && !isPacked(c.from)) {
    i.exec = &packExec;
    d.expectOperands(3, 3);
    if (c.from != Type::F32)
      d.error("only .f32 can be packed");
    i.ops = {d.destination(0, c.to), d.source(1, c.from), d.source(2, c.from)};
    return;
  }
  d.expectOperands(2, 2);
  if (d.failed())
    return;
  if (isPacked(c.from) != isPacked(c.to))
    d.error("a packed type does not convert to a single one");
  else if (isPacked(c.from))
    i.exec = &packedExec;
  else if (isFloating(c.from))
    i.exec = isFloating(c.to) ? &floatToFloatExec : &floatToIntegerExec;
  else
    i.exec = isFloating(c.to) ? &integerToFloatExec : &integerToIntegerExec;
  // fp8 values travel in 16-bit registers.
  i.ops = {d.destination(0, c.to), d.source(1, c.from)};
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: saturated a and b above the low bits
/// of c. attr: {type of the parts, has c}.
Step packIntegersExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto part = static_cast<Type>(instr.attr[0]);
  const unsigned bits = typeBits(part);
  const uint64_t low = maskTrailingOnes<uint64_t>(bits);
  forLanes(mask, [&](unsigned lane) {
    auto saturated = [&](int32_t op) {
      return saturateInteger(extend(warp.source(op)[lane], Type::S32),
                             Type::S32, part) &
             low;
    };
    uint64_t result = saturated(instr.ops[1]) << bits | saturated(instr.ops[2]);
    if (instr.attr[1])
      result |= warp.source(instr.ops[3])[lane] << (2 * bits);
    warp.destination(instr.ops[0])[lane] = static_cast<uint32_t>(result);
  });
  return Step::Next;
}

void decodePackIntegers(Decoder &d, Instr &i) {
  i.kind = InstrKind::Convert;
  i.exec = &packIntegersExec;
  if (!d.take("sat"))
    d.error("cvt.pack needs .sat");
  const Type part = d.takeType();
  if (d.takeType() != Type::S32)
    d.error("cvt.pack converts from .s32");
  const bool hasThird = d.takeOptionalType() != Type::None;
  i.attr = {static_cast<uint8_t>(part), hasThird};
  d.expectOperands(hasThird ? 4 : 3, hasThird ? 4 : 3);
  if (d.failed())
    return;
  i.ops = {d.destination(0, Type::B32), d.source(1, Type::S32),
           d.source(2, Type::S32)};
  if (hasThird)
    i.ops.push_back(d.source(3, Type::B32));
}

} // namespace

void registerConvert(OpcodeTable &table) {
  table.add("cvt", decodeConvert);
  table.add("cvt.pack", decodePackIntegers);
}

} // namespace tilewright::sim
