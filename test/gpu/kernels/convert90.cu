//===- convert90.cu - Conversions of sm_89 and sm_90 ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90
#include "suite.h"

// tile-diff: kernel=toEight grid=4 threads=64 seed=57
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   c: f16[512] = any
// tile-diff:   out: i16[1792] = poison
KERNEL(toEight, (const float *pa, const float *pb, const uint32_t *pc,
                 uint16_t *out)) {
  BEGIN;
  {
    float a = pa[i], b = pb[i];
    BIN(uint16_t, "h", "f", "f", "cvt.rn.satfinite.e4m3x2.f32");
    BIN(uint16_t, "h", "f", "f", "cvt.rn.satfinite.e5m2x2.f32");
    BIN(uint16_t, "h", "f", "f", "cvt.rn.satfinite.relu.e4m3x2.f32");
  }
  uint32_t a = pc[i];
  UN(uint16_t, "h", "r", "cvt.rn.satfinite.e4m3x2.f16x2");
  UN(uint16_t, "h", "r", "cvt.rn.satfinite.e5m2x2.f16x2");
  UN(uint16_t, "h", "r", "cvt.rn.satfinite.relu.e4m3x2.f16x2");
  UN(uint16_t, "h", "r", "cvt.rn.satfinite.relu.e5m2x2.f16x2");
}

// All 256 numbers of each format, in the lower and in the upper half.
// tile-diff: kernel=fromEight grid=4 threads=64 seed=58
// tile-diff:   out: i32[1024] = poison
KERNEL(fromEight, (uint32_t *out)) {
  BEGIN;
  uint16_t a = i | (255 - i) << 8;
  UN(uint32_t, "r", "h", "cvt.rn.f16x2.e4m3x2");
  UN(uint32_t, "r", "h", "cvt.rn.f16x2.e5m2x2");
  UN(uint32_t, "r", "h", "cvt.rn.relu.f16x2.e4m3x2");
  UN(uint32_t, "r", "h", "cvt.rn.relu.f16x2.e5m2x2");
}

// tile-diff: kernel=brainConversions grid=4 threads=64 seed=59
// tile-diff:   a: bf16[256] = any
// tile-diff:   b: i32[256] = any
// tile-diff:   c: f32[256] = any
// tile-diff:   out: i32[2304] = poison
KERNEL(brainConversions, (const uint16_t *pa, const uint32_t *pb,
                          const float *pc, uint32_t *out)) {
  BEGIN;
  {
    uint16_t a = pa[i];
    UN(uint32_t, "r", "h", "cvt.f32.bf16");
    UN(uint32_t, "r", "h", "cvt.rni.s32.bf16");
    UN(uint32_t, "r", "h", "cvt.rzi.u32.bf16");
    UN(uint16_t, "h", "h", "cvt.rn.f16.bf16");
    UN(uint16_t, "h", "h", "cvt.rmi.bf16.bf16");
  }
  {
    uint32_t a = pb[i];
    UN(uint16_t, "h", "r", "cvt.rn.bf16.s32");
    UN(uint16_t, "h", "r", "cvt.rz.bf16.u32");
  }
  float a = pc[i];
  UN(uint32_t, "r", "f", "cvt.rn.tf32.f32");
  UN(uint32_t, "r", "f", "cvt.rz.relu.tf32.f32");
}
