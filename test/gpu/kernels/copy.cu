//===- copy.cu - Asynchronous copies, matrices in shared memory -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

#define ADDRESS(pointer) ((uint32_t)__cvta_generic_to_shared(pointer))

// tile-diff: kernel=copies grid=2 threads=64 seed=121
// tile-diff:   a: i32[1024] = any
// tile-diff:   out: i32[1024] = poison
KERNEL(copies, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  __shared__ __align__(16) uint32_t tile[2][256];
  const uint32_t *from = pa + 512 * blockIdx.x + 4 * threadIdx.x;
  uint32_t to = ADDRESS(&tile[0][4 * threadIdx.x]);
  uint32_t second = ADDRESS(&tile[1][4 * threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  // Fewer bytes than there is room for: the rest is zero.
  uint32_t bytes = threadIdx.x & 15;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(second),
               "l"(from + 256), "r"(bytes > 8 ? 8 : bytes)
               : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(second + 8),
               "l"(from + 258)
               : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" ::"r"(second + 12),
               "l"(from + 259)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  for (unsigned j = 0; j < 4; ++j)
    PUT(tile[0][255 - 4 * threadIdx.x - j]);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (unsigned j = 0; j < 4; ++j)
    PUT(tile[1][255 - 4 * threadIdx.x - j]);
}

// tile-diff: kernel=matrixLoads grid=1 threads=32
// tile-diff:   a: i16[512] = iota
// tile-diff:   out: i32[512] = poison
KERNEL(matrixLoads, (const uint16_t *pa, uint32_t *out)) {
  BEGIN;
  __shared__ __align__(16) uint16_t tile[512];
  for (unsigned j = i; j < 512; j += 32)
    tile[j] = pa[j];
  __syncthreads();
  // Rows of 8 elements, in an order of their own.
  uint32_t row = ADDRESS(tile + 8 * ((i * 5) & 63));
  uint32_t d0, d1, d2, d3;
#define LOAD1(op)                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" op ".shared.b16 {%0}, [%1];"    \
               : "=r"(d0)                                                      \
               : "r"(row)                                                      \
               : "memory");                                                    \
  PUT(d0)
#define LOAD2(op)                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" op                              \
               ".shared.b16 {%0, %1}, [%2];"                                   \
               : "=r"(d0), "=r"(d1)                                            \
               : "r"(row)                                                      \
               : "memory");                                                    \
  PUT(d0);                                                                     \
  PUT(d1)
#define LOAD4(op)                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" op                              \
               ".shared.b16 {%0, %1, %2, %3}, [%4];"                           \
               : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                        \
               : "r"(row)                                                      \
               : "memory");                                                    \
  PUT(d0);                                                                     \
  PUT(d1);                                                                     \
  PUT(d2);                                                                     \
  PUT(d3)
  LOAD1("");
  LOAD1(".trans");
  LOAD2("");
  LOAD2(".trans");
  LOAD4("");
  LOAD4(".trans");
  uint32_t a = d0;
  UN(uint32_t, "r", "r", "movmatrix.sync.aligned.m8n8.trans.b16");
  a = d1 ^ d2;
  UN(uint32_t, "r", "r", "movmatrix.sync.aligned.m8n8.trans.b16");
}
