//===- approximate.cu - Functions that GPUs approximate -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// The errors that PTX ISA 9.7.3 states: 1 ulp for rcp and sqrt, 2 ulp for div
// and ex2, 2^-22.9 relative for rsqrt. Two devices may be twice as far apart.
// tile-diff: kernel=quotients grid=4 threads=64 seed=41
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = normal
// tile-diff:   out: f32[2816] = poison ~ ulp:4
KERNEL(quotients, (const float *pa, const float *pb, float *out)) {
  BEGIN;
  float a = pa[i], b = pb[i];
  F1("rcp.approx.ftz.f32");
  F1("rcp.approx.f32");
  F1("sqrt.approx.f32");
  F1("sqrt.approx.ftz.f32");
  F1("rsqrt.approx.f32");
  F1("rsqrt.approx.ftz.f32");
  F2("div.approx.f32");
  F2("div.approx.ftz.f32");
  F2("div.full.f32");
  F1("ex2.approx.f32");
  F1("ex2.approx.ftz.f32");
}

// Relative error 2^-11 for tanh.
// tile-diff: kernel=tangents grid=4 threads=64 seed=42
// tile-diff:   a: f32[256] = any
// tile-diff:   out: f32[256] = poison ~ relative:1e-3
KERNEL(tangents, (const float *pa, float *out)) {
  BEGIN;
  float a = pa[i];
  F1("tanh.approx.f32");
}

// Absolute errors within one period, and of lg2 near 1.
// tile-diff: kernel=absolutes grid=4 threads=64 seed=43
// tile-diff:   a: f32[256] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-6
KERNEL(absolutes, (const float *pa, float *out)) {
  BEGIN;
  float a = pa[i];
  F1("sin.approx.f32");
  F1("cos.approx.f32");
  F1("sin.approx.ftz.f32");
  F1("lg2.approx.f32");
}

// Relative error 2^-22 outside of (0.5, 2); NaN, infinities and zeros exactly.
// tile-diff: kernel=logarithms grid=4 threads=64 seed=44
// tile-diff:   a: f32[256] = any
// tile-diff:   out: f32[512] = poison ~ absolute:2e-5
KERNEL(logarithms, (const float *pa, float *out)) {
  BEGIN;
  float a = pa[i];
  F1("lg2.approx.f32");
  F1("lg2.approx.ftz.f32");
}

// tile-diff: kernel=halves grid=4 threads=64 seed=45
// tile-diff:   a: f16[256] = any
// tile-diff:   out: f16[512] = poison ~ ulp:2
KERNEL(halves, (const uint16_t *pa, uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i];
  H1("ex2.approx.f16");
  H1("tanh.approx.f16");
}

// The upper half of the bits only.
// tile-diff: kernel=reciprocals64 grid=4 threads=64 seed=46
// tile-diff:   a: f64[256] = any
// tile-diff:   out: f64[512] = poison ~ relative:2e-6
KERNEL(reciprocals64, (const double *pa, double *out)) {
  BEGIN;
  double a = pa[i];
  D1("rcp.approx.ftz.f64");
  D1("rsqrt.approx.f64");
}
