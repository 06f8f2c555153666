//===- mma.cu - Tensor cores ----------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "mma.h"

// Sums of random floats: the devices add in different orders and precisions. All
// products stay below 12, so their sums do below 200.

// tile-diff: kernel=halfK8 grid=2 threads=32 seed=131
// tile-diff:   a: f16[256] = normal
// tile-diff:   b: f16[128] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(halfK8, 214, float, "f", uint32_t, "r",
    "m16n8k8.row.col.f32.f16.f16.f32")

// tile-diff: kernel=halfK16 grid=2 threads=32 seed=132
// tile-diff:   a: f16[512] = normal
// tile-diff:   b: f16[256] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(halfK16, 424, float, "f", uint32_t, "r",
    "m16n8k16.row.col.f32.f16.f16.f32")

// tile-diff: kernel=halfSumsK8 grid=2 threads=32 seed=133
// tile-diff:   a: f16[256] = normal
// tile-diff:   b: f16[128] = normal
// tile-diff:   c: f16[256] = normal
// tile-diff:   out: f16[256] = poison ~ absolute:0.02
MMA(halfSumsK8, 212, uint32_t, "r", uint32_t, "r",
    "m16n8k8.row.col.f16.f16.f16.f16")

// tile-diff: kernel=halfSumsK16 grid=2 threads=32 seed=134
// tile-diff:   a: f16[512] = normal
// tile-diff:   b: f16[256] = normal
// tile-diff:   c: f16[256] = normal
// tile-diff:   out: f16[256] = poison ~ absolute:0.02
MMA(halfSumsK16, 422, uint32_t, "r", uint32_t, "r",
    "m16n8k16.row.col.f16.f16.f16.f16")

// tile-diff: kernel=brainK8 grid=2 threads=32 seed=135
// tile-diff:   a: bf16[256] = normal
// tile-diff:   b: bf16[128] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(brainK8, 214, float, "f", uint32_t, "r",
    "m16n8k8.row.col.f32.bf16.bf16.f32")

// tile-diff: kernel=brainK16 grid=2 threads=32 seed=136
// tile-diff:   a: bf16[512] = normal
// tile-diff:   b: bf16[256] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(brainK16, 424, float, "f", uint32_t, "r",
    "m16n8k16.row.col.f32.bf16.bf16.f32")

// tile-diff: kernel=tensorFloatK4 grid=2 threads=32 seed=137
// tile-diff:   a: f32[128] = normal
// tile-diff:   b: f32[64] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(tensorFloatK4, 214, float, "f", uint32_t, "r",
    "m16n8k4.row.col.f32.tf32.tf32.f32")

// tile-diff: kernel=tensorFloatK8 grid=2 threads=32 seed=138
// tile-diff:   a: f32[256] = normal
// tile-diff:   b: f32[128] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:2e-5
MMA(tensorFloatK8, 424, float, "f", uint32_t, "r",
    "m16n8k8.row.col.f32.tf32.tf32.f32")

// tile-diff: kernel=doubleK4 grid=2 threads=32 seed=139
// tile-diff:   a: f64[64] = normal
// tile-diff:   b: f64[64] = normal
// tile-diff:   c: f64[128] = normal
// tile-diff:   out: f64[128] = poison ~ absolute:1e-14
MMA(doubleK4, 112, double, "d", double, "d",
    "m8n8k4.row.col.f64.f64.f64.f64")

// Sums of whole numbers that are exact in every order: the bits must be the same.

// tile-diff: kernel=wholeHalfK16 grid=1 threads=32 seed=140
// tile-diff:   a: f16[256] = iota
// tile-diff:   b: f16[128] = iota
// tile-diff:   c: f32[128] = iota
// tile-diff:   out: f32[128] = poison
MMA(wholeHalfK16, 424, float, "f", uint32_t, "r",
    "m16n8k16.row.col.f32.f16.f16.f32")

// tile-diff: kernel=wholeHalfK8 grid=1 threads=32 seed=141
// tile-diff:   a: f16[128] = iota
// tile-diff:   b: f16[64] = iota
// tile-diff:   c: f32[128] = iota
// tile-diff:   out: f32[128] = poison
MMA(wholeHalfK8, 214, float, "f", uint32_t, "r",
    "m16n8k8.row.col.f32.f16.f16.f32")

// tile-diff: kernel=wholeBrainK16 grid=1 threads=32 seed=142
// tile-diff:   a: bf16[256] = iota
// tile-diff:   b: bf16[128] = iota
// tile-diff:   c: f32[128] = iota
// tile-diff:   out: f32[128] = poison
MMA(wholeBrainK16, 424, float, "f", uint32_t, "r",
    "m16n8k16.row.col.f32.bf16.bf16.f32")

// tile-diff: kernel=wholeTensorFloatK8 grid=1 threads=32 seed=143
// tile-diff:   a: f32[128] = iota
// tile-diff:   b: f32[64] = iota
// tile-diff:   c: f32[128] = iota
// tile-diff:   out: f32[128] = poison
MMA(wholeTensorFloatK8, 424, float, "f", uint32_t, "r",
    "m16n8k8.row.col.f32.tf32.tf32.f32")

// tile-diff: kernel=wholeDoubleK4 grid=1 threads=32 seed=144
// tile-diff:   a: f64[32] = iota
// tile-diff:   b: f64[32] = iota
// tile-diff:   c: f64[64] = iota
// tile-diff:   out: f64[64] = poison
MMA(wholeDoubleK4, 112, double, "d", double, "d",
    "m8n8k4.row.col.f64.f64.f64.f64")

// tile-diff: kernel=bytesM8K16 grid=2 threads=32 seed=145
// tile-diff:   a: i32[64] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[128] = any
// tile-diff:   out: i32[128] = poison
MMA(bytesM8K16, 112, uint32_t, "r", uint32_t, "r",
    "m8n8k16.row.col.s32.s8.s8.s32")

// tile-diff: kernel=bytesK16 grid=2 threads=32 seed=146
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bytesK16, 214, uint32_t, "r", uint32_t, "r",
    "m16n8k16.row.col.s32.s8.u8.s32")

// tile-diff: kernel=bytesK32 grid=2 threads=32 seed=147
// tile-diff:   a: i32[256] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bytesK32, 424, uint32_t, "r", uint32_t, "r",
    "m16n8k32.row.col.s32.s8.s8.s32")

// tile-diff: kernel=bytesUnsigned grid=2 threads=32 seed=148
// tile-diff:   a: i32[256] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bytesUnsigned, 424, uint32_t, "r", uint32_t, "r",
    "m16n8k32.row.col.s32.u8.u8.s32")

// tile-diff: kernel=bytesSaturated grid=2 threads=32 seed=149
// tile-diff:   a: i32[256] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bytesSaturated, 424, uint32_t, "r", uint32_t, "r",
    "m16n8k32.row.col.satfinite.s32.s8.s8.s32")

// tile-diff: kernel=nibblesM8K32 grid=2 threads=32 seed=150
// tile-diff:   a: i32[64] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[128] = any
// tile-diff:   out: i32[128] = poison
MMA(nibblesM8K32, 112, uint32_t, "r", uint32_t, "r",
    "m8n8k32.row.col.s32.s4.s4.s32")

// tile-diff: kernel=nibblesK32 grid=2 threads=32 seed=151
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(nibblesK32, 214, uint32_t, "r", uint32_t, "r",
    "m16n8k32.row.col.s32.u4.s4.s32")

// tile-diff: kernel=nibblesK64 grid=2 threads=32 seed=152
// tile-diff:   a: i32[256] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(nibblesK64, 424, uint32_t, "r", uint32_t, "r",
    "m16n8k64.row.col.s32.s4.s4.s32")

// tile-diff: kernel=bitsM8K128 grid=2 threads=32 seed=153
// tile-diff:   a: i32[64] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[128] = any
// tile-diff:   out: i32[128] = poison
MMA(bitsM8K128, 112, uint32_t, "r", uint32_t, "r",
    "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")

// tile-diff: kernel=bitsK128 grid=2 threads=32 seed=154
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[64] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bitsK128, 214, uint32_t, "r", uint32_t, "r",
    "m16n8k128.row.col.s32.b1.b1.s32.and.popc")

// tile-diff: kernel=bitsK256 grid=2 threads=32 seed=155
// tile-diff:   a: i32[256] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[256] = any
// tile-diff:   out: i32[256] = poison
MMA(bitsK256, 424, uint32_t, "r", uint32_t, "r",
    "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

// Which sums are NaN or infinite does not depend on their order.
// tile-diff: kernel=specials grid=2 threads=32 seed=170
// tile-diff:   a: f16[512] = any
// tile-diff:   b: f16[256] = normal
// tile-diff:   out: i32[256] = poison
KERNEL(specials, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a[4], b[2];
  float c[4] = {}, d[4];
  for (unsigned j = 0; j < 4; ++j)
    a[j] = i % 4 == 0 ? pa[4 * i + j] : 0x3c003c00;
  for (unsigned j = 0; j < 2; ++j)
    b[j] = pb[2 * i + j];
  SHAPE_424("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f", "r");
  for (unsigned j = 0; j < 4; ++j)
    PUT(isnan(d[j]) ? 1 : isinf(d[j]) ? 2 + (d[j] < 0) : 0);
}
