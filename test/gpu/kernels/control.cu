//===- control.cu - Branches, loops, calls, special registers -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// Nested branches that every lane takes in its own way, and an early return.
// tile-diff: kernel=divergence grid=2 threads=96 seed=71
// tile-diff:   a: i32[192] = any
// tile-diff:   out: i32[192] = poison
KERNEL(divergence, (const int *pa, uint32_t *out)) {
  BEGIN;
  int a = pa[i];
  uint32_t result = 1;
  if (a & 1) {
    if (a & 2)
      result = a * 3;
    else
      result ^= a;
    if (a < 0) {
      out[i] = result + 17;
      return;
    }
  } else {
    for (int j = 0; j < (a & 15); ++j) {
      if (j == 7)
        continue;
      if (result > 1000000)
        break;
      result = result * 3 + j;
    }
  }
  out[i] = result;
}

// Loops whose length depends on the data: the Collatz sequence.
// tile-diff: kernel=loops grid=2 threads=64
// tile-diff:   out: i32[128] = poison
KERNEL(loops, (uint32_t *out)) {
  BEGIN;
  uint32_t x = i + 1, steps = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  out[i] = steps;
}

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1)
                : ackermann(m - 1, ackermann(m, n - 1));
}

// tile-diff: kernel=recursion grid=1 threads=32
// tile-diff:   out: i32[32] = poison
KERNEL(recursion, (uint32_t *out)) {
  BEGIN;
  out[i] = ackermann(i % 3, i / 3);
}

// tile-diff: kernel=switches grid=2 threads=64 seed=72
// tile-diff:   a: i32[128] = any
// tile-diff:   out: i32[128] = poison
KERNEL(switches, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  uint32_t d;
  asm("{\n\t.reg .u32 s;\n\tand.b32 s, %1, 3;\n\t"
      "targets: .branchtargets L0, L1, L2, L3;\n\t"
      "brx.idx s, targets;\n\t"
      "L0: mov.u32 %0, 100;\n\tbra.uni END;\n\t"
      "L1: add.u32 %0, %1, 1;\n\tbra.uni END;\n\t"
      "L2: mul.lo.u32 %0, %1, %1;\n\tbra.uni END;\n\t"
      "L3: not.b32 %0, %1;\n\t"
      "END:\n\t}"
      : "=r"(d)
      : "r"(pa[i]));
  out[i] = d;
}

#define SPECIAL(name)                                                          \
  do {                                                                         \
    uint32_t d;                                                                \
    asm volatile("mov.u32 %0, %" name ";" : "=r"(d));                          \
    PUT(d);                                                                    \
  } while (0)

// tile-diff: kernel=specialRegisters grid=3x2x2 threads=48
// tile-diff:   out: i32[10368] = poison
KERNEL(specialRegisters, (uint32_t *out)) {
  const unsigned block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned i = block * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * gridDim.y * gridDim.z * blockDim.x;
  unsigned k = 0;
  SPECIAL("%tid.x");
  SPECIAL("%tid.y");
  SPECIAL("%ntid.x");
  SPECIAL("%ntid.z");
  SPECIAL("%ctaid.x");
  SPECIAL("%ctaid.y");
  SPECIAL("%ctaid.z");
  SPECIAL("%nctaid.x");
  SPECIAL("%nctaid.y");
  SPECIAL("%nctaid.z");
  SPECIAL("%laneid");
  SPECIAL("%lanemask_eq");
  SPECIAL("%lanemask_lt");
  SPECIAL("%lanemask_le");
  SPECIAL("%lanemask_gt");
  SPECIAL("%lanemask_ge");
  SPECIAL("%total_smem_size");
  SPECIAL("%dynamic_smem_size");
}
