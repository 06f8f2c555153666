//===- FloatInstructionTest.cpp - Rounding against APFloat ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionTest.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tilewright::sim;
using llvm::APFloat;
using llvm::RoundingMode;
using llvm::StringRef;

namespace {

constexpr std::pair<const char *, RoundingMode> roundings[] = {
    {"rn", RoundingMode::NearestTiesToEven},
    {"rz", RoundingMode::TowardZero},
    {"rm", RoundingMode::TowardNegative},
    {"rp", RoundingMode::TowardPositive}};

APFloat number(const llvm::fltSemantics &semantics, uint64_t bits) {
  const unsigned size = APFloat::semanticsSizeInBits(semantics);
  return APFloat(semantics, llvm::APInt(size, bits, false, true));
}

/// The bits, with the NaN of PTX.
uint64_t bitsOf(const APFloat &value) {
  if (!value.isNaN())
    return value.bitcastToAPInt().getZExtValue();
  const unsigned size = value.bitcastToAPInt().getBitWidth();
  return (uint64_t(1) << (size - 1)) - 1;
}

uint64_t convert(APFloat value, const llvm::fltSemantics &to,
                 RoundingMode mode) {
  bool lost = false;
  value.convert(to, mode, &lost);
  return bitsOf(value);
}

/// The same, where a NaN keeps its sign and the upper bits of its payload.
uint64_t convertWithPayload(APFloat value, const llvm::fltSemantics &to,
                            RoundingMode mode) {
  bool lost = false;
  value.convert(to, mode, &lost);
  return value.bitcastToAPInt().getZExtValue();
}

class FloatInstructions : public InstructionTest {
protected:
  using Reference = void (*)(APFloat &, const APFloat &, const APFloat &,
                             RoundingMode);

  static void add(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.add(b, mode);
  }
  static void sub(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.subtract(b, mode);
  }
  static void mul(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.multiply(b, mode);
  }
  static void div(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.divide(b, mode);
  }
  static void fma(APFloat &a, const APFloat &b, const APFloat &c,
                  RoundingMode mode) {
    a.fusedMultiplyAdd(b, c, mode);
  }

  /// Compares `name`.mode.type with the reference. NaN results compare equal
  /// for f64, whose payloads PTX leaves open.
  void compare(const std::string &name, const std::string &type, char reg,
               const llvm::fltSemantics &semantics,
               const std::vector<Operands> &operands, Reference reference,
               unsigned sources) {
    const bool isHalf = reg == 'h';
    for (auto [modeName, mode] : roundings) {
      if (isHalf && mode != RoundingMode::NearestTiesToEven)
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      os << name << "." << modeName << "." << type << " %" << reg << "20";
      for (unsigned s = 0; s != sources; ++s)
        os << ", %" << reg << 10 + s;
      const auto results = evaluate(text + ";", operands);
      for (size_t i = 0; i != operands.size(); ++i) {
        const Operands &o = operands[i];
        APFloat expected = number(semantics, o.a);
        reference(expected, number(semantics, o.b), number(semantics, o.c),
                  mode);
        if (reg == 'd' && expected.isNaN()) {
          ASSERT_TRUE(std::isnan(llvm::bit_cast<double>(results[i])));
          continue;
        }
        ASSERT_EQ(results[i], bitsOf(expected))
            << text << " of " << std::hex << o.a << " " << o.b << " " << o.c;
      }
    }
  }
};

TEST_F(FloatInstructions, F32) {
  const auto operands = floatOperands<float>(4000);
  const auto &single = APFloat::IEEEsingle();
  compare("add", "f32", 'f', single, operands, add, 2);
  compare("sub", "f32", 'f', single, operands, sub, 2);
  compare("mul", "f32", 'f', single, operands, mul, 2);
  compare("div", "f32", 'f', single, operands, div, 2);
  compare("fma", "f32", 'f', single, operands, fma, 3);
}

/// Both halves of a register, each as the instruction on one f32.
TEST_F(FloatInstructions, F32Pairs) {
  const auto low = floatOperands<float>(2000);
  std::vector<Operands> pairs = low, high(low.rbegin(), low.rend());
  for (auto [pair, upper] : llvm::zip_equal(pairs, high)) {
    pair.a |= upper.a << 32;
    pair.b |= upper.b << 32;
    pair.c |= upper.c << 32;
  }
  for (const std::string name : {"add", "sub", "mul", "fma"})
    for (const std::string style :
         {".rn", ".rz", ".rm.ftz", ".rp", ".rn.ftz"}) {
      const std::string opcode = name + style;
      const bool isFma = name == "fma";
      const std::string single =
          opcode + ".f32 %f20, %f10, %f11" + (isFma ? ", %f12;" : ";");
      const auto results = evaluate(opcode + ".f32x2 %rd20, %rd10, %rd11" +
                                        (isFma ? ", %rd12;" : ";"),
                                    pairs);
      const auto lower = evaluate(single, low), upper = evaluate(single, high);
      for (size_t i = 0; i != pairs.size(); ++i)
        ASSERT_EQ(results[i], lower[i] | upper[i] << 32) << opcode << " " << i;
    }
}

TEST_F(FloatInstructions, F64) {
  const auto operands = floatOperands<double>(2000);
  const auto &wide = APFloat::IEEEdouble();
  compare("add", "f64", 'd', wide, operands, add, 2);
  compare("mul", "f64", 'd', wide, operands, mul, 2);
  compare("div", "f64", 'd', wide, operands, div, 2);
  compare("fma", "f64", 'd', wide, operands, fma, 3);
}

TEST_F(FloatInstructions, HalfTypes) {
  std::vector<Operands> operands(6000);
  for (Operands &o : operands)
    o = {random() & 0xffff, random() & 0xffff, random() & 0xffff};
  const auto &half = APFloat::IEEEhalf();
  compare("add", "f16", 'h', half, operands, add, 2);
  compare("sub", "f16", 'h', half, operands, sub, 2);
  compare("mul", "f16", 'h', half, operands, mul, 2);
  compare("fma", "f16", 'h', half, operands, fma, 3);
  const auto &bfloat = APFloat::BFloat();
  compare("add", "bf16", 'h', bfloat, operands, add, 2);
  compare("mul", "bf16", 'h', bfloat, operands, mul, 2);
  compare("fma", "bf16", 'h', bfloat, operands, fma, 3);
}

/// Operands of f16 or bf16 and a last one of f32: they are made f32, and what
/// follows is the instruction on f32.
TEST_F(FloatInstructions, MixedTypes) {
  target = "sm_100a";
  std::vector<Operands> operands = floatOperands<float>(1000);
  const uint64_t narrow[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x7f,
                             0x3c00, 0xbc00, 0x3f80, 0xbf80, 0x7bff, 0x7f7f,
                             0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7e00, 0x7d01};
  for (Operands &o : operands)
    for (uint64_t *v : {&o.a, &o.b})
      *v = random() % 2 ? narrow[random() % std::size(narrow)]
                        : random() & 0xffff;
  auto compareMixed = [&](StringRef name, StringRef type,
                          const llvm::fltSemantics &semantics,
                          Reference reference, bool isFma) {
    const auto &single = APFloat::IEEEsingle();
    for (const auto &rounding : roundings)
      for (const char *sat : {"", ".sat"}) {
        const std::string text =
            (name + "." + rounding.first + sat + ".f32." + type +
             " %f20, %h10, " + (isFma ? "%h11, %f12;" : "%f12;"))
                .str();
        const auto results = evaluate(text, operands);
        for (size_t i = 0; i != operands.size(); ++i) {
          const Operands &o = operands[i];
          const APFloat c = number(single, o.c & 0xffffffff);
          auto widen = [&](uint64_t bits) {
            bool lost = false;
            APFloat value = number(semantics, bits);
            value.convert(single, rounding.second, &lost);
            EXPECT_FALSE(lost && !value.isNaN());
            return value;
          };
          APFloat expected = widen(o.a);
          reference(expected, isFma ? widen(o.b) : c, c, rounding.second);
          if (*sat && !(expected > APFloat(0.0f)))
            expected = APFloat(0.0f);
          else if (*sat && expected > APFloat(1.0f))
            expected = APFloat(1.0f);
          ASSERT_EQ(results[i], bitsOf(expected))
              << text << " of " << std::hex << o.a << " " << o.b << " " << o.c;
        }
      }
  };
  for (auto [name, reference, isFma] :
       {std::tuple("add", Reference(add), false),
        std::tuple("sub", Reference(sub), false),
        std::tuple("fma", Reference(fma), true)}) {
    compareMixed(name, "f16", APFloat::IEEEhalf(), reference, isFma);
    compareMixed(name, "bf16", APFloat::BFloat(), reference, isFma);
  }
}

/// ptxas refuses the same.
TEST_F(FloatInstructions, MixedTypesThatAreNone) {
  auto message = [](const char *text, const char *target) {
    auto module = Module::parse(wrapKernel(text, "", target));
    return module ? "" : llvm::toString(module.takeError());
  };
  EXPECT_EQ(message("add.f32.bf16 %f20, %h10, %f12;", "sm_120a"), "");
  EXPECT_EQ(message("fma.rn.f32.f16 %f20, %h10, %h11, 0f3F800000;", "sm_100a"),
            "");
  for (auto [text, target, what] :
       {std::tuple("add.f32.f16 %f20, %h10, %f12;", "sm_90a",
                   "operands of mixed types need .target sm_100 or later, and "
                   "the module is for sm_90a"),
        std::tuple("add.ftz.f32.f16 %f20, %h10, %f12;", "sm_100a",
                   "take no .ftz"),
        std::tuple("add.f32.f16 %f20, %f12, %h10;", "sm_100a",
                   "a source of type .f16 must be a register of 16 bits"),
        std::tuple("add.f32.f16 %f20, 0f3F800000, %f12;", "sm_100a",
                   "a source of type .f16 must be a register of 16 bits"),
        std::tuple("add.f32.f16x2 %f20, %r10, %f12;", "sm_100a",
                   "types .f32.f16x2 do not go together"),
        std::tuple("sub.f64.f16 %d20, %h10, %d12;", "sm_100a",
                   "types .f64.f16 do not go together"),
        std::tuple("mul.f32.f16 %f20, %h10, %f12;", "sm_100a",
                   "too narrow for .f32"),
        std::tuple("fma.rn.f32.f16 %f20, %h10, %f12;", "sm_100a", "operands")})
    EXPECT_NE(message(text, target).find(what), std::string::npos)
        << text << ": " << message(text, target);
}

TEST_F(FloatInstructions, SquareRoot) {
  auto operands = floatOperands<float>(2000);
  const auto nearest = evaluate("sqrt.rn.f32 %f20, %f10;", operands);
  const auto down = evaluate("sqrt.rm.f32 %f20, %f10;", operands);
  const auto up = evaluate("sqrt.rp.f32 %f20, %f10;", operands);
  for (size_t i = 0; i != operands.size(); ++i) {
    const auto x = llvm::bit_cast<float>(static_cast<uint32_t>(operands[i].a));
    if (!(x > 0) || std::isinf(x))
      continue;
    auto value = [](uint64_t bits) {
      return double(llvm::bit_cast<float>(static_cast<uint32_t>(bits)));
    };
    ASSERT_EQ(value(nearest[i]), std::sqrt(x));
    // Squares of f32 are exact in double.
    ASSERT_LE(value(down[i]) * value(down[i]), x);
    ASSERT_GE(value(up[i]) * value(up[i]), x);
    ASSERT_LE(up[i] - down[i], 1u);
  }
}

TEST_F(FloatInstructions, FlushAndSaturate) {
  const uint32_t tiny = 0x00000003, small = 0x00800000;
  const std::vector<Operands> operands = {
      {tiny, small, 0}, {small, 0x3f000000, 0}, {0x40000000, 0x40000000, 0}};
  const auto flushed = evaluate("mul.ftz.f32 %f20, %f10, %f11;", operands);
  EXPECT_EQ(flushed[0], 0u);
  EXPECT_EQ(flushed[1], 0u); // the result is subnormal
  EXPECT_EQ(flushed[2], 0x40800000u);
  EXPECT_EQ(evaluate("mul.f32 %f20, %f10, %f11;", operands)[1], 0x00400000u);
  EXPECT_EQ(evaluate("add.sat.f32 %f20, %f10, %f11;", operands)[2],
            0x3f800000u);
  EXPECT_EQ(evaluate("add.sat.f32 %f20, %f10, %f11;", {{0x7fc00000, 0, 0}})[0],
            0u);
}

TEST_F(FloatInstructions, MinMax) {
  const uint64_t nan = 0x7fc00001, one = 0x3f800000, zero = 0,
                 minusZero = 0x80000000;
  const std::vector<Operands> operands = {
      {nan, one, 0}, {one, nan, 0}, {nan, nan, 0}, {zero, minusZero, 0}};
  EXPECT_EQ(evaluate("min.f32 %f20, %f10, %f11;", operands),
            (std::vector<uint64_t>{one, one, 0x7fffffff, minusZero}));
  EXPECT_EQ(evaluate("max.f32 %f20, %f10, %f11;", operands),
            (std::vector<uint64_t>{one, one, 0x7fffffff, zero}));
  EXPECT_EQ(evaluate("max.NaN.f32 %f20, %f10, %f11;", operands)[0],
            0x7fffffffu);
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

TEST_F(FloatInstructions, ConvertNarrowing) {
  const auto operands = floatOperands<float>(4000);
  const auto &single = APFloat::IEEEsingle();
  for (auto [name, mode] : {roundings[0], roundings[1]}) {
    const std::string m = name;
    const auto half = evaluate("cvt." + m + ".f16.f32 %h20, %f10;", operands);
    const auto bfloat =
        evaluate("cvt." + m + ".bf16.f32 %h20, %f10;", operands);
    const auto pair =
        evaluate("cvt." + m + ".bf16x2.f32 %r20, %f10, %f11;", operands);
    for (size_t i = 0; i != operands.size(); ++i) {
      const APFloat x = number(single, operands[i].a);
      const APFloat y = number(single, operands[i].b);
      ASSERT_EQ(half[i], convert(x, APFloat::IEEEhalf(), mode));
      ASSERT_EQ(bfloat[i], convert(x, APFloat::BFloat(), mode));
      ASSERT_EQ(pair[i], convert(x, APFloat::BFloat(), mode) << 16 |
                             convert(y, APFloat::BFloat(), mode));
    }
  }
}

TEST_F(FloatInstructions, ConvertDoubleToFloat) {
  auto operands = floatOperands<double>(2000);
  for (Operands &o : operands) // into the range of f32 and its subnormals
    if (random() % 2)
      o.a = llvm::bit_cast<uint64_t>(
          std::ldexp(1 + double(random()) / 4e9, int(random() % 300) - 150));
  for (auto [name, mode] : roundings) {
    const auto results =
        evaluate(std::string("cvt.") + name + ".f32.f64 %f20, %d10;", operands);
    for (size_t i = 0; i != operands.size(); ++i)
      ASSERT_EQ(results[i],
                convertWithPayload(number(APFloat::IEEEdouble(), operands[i].a),
                                   APFloat::IEEEsingle(), mode));
  }
}

TEST_F(FloatInstructions, ConvertEveryHalf) {
  std::vector<Operands> operands(65536);
  for (size_t i = 0; i != operands.size(); ++i)
    operands[i].a = i;
  const auto half = evaluate("cvt.f32.f16 %f20, %h10;", operands);
  const auto bfloat = evaluate("cvt.f32.bf16 %f20, %h10;", operands);
  for (size_t i = 0; i != operands.size(); ++i) {
    ASSERT_EQ(half[i],
              convert(number(APFloat::IEEEhalf(), i), APFloat::IEEEsingle(),
                      RoundingMode::NearestTiesToEven));
    ASSERT_EQ(bfloat[i], i << 16);
  }
}

TEST_F(FloatInstructions, ConvertToIntegersClamps) {
  auto bits = [](float v) {
    return Operands{llvm::bit_cast<uint32_t>(v), 0, 0};
  };
  const std::vector<Operands> operands = {bits(2.5f),   bits(3.5f),
                                          bits(-2.5f),  bits(1e20f),
                                          bits(-1e20f), bits(NAN)};
  EXPECT_EQ(
      evaluate("cvt.rni.s32.f32 %r20, %f10;", operands),
      (std::vector<uint64_t>{2, 4, uint32_t(-2), 0x7fffffff, 0x80000000, 0}));
  EXPECT_EQ(evaluate("cvt.rzi.u32.f32 %r20, %f10;", operands),
            (std::vector<uint64_t>{2, 3, 0, 0xffffffff, 0, 0}));
  EXPECT_EQ(evaluate("cvt.rpi.s64.f32 %rd20, %f10;", operands),
            (std::vector<uint64_t>{3, 4, uint64_t(-2), INT64_MAX,
                                   uint64_t(INT64_MIN), uint64_t(1) << 63}));
}

TEST_F(FloatInstructions, ConvertFromIntegers) {
  const auto operands = integerOperands(2000);
  for (auto [name, mode] : roundings) {
    const std::string m = name;
    const auto single =
        evaluate("cvt." + m + ".f32.s64 %f20, %rd10;", operands);
    const auto wide = evaluate("cvt." + m + ".f64.u64 %d20, %rd10;", operands);
    for (size_t i = 0; i != operands.size(); ++i) {
      APFloat s(APFloat::IEEEsingle()), d(APFloat::IEEEdouble());
      s.convertFromAPInt(llvm::APInt(64, operands[i].a), true, mode);
      d.convertFromAPInt(llvm::APInt(64, operands[i].a), false, mode);
      ASSERT_EQ(single[i], bitsOf(s)) << m << " " << operands[i].a;
      ASSERT_EQ(wide[i], bitsOf(d)) << m << " " << operands[i].a;
    }
  }
}

TEST_F(FloatInstructions, ConvertTf32) {
  const auto operands = floatOperands<float>(1000);
  const auto results = evaluate("cvt.rna.tf32.f32 %r20, %f10;", operands);
  for (size_t i = 0; i != operands.size(); ++i) {
    const auto bits = static_cast<uint32_t>(operands[i].a);
    if ((bits & 0x7fffffff) > 0x7f800000) {
      ASSERT_EQ(results[i], (bits & 0xffffe000) | 0x7fc00000);
      continue;
    }
    uint64_t expected = (uint64_t(bits) + 0x1000) & ~uint64_t(0x1fff);
    if ((bits & 0x7fffffff) == 0x7f800000)
      expected = bits;
    ASSERT_EQ(results[i], expected);
  }
}

TEST_F(FloatInstructions, ConvertNaN) {
  const uint64_t minus = 0xfff8000000000000;
  EXPECT_EQ(evaluate("cvt.rn.f16.f64 %h20, %d10;", {{minus, 0, 0}})[0],
            0xfe00u);
  EXPECT_EQ(evaluate("cvt.rn.f32.f64 %f20, %d10;", {{minus, 0, 0}})[0],
            0xffc00000u);
  EXPECT_EQ(evaluate("cvt.rn.f16.f32 %h20, %f10;", {{0xffc00000, 0, 0}})[0],
            0x7fffu);
  EXPECT_EQ(evaluate("cvt.rn.tf32.f32 %r20, %f10;", {{0xffc00000, 0, 0}})[0],
            0x7fffe000u);
}

TEST_F(FloatInstructions, CompareFlushedHalves) {
  const std::string select = " %p1, %h10, %h11; selp.u32 %r20, 1, 0, %p1;";
  const std::vector<Operands> operands = {{1, 0x8002, 0}, {0x0400, 0x03ff, 0}};
  EXPECT_EQ(evaluate("setp.eq.ftz.f16" + select, operands),
            (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(evaluate("setp.eq.f16" + select, operands),
            (std::vector<uint64_t>{0, 0}));
}

TEST_F(FloatInstructions, ZerosAreNormal) {
  EXPECT_EQ(evaluate("testp.normal.f32 %p1, %f10; selp.u32 %r20, 1, 0, %p1;",
                     {{0, 0, 0}, {0x80000000, 0, 0}, {1, 0, 0}}),
            (std::vector<uint64_t>{1, 1, 0}));
}

TEST_F(FloatInstructions, ReciprocalOfUpperHalf) {
  EXPECT_EQ(
      evaluate("rcp.approx.ftz.f64 %d20, %d10;", {{0x4000000000000001, 0, 0},
                                                  {0x000fffffffffffff, 0, 0},
                                                  {0xffefffffffffffff, 0, 0},
                                                  {0xfff8000000000000, 0, 0}}),
      (std::vector<uint64_t>{0x3fe0000000000000, 0x7ff0000000000000,
                             0x8000000000000000, 0x7fffffff00000000}));
}

TEST_F(FloatInstructions, CompareWithNaN) {
  const uint64_t nan = 0x7fc00000, one = 0x3f800000;
  auto compares = [&](const std::string &op, uint64_t a, uint64_t b) {
    return evaluate("setp." + op +
                        ".f32 %p1, %f10, %f11; selp.u32 %r20, 1, 0, %p1;",
                    {{a, b, 0}})[0] != 0;
  };
  for (const char *ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(compares(ordered, nan, one)) << ordered;
  for (const char *unordered :
       {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(compares(unordered, nan, one)) << unordered;
  EXPECT_TRUE(compares("leu", one, one));
  EXPECT_FALSE(compares("gtu", one, one));
  EXPECT_FALSE(compares("nan", one, one));
}

} // namespace
