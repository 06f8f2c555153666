//===- memory.cu - Loads and stores in every space ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

__constant__ uint32_t table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9};
__constant__ uint8_t letters[8] = {'t', 'i', 'l', 'e', 's', 200, 255, 0};
__device__ uint32_t cells[128];

// tile-diff: kernel=widths grid=2 threads=64 seed=81
// tile-diff:   a: i8[2048] = any
// tile-diff:   out: i32[1792] = poison
KERNEL(widths, (const uint8_t *pa, uint32_t *out)) {
  BEGIN;
  const uint8_t *p = pa + 16 * i;
  uint32_t d, e, f, g;
  uint64_t l, m;
  asm volatile("ld.global.u8 %0, [%1+3];" : "=r"(d) : "l"(p));
  PUT(d);
  asm volatile("ld.global.s8 %0, [%1+5];" : "=r"(d) : "l"(p));
  PUT(d);
  asm volatile("ld.global.u16 %0, [%1+6];" : "=r"(d) : "l"(p));
  PUT(d);
  asm volatile("ld.global.s16 %0, [%1+14];" : "=r"(d) : "l"(p));
  PUT(d);
  asm volatile("ld.global.nc.u32 %0, [%1+4];" : "=r"(d) : "l"(p));
  PUT(d);
  asm volatile("ld.global.s8 %0, [%1+9];" : "=l"(l) : "l"(p));
  PUT((uint32_t)(l >> 32));
  asm volatile("ld.volatile.global.u64 %0, [%1+8];" : "=l"(l) : "l"(p));
  PUT((uint32_t)(l >> 32));
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2+8];"
               : "=r"(d), "=r"(e)
               : "l"(p));
  PUT(d ^ e);
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(d), "=r"(e), "=r"(f), "=r"(g)
               : "l"(p));
  PUT(d - e);
  PUT(f - g);
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(l), "=l"(m)
               : "l"(p));
  PUT((uint32_t)(l + m));
  asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4+4];"
               : "=r"(d), "=r"(e), "=r"(f), "=r"(g)
               : "l"(p));
  PUT(d | e << 8 | f << 16 | g << 24);
  uint16_t h, j;
  asm volatile("ld.global.v2.u16 {%0, %1}, [%2+12];"
               : "=h"(h), "=h"(j)
               : "l"(p));
  PUT(h * 3u + j);
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(d) : "l"(p));
  PUT(d);
}

// tile-diff: kernel=stores grid=2 threads=64 seed=82
// tile-diff:   a: i64[128] = any
// tile-diff:   out: i8[4096] = zero
KERNEL(stores, (const uint64_t *pa, uint8_t *out)) {
  BEGIN;
  uint8_t *p = out + 32 * i;
  uint64_t l = pa[i];
  uint32_t r = l;
  asm volatile("st.global.u8 [%0+1], %1;" ::"l"(p), "r"(r) : "memory");
  asm volatile("st.global.s16 [%0+2], %1;" ::"l"(p), "r"(r) : "memory");
  asm volatile("st.global.u32 [%0+4], %1;" ::"l"(p), "r"(r) : "memory");
  asm volatile("st.global.b64 [%0+8], %1;" ::"l"(p), "l"(l) : "memory");
  asm volatile("st.global.v2.u16 [%0+16], {%1, %2};" ::"l"(p), "h"((short)r),
               "h"((short)(l >> 32))
               : "memory");
  asm volatile("st.global.v4.u8 [%0+20], {%1, %2, %3, %4};" ::"l"(p), "r"(r),
               "r"(r >> 8), "r"(7), "r"(~r)
               : "memory");
  asm volatile("st.wt.global.v2.u32 [%0+24], {%1, %2};" ::"l"(p), "r"(~r),
               "r"(r ^ 5)
               : "memory");
}

// Spaces by name and through generic addresses.
// tile-diff: kernel=spaces grid=2 threads=64 shared=512 seed=83
// tile-diff:   a: i32[128] = any
// tile-diff:   n: i32 = 21
// tile-diff:   out: i32[1408] = poison
KERNEL(spaces, (const uint32_t *pa, uint32_t n, uint32_t *out)) {
  BEGIN;
  extern __shared__ uint32_t dynamic[];
  __shared__ uint32_t fixed[64];
  uint32_t local[16];
  uint32_t a = pa[i];
  dynamic[threadIdx.x] = a;
  fixed[threadIdx.x ^ 21] = a * 3;
  __syncthreads();
  PUT(dynamic[63 - threadIdx.x]);
  PUT(fixed[threadIdx.x]);
  for (unsigned j = 0; j < 16; ++j)
    local[(j * 5 + a) & 15] = a + j;
  PUT(local[(a >> 5) & 15] * n);
  // Pointers that only the address tells apart.
  const uint32_t *generic = a & 1   ? (const uint32_t *)dynamic
                            : a & 2 ? (const uint32_t *)local
                            : a & 4 ? pa
                                    : (const uint32_t *)fixed;
  PUT(generic[a >> 3 & 15]);
  PUT(__isShared(generic) | __isLocal(generic) << 1 | __isGlobal(generic) << 2);
  PUT(table[a & 63]);
  PUT(letters[a & 7] | letters[a >> 3 & 7] << 8);
  cells[i] = a + 1;
  PUT(cells[i]);
  *(volatile uint8_t *)((char *)local + (a & 63)) = 0x5a;
  PUT(local[(a & 63) / 4]);
  __syncthreads();
  ((uint16_t *)dynamic)[threadIdx.x * 2 + (a & 1)] = 0xbeef;
  PUT(dynamic[threadIdx.x]);
  uint32_t d, e;
  asm volatile("{\n\t.reg .u64 p;\n\t.reg .u32 q;\n\t"
               "cvta.to.shared.u64 p, %2;\n\tcvt.u32.u64 q, p;\n\t"
               "ld.shared.v2.u32 {%0, %1}, [q];\n\t}"
               : "=r"(d), "=r"(e)
               : "l"(fixed + (threadIdx.x & ~1u)));
  PUT(d + 7 * e);
}

struct Packet {
  uint8_t kind;
  uint16_t length;
  uint32_t words[3];
  uint64_t total;
};
__device__ __noinline__ Packet pack(Packet p, uint32_t a) {
  p.kind += a;
  p.length ^= a >> 3;
  p.words[a % 3] = a;
  p.total = p.total * a + p.words[1];
  return p;
}

// Structures by value, through calls: `.param` memory of every width.
// tile-diff: kernel=parameters grid=2 threads=64 seed=84
// tile-diff:   a: i32[128] = any
// tile-diff:   h: i16 = -2
// tile-diff:   f: f64 = 2.5
// tile-diff:   b: i8 = -3
// tile-diff:   out: i64[384] = poison
KERNEL(parameters, (const uint32_t *pa, int16_t h, double f, int8_t b,
                    uint64_t *out)) {
  BEGIN;
  uint32_t a = pa[i];
  Packet p = {(uint8_t)a, (uint16_t)h, {1, 2, a}, a * 7ull};
  p = pack(pack(p, a), ~a);
  PUT(p.total + p.kind);
  PUT(p.length * 65536ull + p.words[0] + p.words[2]);
  PUT((uint64_t)(int64_t)(f * b * (i + 1)));
}
