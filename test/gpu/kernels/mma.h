//===- mma.h - A kernel for each mma instruction ---------------*- CUDA -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_GPU_MMA_H
#define TILEWRIGHT_TEST_GPU_MMA_H

#include "suite.h"

// Operand lists by the numbers of registers of A, B and of C and D.
#define SHAPE_112(op, L, AL)                                                   \
  asm volatile(op " {%0, %1}, {%2}, {%3}, {%4, %5};"                           \
               : "=" L(d[0]), "=" L(d[1])                                      \
               : AL(a[0]), AL(b[0]), L(c[0]), L(c[1]))
#define SHAPE_212(op, L, AL)                                                   \
  asm volatile(op " {%0, %1}, {%2, %3}, {%4}, {%5, %6};"                       \
               : "=" L(d[0]), "=" L(d[1])                                      \
               : AL(a[0]), AL(a[1]), AL(b[0]), L(c[0]), L(c[1]))
#define SHAPE_422(op, L, AL)                                                   \
  asm volatile(op " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"           \
               : "=" L(d[0]), "=" L(d[1])                                      \
               : AL(a[0]), AL(a[1]), AL(a[2]), AL(a[3]), AL(b[0]), AL(b[1]),   \
                 L(c[0]), L(c[1]))
#define SHAPE_214(op, L, AL)                                                   \
  asm volatile(op " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"      \
               : "=" L(d[0]), "=" L(d[1]), "=" L(d[2]), "=" L(d[3])            \
               : AL(a[0]), AL(a[1]), AL(b[0]), L(c[0]), L(c[1]), L(c[2]),      \
                 L(c[3]))
#define SHAPE_424(op, L, AL)                                                   \
  asm volatile(op " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "            \
                  "{%10, %11, %12, %13};"                                      \
               : "=" L(d[0]), "=" L(d[1]), "=" L(d[2]), "=" L(d[3])            \
               : AL(a[0]), AL(a[1]), AL(a[2]), AL(a[3]), AL(b[0]), AL(b[1]),   \
                 L(c[0]), L(c[1]), L(c[2]), L(c[3]))
#define SHAPE_844(op, L, AL)                                                   \
  asm volatile(op " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "    \
                  "{%12, %13, %14, %15}, {%16, %17, %18, %19};"                \
               : "=" L(d[0]), "=" L(d[1]), "=" L(d[2]), "=" L(d[3])            \
               : AL(a[0]), AL(a[1]), AL(a[2]), AL(a[3]), AL(a[4]), AL(a[5]),   \
                 AL(a[6]), AL(a[7]), AL(b[0]), AL(b[1]), AL(b[2]), AL(b[3]),   \
                 L(c[0]), L(c[1]), L(c[2]), L(c[3]))

// Each thread reads its registers of A, B and C one after another.
#define MMA(name, shape, T, L, AT, AL, op)                                     \
  KERNEL(name, (const AT *pa, const AT *pb, const T *pc, T *out)) {            \
    BEGIN;                                                                     \
    constexpr unsigned na = shape / 100, nb = shape / 10 % 10,                 \
                       nc = shape % 10;                                        \
    AT a[na], b[nb];                                                           \
    T c[nc], d[nc];                                                            \
    for (unsigned j = 0; j < na; ++j)                                          \
      a[j] = pa[na * i + j];                                                   \
    for (unsigned j = 0; j < nb; ++j)                                          \
      b[j] = pb[nb * i + j];                                                   \
    for (unsigned j = 0; j < nc; ++j)                                          \
      c[j] = pc[nc * i + j];                                                   \
    SHAPE_##shape("mma.sync.aligned." op, L, AL);                              \
    for (unsigned j = 0; j < nc; ++j)                                          \
      PUT(d[j]);                                                               \
  }

#endif // TILEWRIGHT_TEST_GPU_MMA_H
