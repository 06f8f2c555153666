//===- float.cu - f32 and f64 arithmetic ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// tile-diff: kernel=float32 grid=4 threads=64 seed=21
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   c: f32[256] = any
// tile-diff:   out: f32[8192] = poison
KERNEL(float32, (const float *pa, const float *pb, const float *pc, float *out)) {
  BEGIN;
  float a = pa[i], b = pb[i], c = pc[i];
  F2("add.rn.f32");
  F2("add.rz.f32");
  F2("add.rm.f32");
  F2("add.rp.f32");
  F2("add.ftz.f32");
  F2("add.sat.f32");
  F2("sub.rn.f32");
  F2("sub.ftz.sat.f32");
  F2("mul.rn.f32");
  F2("mul.rz.f32");
  F2("mul.rm.f32");
  F2("mul.rp.f32");
  F2("mul.rn.ftz.f32");
  F2("mul.sat.f32");
  F3("fma.rn.f32");
  F3("fma.rz.f32");
  F3("fma.rm.f32");
  F3("fma.rp.f32");
  F3("fma.rn.ftz.f32");
  F3("fma.rn.sat.f32");
  F2("div.rn.f32");
  F2("div.rz.f32");
  F2("div.rp.f32");
  F2("div.rn.ftz.f32");
  F1("rcp.rn.f32");
  F1("rcp.rm.f32");
  F1("rcp.rn.ftz.f32");
  F1("sqrt.rn.f32");
  F1("sqrt.rz.f32");
  F1("sqrt.rp.f32");
  F1("sqrt.rn.ftz.f32");
  F3("mad.rn.f32");
}

// tile-diff: kernel=minmax32 grid=4 threads=64 seed=22
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   c: f32[256] = any
// tile-diff:   out: f32[1536] = poison
KERNEL(minmax32, (const float *pa, const float *pb, const float *pc,
                  float *out)) {
  BEGIN;
  float a = pa[i], b = pb[i];
  F2("min.f32");
  F2("max.f32");
  F2("min.ftz.f32");
  F2("max.ftz.f32");
  F2("min.NaN.f32");
  F2("max.NaN.f32");
}

// PTX leaves open which NaN these give.
// tile-diff: kernel=signs32 grid=4 threads=64 seed=23
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   out: f32[1536] = poison ~ ulp:0
KERNEL(signs32, (const float *pa, const float *pb, float *out)) {
  BEGIN;
  float a = pa[i], b = pb[i];
  F1("abs.f32");
  F1("abs.ftz.f32");
  F1("neg.f32");
  F1("neg.ftz.f32");
  F2("copysign.f32");
  F1("mov.f32");
}

#define TESTP(kind, letter)                                                    \
  do {                                                                         \
    uint32_t d;                                                                \
    asm("{\n\t.reg .pred p;\n\ttestp." kind " p, %1;\n\t"                      \
        "selp.u32 %0, 1, 0, p;\n\t}"                                           \
        : "=r"(d)                                                              \
        : letter(a));                                                          \
    PUT(d);                                                                    \
  } while (0)

// tile-diff: kernel=classes grid=4 threads=64 seed=24
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f64[256] = any
// tile-diff:   out: i32[3072] = poison
KERNEL(classes, (const float *pa, const double *pb, uint32_t *out)) {
  BEGIN;
  {
    float a = pa[i];
    TESTP("finite.f32", "f");
    TESTP("infinite.f32", "f");
    TESTP("number.f32", "f");
    TESTP("notanumber.f32", "f");
    TESTP("normal.f32", "f");
    TESTP("subnormal.f32", "f");
  }
  double a = pb[i];
  TESTP("finite.f64", "d");
  TESTP("infinite.f64", "d");
  TESTP("number.f64", "d");
  TESTP("notanumber.f64", "d");
  TESTP("normal.f64", "d");
  TESTP("subnormal.f64", "d");
}

// Payloads of NaNs are not modelled for f64.
// tile-diff: kernel=float64 grid=2 threads=64 seed=25
// tile-diff:   a: f64[128] = any
// tile-diff:   b: f64[128] = any
// tile-diff:   c: f64[128] = any
// tile-diff:   out: f64[3328] = poison ~ ulp:0
KERNEL(float64, (const double *pa, const double *pb, const double *pc,
                 double *out)) {
  BEGIN;
  double a = pa[i], b = pb[i], c = pc[i];
  D2("add.rn.f64");
  D2("add.rz.f64");
  D2("add.rm.f64");
  D2("add.rp.f64");
  D2("sub.rn.f64");
  D2("mul.rn.f64");
  D2("mul.rz.f64");
  D2("mul.rm.f64");
  D2("mul.rp.f64");
  D3("fma.rn.f64");
  D3("fma.rz.f64");
  D3("fma.rm.f64");
  D3("fma.rp.f64");
  D2("div.rn.f64");
  D2("div.rz.f64");
  D2("div.rp.f64");
  D1("rcp.rn.f64");
  D1("rcp.rm.f64");
  D1("sqrt.rn.f64");
  D1("sqrt.rz.f64");
  D1("sqrt.rp.f64");
  D2("min.f64");
  D2("max.f64");
  D1("abs.f64");
  D1("neg.f64");
  D2("copysign.f64");
}
