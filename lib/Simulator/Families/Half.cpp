//===- Half.cpp - f16 and bf16 arithmetic ---------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/FloatFormat.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// attr of all instructions here.
enum Attribute : size_t { Ftz, Sat, Relu, Nan, XorSign };

struct AddOp {
  static constexpr unsigned sources = 2;
  static double apply(double a, double b, double) { return oddAdd(a, b); }
};
struct SubOp {
  static constexpr unsigned sources = 2;
  static double apply(double a, double b, double) { return oddAdd(a, -b); }
};
struct MulOp {
  static constexpr unsigned sources = 2;
  static double apply(double a, double b, double) { return a * b; }
};
struct FmaOp {
  static constexpr unsigned sources = 3;
  static double apply(double a, double b, double c) { return oddFma(a, b, c); }
};

template <const FloatFormat &format> uint16_t flushHalf(uint16_t bits) {
  return bits & format.infinity()
             ? bits
             : bits & static_cast<uint16_t>(format.signBit());
}

template <const FloatFormat &format, class Op>
uint16_t applyHalf(const Instr &instr, uint16_t a, uint16_t b, uint16_t c) {
  if (instr.attr[Ftz]) {
    a = flushHalf<format>(a);
    b = flushHalf<format>(b);
    c = flushHalf<format>(c);
  }
  const double exact =
      Op::apply(valueOf(format, a), valueOf(format, b), valueOf(format, c));
  auto bits = static_cast<uint16_t>(roundTo(format, exact));
  if (instr.attr[Ftz])
    bits = flushHalf<format>(bits);
  if (instr.attr[Sat])
    bits = static_cast<uint16_t>(
        roundTo(format, saturate01(valueOf(format, bits))));
  // relu: negative becomes zero, NaN stays.
  if (instr.attr[Relu] && (bits & format.signBit()))
    bits = 0;
  return bits;
}

/// One or two halves in each 32-bit register.
template <const FloatFormat &format, class Op, bool packed>
Step arithmeticExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops.back());
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    uint32_t result = applyHalf<format, Op>(
        instr, static_cast<uint16_t>(a[lane]), static_cast<uint16_t>(b[lane]),
        static_cast<uint16_t>(c[lane]));
    if (packed)
      result |= uint32_t(applyHalf<format, Op>(
                    instr, static_cast<uint16_t>(a[lane] >> 16),
                    static_cast<uint16_t>(b[lane] >> 16),
                    static_cast<uint16_t>(c[lane] >> 16)))
                << 16;
    d[lane] = result;
  });
  return Step::Next;
}

/// The instantiation for a type; `Make<format, packed>::exec` gives it.
template <template <const FloatFormat &, bool> class Make>
void selectHalf(Decoder &d, Instr &i, Type type) {
  switch (type) {
  case Type::F16:
    i.exec = Make<formatF16, false>::exec;
    break;
  case Type::F16x2:
    i.exec = Make<formatF16, true>::exec;
    break;
  case Type::BF16:
    i.exec = Make<formatBF16, false>::exec;
    break;
  case Type::BF16x2:
    i.exec = Make<formatBF16, true>::exec;
    break;
  default:
    d.error("type ." + typeName(type) + " is not supported");
  }
}

template <class Op> struct Arithmetic {
  template <const FloatFormat &format, bool packed> struct Make {
    static constexpr ExecFn exec = &arithmeticExec<format, Op, packed>;
  };
};

template <class Op> void decodeArithmetic(Decoder &d, Instr &i) {
  i.kind = InstrKind::Float16;
  d.take("rn");
  i.attr[Ftz] = d.take("ftz");
  i.attr[Sat] = d.take("sat");
  i.attr[Relu] = d.take("relu");
  const Type type = d.takeType();
  selectHalf<Arithmetic<Op>::template Make>(d, i, type);
  decodeUniform(d, i, type, Op::sources);
}

//===----------------------------------------------------------------------===//
// min and max, neg and abs
//===----------------------------------------------------------------------===//

template <const FloatFormat &format, bool isMax>
uint16_t minMaxHalf(const Instr &instr, uint16_t a, uint16_t b) {
  if (instr.attr[Ftz]) {
    a = flushHalf<format>(a);
    b = flushHalf<format>(b);
  }
  const auto sign = static_cast<uint16_t>(format.signBit());
  const uint16_t resultSign = (a ^ b) & sign;
  if (instr.attr[XorSign]) {
    a &= ~sign;
    b &= ~sign;
  }
  const double x = valueOf(format, a), y = valueOf(format, b);
  if (x != x || y != y) {
    if (instr.attr[Nan] || (x != x && y != y))
      return static_cast<uint16_t>(format.nan);
    a = x != x ? b : a;
  } else if (x == y) {
    a = std::signbit(x) == isMax ? b : a;
  } else {
    a = (x < y) == isMax ? b : a;
  }
  return instr.attr[XorSign] ? (a & ~sign) | resultSign : a;
}

template <bool isMax> struct MinMax {
  template <const FloatFormat &format, bool packed> struct Make {
    static Step exec(Warp &warp, const Instr &instr, uint32_t mask) {
      const uint64_t *a = warp.source(instr.ops[1]);
      const uint64_t *b = warp.source(instr.ops[2]);
      uint64_t *d = warp.destination(instr.ops[0]);
      forLanes(mask, [&](unsigned lane) {
        uint32_t result =
            minMaxHalf<format, isMax>(instr, static_cast<uint16_t>(a[lane]),
                                      static_cast<uint16_t>(b[lane]));
        if (packed)
          result |= uint32_t(minMaxHalf<format, isMax>(
                        instr, static_cast<uint16_t>(a[lane] >> 16),
                        static_cast<uint16_t>(b[lane] >> 16)))
                    << 16;
        d[lane] = result;
      });
      return Step::Next;
    }
  };
};

template <bool isMax> void decodeMinMax(Decoder &d, Instr &i) {
  i.kind = InstrKind::Float16;
  i.attr[Ftz] = d.take("ftz");
  i.attr[Nan] = d.take("NaN");
  i.attr[XorSign] = d.take("xorsign") && d.take("abs");
  const Type type = d.takeType();
  selectHalf<MinMax<isMax>::template Make>(d, i, type);
  decodeUniform(d, i, type, 2);
}

template <bool isAbs> struct Sign {
  template <const FloatFormat &format, bool packed> struct Make {
    static Step exec(Warp &warp, const Instr &instr, uint32_t mask) {
      const uint32_t signs = packed ? 0x8000'8000 : 0x8000;
      const uint64_t *a = warp.source(instr.ops[1]);
      uint64_t *d = warp.destination(instr.ops[0]);
      forLanes(mask, [&](unsigned lane) {
        auto bits = static_cast<uint32_t>(a[lane]);
        bits = isAbs ? bits & ~signs : bits ^ signs;
        if (instr.attr[Ftz])
          bits = flushHalf<format>(static_cast<uint16_t>(bits)) |
                 uint32_t(flushHalf<format>(static_cast<uint16_t>(bits >> 16)))
                     << 16;
        d[lane] = bits;
      });
      return Step::Next;
    }
  };
};

template <bool isAbs> void decodeSign(Decoder &d, Instr &i) {
  i.kind = InstrKind::Float16;
  i.attr[Ftz] = d.take("ftz");
  const Type type = d.takeType();
  selectHalf<Sign<isAbs>::template Make>(d, i, type);
  decodeUniform(d, i, type, 1);
}

} // namespace

void registerHalf(OpcodeTable &table) {
  constexpr TypeClass half = TypeClass::Half;
  table.add("add", decodeArithmetic<AddOp>, half);
  table.add("sub", decodeArithmetic<SubOp>, half);
  table.add("mul", decodeArithmetic<MulOp>, half);
  table.add("fma", decodeArithmetic<FmaOp>, half);
  table.add("min", decodeMinMax<false>, half);
  table.add("max", decodeMinMax<true>, half);
  table.add("abs", decodeSign<true>, half);
  table.add("neg", decodeSign<false>, half);
}

} // namespace tilewright::sim
