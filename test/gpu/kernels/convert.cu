//===- convert.cu - Conversions between number formats --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

#define CVT(T, dst, src, op)                                                   \
  do {                                                                         \
    T d;                                                                       \
    asm("cvt." op " %0, %1;" : "=" dst(d) : src(a));                           \
    PUT(d);                                                                    \
  } while (0)

// tile-diff: kernel=toInteger grid=4 threads=64 seed=51
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f64[256] = any
// tile-diff:   c: f16[256] = any
// tile-diff:   out: i32[6912] = poison
KERNEL(toInteger, (const float *pa, const double *pb, const uint16_t *pc,
                   uint32_t *out)) {
  BEGIN;
  {
    float a = pa[i];
    CVT(uint32_t, "r", "f", "rni.s32.f32");
    CVT(uint32_t, "r", "f", "rzi.s32.f32");
    CVT(uint32_t, "r", "f", "rmi.s32.f32");
    CVT(uint32_t, "r", "f", "rpi.s32.f32");
    CVT(uint32_t, "r", "f", "rni.u32.f32");
    CVT(uint32_t, "r", "f", "rzi.u32.f32");
    CVT(uint32_t, "r", "f", "rzi.ftz.s32.f32");
    CVT(uint32_t, "r", "f", "rpi.ftz.u32.f32");
    CVT(uint32_t, "r", "f", "rzi.s16.f32");
    CVT(uint32_t, "r", "f", "rzi.u16.f32");
    CVT(uint32_t, "r", "f", "rzi.s8.f32");
    CVT(uint32_t, "r", "f", "rni.u8.f32");
  }
  {
    double a = pb[i];
    CVT(uint32_t, "r", "d", "rni.s32.f64");
    CVT(uint32_t, "r", "d", "rzi.s32.f64");
    CVT(uint32_t, "r", "d", "rmi.u32.f64");
    CVT(uint32_t, "r", "d", "rpi.u32.f64");
  }
  uint16_t a = pc[i];
  CVT(uint32_t, "r", "h", "rni.s32.f16");
  CVT(uint32_t, "r", "h", "rzi.s32.f16");
  CVT(uint32_t, "r", "h", "rmi.s32.f16");
  CVT(uint32_t, "r", "h", "rpi.u32.f16");
  uint16_t s;
  asm("cvt.rzi.s16.f16 %0, %1;" : "=h"(s) : "h"(a));
  PUT(s);
  asm("cvt.rni.u16.f16 %0, %1;" : "=h"(s) : "h"(a));
  PUT(s);
  float f = pa[i];
  uint64_t l;
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(l) : "f"(f));
  PUT((uint32_t)l);
  PUT((uint32_t)(l >> 32));
  asm("cvt.rni.u64.f64 %0, %1;" : "=l"(l) : "d"(pb[i]));
  PUT((uint32_t)l);
  PUT((uint32_t)(l >> 32));
  asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(l) : "h"(a));
  PUT((uint32_t)l);
}

// tile-diff: kernel=fromInteger grid=2 threads=64 seed=52
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   out: f32[2304] = poison
// tile-diff:   outh: f16[1280] = poison
KERNEL(fromInteger, (const uint32_t *pa, const uint64_t *pb, float *pout,
                     uint16_t *pouth)) {
  BEGIN;
  {
    float *out = pout;
    {
      uint32_t a = pa[i];
      CVT(float, "f", "r", "rn.f32.s32");
      CVT(float, "f", "r", "rz.f32.s32");
      CVT(float, "f", "r", "rm.f32.s32");
      CVT(float, "f", "r", "rp.f32.s32");
      CVT(float, "f", "r", "rn.f32.u32");
      CVT(float, "f", "r", "rz.f32.u32");
      CVT(float, "f", "r", "rn.f32.s16");
      CVT(float, "f", "r", "rn.f32.u16");
      CVT(float, "f", "r", "rn.f32.s8");
      CVT(float, "f", "r", "rn.f32.u8");
      CVT(float, "f", "r", "rn.sat.f32.s32");
    }
    uint64_t a = pb[i];
    CVT(float, "f", "l", "rn.f32.s64");
    CVT(float, "f", "l", "rz.f32.s64");
    CVT(float, "f", "l", "rm.f32.u64");
    CVT(float, "f", "l", "rp.f32.u64");
    double d;
    asm("cvt.rn.f64.s64 %0, %1;" : "=d"(d) : "l"(a));
    PUT((float)d);
    asm("cvt.rz.f64.u64 %0, %1;" : "=d"(d) : "l"(a));
    PUT((float)d);
    asm("cvt.rn.f64.s32 %0, %1;" : "=d"(d) : "r"(pa[i]));
    PUT((float)d);
  }
  uint16_t *out = pouth;
  k = 0;
  uint32_t a = pa[i];
  CVT(uint16_t, "h", "r", "rn.f16.s32");
  CVT(uint16_t, "h", "r", "rz.f16.s32");
  CVT(uint16_t, "h", "r", "rm.f16.s32");
  CVT(uint16_t, "h", "r", "rp.f16.s32");
  CVT(uint16_t, "h", "r", "rn.f16.u32");
  CVT(uint16_t, "h", "r", "rn.f16.s8");
  CVT(uint16_t, "h", "r", "rn.f16.u8");
  CVT(uint16_t, "h", "r", "rn.f16.u16");
  uint16_t d;
  asm("cvt.rn.f16.s64 %0, %1;" : "=h"(d) : "l"(pb[i]));
  PUT(d);
  asm("cvt.rz.f16.u64 %0, %1;" : "=h"(d) : "l"(pb[i]));
  PUT(d);
}

// tile-diff: kernel=integers grid=2 threads=64 seed=53
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   out: i32[2176] = poison
KERNEL(integers, (const uint32_t *pa, const uint64_t *pb, uint32_t *out)) {
  BEGIN;
  {
    uint32_t a = pa[i];
    CVT(uint32_t, "r", "r", "s32.s8");
    CVT(uint32_t, "r", "r", "u32.u8");
    CVT(uint32_t, "r", "r", "s32.s16");
    CVT(uint32_t, "r", "r", "u32.u16");
    CVT(uint32_t, "r", "r", "sat.s8.s32");
    CVT(uint32_t, "r", "r", "sat.u8.s32");
    CVT(uint32_t, "r", "r", "sat.s16.s32");
    CVT(uint32_t, "r", "r", "sat.u16.u32");
    CVT(uint32_t, "r", "r", "sat.u32.s32");
    CVT(uint32_t, "r", "r", "sat.s32.u32");
    uint32_t d;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;"
        : "=r"(d)
        : "r"(a), "r"((uint32_t)pb[i]));
    PUT(d);
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(d)
        : "r"(a), "r"((uint32_t)pb[i]), "r"(0x01020304u));
    PUT(d);
  }
  uint64_t a = pb[i];
  CVT(uint32_t, "r", "l", "u32.u64");
  CVT(uint32_t, "r", "l", "sat.s32.s64");
  CVT(uint32_t, "r", "l", "sat.u32.s64");
  CVT(uint32_t, "r", "l", "sat.s8.s64");
  uint64_t l;
  asm("cvt.s64.s32 %0, %1;" : "=l"(l) : "r"(pa[i]));
  PUT((uint32_t)(l >> 32));
}

// tile-diff: kernel=toFloat grid=4 threads=64 seed=54
// tile-diff:   a: f64[256] = any
// tile-diff:   b: f16[256] = any
// tile-diff:   c: f32[256] = any
// tile-diff:   out: f32[3584] = poison
// tile-diff:   out64: f64[512] = poison ~ ulp:0
KERNEL(toFloat, (const double *pa, const uint16_t *pb, const float *pc,
                 float *pout, double *pout64)) {
  BEGIN;
  {
    float *out = pout;
    {
      double a = pa[i];
      CVT(float, "f", "d", "rn.f32.f64");
      CVT(float, "f", "d", "rz.f32.f64");
      CVT(float, "f", "d", "rm.f32.f64");
      CVT(float, "f", "d", "rp.f32.f64");
      CVT(float, "f", "d", "rn.ftz.f32.f64");
      CVT(float, "f", "d", "rn.sat.f32.f64");
    }
    {
      uint16_t a = pb[i];
      CVT(float, "f", "h", "f32.f16");
      CVT(float, "f", "h", "ftz.f32.f16");
    }
    float a = pc[i];
    CVT(float, "f", "f", "rni.f32.f32");
    CVT(float, "f", "f", "rzi.f32.f32");
    CVT(float, "f", "f", "rmi.f32.f32");
    CVT(float, "f", "f", "rpi.f32.f32");
    CVT(float, "f", "f", "rni.ftz.f32.f32");
    CVT(float, "f", "f", "rmi.sat.f32.f32");
  }
  double *out = pout64;
  k = 0;
  float a = pc[i];
  CVT(double, "d", "f", "f64.f32");
  double d;
  asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(d) : "d"(pa[i]));
  PUT(d);
}

// tile-diff: kernel=toHalf grid=4 threads=64 seed=55
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f64[256] = any
// tile-diff:   c: f16[256] = any
// tile-diff:   outf: f16[3072] = poison
// tile-diff:   outb: bf16[768] = poison
KERNEL(toHalf, (const float *pa, const double *pb, const uint16_t *pc,
                uint16_t *outf, uint16_t *outb)) {
  BEGIN;
  {
    uint16_t *out = outf;
    {
      float a = pa[i];
      CVT(uint16_t, "h", "f", "rn.f16.f32");
      CVT(uint16_t, "h", "f", "rz.f16.f32");
      CVT(uint16_t, "h", "f", "rm.f16.f32");
      CVT(uint16_t, "h", "f", "rp.f16.f32");
      CVT(uint16_t, "h", "f", "rn.ftz.f16.f32");
      CVT(uint16_t, "h", "f", "rn.sat.f16.f32");
      CVT(uint16_t, "h", "f", "rn.relu.f16.f32");
    }
    {
      double a = pb[i];
      CVT(uint16_t, "h", "d", "rn.f16.f64");
      CVT(uint16_t, "h", "d", "rz.f16.f64");
    }
    uint16_t a = pc[i];
    CVT(uint16_t, "h", "h", "rni.f16.f16");
    CVT(uint16_t, "h", "h", "rmi.f16.f16");
    CVT(uint16_t, "h", "h", "rpi.f16.f16");
  }
  uint16_t *out = outb;
  k = 0;
  float a = pa[i];
  CVT(uint16_t, "h", "f", "rn.bf16.f32");
  CVT(uint16_t, "h", "f", "rz.bf16.f32");
  CVT(uint16_t, "h", "f", "rn.relu.bf16.f32");
}

// tile-diff: kernel=toPairs grid=4 threads=64 seed=56
// tile-diff:   a: f32[256] = any
// tile-diff:   b: f32[256] = any
// tile-diff:   out: i32[2048] = poison
KERNEL(toPairs, (const float *pa, const float *pb, uint32_t *out)) {
  BEGIN;
  float a = pa[i], b = pb[i];
  BIN(uint32_t, "r", "f", "f", "cvt.rn.f16x2.f32");
  BIN(uint32_t, "r", "f", "f", "cvt.rz.f16x2.f32");
  BIN(uint32_t, "r", "f", "f", "cvt.rn.relu.f16x2.f32");
  BIN(uint32_t, "r", "f", "f", "cvt.rn.bf16x2.f32");
  BIN(uint32_t, "r", "f", "f", "cvt.rz.bf16x2.f32");
  BIN(uint32_t, "r", "f", "f", "cvt.rn.relu.bf16x2.f32");
  UN(uint32_t, "r", "f", "cvt.rna.tf32.f32");
  UN(uint32_t, "r", "f", "mov.b32");
}
