//===- FloatApproximate.cpp - .approx functions ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware computes these by table and interpolation, with the errors that
// PTX ISA states. Here they are computed in double and rounded, so they are
// closer to the true value than a GPU's but not the same bits.
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/FloatFormat.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

struct Reciprocal {
  static double apply(double a) { return 1 / a; }
};
struct SquareRoot {
  static double apply(double a) { return std::sqrt(a); }
};
struct ReciprocalRoot {
  static double apply(double a) { return 1 / std::sqrt(a); }
};
struct Exp2 {
  static double apply(double a) { return std::exp2(a); }
};
struct Log2 {
  static double apply(double a) { return std::log2(a); }
};
struct Sine {
  static double apply(double a) { return std::sin(a); }
};
struct Cosine {
  static double apply(double a) { return std::cos(a); }
};
struct Tanh {
  static double apply(double a) { return std::tanh(a); }
};

template <class Op> struct On32 {
  static float apply(float a) {
    return canonical(static_cast<float>(Op::apply(a)));
  }
};
template <class Op> struct On32Flushed {
  static float apply(float a) {
    return canonical(flush(static_cast<float>(Op::apply(flush(a)))));
  }
};
template <const FloatFormat &format, class Op> struct OnHalf {
  static uint16_t apply(uint16_t a) {
    return static_cast<uint16_t>(
        roundTo(format, Op::apply(valueOf(format, a))));
  }
};
template <const FloatFormat &format, class Op> struct OnHalves {
  static uint32_t apply(uint32_t a) {
    using Half = OnHalf<format, Op>;
    return Half::apply(static_cast<uint16_t>(a)) |
           uint32_t(Half::apply(static_cast<uint16_t>(a >> 16))) << 16;
  }
};
template <class Op> struct On64 {
  static double apply(double a) { return Op::apply(a); }
};
/// The .ftz.f64 forms read and write only the upper 32 bits, and flush.
template <class Op> struct On64Flushed {
  static uint64_t upper(uint64_t bits) {
    const bool isSubnormal = (bits & 0x7FF0'0000'0000'0000) == 0;
    return bits & (isSubnormal ? 0x8000'0000'0000'0000 : 0xFFFF'FFFF'0000'0000);
  }
  static uint64_t apply(uint64_t a) {
    const double value = llvm::bit_cast<double>(upper(a));
    if (value != value)
      return 0x7FFF'FFFF'0000'0000; // as an H200 does
    return upper(llvm::bit_cast<uint64_t>(Op::apply(value)));
  }
};

template <class Op> void decodeApproximate(Decoder &d, Instr &i) {
  i.kind = InstrKind::Approximate;
  const bool ftz = d.take("ftz");
  const Type type = d.takeType();
  switch (type) {
  case Type::F32:
    i.exec =
        ftz ? &unaryExec<float, On32Flushed<Op>> : &unaryExec<float, On32<Op>>;
    break;
  case Type::F64:
    i.exec = ftz ? &unaryExec<uint64_t, On64Flushed<Op>>
                 : &unaryExec<double, On64<Op>>;
    break;
  case Type::F16:
    i.exec = &unaryExec<uint16_t, OnHalf<formatF16, Op>>;
    break;
  case Type::F16x2:
    i.exec = &unaryExec<uint32_t, OnHalves<formatF16, Op>>;
    break;
  case Type::BF16:
    i.exec = &unaryExec<uint16_t, OnHalf<formatBF16, Op>>;
    break;
  case Type::BF16x2:
    i.exec = &unaryExec<uint32_t, OnHalves<formatBF16, Op>>;
    break;
  default:
    d.error("type ." + typeName(type) + " is not supported");
  }
  decodeUniform(d, i, type, 1);
}

template <bool ftz> struct Quotient {
  static float apply(float a, float b) {
    if (ftz)
      return canonical(flush(flush(a) / flush(b)));
    return canonical(a / b);
  }
};

void decodeDivide(Decoder &d, Instr &i) {
  i.kind = InstrKind::Approximate;
  i.exec = d.take("ftz") ? &binaryExec<float, Quotient<true>>
                         : &binaryExec<float, Quotient<false>>;
  const Type type = d.takeType();
  if (type != Type::F32)
    d.error("only .f32 is supported");
  decodeUniform(d, i, type, 2);
}

} // namespace

void registerFloatApproximate(OpcodeTable &table) {
  table.add("rcp.approx", decodeApproximate<Reciprocal>);
  table.add("sqrt.approx", decodeApproximate<SquareRoot>);
  table.add("rsqrt.approx", decodeApproximate<ReciprocalRoot>);
  table.add("ex2.approx", decodeApproximate<Exp2>);
  table.add("lg2.approx", decodeApproximate<Log2>);
  table.add("sin.approx", decodeApproximate<Sine>);
  table.add("cos.approx", decodeApproximate<Cosine>);
  table.add("tanh.approx", decodeApproximate<Tanh>);
  table.add("div.approx", decodeDivide);
  table.add("div.full", decodeDivide);
}

} // namespace tilewright::sim
