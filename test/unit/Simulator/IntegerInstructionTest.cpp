//===- IntegerInstructionTest.cpp - Integer instructions ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionTest.h"

using namespace tilewright::sim;

namespace {

class IntegerInstructions : public InstructionTest {
protected:
  using Reference = uint64_t (*)(uint64_t, uint64_t, uint64_t);

  void compare(const std::string &text, Reference reference) {
    const auto operands = integerOperands(1000);
    const auto results = evaluate(text, operands);
    for (size_t i = 0; i != operands.size(); ++i) {
      const Operands &o = operands[i];
      ASSERT_EQ(results[i], reference(o.a, o.b, o.c))
          << text << std::hex << " of " << o.a << " " << o.b << " " << o.c;
    }
  }
};

uint64_t u32(uint64_t v) { return static_cast<uint32_t>(v); }
int64_t s32(uint64_t v) { return static_cast<int32_t>(v); }

TEST_F(IntegerInstructions, Arithmetic) {
  compare("add.s32 %r20, %r10, %r11;",
          [](uint64_t a, uint64_t b, uint64_t) { return u32(a + b); });
  compare("add.sat.s32 %r20, %r10, %r11;",
          [](uint64_t a, uint64_t b, uint64_t) {
            return u32(static_cast<uint64_t>(
                std::clamp<int64_t>(s32(a) + s32(b), INT32_MIN, INT32_MAX)));
          });
  compare("sub.u64 %rd20, %rd10, %rd11;",
          [](uint64_t a, uint64_t b, uint64_t) { return a - b; });
  compare("mul.hi.s32 %r20, %r10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    return u32(static_cast<uint64_t>(s32(a) * s32(b)) >> 32);
  });
  compare("mul.wide.s32 %rd20, %r10, %r11;",
          [](uint64_t a, uint64_t b, uint64_t) {
            return static_cast<uint64_t>(s32(a) * s32(b));
          });
  compare("mad.lo.u32 %r20, %r10, %r11, %r12;",
          [](uint64_t a, uint64_t b, uint64_t c) {
            return u32(u32(a) * u32(b) + c);
          });
  compare(
      "mad.wide.u32 %rd20, %r10, %r11, %rd12;",
      [](uint64_t a, uint64_t b, uint64_t c) { return u32(a) * u32(b) + c; });
  compare("mul.lo.u16 %h20, %h10, %h11;", [](uint64_t a, uint64_t b, uint64_t) {
    return (a & 0xffff) * (b & 0xffff) & 0xffff;
  });
  compare("max.s32 %r20, %r10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    return u32(static_cast<uint64_t>(std::max(s32(a), s32(b))));
  });
  compare("min.s16x2 %r20, %r10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    auto half = [&](int shift) {
      return uint64_t(
                 uint16_t(std::min(int16_t(a >> shift), int16_t(b >> shift))))
             << shift;
    };
    return half(0) | half(16);
  });
}

TEST_F(IntegerInstructions, DivisionAndRemainder) {
  compare("or.b32 %r11, %r11, 1; div.s32 %r20, %r10, %r11;",
          [](uint64_t a, uint64_t b, uint64_t) {
            return u32(static_cast<uint64_t>(s32(a) / s32(b | 1)));
          });
  compare("or.b64 %rd11, %rd11, 1; rem.s64 %rd20, %rd10, %rd11;",
          [](uint64_t a, uint64_t b, uint64_t) {
            const auto divisor = static_cast<int64_t>(b | 1);
            return divisor == -1 ? 0
                                 : static_cast<uint64_t>(
                                       static_cast<int64_t>(a) % divisor);
          });
  // Overflow and division by zero must not stop the host.
  EXPECT_EQ(evaluate("div.s32 %r20, %r10, %r11;",
                     {{0x80000000, 0xffffffff, 0}, {5, 0, 0}}),
            (std::vector<uint64_t>{0x80000000, 0xffffffff}));
}

TEST_F(IntegerInstructions, CarriesMakeWideSums) {
  compare(R"(
    add.cc.u32 %r1, %r10, %r11;
    addc.u32 %r20, %r12, 0;
  )",
          [](uint64_t a, uint64_t b, uint64_t c) {
            return u32(((u32(a) + u32(b)) >> 32) + c);
          });
  compare(R"(
    sub.cc.u32 %r1, %r10, %r11;
    subc.u32 %r20, %r12, 0;
  )",
          [](uint64_t a, uint64_t b, uint64_t c) {
            return u32(c - (u32(a) < u32(b)));
          });
  compare(R"(
    mad.lo.cc.u32 %r1, %r10, %r11, %r12;
    madc.hi.u32 %r20, %r10, %r11, 0;
  )",
          [](uint64_t a, uint64_t b, uint64_t c) {
            return u32((u32(a) * u32(b) + u32(c)) >> 32);
          });
}

TEST_F(IntegerInstructions, Shifts) {
  compare("shl.b32 %r20, %r10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    return u32(b) < 32 ? u32(a << u32(b)) : 0;
  });
  compare("shr.s32 %r20, %r10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    return u32(static_cast<uint64_t>(s32(a) >> std::min<uint64_t>(u32(b), 31)));
  });
  compare("shr.u64 %rd20, %rd10, %r11;", [](uint64_t a, uint64_t b, uint64_t) {
    return u32(b) < 64 ? a >> u32(b) : 0;
  });
  compare("shf.r.clamp.b32 %r20, %r10, %r11, %r12;", [](uint64_t a, uint64_t b,
                                                        uint64_t c) {
    return u32((u32(b) << 32 | u32(a)) >> std::min<uint64_t>(u32(c), 32));
  });
}

TEST_F(IntegerInstructions, BitFields) {
  compare("bfe.u32 %r20, %r10, %r11, %r12;", [](uint64_t a, uint64_t b,
                                                uint64_t c) {
    const uint64_t position = b & 0xff, length = c & 0xff;
    const uint64_t shifted = position < 32 ? u32(a) >> position : 0;
    return length < 32 ? shifted & ((uint64_t(1) << length) - 1) : shifted;
  });
  EXPECT_EQ(evaluate("bfe.s32 %r20, %r10, 4, 8;", {{0xabc, 0, 0}})[0],
            0xffffffabu);
  compare("and.b32 %r11, %r11, 31; bfi.b32 %r20, %r10, %r12, %r11, 8;",
          [](uint64_t a, uint64_t b, uint64_t c) {
            const uint64_t field = uint64_t(0xff) << (b & 31);
            return u32((c & ~field) | (a << (b & 31) & field));
          });
  compare("lop3.b32 %r20, %r10, %r11, %r12, 0xca;",
          [](uint64_t a, uint64_t b, uint64_t c) {
            return u32((a & b) | (~a & c));
          });
  compare("bfind.u32 %r20, %r10;", [](uint64_t a, uint64_t, uint64_t) {
    return u32(a) ? uint64_t(31 - llvm::countl_zero(uint32_t(a)))
                  : uint64_t(0xffffffff);
  });
  compare("prmt.b32 %r20, %r10, %r11, 0x7f31;",
          [](uint64_t a, uint64_t b, uint64_t) {
            auto byte = [&](int n) {
              return (u32(b) << 32 | u32(a)) >> (8 * n) & 0xff;
            };
            // 0xf replicates the sign of byte 7.
            return byte(1) | byte(3) << 8 |
                   (byte(7) & 0x80 ? uint64_t(0xff) : 0) << 16 | byte(7) << 24;
          });
}

TEST_F(IntegerInstructions, Conversions) {
  compare("cvt.s64.s32 %rd20, %r10;", [](uint64_t a, uint64_t, uint64_t) {
    return static_cast<uint64_t>(s32(a));
  });
  compare("cvt.s32.s8 %r20, %r10;", [](uint64_t a, uint64_t, uint64_t) {
    return u32(static_cast<uint64_t>(int64_t(int8_t(a))));
  });
  compare("cvt.sat.u8.s32 %r20, %r10;", [](uint64_t a, uint64_t, uint64_t) {
    return static_cast<uint64_t>(std::clamp<int64_t>(s32(a), 0, 255));
  });
  compare("cvt.pack.sat.s8.s32.b32 %r20, %r10, %r11, %r12;",
          [](uint64_t a, uint64_t b, uint64_t c) {
            auto part = [](uint64_t v) {
              return uint64_t(uint8_t(std::clamp<int64_t>(s32(v), -128, 127)));
            };
            return u32(part(b) | part(a) << 8 | c << 16);
          });
}

TEST_F(IntegerInstructions, PackAndUnpack) {
  compare(R"(
    mov.b64 %rd13, {%r10, %r11};
    mov.b64 {%r13, _}, %rd13;
    mov.b32 {%h13, %h14}, %r13;
    mov.b32 %r20, {%h14, %h13};
  )",
          [](uint64_t a, uint64_t, uint64_t) {
            return u32(a >> 16 & 0xffff) | u32(a & 0xffff) << 16;
          });
}

TEST_F(IntegerInstructions, PredicateLogic) {
  compare(R"(
    setp.lt.s32 %p1|%p2, %r10, %r11;
    setp.gt.and.u32 %p3, %r12, 100, %p2;
    or.pred %p4, %p1, %p3;
    not.pred %p5, %p4;
    selp.b32 %r20, 7, %r12, %p5;
  )",
          [](uint64_t a, uint64_t b, uint64_t c) {
            const bool p1 = s32(a) < s32(b), p3 = u32(c) > 100 && !p1;
            return p1 || p3 ? u32(c) : 7;
          });
}

} // namespace
