//===- compare.cu - Comparisons and selections ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

#define SETP(op, letter)                                                       \
  do {                                                                         \
    uint32_t d;                                                                \
    asm("{\n\t.reg .pred p;\n\tsetp." op " p, %1, %2;\n\t"                     \
        "selp.u32 %0, 1, 0, p;\n\t}"                                           \
        : "=r"(d)                                                              \
        : letter(a), letter(b));                                               \
    bits = bits << 1 | d;                                                      \
  } while (0)
#define ORDERED(type, letter)                                                  \
  SETP("eq." type, letter);                                                    \
  SETP("ne." type, letter);                                                    \
  SETP("lt." type, letter);                                                    \
  SETP("le." type, letter);                                                    \
  SETP("gt." type, letter);                                                    \
  SETP("ge." type, letter)
#define UNORDERED(type, letter)                                                \
  SETP("equ." type, letter);                                                   \
  SETP("neu." type, letter);                                                   \
  SETP("ltu." type, letter);                                                   \
  SETP("leu." type, letter);                                                   \
  SETP("gtu." type, letter);                                                   \
  SETP("geu." type, letter);                                                   \
  SETP("num." type, letter);                                                   \
  SETP("nan." type, letter)

// Each result holds the predicates of one type, the first in the highest bit.
// tile-diff: kernel=integerComparisons grid=2 threads=64 seed=61
// tile-diff:   a: i64[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   out: i32[768] = poison
KERNEL(integerComparisons, (const uint64_t *pa, const uint64_t *pb,
                            uint32_t *out)) {
  BEGIN;
  uint32_t bits = 0;
  {
    uint64_t a = pa[i], b = i % 4 ? pb[i] : pa[i];
    ORDERED("s64", "l");
    ORDERED("u64", "l");
    PUT(bits);
  }
  bits = 0;
  {
    uint32_t a = pa[i], b = i % 4 ? pb[i] : pa[i];
    ORDERED("s32", "r");
    ORDERED("u32", "r");
    SETP("lo.u32", "r");
    SETP("ls.u32", "r");
    SETP("hi.u32", "r");
    SETP("hs.u32", "r");
    SETP("eq.b32", "r");
    PUT(bits);
  }
  bits = 0;
  uint16_t a = pa[i], b = i % 4 ? pb[i] : pa[i];
  ORDERED("s16", "h");
  ORDERED("u16", "h");
  PUT(bits);
  // Predicates combined with a third, and two results of one comparison.
  uint32_t c = pa[i], e = pb[i], d, f;
  asm("{\n\t.reg .pred p, q, r;\n\tsetp.lt.s32 p, %2, 0;\n\t"
      "setp.gt.and.u32 q|r, %2, %3, p;\n\tselp.u32 %0, 1, 0, q;\n\t"
      "selp.u32 %1, 1, 0, r;\n\t}"
      : "=r"(d), "=r"(f)
      : "r"(c), "r"(e));
  PUT(d | f << 1);
  asm("{\n\t.reg .pred p, q;\n\tsetp.lt.s32 p, %2, 0;\n\t"
      "setp.le.xor.s32 q, %2, %3, !p;\n\tselp.b32 %0, %2, %3, q;\n\t"
      "slct.s32.s32 %1, %2, %3, %3;\n\t}"
      : "=r"(d), "=r"(f)
      : "r"(c), "r"(e));
  PUT(d);
  PUT(f);
}

// tile-diff: kernel=floatComparisons grid=4 threads=64 seed=62
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   c: f64[256] = any
// tile-diff:   d: f64[256] = any
// tile-diff:   out: i32[768] = poison
KERNEL(floatComparisons, (const float *pa, const float *pb, const double *pc,
                          const double *pd, uint32_t *out)) {
  BEGIN;
  uint32_t bits = 0;
  {
    float a = pa[i], b = i % 4 ? pb[i] : pa[i];
    ORDERED("f32", "f");
    UNORDERED("f32", "f");
    PUT(bits);
    bits = 0;
    ORDERED("ftz.f32", "f");
    UNORDERED("ftz.f32", "f");
    PUT(bits);
  }
  bits = 0;
  double a = pc[i], b = i % 4 ? pd[i] : pc[i];
  ORDERED("f64", "d");
  UNORDERED("f64", "d");
  PUT(bits);
}

// tile-diff: kernel=halfComparisons grid=4 threads=64 seed=63
// tile-diff:   a: f16[256] = any
// tile-diff:   b: f16[256] = any
// tile-diff:   out: i32[512] = poison
KERNEL(halfComparisons, (const uint16_t *pa, const uint16_t *pb,
                         uint32_t *out)) {
  BEGIN;
  uint32_t bits = 0;
  uint16_t a = pa[i], b = i % 4 ? pb[i] : pa[i];
  ORDERED("f16", "h");
  UNORDERED("f16", "h");
  PUT(bits);
  bits = 0;
  ORDERED("ftz.f16", "h");
  PUT(bits);
}

// tile-diff: kernel=sets grid=4 threads=64 seed=64
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   out: i32[1536] = poison
KERNEL(sets, (const float *pa, const float *pb, uint32_t *out)) {
  BEGIN;
  float a = pa[i], b = pb[i];
  BIN(uint32_t, "r", "f", "f", "set.lt.u32.f32");
  BIN(uint32_t, "r", "f", "f", "set.geu.s32.f32");
  BIN(uint32_t, "r", "f", "f", "set.eq.f32.f32");
  BIN(uint32_t, "r", "f", "f", "set.lt.ftz.u32.f32");
  float d;
  asm("slct.f32.f32 %0, %1, %2, %1;" : "=f"(d) : "f"(a), "f"(b));
  PUT(__float_as_uint(d));
  asm("slct.ftz.f32.f32 %0, %1, %2, %2;" : "=f"(d) : "f"(a), "f"(b));
  PUT(__float_as_uint(d));
}
