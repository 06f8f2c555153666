//===- bits.cu - Bits and bytes -------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// arch: sm_80
#include "suite.h"

// tile-diff: kernel=bits32 grid=2 threads=64 seed=11
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   c: i32[128] = any
// tile-diff:   out: i32[5248] = poison
KERNEL(bits32, (const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], c = pc[i];
  R2("and.b32");
  R2("or.b32");
  R2("xor.b32");
  R1("not.b32");
  R1("cnot.b32");
  R2("shl.b32");
  R2("shr.u32");
  R2("shr.s32");
  R1("popc.b32");
  R1("clz.b32");
  R1("brev.b32");
  R1("bfind.u32");
  R1("bfind.s32");
  R1("bfind.shiftamt.u32");
  R1("bfind.shiftamt.s32");
  R3("shf.l.wrap.b32");
  R3("shf.l.clamp.b32");
  R3("shf.r.wrap.b32");
  R3("shf.r.clamp.b32");
  R3("prmt.b32");
  R3("prmt.b32.f4e");
  R3("prmt.b32.b4e");
  R3("prmt.b32.rc8");
  R3("prmt.b32.ecl");
  R3("prmt.b32.ecr");
  R3("prmt.b32.rc16");
  R3("bfe.u32");
  R3("bfe.s32");
  R3("dp4a.u32.u32");
  R3("dp4a.s32.u32");
  R3("dp4a.s32.s32");
  R3("dp2a.lo.s32.s32");
  R3("dp2a.hi.u32.s32");
  R2("bmsk.clamp.b32");
  R2("bmsk.wrap.b32");
  R2("szext.clamp.s32");
  R2("szext.wrap.u32");
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  PUT(d);
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  PUT(d);
  // Small positions and lengths: most of the others are beyond the word.
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(d)
      : "r"(a), "r"(b), "r"(c & 63), "r"(c >> 8 & 63));
  PUT(d);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(c & 63), "r"(b & 63));
  PUT(d);
}

// tile-diff: kernel=bits64 grid=2 threads=64 seed=12
// tile-diff:   a: i64[128] = any
// tile-diff:   b: i64[128] = any
// tile-diff:   s: i32[256] = any
// tile-diff:   out: i64[1920] = poison
KERNEL(bits64, (const uint64_t *pa, const uint64_t *pb, const uint32_t *ps,
                uint64_t *out)) {
  BEGIN;
  uint64_t a = pa[i], b = pb[i];
  uint32_t s = ps[2 * i], t = ps[2 * i + 1];
  L2("or.b64");
  L2("xor.b64");
  L1("not.b64");
  L1("cnot.b64");
  L1("brev.b64");
  uint64_t d;
  asm("shl.b64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s));
  PUT(d);
  asm("shr.u64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s & 127));
  PUT(d);
  asm("shr.s64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s & 127));
  PUT(d);
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(s & 127), "r"(t & 127));
  PUT(d);
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(s & 127), "r"(t & 127));
  PUT(d);
  asm("bfi.b64 %0, %1, %2, %3, %4;"
      : "=l"(d)
      : "l"(a), "l"(b), "r"(s & 127), "r"(t & 127));
  PUT(d);
  uint32_t n;
  asm("popc.b64 %0, %1;" : "=r"(n) : "l"(a));
  PUT(n);
  asm("clz.b64 %0, %1;" : "=r"(n) : "l"(a));
  PUT(n);
  asm("bfind.u64 %0, %1;" : "=r"(n) : "l"(a));
  PUT(n);
  asm("bfind.s64 %0, %1;" : "=r"(n) : "l"(a));
  PUT(n);
}

// tile-diff: kernel=moves grid=2 threads=64 seed=13
// tile-diff:   a: i32[128] = any
// tile-diff:   b: i32[128] = any
// tile-diff:   out: i32[896] = poison
KERNEL(moves, (const uint32_t *pa, const uint32_t *pb, uint32_t *out)) {
  BEGIN;
  uint32_t a = pa[i], b = pb[i], d, e;
  asm("{\n\t.reg .b16 x, y;\n\tmov.b32 {x, y}, %1;\n\tmov.b32 %0, {y, x};\n\t}"
      : "=r"(d)
      : "r"(a));
  PUT(d);
  asm("{\n\t.reg .b64 x;\n\tmov.b64 x, {%2, %3};\n\tmov.b64 {%1, %0}, x;\n\t}"
      : "=r"(d), "=r"(e)
      : "r"(a), "r"(b));
  PUT(d);
  PUT(e);
  asm("{\n\t.reg .b8 w, x, y, z;\n\tmov.b32 {w, x, y, z}, %1;\n\t"
      "mov.b32 %0, {z, y, x, w};\n\t}"
      : "=r"(d)
      : "r"(a));
  PUT(d);
  asm("mov.u32 %0, 0xdeadbeef;" : "=r"(d));
  PUT(d);
  asm("mov.b32 %0, 0f3fc00000;" : "=r"(d));
  PUT(d);
  asm("{\n\t.reg .b64 x;\n\tmov.b64 x, 0d3ff8000000000000;\n\t"
      "mov.b64 {_, %0}, x;\n\t}"
      : "=r"(d));
  PUT(d);
}
