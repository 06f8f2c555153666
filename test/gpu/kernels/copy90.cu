//===- copy90.cu - Matrices to shared memory ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_90
#include "suite.h"

#define ADDRESS(pointer) ((uint32_t)__cvta_generic_to_shared(pointer))

// tile-diff: kernel=matrixStores grid=1 threads=32 seed=122
// tile-diff:   a: i32[128] = any
// tile-diff:   out: i32[384] = poison
KERNEL(matrixStores, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  __shared__ __align__(16) uint32_t tile[448];
  uint32_t a = pa[i], b = pa[i + 32], c = pa[i + 64], d = pa[i + 96];
  uint32_t row = ADDRESS(tile) + 16 * i;
  // One, two and four matrices; the rows of the second half are transposed.
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(row), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], "
               "{%1, %2, %3, %4};" ::"r"(row + 512),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(
                   row + 1024),
               "r"(c), "r"(a)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(
                   row + 1280),
               "r"(b)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                   row + 1408),
               "r"(d)
               : "memory");
  __syncthreads();
  for (unsigned j = 0; j < 12; ++j)
    PUT(tile[32 * j + i]);
}
