//===- wgmmaLayout.cu - Products of warpgroups: where matrices lie --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90a
#include "wgmma.h"

// Products of f16, with N = 128 where panels matter. Groups and panels are
// further apart than they need be, each by another distance, so that an
// exchange shows.

// tile-diff: kernel=kMajorNone grid=1 threads=128 seed=326
// tile-diff:   image: f16[6656] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(kMajorNone, "m64n128k16.f32.f16.f16", float, "f", 64, 13312,
      FIELDS(NONE, 1168, 144), 3072, FIELDS(NONE, 4864, 304), ", 1, 1, 1, 0, 0")

// tile-diff: kernel=kMajor32 grid=1 threads=128 seed=327
// tile-diff:   image: f16[16384] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(kMajor32, "m64n128k16.f32.f16.f16", float, "f", 64, 32768,
      FIELDS(SWIZZLE_32, 16, 2048), 16384, FIELDS(SWIZZLE_32, 16, 1024),
      ", 1, 1, 1, 0, 0")

// tile-diff: kernel=kMajor64 grid=1 threads=128 seed=328
// tile-diff:   image: f16[16384] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(kMajor64, "m64n128k16.f32.f16.f16", float, "f", 64, 32768,
      FIELDS(SWIZZLE_64, 16, 2048), 16384, FIELDS(SWIZZLE_64, 16, 1024),
      ", 1, 1, 1, 0, 0")

// tile-diff: kernel=kMajor128 grid=1 threads=128 seed=329
// tile-diff:   image: f16[16384] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(kMajor128, "m64n128k16.f32.f16.f16", float, "f", 64, 32768,
      FIELDS(SWIZZLE_128, 16, 2048), 16384, FIELDS(SWIZZLE_128, 16, 1024),
      ", 1, 1, 1, 0, 0")

// tile-diff: kernel=mnMajorNone grid=1 threads=128 seed=330
// tile-diff:   image: f16[8704] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(mnMajorNone, "m64n128k16.f32.f16.f16", float, "f", 64, 17408,
      FIELDS(NONE, 4096, 160), 6144, FIELDS(NONE, 8192, 144), ", 1, 1, 1, 1, 1")

// tile-diff: kernel=mnMajor32 grid=1 threads=128 seed=331
// tile-diff:   image: f16[17408] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(mnMajor32, "m64n128k16.f32.f16.f16", float, "f", 64, 34816,
      FIELDS(SWIZZLE_32, 3072, 1024), 11264, FIELDS(SWIZZLE_32, 3072, 1024),
      ", 1, 1, 1, 1, 1")

// tile-diff: kernel=mnMajor64 grid=1 threads=128 seed=332
// tile-diff:   image: f16[12288] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(mnMajor64, "m64n128k16.f32.f16.f16", float, "f", 64, 24576,
      FIELDS(SWIZZLE_64, 3072, 1024), 5120, FIELDS(SWIZZLE_64, 5120, 2048),
      ", 1, 1, 1, 1, 1")

// tile-diff: kernel=mnMajor128 grid=1 threads=128 seed=333
// tile-diff:   image: f16[5632] = normal
// tile-diff:   c: f32[8192] = normal
// tile-diff:   out: f32[8192] = poison ~ absolute:2e-5
WGMMA(mnMajor128, "m64n128k16.f32.f16.f16", float, "f", 64, 11264,
      FIELDS(SWIZZLE_128, 3072, 1024), 2048, FIELDS(SWIZZLE_128, 5120, 2048),
      ", 1, 1, 1, 1, 1")

// One matrix of each kind.

// tile-diff: kernel=mnMajorA grid=1 threads=128 seed=334
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(mnMajorA, "m64n16k16.f32.f16.f16", float, "f", 8, 10240,
      FIELDS(SWIZZLE_128, 1024, 1024), 2048, FIELDS(SWIZZLE_128, 16, 1024),
      ", 1, 1, 1, 1, 0")

// tile-diff: kernel=mnMajorB grid=1 threads=128 seed=335
// tile-diff:   image: f16[4608] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(mnMajorB, "m64n16k16.f32.f16.f16", float, "f", 8, 9216,
      FIELDS(SWIZZLE_128, 16, 1024), 8192, FIELDS(SWIZZLE_32, 512, 256),
      ", 1, 1, 1, 0, 1")

// Starts inside of a pattern: 96 bytes along K, 2 rows down, and both.
// tile-diff: kernel=insideK grid=1 threads=128 seed=336
// tile-diff:   image: f16[6144] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(insideK, "m64n16k16.f32.f16.f16", float, "f", 8, 12288,
      FIELDS(SWIZZLE_128, 16, 1024) + 6, 9248, FIELDS(SWIZZLE_128, 16, 1024),
      ", 1, 1, 1, 0, 0")

// tile-diff: kernel=insideRows grid=1 threads=128 seed=337
// tile-diff:   image: f16[6144] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(insideRows, "m64n16k16.f32.f16.f16", float, "f", 8, 12288,
      FIELDS(SWIZZLE_128, 16, 1024) + 16, 9856, FIELDS(SWIZZLE_128, 16, 1024),
      ", 1, 1, 1, 0, 0")

// tile-diff: kernel=insideBoth grid=1 threads=128 seed=338
// tile-diff:   image: f16[6144] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(insideBoth, "m64n16k16.f32.f16.f16", float, "f", 8, 12288,
      FIELDS(SWIZZLE_128, 16, 1024) + 20, 9440, FIELDS(SWIZZLE_128, 16, 1024),
      ", 1, 1, 1, 0, 0")

// A pattern that begins at byte 384 of 1024 says so by the base offset.
// tile-diff: kernel=baseOffset grid=1 threads=128 seed=339
// tile-diff:   image: f16[6144] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:2e-5
WGMMA(baseOffset, "m64n16k16.f32.f16.f16", float, "f", 8, 12288,
      (FIELDS(SWIZZLE_128, 16, 1024) | 3ull << 49) + 384 / 16, 9216,
      FIELDS(SWIZZLE_128, 16, 1024), ", 1, 1, 1, 0, 0")

// Four products along K, 32 bytes apart, into one D.
// tile-diff: kernel=alongK grid=1 threads=128 seed=390
// tile-diff:   image: f16[5120] = normal
// tile-diff:   c: f32[1024] = normal
// tile-diff:   out: f32[1024] = poison ~ absolute:1e-4
KERNEL(alongK, (const uint32_t *image, const float *c, float *out)) {
  SETUP(float, 8, 10240);
  const uint64_t a = describe(tile, FIELDS(SWIZZLE_128, 16, 1024));
  const uint64_t b = describe(tile + 8192, FIELDS(SWIZZLE_128, 16, 1024));
#define STEP(a, b)                                                             \
  MULTIPLY("m64n16k16.f32.f16.f16", 8) ", " a ", " b ", 1, 1, 1, 0, 0;\n"
  asm volatile(FENCE STEP("%8", "%9") STEP("%10", "%11") STEP("%12", "%13")
                   STEP("%14", "%15") WAIT
               : OPERANDS_8("f", 0)
               : "l"(a), "l"(b), "l"(a + 2), "l"(b + 2), "l"(a + 4), "l"(b + 4),
                 "l"(a + 6), "l"(b + 6)
               : "memory");
  FINISH(8);
}
