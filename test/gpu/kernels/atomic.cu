//===- atomic.cu - Atomics whose result does not depend on the order ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

#define RED(op, letter, offset, value)                                         \
  asm volatile("red." op " [%0], %1;" ::"l"(cells + (offset)), letter(value)   \
               : "memory")

// Each operation has a cell of its own.
// tile-diff: kernel=reductions grid=4 threads=64 seed=91
// tile-diff:   a: i32[256] = any
// tile-diff:   cells: i32[16] = any
KERNEL(reductions, (const uint32_t *pa, uint32_t *cells)) {
  BEGIN;
  uint32_t a = pa[i];
  RED("global.add.u32", "r", 0, a);
  RED("global.add.s32", "r", 1, a);
  RED("global.and.b32", "r", 2, a | 0xf0);
  RED("global.or.b32", "r", 3, a & 0x1010101);
  RED("global.xor.b32", "r", 4, a);
  RED("global.min.s32", "r", 5, a);
  RED("global.max.s32", "r", 6, a);
  RED("relaxed.gpu.global.min.u32", "r", 7, a);
  RED("global.max.u32", "r", 8, a);
  RED("global.inc.u32", "r", 9, 100u);
  RED("global.dec.u32", "r", 10, 1000u);
  RED("global.add.u64", "l", 12, (uint64_t)a * a);
  RED("global.max.u64", "l", 14, (uint64_t)a << 20);
}

// Sums of small whole numbers are exact in every order.
// tile-diff: kernel=floatReductions grid=4 threads=64 seed=92
// tile-diff:   a: i32[256] = any
// tile-diff:   cells: f32[4] = zero
// tile-diff:   wide: f64[2] = zero
// tile-diff:   pairs: f16[4] = zero
KERNEL(floatReductions, (const int32_t *pa, float *cells, double *wide,
                         uint32_t *pairs)) {
  BEGIN;
  int32_t a = pa[i] & 3;
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(cells), "f"((float)a)
               : "memory");
  asm volatile("red.global.add.f32 [%0+4], %1;" ::"l"(cells), "f"(-a * 0.5f)
               : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(wide), "d"(a * 0.25)
               : "memory");
  // 1.0 and -2.0.
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(pairs),
               "r"(0xc0003c00u)
               : "memory");
  float old;
  asm volatile("atom.global.add.f32 %0, [%1+8], %2;"
               : "=f"(old)
               : "l"(cells), "f"(1.0f)
               : "memory");
}

// The results too, since every thread has cells of its own.
// tile-diff: kernel=atomics grid=2 threads=64 seed=93
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   cells: i32[1536] = any
// tile-diff:   out: i32[1536] = poison
KERNEL(atomics, (const uint32_t *pa, const uint32_t *pb, uint32_t *cells,
                 uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], *p = cells + 12 * i;
#define ATOM(op, offset)                                                       \
  do {                                                                         \
    uint32_t d;                                                                \
    asm volatile("atom." op " %0, [%1], %2;"                                   \
                 : "=r"(d)                                                     \
                 : "l"(p + (offset)), "r"(a)                                   \
                 : "memory");                                                  \
    PUT(d);                                                                    \
  } while (0)
  ATOM("global.add.u32", 0);
  ATOM("global.and.b32", 1);
  ATOM("global.or.b32", 2);
  ATOM("global.xor.b32", 3);
  ATOM("global.min.s32", 4);
  ATOM("global.max.u32", 5);
  ATOM("global.inc.u32", 6);
  ATOM("global.dec.u32", 7);
  ATOM("acq_rel.gpu.global.exch.b32", 8);
  uint32_t d;
  // Half of the comparisons find what they look for.
  uint32_t expected = i & 1 ? p[9] : b;
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
               : "=r"(d)
               : "l"(p + 9), "r"(expected), "r"(a)
               : "memory");
  PUT(d);
  uint64_t l;
  asm volatile("atom.global.exch.b64 %0, [%1], %2;"
               : "=l"(l)
               : "l"(p + 10), "l"((uint64_t)a << 32 | b)
               : "memory");
  PUT((uint32_t)l);
  PUT((uint32_t)(l >> 32));
}

// tile-diff: kernel=sharedAtomics grid=2 threads=64 seed=94
// tile-diff:   a: i32[128] = any
// tile-diff:   out: i32[16] = poison
KERNEL(sharedAtomics, (const uint32_t *pa, uint32_t *out)) {
  __shared__ uint32_t cells[8];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 8)
    cells[threadIdx.x] = threadIdx.x * 1000;
  __syncthreads();
  uint32_t a = pa[i];
  atomicAdd(cells, a);
  atomicMin(cells + 1, a);
  atomicMax((int *)cells + 2, (int)a);
  atomicXor(cells + 3, a);
  atomicInc(cells + 4, 5000);
  atomicAdd((unsigned long long *)(cells + 6), (unsigned long long)a << 9);
  __syncthreads();
  if (threadIdx.x < 8)
    out[blockIdx.x * 8 + threadIdx.x] = cells[threadIdx.x];
}
