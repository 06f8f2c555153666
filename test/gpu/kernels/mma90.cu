//===- mma90.cu - Tensor cores of sm_90 -----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90
#include "mma.h"

// mma of sm_89 and sm_90, see mma.cu.

// tile-diff: kernel=eightK32 grid=2 threads=32 seed=156
// tile-diff:   a: f8e4m3[1024] = normal
// tile-diff:   b: f8e4m3[512] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:0.05
MMA(eightK32, 424, float, "f", uint32_t, "r",
    "m16n8k32.row.col.f32.e4m3.e4m3.f32")

// tile-diff: kernel=eightWideK32 grid=2 threads=32 seed=157
// tile-diff:   a: f8e5m2[1024] = normal
// tile-diff:   b: f8e5m2[512] = normal
// tile-diff:   c: f32[256] = normal
// tile-diff:   out: f32[256] = poison ~ absolute:0.05
MMA(eightWideK32, 424, float, "f", uint32_t, "r",
    "m16n8k32.row.col.f32.e5m2.e5m2.f32")

// tile-diff: kernel=doubleM16K4 grid=2 threads=32 seed=158
// tile-diff:   a: f64[128] = normal
// tile-diff:   b: f64[64] = normal
// tile-diff:   c: f64[256] = normal
// tile-diff:   out: f64[256] = poison ~ absolute:4e-14
MMA(doubleM16K4, 214, double, "d", double, "d",
    "m16n8k4.row.col.f64.f64.f64.f64")

// tile-diff: kernel=doubleM16K8 grid=2 threads=32 seed=159
// tile-diff:   a: f64[256] = normal
// tile-diff:   b: f64[128] = normal
// tile-diff:   c: f64[256] = normal
// tile-diff:   out: f64[256] = poison ~ absolute:4e-14
MMA(doubleM16K8, 424, double, "d", double, "d",
    "m16n8k8.row.col.f64.f64.f64.f64")

// tile-diff: kernel=doubleM16K16 grid=2 threads=32 seed=160
// tile-diff:   a: f64[512] = normal
// tile-diff:   b: f64[256] = normal
// tile-diff:   c: f64[256] = normal
// tile-diff:   out: f64[256] = poison ~ absolute:4e-14
MMA(doubleM16K16, 844, double, "d", double, "d",
    "m16n8k16.row.col.f64.f64.f64.f64")

// tile-diff: kernel=wholeDoubleM16K4 grid=1 threads=32 seed=161
// tile-diff:   a: f64[64] = iota
// tile-diff:   b: f64[32] = iota
// tile-diff:   c: f64[128] = iota
// tile-diff:   out: f64[128] = poison
MMA(wholeDoubleM16K4, 214, double, "d", double, "d",
    "m16n8k4.row.col.f64.f64.f64.f64")

// tile-diff: kernel=wholeDoubleM16K8 grid=1 threads=32 seed=162
// tile-diff:   a: f64[128] = iota
// tile-diff:   b: f64[64] = iota
// tile-diff:   c: f64[128] = iota
// tile-diff:   out: f64[128] = poison
MMA(wholeDoubleM16K8, 424, double, "d", double, "d",
    "m16n8k8.row.col.f64.f64.f64.f64")

// tile-diff: kernel=wholeDoubleM16K16 grid=1 threads=32 seed=163
// tile-diff:   a: f64[256] = iota
// tile-diff:   b: f64[128] = iota
// tile-diff:   c: f64[128] = iota
// tile-diff:   out: f64[128] = poison
MMA(wholeDoubleM16K16, 844, double, "d", double, "d",
    "m16n8k16.row.col.f64.f64.f64.f64")
