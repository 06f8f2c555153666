//===- wgmma.cu - Products of warpgroups: types ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90a
#include "wgmma.h"

// N is 16. A has 64 rows of 128 bytes and B 16, K-major with a swizzle of 128
// bytes: the products read the first 32 bytes of each row.
#define ROWS_128 FIELDS(SWIZZLE_128, 16, 1024)
#define IMAGE 10240
#define START_B 8192

// tile-diff: kernel=half grid=1 threads=128 seed=301
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(half, "m64n16k16.f32.f16.f16", float, "f", 8, IMAGE, ROWS_128, START_B,
      ROWS_128, ", 1, 1, 1, 0, 0")

// tile-diff: kernel=halfSums grid=1 threads=128 seed=302
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f16[1024] = normal
// tile-diff:   out: f16[1024] = poison ~ absolute:0.02
WGMMA(halfSums, "m64n16k16.f16.f16.f16", uint32_t, "r", 4, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1, 0, 0")

// tile-diff: kernel=brain grid=1 threads=128 seed=303
// tile-diff:   image: bf16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(brain, "m64n16k16.f32.bf16.bf16", float, "f", 8, IMAGE, ROWS_128, START_B,
      ROWS_128, ", 1, 1, 1, 0, 0")

// tile-diff: kernel=tensor grid=1 threads=128 seed=304
// tile-diff:   image: f32[2560] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(tensor, "m64n16k8.f32.tf32.tf32", float, "f", 8, IMAGE, ROWS_128, START_B,
      ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight43 grid=1 threads=128 seed=305
// tile-diff:   image: f8e4m3[10240] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.05
WGMMA(eight43, "m64n16k32.f32.e4m3.e4m3", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight52 grid=1 threads=128 seed=306
// tile-diff:   image: f8e5m2[10240] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.05
WGMMA(eight52, "m64n16k32.f32.e5m2.e5m2", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight43Sums grid=1 threads=128 seed=307
// tile-diff:   image: f8e4m3[10240] = normal
// tile-diff:   c: f16[1024] = normal
// tile-diff:   out: f16[1024] = poison ~ absolute:0.1
WGMMA(eight43Sums, "m64n16k32.f16.e4m3.e4m3", uint32_t, "r", 4, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight52Sums grid=1 threads=128 seed=308
// tile-diff:   image: f8e5m2[10240] = normal
// tile-diff:   c: f16[1024] = normal
// tile-diff:   out: f16[1024] = poison ~ absolute:0.1
WGMMA(eight52Sums, "m64n16k32.f16.e5m2.e5m2", uint32_t, "r", 4, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=signedBytes grid=1 threads=128 seed=309
// tile-diff:   image: i8[10240] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA(signedBytes, "m64n16k32.s32.s8.s8", int32_t, "r", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1")

// tile-diff: kernel=unsignedBytes grid=1 threads=128 seed=310
// tile-diff:   image: i8[10240] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA(unsignedBytes, "m64n16k32.s32.u8.u8", int32_t, "r", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1")

// tile-diff: kernel=signedUnsigned grid=1 threads=128 seed=311
// tile-diff:   image: i8[10240] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA(signedUnsigned, "m64n16k32.s32.s8.u8", int32_t, "r", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1")

// tile-diff: kernel=unsignedSigned grid=1 threads=128 seed=312
// tile-diff:   image: i8[10240] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA(unsignedSigned, "m64n16k32.s32.u8.s8", int32_t, "r", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1")

// tile-diff: kernel=saturated grid=1 threads=128 seed=313
// tile-diff:   image: i8[10240] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA(saturated, "m64n16k32.s32.s8.s8.satfinite", int32_t, "r", 8, IMAGE,
      ROWS_128, START_B, ROWS_128, ", 1")

// One image for two types: bytes of either are small numbers of the other.
// tile-diff: kernel=eight43By52 grid=1 threads=128 seed=314
// tile-diff:   image: f8e4m3[10240] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.25
WGMMA(eight43By52, "m64n16k32.f32.e4m3.e5m2", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight52By43 grid=1 threads=128 seed=315
// tile-diff:   image: f8e4m3[10240] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.25
WGMMA(eight52By43, "m64n16k32.f32.e5m2.e4m3", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, 1")

// Without D, and with signs.

// tile-diff: kernel=fresh grid=1 threads=128 seed=316
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(fresh, "m64n16k16.f32.f16.f16", float, "f", 8, IMAGE, ROWS_128, START_B,
      ROWS_128, ", 0, 1, 1, 0, 0")

// tile-diff: kernel=negatedA grid=1 threads=128 seed=317
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(negatedA, "m64n16k16.f32.f16.f16", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, -1, 1, 0, 0")

// tile-diff: kernel=negatedB grid=1 threads=128 seed=318
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(negatedB, "m64n16k16.f32.f16.f16", float, "f", 8, IMAGE, ROWS_128,
      START_B, ROWS_128, ", 1, 1, -1, 0, 0")

// A in registers.

// tile-diff: kernel=halfRegisters grid=1 threads=128 seed=319
// tile-diff:   image: f16[1024] = normal
// tile-diff:   a: f16[1024] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA_REGISTERS(halfRegisters, "m64n16k16.f32.f16.f16", float, "f", 2048,
                ROWS_128, ", 1, 1, 1, 0")

// tile-diff: kernel=brainRegisters grid=1 threads=128 seed=320
// tile-diff:   image: bf16[1024] = normal
// tile-diff:   a: bf16[1024] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA_REGISTERS(brainRegisters, "m64n16k16.f32.bf16.bf16", float, "f", 2048,
                ROWS_128, ", 1, 1, 1, 0")

// tile-diff: kernel=tensorRegisters grid=1 threads=128 seed=321
// tile-diff:   image: f32[512] = normal
// tile-diff:   a: f32[512] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA_REGISTERS(tensorRegisters, "m64n16k8.f32.tf32.tf32", float, "f", 2048,
                ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight43Registers grid=1 threads=128 seed=322
// tile-diff:   image: f8e4m3[2048] = normal
// tile-diff:   a: f8e4m3[2048] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.05
WGMMA_REGISTERS(eight43Registers, "m64n16k32.f32.e4m3.e4m3", float, "f", 2048,
                ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=eight52Registers grid=1 threads=128 seed=323
// tile-diff:   image: f8e5m2[2048] = normal
// tile-diff:   a: f8e5m2[2048] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:0.05
WGMMA_REGISTERS(eight52Registers, "m64n16k32.f32.e5m2.e5m2", float, "f", 2048,
                ROWS_128, ", 1, 1, 1")

// tile-diff: kernel=signedRegisters grid=1 threads=128 seed=324
// tile-diff:   image: i8[2048] = normal
// tile-diff:   a: i8[2048] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA_REGISTERS(signedRegisters, "m64n16k32.s32.s8.s8", int32_t, "r", 2048,
                ROWS_128, ", 1")

// tile-diff: kernel=unsignedRegisters grid=1 threads=128 seed=325
// tile-diff:   image: i8[2048] = normal
// tile-diff:   a: i8[2048] = normal
// tile-diff:   c: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
WGMMA_REGISTERS(unsignedRegisters, "m64n16k32.s32.u8.u8", int32_t, "r", 2048,
                ROWS_128, ", 1")
