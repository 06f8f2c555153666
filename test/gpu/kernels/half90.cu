//===- half90.cu - 16-bit instructions of sm_90 ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90
#include "suite.h"

// tile-diff: kernel=brain16add grid=4 threads=64 seed=36
// tile-diff:   a: bf16[256] = any
// tile-diff:   b: bf16[256] = any
// tile-diff:   out: bf16[768] = poison
KERNEL(brain16add, (const uint16_t *pa, const uint16_t *pb, uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i], b = pb[i];
  H2("add.rn.bf16");
  H2("sub.rn.bf16");
  H2("mul.rn.bf16");
}

// tile-diff: kernel=brain16x2add grid=2 threads=64 seed=37
// tile-diff:   a: bf16[256] = any
// tile-diff:   b: bf16[256] = any
// tile-diff:   out: bf16[768] = poison
KERNEL(brain16x2add, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i];
  R2("add.rn.bf16x2");
  R2("sub.rn.bf16x2");
  R2("mul.rn.bf16x2");
}

// tile-diff: kernel=integer16x2 grid=2 threads=64 seed=38
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   out: i32[640] = poison
KERNEL(integer16x2, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i];
  R2("add.u16x2");
  R2("min.s16x2");
  R2("min.u16x2");
  R2("max.s16x2");
  R2("max.u16x2");
}

// tile-diff: kernel=brainFunctions grid=4 threads=64 seed=39
// tile-diff:   a: bf16[256] = any
// tile-diff:   out: bf16[512] = poison ~ ulp:2
KERNEL(brainFunctions, (const uint16_t *pa, uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i];
  H1("tanh.approx.bf16");
  H1("ex2.approx.ftz.bf16");
}

// tile-diff: kernel=signedExtremes grid=4 threads=64 seed=40
// tile-diff:   a: f16[256] = any
// tile-diff:   b: f16[256] = any
// tile-diff:   out: f16[512] = poison
KERNEL(signedExtremes, (const uint16_t *pa, const uint16_t *pb,
                        uint16_t *out)) {
  BEGIN;
  uint16_t a = pa[i], b = pb[i];
  H2("max.xorsign.abs.f16");
  H2("min.xorsign.abs.f16");
}
