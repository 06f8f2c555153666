//===- wgmma.h - A kernel for each product of a warpgroup ------*- CUDA -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel copies its image to shared memory as it is, and multiplies what two
// descriptors find there: where they look is up to the device.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_GPU_WGMMA_H
#define TILEWRIGHT_TEST_GPU_WGMMA_H

#include "suite.h"

// Lists of n registers, as text and as operands, and the operands after them.
#define NAMES_4 "{%0, %1, %2, %3}"
#define NAMES_8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define NAMES_64                                                               \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "    \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "     \
  "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "     \
  "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "     \
  "%58, %59, %60, %61, %62, %63}"
#define OPERANDS_4(L, j)                                                       \
  "+" L(d[j]), "+" L(d[(j) + 1]), "+" L(d[(j) + 2]), "+" L(d[(j) + 3])
#define OPERANDS_8(L, j) OPERANDS_4(L, j), OPERANDS_4(L, (j) + 4)
#define OPERANDS_64(L, j)                                                      \
  OPERANDS_8(L, 0), OPERANDS_8(L, 8), OPERANDS_8(L, 16), OPERANDS_8(L, 24),    \
      OPERANDS_8(L, 32), OPERANDS_8(L, 40), OPERANDS_8(L, 48),                 \
      OPERANDS_8(L, 56)
#define INPUTS_4 "%4, %5"
#define INPUTS_8 "%8, %9"
#define INPUTS_64 "%64, %65"
#define REGISTERS_8 "{%8, %9, %10, %11}, %12"

// Fields of a descriptor but for the start, with offsets in bytes.
#define NONE 0ull
#define SWIZZLE_128 1ull
#define SWIZZLE_64 2ull
#define SWIZZLE_32 3ull
#define FIELDS(mode, leading, stride)                                          \
  ((mode) << 62 | (uint64_t)((stride) / 16) << 32 |                            \
   (uint64_t)((leading) / 16) << 16)

__device__ inline uint64_t describe(const void *start, uint64_t fields) {
  return fields | (__cvta_generic_to_shared(start) & 0x3ffff) >> 4;
}

// Fills `tile`, and begins D with what c holds.
#define SETUP(T, count, bytes)                                                 \
  BEGIN;                                                                       \
  __shared__ __align__(1024) uint8_t tile[bytes];                              \
  for (unsigned j = threadIdx.x; j < bytes / 4; j += blockDim.x)               \
    ((uint32_t *)tile)[j] = image[j];                                          \
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                 \
  __syncthreads();                                                             \
  T d[count];                                                                  \
  for (unsigned j = 0; j < count; ++j)                                         \
  d[j] = c[count * i + j]

#define FINISH(count)                                                          \
  for (unsigned j = 0; j < count; ++j)                                         \
  PUT(d[j])

#define FENCE "wgmma.fence.sync.aligned;\n"
#define WAIT                                                                   \
  "wgmma.commit_group.sync.aligned;\n"                                         \
  "wgmma.wait_group.sync.aligned 0;\n"
#define MULTIPLY(op, count) "wgmma.mma_async.sync.aligned." op " " NAMES_##count

// A at the start of the image and B at byte `b`. `rest` are the operands after
// the matrices.
#define WGMMA(name, op, T, L, count, bytes, fieldsA, b, fieldsB, rest)         \
  KERNEL(name, (const uint32_t *image, const T *c, T *out)) {                  \
    SETUP(T, count, bytes);                                                    \
    asm volatile(FENCE MULTIPLY(op, count) ", " INPUTS_##count rest ";\n" WAIT \
                 : OPERANDS_##count(L, 0)                                      \
                 : "l"(describe(tile, fieldsA)),                               \
                   "l"(describe(tile + b, fieldsB))                            \
                 : "memory");                                                  \
    FINISH(count);                                                             \
  }

// A in four registers of each thread, and B at the start of the image.
#define WGMMA_REGISTERS(name, op, T, L, bytes, fieldsB, rest)                  \
  KERNEL(name,                                                                 \
         (const uint32_t *image, const uint32_t *pa, const T *c, T *out)) {    \
    SETUP(T, 8, bytes);                                                        \
    const uint32_t *a = pa + 4 * i;                                            \
    asm volatile(FENCE MULTIPLY(op, 8) ", " REGISTERS_8 rest ";\n" WAIT        \
                 : OPERANDS_8(L, 0)                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),                 \
                   "l"(describe(tile, fieldsB))                                \
                 : "memory");                                                  \
    FINISH(8);                                                                 \
  }

#endif // TILEWRIGHT_TEST_GPU_WGMMA_H
