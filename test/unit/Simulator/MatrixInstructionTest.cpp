//===- MatrixInstructionTest.cpp - mma.sync, ldmatrix and stmatrix --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"

using namespace tilewright::sim;

namespace {

/// One shape of mma.sync and how to make and read its elements.
struct Shape {
  const char *name; ///< after "mma.sync.aligned."
  int m, k;
  int bits;                            ///< of an element of A and B
  const llvm::fltSemantics *semantics; ///< null: integers
  bool isSigned;
  char result; ///< f: f32, h: f16, d: f64, i: s32
};

class MatrixInstructions : public DeviceTest,
                           public testing::WithParamInterface<Shape> {
protected:
  /// A small integer as an element of the shape.
  static uint64_t encode(const Shape &shape, int value) {
    if (!shape.semantics)
      return static_cast<uint64_t>(value) & ((uint64_t(1) << shape.bits) - 1);
    llvm::APFloat number(static_cast<double>(value));
    bool lost = false;
    number.convert(*shape.semantics, llvm::RoundingMode::NearestTiesToEven,
                   &lost);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    // tf32 stands in the upper bits of 32.
    return shape.semantics == &llvm::APFloat::FloatTF32() ? bits << 13 : bits;
  }
};

/// Kernel text that loads whole registers: `a` points to the A, then B, then C
/// fragments of each lane, in order, and `b` to where D goes.
std::string kernelText(const Shape &shape, int na, int nb, int nc) {
  const bool wide = shape.bits == 64;
  const std::string reg = wide ? "%d" : "%r";
  const std::string type = wide ? "f64" : "b32";
  const int size = wide ? 8 : 4;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
     << "mov.u32 %r60, %laneid;\n"
     << "mad.wide.u32 %rd1, %r60, " << (na + nb + nc) * size << ", %rd1;\n"
     << "mad.wide.u32 %rd2, %r60, " << nc * size << ", %rd2;\n";
  auto list = [&](int first, int count) {
    std::string registers;
    for (int i = 0; i != count; ++i) {
      registers += i ? ", " : "{";
      registers += reg;
      registers += std::to_string(first + i);
    }
    return registers + "}";
  };
  for (int i = 0; i != na + nb + nc; ++i)
    os << "ld.global." << type << " " << reg << i << ", [%rd1+" << i * size
       << "];\n";
  os << "mma.sync.aligned." << shape.name << " " << list(na + nb, nc) << ", "
     << list(0, na) << ", " << list(na, nb) << ", " << list(na + nb, nc)
     << ";\n";
  // f32 accumulators travel in .b32 registers.
  for (int i = 0; i != nc; ++i)
    os << "st.global." << type << " [%rd2+" << i * size << "], " << reg
       << na + nb + i << ";\n";
  return text;
}

TEST_P(MatrixInstructions, MultipliesSmallIntegers) {
  const Shape &s = GetParam();
  const int n = 8;
  auto draw = [&] {
    if (s.bits == 1)
      return int(random() & 1);
    return s.isSigned ? int(random() % 7) - 3 : int(random() % 4);
  };
  std::vector<int> a(size_t(s.m) * s.k), b(size_t(s.k) * n), c(size_t(s.m) * n);
  for (auto *matrix : {&a, &b, &c})
    for (int &v : *matrix)
      v = draw();

  // Fragments as PTX ISA draws them: see "Matrix Fragments for mma.m16n8k16"
  // and the tables of the other shapes.
  const int regBits = s.bits == 64 ? 64 : 32;
  const int e = regBits / s.bits;
  const int na = s.m * s.k / 32 / e, nb = s.k * n / 32 / e;
  const int perC = s.result == 'h' ? 2 : 1;
  const int nc = s.m * n / 32 / perC;
  std::vector<uint64_t> words(32 * size_t(na + nb + nc));
  const llvm::fltSemantics *resultSemantics =
      s.result == 'f'   ? &llvm::APFloat::IEEEsingle()
      : s.result == 'h' ? &llvm::APFloat::IEEEhalf()
      : s.result == 'd' ? &llvm::APFloat::IEEEdouble()
                        : nullptr;
  const Shape resultShape = {
      "", 0, 0, s.result == 'h' ? 16 : 32, resultSemantics, true, 0};
  for (int lane = 0; lane != 32; ++lane) {
    uint64_t *word = &words[size_t(lane) * (na + nb + nc)];
    for (int r = 0; r != na; ++r)
      for (int j = 0; j != e; ++j) {
        const bool tall = s.m == 16;
        const int row = lane / 4 + (tall && r % 2 ? 8 : 0);
        const int col = (tall ? r / 2 : r) * 4 * e + lane % 4 * e + j;
        word[r] |= encode(s, a[row * s.k + col]) << (s.bits * j);
      }
    for (int r = 0; r != nb; ++r)
      for (int j = 0; j != e; ++j) {
        const int row = r * 4 * e + lane % 4 * e + j;
        word[na + r] |= encode(s, b[row * n + lane / 4]) << (s.bits * j);
      }
    for (int i = 0; i != nc * perC; ++i) {
      const int row = lane / 4 + (i >= 2 ? 8 : 0), col = lane % 4 * 2 + i % 2;
      const uint64_t bits = encode(resultShape, c[row * n + col]);
      word[na + nb + i / perC] |=
          (s.result == 'i' ? uint64_t(uint32_t(c[row * n + col])) : bits)
          << (16 * (i % perC));
    }
  }

  uint64_t in = 0;
  if (regBits == 64) {
    in = upload(words);
  } else {
    in = upload(std::vector<uint32_t>(words.begin(), words.end()));
  }
  const uint64_t out = blank<uint64_t>(size_t(32) * nc);
  runClean(parseOrDie(wrapKernel(kernelText(s, na, nb, nc))), "test", {1}, {32},
           ArgumentBlock().add(in).add(out).add(out).add(uint32_t(0)));
  std::vector<uint64_t> results;
  if (regBits == 64) {
    results = download<uint64_t>(out, size_t(32) * nc);
  } else {
    const auto narrow = download<uint32_t>(out, size_t(32) * nc);
    results.assign(narrow.begin(), narrow.end());
  }
  const std::string name = s.name;
  for (int lane = 0; lane != 32; ++lane)
    for (int i = 0; i != nc * perC; ++i) {
      const int row = lane / 4 + (i >= 2 ? 8 : 0), col = lane % 4 * 2 + i % 2;
      int sum = c[row * n + col];
      for (int k = 0; k != s.k; ++k) {
        const int x = a[row * s.k + k], y = b[k * n + col];
        sum += name.find("xor") != std::string::npos ? x ^ y : x * y;
      }
      uint64_t got = results[size_t(lane) * nc + i / perC];
      if (perC == 2)
        got = got >> (16 * (i % 2)) & 0xffff;
      const uint64_t expected =
          s.result == 'i' ? uint64_t(uint32_t(sum)) : encode(resultShape, sum);
      ASSERT_EQ(got, expected) << s.name << " row " << row << " col " << col;
    }
}

using AP = llvm::APFloat;
INSTANTIATE_TEST_SUITE_P(
    Shapes, MatrixInstructions,
    testing::Values(
        Shape{"m16n8k16.row.col.f32.f16.f16.f32", 16, 16, 16, &AP::IEEEhalf(),
              true, 'f'},
        Shape{"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 16, &AP::IEEEhalf(),
              true, 'f'},
        Shape{"m16n8k16.row.col.f16.f16.f16.f16", 16, 16, 16, &AP::IEEEhalf(),
              true, 'h'},
        Shape{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, 16, &AP::BFloat(),
              true, 'f'},
        Shape{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 32, &AP::FloatTF32(),
              true, 'f'},
        Shape{"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, 32, &AP::FloatTF32(),
              true, 'f'},
        Shape{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, 8,
              &AP::Float8E4M3FN(), true, 'f'},
        Shape{"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 32, 8,
              &AP::Float8E5M2(), true, 'f'},
        Shape{"m16n8k32.row.col.s32.s8.s8.s32", 16, 32, 8, nullptr, true, 'i'},
        Shape{"m16n8k16.row.col.s32.u8.u8.s32", 16, 16, 8, nullptr, false, 'i'},
        Shape{"m8n8k16.row.col.s32.s8.s8.s32", 8, 16, 8, nullptr, true, 'i'},
        Shape{"m16n8k64.row.col.s32.s4.s4.s32", 16, 64, 4, nullptr, true, 'i'},
        Shape{"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, 1, nullptr,
              false, 'i'},
        Shape{"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 128, 1, nullptr,
              false, 'i'},
        Shape{"m8n8k4.row.col.f64.f64.f64.f64", 8, 4, 64, &AP::IEEEdouble(),
              true, 'd'},
        Shape{"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 64, &AP::IEEEdouble(),
              true, 'd'}));

/// Rows of a matrix go in by stores, come out by ldmatrix, go back by
/// stmatrix to another place.
TEST_F(DeviceTest, MatrixLoadStoreRoundTrip) {
  const Module module = parseOrDie(wrapKernel(R"(
    .shared .align 16 .b8 tile[512];
    .shared .align 16 .b8 copy[512];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 16;
    add.u64 %rd5, %rd1, %rd4;
    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd5];
    mov.u32 %r10, tile;
    mov.u32 %r11, copy;
    shl.b32 %r12, %r1, 4;
    add.u32 %r13, %r10, %r12;
    add.u32 %r14, %r11, %r12;
    st.shared.v4.b32 [%r13], {%r2, %r3, %r4, %r5};
    bar.warp.sync 0xffffffff;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r13];
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24, %r25}, [%r13];
    movmatrix.sync.aligned.m8n8.trans.b16 %r26, %r20;
    setp.ne.u32 %p1, %r24, %r26;
    @%p1 trap;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r14], {%r20, %r21, %r22, %r23};
    bar.warp.sync 0xffffffff;
    ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r14];
    add.u64 %rd6, %rd2, %rd4;
    st.global.v4.b32 [%rd6], {%r2, %r3, %r4, %r5};
    mul.wide.u32 %rd7, %r1, 4;
    add.u64 %rd7, %rd3, %rd7;
    st.global.b32 [%rd7], %r20;
  )"));
  std::vector<uint16_t> x(256);
  for (size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<uint16_t>(i);
  const uint64_t out = blank<uint16_t>(256), fragment = blank<uint16_t>(64);
  runClean(
      module, "test", {1}, {32},
      ArgumentBlock().add(upload(x)).add(out).add(fragment).add(uint32_t(0)));
  EXPECT_EQ(download<uint16_t>(out, 256), x);
  // Thread T holds row T / 4, columns 2 * (T % 4) and the next: row-major.
  EXPECT_EQ(download<uint16_t>(fragment, 64),
            std::vector<uint16_t>(x.begin(), x.begin() + 64));
}

} // namespace
