//===- warp.cu - Shuffles, votes, matches, reductions of a warp -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

#define SHUFFLE(kind, lane, clamp, mask)                                       \
  do {                                                                         \
    uint32_t d, p;                                                             \
    asm volatile("{\n\t.reg .pred p;\n\tshfl.sync." kind                       \
                 ".b32 %0|p, %2, %3, %4, %5;\n\tselp.u32 %1, 1, 0, p;\n\t}"    \
                 : "=r"(d), "=r"(p)                                            \
                 : "r"(a), "r"(lane), "r"(clamp), "r"(mask));                  \
    PUT(d);                                                                    \
    PUT(p);                                                                    \
  } while (0)

// tile-diff: kernel=shuffles grid=2 threads=64 seed=101
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   out: i32[2304] = poison
KERNEL(shuffles, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i];
  const uint32_t all = 0xffffffff;
  SHUFFLE("up", 1, 0, all);
  SHUFFLE("up", b & 31, 0, all);
  SHUFFLE("down", 3, 31, all);
  SHUFFLE("down", b & 31, 31, all);
  SHUFFLE("bfly", 16, 31, all);
  SHUFFLE("bfly", b & 31, 31, all);
  SHUFFLE("idx", b & 31, 31, all);
  // Segments of 8 lanes.
  SHUFFLE("idx", b & 31, 0x181f, all);
  SHUFFLE("up", 3, 0x1800, all);
}

// tile-diff: kernel=partialShuffles grid=1 threads=64 seed=102
// tile-diff:   a: i32[64] = any
// tile-diff:   out: i32[128] = zero
KERNEL(partialShuffles, (const uint32_t *pa, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i];
  if (i & 1)
    SHUFFLE("idx", (i + 2) & 31, 31, 0xaaaaaaaa);
}

// tile-diff: kernel=votes grid=2 threads=64 seed=103
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   out: i32[2048] = poison
KERNEL(votes, (const uint32_t *pa, const uint64_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i];
  const uint32_t all = 0xffffffff;
  PUT(__ballot_sync(all, a & 1));
  PUT(__any_sync(all, a == 17) | __all_sync(all, a < 0x80000000) << 1 |
      __all_sync(all, a != 12345) << 2);
  uint32_t d;
  asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\t"
               "vote.sync.uni.pred q, !p, -1;\n\tselp.u32 %0, 1, 0, q;\n\t}"
               : "=r"(d)
               : "r"(a));
  PUT(d);
  PUT(__match_any_sync(all, a & 7));
  PUT(__match_any_sync(all, pb[i] & 3));
  int same;
  PUT(__match_all_sync(all, a & 0, &same));
  PUT(same);
  PUT(__match_all_sync(all, a, &same));
  PUT(same);
  PUT(__reduce_add_sync(all, a));
  PUT(__reduce_min_sync(all, (int)a));
  PUT(__reduce_max_sync(all, a));
  PUT(__reduce_and_sync(all, a | 0xff));
  PUT(__reduce_or_sync(all, a & 0x10101));
  PUT(__reduce_xor_sync(all, a));
  // The lanes of one side of a branch only.
  uint32_t mask = 0;
  if (threadIdx.x % 3 == 0)
    mask = __ballot_sync(0x49249249u << (threadIdx.x / 32), a & 2);
  PUT(mask);
}
