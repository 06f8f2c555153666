//===- barrier.cu - Barriers of blocks and warps --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// tile-diff: kernel=barriers grid=2 threads=128 seed=111
// tile-diff:   a: i32[256] = any
// tile-diff:   out: i32[1536] = poison
KERNEL(barriers, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  __shared__ uint32_t words[128];
  uint32_t a = pa[i];
  // A sum over the block, in steps.
  words[threadIdx.x] = a;
  __syncthreads();
  for (unsigned step = 64; step; step /= 2) {
    if (threadIdx.x < step)
      words[threadIdx.x] += words[threadIdx.x + step];
    __syncthreads();
  }
  PUT(words[0]);
  PUT(__syncthreads_count(a & 1));
  PUT(__syncthreads_and(a != 77) | __syncthreads_or(a == 5) << 1);
  // Two halves of the block, each with its own barrier.
  unsigned half = threadIdx.x / 64;
  words[threadIdx.x] = a ^ half;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  PUT(words[threadIdx.x ^ 32]);
  __syncthreads();
  // One half produces, the other waits for it.
  if (half == 0) {
    words[threadIdx.x] = a * 5;
    asm volatile("bar.arrive 3, 128;" ::: "memory");
    PUT(a);
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    PUT(words[threadIdx.x - 64]);
  }
  __syncthreads();
  // Within a warp.
  words[threadIdx.x] = a + 9;
  __syncwarp();
  PUT(words[threadIdx.x ^ 5]);
}

#define ADDRESS(pointer) ((uint32_t)__cvta_generic_to_shared(pointer))

// tile-diff: kernel=mbarriers grid=2 threads=64 seed=112
// tile-diff:   a: i32[128] = any
// tile-diff:   out: i32[512] = poison
KERNEL(mbarriers, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  __shared__ uint64_t barrier;
  __shared__ uint32_t words[64];
  uint32_t a = pa[i];
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(ADDRESS(&barrier))
                 : "memory");
  __syncthreads();
  for (unsigned phase = 0; phase < 4; ++phase) {
    words[threadIdx.x] = a + phase;
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(ADDRESS(&barrier))
                 : "memory");
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "WAIT: mbarrier.test_wait.shared.b64 p, [%0], %1;\n\t"
                 "@!p bra WAIT;\n\t}" ::"r"(ADDRESS(&barrier)),
                 "l"(state)
                 : "memory");
    PUT(words[63 - threadIdx.x]);
    __syncthreads();
  }
}
