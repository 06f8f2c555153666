//===- half.cu - f16 and bf16 arithmetic ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// tile-diff: kernel=float16 grid=4 threads=64 seed=31
// tile-diff:   a: f16[256] = any
// tile-diff:   b: f16[256] = any
// tile-diff:   c: f16[256] = any
// tile-diff:   out: f16[4608] = poison
KERNEL(float16, (const uint16_t *pa, const uint16_t *pb, const uint16_t *pc,
                 uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i], b = pb[i], c = pc[i];
  H2("add.rn.f16");
  H2("add.ftz.f16");
  H2("add.sat.f16");
  H2("sub.rn.f16");
  H2("sub.ftz.sat.f16");
  H2("mul.rn.f16");
  H2("mul.ftz.f16");
  H2("mul.sat.f16");
  H3("fma.rn.f16");
  H3("fma.rn.ftz.f16");
  H3("fma.rn.sat.f16");
  H3("fma.rn.relu.f16");
  H2("min.f16");
  H2("max.f16");
  H2("min.NaN.f16");
  H2("max.NaN.f16");
  H2("min.ftz.f16");
  H2("max.ftz.NaN.f16");
}

// tile-diff: kernel=float16x2 grid=2 threads=64 seed=32
// tile-diff:   a: f16[256] = any
// tile-diff:   b: f16[256] = any
// tile-diff:   c: f16[256] = any
// tile-diff:   out: f16[2048] = poison
KERNEL(float16x2, (const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                   uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], c = pc[i];
  R2("add.f16x2");
  R2("sub.f16x2");
  R2("mul.f16x2");
  R3("fma.rn.f16x2");
  R3("fma.rn.relu.f16x2");
  R2("min.f16x2");
  R2("max.f16x2");
  R2("max.NaN.f16x2");
}

// tile-diff: kernel=brain16 grid=4 threads=64 seed=33
// tile-diff:   a: bf16[256] = any
// tile-diff:   b: bf16[256] = any
// tile-diff:   c: bf16[256] = any
// tile-diff:   out: bf16[1536] = poison
KERNEL(brain16, (const uint16_t *pa, const uint16_t *pb, const uint16_t *pc,
                 uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i], b = pb[i], c = pc[i];
  H3("fma.rn.bf16");
  H3("fma.rn.relu.bf16");
  H2("min.bf16");
  H2("max.bf16");
  H2("min.NaN.bf16");
  H2("max.NaN.bf16");
}

// tile-diff: kernel=brain16x2 grid=2 threads=64 seed=34
// tile-diff:   a: bf16[256] = any
// tile-diff:   b: bf16[256] = any
// tile-diff:   c: bf16[256] = any
// tile-diff:   out: bf16[1280] = poison
KERNEL(brain16x2, (const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                   uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], c = pc[i];
  R3("fma.rn.bf16x2");
  R3("fma.rn.relu.bf16x2");
  R2("min.bf16x2");
  R2("max.bf16x2");
  R2("max.NaN.bf16x2");
}

// PTX leaves open which NaN these give.
// tile-diff: kernel=signs16 grid=4 threads=64 seed=35
// tile-diff:   a: f16[256] = any
// tile-diff:   b: bf16[256] = any
// tile-diff:   outf: f16[768] = poison ~ ulp:0
// tile-diff:   outb: bf16[512] = poison ~ ulp:0
KERNEL(signs16, (const uint16_t *pa, const uint16_t *pb, uint16_t *outf,
                 uint16_t *outb)) {
  BEGIN;
  uint16_t a = pa[i];
  uint16_t *out = outf;
  H1("abs.f16");
  H1("neg.f16");
  H1("neg.ftz.f16");
  a = pb[i];
  out = outb;
  k = 0;
  H1("abs.bf16");
  H1("neg.bf16");
}
