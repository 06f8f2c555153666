//===- InstructionTest.h - One instruction on many operands -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SIMULATOR_INSTRUCTIONTEST_H
#define TILEWRIGHT_TEST_UNIT_SIMULATOR_INSTRUCTIONTEST_H

#include "SimulatorTest.h"
#include "llvm/ADT/bit.h"

namespace tilewright::sim {

/// Three 64-bit operands.
struct Operands {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
};

/// Evaluates PTX for a list of operands, one thread each. The text finds them
/// as %rd10..12 (64 bits), %r10..12 (low 32), %h10..12 (low 16), %f10..12 and
/// %d10..12, and leaves its result in %rd20, %r20, %h20, %f20 or %d20.
class InstructionTest : public DeviceTest {
protected:
  std::string target = "sm_90a";

  std::vector<uint64_t> evaluate(const std::string &text,
                                 const std::vector<Operands> &operands) {
    std::string body = R"(
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      ld.param.u32 %r4, [n];
      mov.u32 %r1, %tid.x;
      mov.u32 %r2, %ctaid.x;
      mad.lo.s32 %r1, %r2, 128, %r1;
      setp.ge.u32 %p15, %r1, %r4;
      @%p15 ret;
      mad.wide.u32 %rd3, %r1, 24, %rd1;
      mad.wide.u32 %rd4, %r1, 8, %rd2;
      mov.b64 %rd20, 0;
)";
    for (int i = 0; i != 3; ++i) {
      const std::string n = std::to_string(10 + i);
      body += "ld.global.b64 %rd" + n + ", [%rd3+" + std::to_string(8 * i) +
              "]; cvt.u32.u64 %r" + n + ", %rd" + n + "; cvt.u16.u64 %h" + n +
              ", %rd" + n + "; mov.b32 %f" + n + ", %r" + n + "; mov.b64 %d" +
              n + ", %rd" + n + ";\n";
    }
    body += text + "\n";
    if (text.find("%r20") != std::string::npos)
      body += "cvt.u64.u32 %rd20, %r20;\n";
    if (text.find("%h20") != std::string::npos)
      body += "cvt.u64.u16 %rd20, %h20;\n";
    if (text.find("%f20") != std::string::npos)
      body += "mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;\n";
    if (text.find("%d20") != std::string::npos)
      body += "mov.b64 %rd20, %d20;\n";
    body += "st.global.b64 [%rd4], %rd20;";
    const Module module = parseOrDie(wrapKernel(body, "", target));
    const uint64_t in = upload(operands),
                   out = blank<uint64_t>(operands.size());
    const auto count = static_cast<uint32_t>(operands.size());
    runClean(module, "test", {(count + 127) / 128}, {128},
             ArgumentBlock().add(in).add(out).add(out).add(count));
    return download<uint64_t>(out, count);
  }

  /// Bit patterns with many special cases: small and large magnitudes, equal
  /// and opposite operands, zeros, infinities, NaN.
  template <class T> std::vector<Operands> floatOperands(size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const T specials[] = {T(0),
                          T(-0.0),
                          T(1),
                          T(-1),
                          std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN(),
                          std::numeric_limits<T>::max(),
                          std::numeric_limits<T>::min(),
                          std::numeric_limits<T>::denorm_min(),
                          T(0.5),
                          T(2.5)};
    auto one = [&]() -> uint64_t {
      const uint64_t any = uint64_t(random()) << 32 | random();
      switch (any % 4) {
      case 0:
        return llvm::bit_cast<Bits>(specials[any / 4 % std::size(specials)]);
      case 1: // near one, so that sums cancel and round
        return llvm::bit_cast<Bits>(
            T(static_cast<double>(any % 20001) / 7000 - 1));
      default:
        return static_cast<Bits>(any);
      }
    };
    std::vector<Operands> list(count);
    for (Operands &o : list) {
      o = {one(), one(), one()};
      if (random() % 8 == 0)
        o.b = o.a;
      if (random() % 8 == 0)
        o.b = o.a ^ uint64_t(1) << (sizeof(T) * 8 - 1);
    }
    return list;
  }

  std::vector<Operands> integerOperands(size_t count) {
    std::vector<Operands> list(count);
    for (Operands &o : list)
      for (uint64_t *v : {&o.a, &o.b, &o.c}) {
        *v = uint64_t(random()) << 32 | random();
        if (random() % 4 == 0)
          *v %= 40;
        if (random() % 8 == 0)
          *v = -*v;
      }
    return list;
  }
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_TEST_UNIT_SIMULATOR_INSTRUCTIONTEST_H
