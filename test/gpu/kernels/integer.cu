//===- integer.cu - Integer arithmetic ------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// tile-diff: kernel=integer32 grid=2 threads=64 seed=1
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[128] = any
// tile-diff:   out: i32[3200] = poison
KERNEL(integer32, (const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                   uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], c = pc[i];
  R2("add.s32");
  R2("add.sat.s32");
  R2("sub.s32");
  R2("sub.sat.s32");
  R2("mul.lo.s32");
  R2("mul.hi.s32");
  R2("mul.hi.u32");
  R2("mul24.lo.s32");
  R2("mul24.hi.u32");
  R3("mad.lo.s32");
  R3("mad.hi.s32");
  R3("mad.hi.u32");
  R3("mad.hi.sat.s32");
  R3("mad24.lo.s32");
  R3("sad.s32");
  R3("sad.u32");
  R1("abs.s32");
  R1("neg.s32");
  R2("min.s32");
  R2("min.u32");
  R2("max.s32");
  R2("max.u32");
  b = b ? b : 7; // A division by zero has no defined result.
  R2("div.u32");
  R2("rem.u32");
  // Nor has the quotient that does not fit.
  a = a == 0x80000000u ? 5 : a;
  R2("div.s32");
}

// tile-diff: kernel=integer64 grid=2 threads=64 seed=2
// tile-diff:   a: i64[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   c: i64[128] = any
// tile-diff:   out: i64[2560] = poison
KERNEL(integer64, (const uint64_t *pa, const uint64_t *pb, const uint64_t *pc,
                   uint64_t *out)) {
  BEGIN;
  uint64_t a = pa[i], b = pb[i], c = pc[i];
  L2("add.s64");
  L2("sub.s64");
  L2("mul.lo.s64");
  L2("mul.hi.s64");
  L2("mul.hi.u64");
  L3("mad.lo.s64");
  L3("mad.hi.s64");
  L3("mad.hi.u64");
  L3("sad.s64");
  L1("abs.s64");
  L1("neg.s64");
  L2("min.s64");
  L2("min.u64");
  L2("max.s64");
  L2("max.u64");
  b = b ? b : 7;
  L2("div.u64");
  L2("rem.u64");
  a = a == 0x8000000000000000ull ? 5 : a;
  L2("div.s64");
  L2("rem.s64");
  L2("and.b64");
}

// tile-diff: kernel=integer16 grid=2 threads=64 seed=3
// tile-diff:   a: i16[128] = any
// tile-diff:   b: i16[128] = any
// tile-diff:   c: i16[128] = any
// tile-diff:   out: i16[2176] = poison
KERNEL(integer16, (const uint16_t *pa, const uint16_t *pb, const uint16_t *pc,
                   uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i], b = pb[i], c = pc[i];
  H2("add.s16");
  H2("sub.s16");
  H2("mul.lo.s16");
  H2("mul.hi.s16");
  H2("mul.hi.u16");
  H3("mad.lo.s16");
  H1("abs.s16");
  H1("neg.s16");
  H2("min.s16");
  H2("min.u16");
  H2("max.s16");
  H2("max.u16");
  b = b ? b : 7;
  H2("div.u16");
  H2("rem.u16");
  a = a == 0x8000 ? 5 : a;
  H2("div.s16");
  H2("rem.s16");
  H3("sad.u16");
}

// tile-diff: kernel=wide grid=2 threads=64 seed=4
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i64[128] = any
// tile-diff:   h: i16[256] = any
// tile-diff:   out: i64[768] = poison
KERNEL(wide, (const uint32_t *pa, const uint32_t *pb, const uint64_t *pc,
              const uint16_t *ph, uint64_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i];
  uint64_t c = pc[i];
  BIN(uint64_t, "l", "r", "r", "mul.wide.s32");
  BIN(uint64_t, "l", "r", "r", "mul.wide.u32");
  TER(uint64_t, "l", "r", "r", "l", "mad.wide.s32");
  TER(uint64_t, "l", "r", "r", "l", "mad.wide.u32");
  uint32_t s, u;
  asm("mul.wide.s16 %0, %1, %2;" : "=r"(s) : "h"(ph[2 * i]), "h"(ph[2 * i + 1]));
  asm("mad.wide.u16 %0, %1, %2, %3;"
      : "=r"(u)
      : "h"(ph[2 * i]), "h"(ph[2 * i + 1]), "r"(a));
  PUT(s);
  PUT(u);
}

// tile-diff: kernel=carries grid=2 threads=64 seed=5
// tile-diff:   a: i32[512] = any
// tile-diff:   b: i32[512] = any
// tile-diff:   out: i32[2048] = poison
KERNEL(carries, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  const uint32_t *x = pa + 4 * i, *y = pb + 4 * i;
  uint32_t d0, d1, d2, d3;
  asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
      : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]),
        "r"(y[2]), "r"(y[3]));
  PUT(d0);
  PUT(d1);
  PUT(d2);
  PUT(d3);
  asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\t"
      "subc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
      : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]),
        "r"(y[2]), "r"(y[3]));
  PUT(d0);
  PUT(d1);
  PUT(d2);
  PUT(d3);
  // 64 x 64 -> 128 bits, the way long numbers are multiplied.
  asm("mul.lo.u32 %0, %4, %6;\n\tmul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\tmadc.hi.u32 %2, %5, %6, 0;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\tmadc.hi.cc.u32 %2, %4, %7, %2;\n\t"
      "addc.u32 %3, 0, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\tmadc.hi.u32 %3, %5, %7, %3;"
      : "=&r"(d0), "=&r"(d1), "=&r"(d2), "=&r"(d3)
      : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]));
  PUT(d0);
  PUT(d1);
  PUT(d2);
  PUT(d3);
  uint64_t l0, l1;
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;"
      : "=l"(l0), "=l"(l1)
      : "l"((uint64_t)x[0] << 32 | x[1]), "l"((uint64_t)x[2] << 32 | x[3]),
        "l"((uint64_t)y[0] << 32 | y[1]), "l"((uint64_t)y[2] << 32 | y[3]));
  PUT((uint32_t)l0);
  PUT((uint32_t)(l0 >> 32));
  PUT((uint32_t)l1);
  PUT((uint32_t)(l1 >> 32));
}
