//===- suite.h - One instruction a line ------------------------*- CUDA -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread of a kernel runs the same instructions on its own inputs. The
// k-th result of thread i goes to out[k * threads + i], so a wrong index says
// which line of the kernel is wrong:
//
//   KERNEL(sums, (const unsigned *pa, const unsigned *pb, unsigned *out)) {
//     BEGIN;
//     unsigned a = pa[i], b = pb[i];
//     R2("add.s32");            // results 0 to threads - 1
//     R2("sub.s32");            // results threads to 2 * threads - 1
//   }
//
// The macros take the opcode and use the variables a, b, c as operands; d is
// the result. Their letters are the registers of result and operands, as inline
// assembly names them: h 16, r 32, l 64 bits, f f32, d f64.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_GPU_SUITE_H
#define TILEWRIGHT_TEST_GPU_SUITE_H

#include <cstdint>

#define KERNEL(name, parameters) extern "C" __global__ void name parameters

#define BEGIN                                                                  \
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                    \
  const unsigned threads = gridDim.x * blockDim.x;                             \
  unsigned k = 0;                                                              \
  (void)threads, (void)k

#define PUT(value) out[k++ * threads + i] = (value)

// UN: one operand. BIN: two. TER: three.
#define UN(T, dst, src, op)                                                    \
  do {                                                                         \
    T d;                                                                       \
    asm(op " %0, %1;" : "=" dst(d) : src(a));                                  \
    PUT(d);                                                                    \
  } while (0)
#define BIN(T, dst, srcA, srcB, op)                                            \
  do {                                                                         \
    T d;                                                                       \
    asm(op " %0, %1, %2;" : "=" dst(d) : srcA(a), srcB(b));                    \
    PUT(d);                                                                    \
  } while (0)
#define TER(T, dst, srcA, srcB, srcC, op)                                      \
  do {                                                                         \
    T d;                                                                       \
    asm(op " %0, %1, %2, %3;" : "=" dst(d) : srcA(a), srcB(b), srcC(c));       \
    PUT(d);                                                                    \
  } while (0)

#define H1(op) UN(uint16_t, "h", "h", op)
#define H2(op) BIN(uint16_t, "h", "h", "h", op)
#define H3(op) TER(uint16_t, "h", "h", "h", "h", op)
#define R1(op) UN(uint32_t, "r", "r", op)
#define R2(op) BIN(uint32_t, "r", "r", "r", op)
#define R3(op) TER(uint32_t, "r", "r", "r", "r", op)
#define L1(op) UN(uint64_t, "l", "l", op)
#define L2(op) BIN(uint64_t, "l", "l", "l", op)
#define L3(op) TER(uint64_t, "l", "l", "l", "l", op)
#define F1(op) UN(float, "f", "f", op)
#define F2(op) BIN(float, "f", "f", "f", op)
#define F3(op) TER(float, "f", "f", "f", "f", op)
#define D1(op) UN(double, "d", "d", op)
#define D2(op) BIN(double, "d", "d", "d", op)
#define D3(op) TER(double, "d", "d", "d", "d", op)

#endif // TILEWRIGHT_TEST_GPU_SUITE_H
