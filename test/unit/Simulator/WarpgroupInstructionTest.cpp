//===- WarpgroupInstructionTest.cpp - wgmma against a reference -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupTest.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright::sim;

namespace {

/// One wgmma.mma_async, and how its matrices lie.
struct ProductCase {
  const ProductType *a;
  const ProductType *b;
  const ProductType *result;
  int n = 8;
  int modeA = 3; ///< bits of the swizzle
  int modeB = 3;
  bool isAMNMajor = false;
  bool isBMNMajor = false;
  bool isAInRegisters = false;
  std::string scale = "1"; ///< scale-d
  int signA = 1;
  int signB = 1;
  int steps = 1;   ///< products along K
  int64_t gap = 0; ///< bytes between groups of rows, beyond the compact
  bool saturates = false;
  int largest = 3;   ///< elements are between this and its negative
  int64_t start = 0; ///< of every D
};

std::string print(const ProductCase &c) {
  return llvm::formatv("{0}.{1}.{2} n={3} modes {4},{5} MN {6},{7} registers "
                       "{8} steps {9} gap {10}",
                       c.result->name, c.a->name, c.b->name, c.n, c.modeA,
                       c.modeB, c.isAMNMajor, c.isBMNMajor, c.isAInRegisters,
                       c.steps, c.gap)
      .str();
}

class WarpgroupProducts : public DeviceTest {
protected:
  /// A matrix of small numbers, `rows` x `k`.
  std::vector<int> draw(const ProductType &type, int rows, int k, int largest) {
    std::vector<int> values(size_t(rows) * k);
    for (int &v : values)
      v = int(random() % (2 * largest + 1)) - (type.isSigned ? largest : 0);
    return values;
  }
  void check(const ProductCase &c);
};

/// The text of a kernel for the case, with A and B at the starts of `tile` and
/// at `baseB`.
std::string kernelText(const ProductCase &c, const CanonicalLayout &layoutA,
                       const CanonicalLayout &layoutB, int64_t baseB,
                       int64_t imageBytes, int registers) {
  const int k = c.a->k();
  std::string text = productDeclarations(imageBytes) + fillText(imageBytes) +
                     ownWordsText("b", registers + 4 * c.steps) +
                     moveText(true, "%acc", 0, registers) +
                     moveText(true, "%a", registers, 4 * c.steps) +
                     "setp.eq.u32 %p1, 0, 0; setp.ne.u32 %p2, 0, 0;\n"
                     "wgmma.fence.sync.aligned;\n";
  for (int step = 0; step != c.steps; ++step) {
    const bool isFloat = c.a->semantics, isHalf = c.a->bits == 16;
    text +=
        descriptorText(1, layoutA.fields(), layoutA.linearOffset(0, step * k)) +
        descriptorText(2, layoutB.fields(),
                       baseB + layoutB.linearOffset(0, step * k)) +
        "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" +
        std::to_string(k) + "." + c.result->name + "." + c.a->name + "." +
        c.b->name + (c.saturates ? ".satfinite " : " ") +
        registerList("%acc", 0, registers) + ", " +
        (c.isAInRegisters ? registerList("%a", 4 * step, 4) : "%rd1") +
        ", %rd2, " + (step == 0 ? c.scale : "1");
    if (isFloat)
      text += ", " + std::to_string(c.signA) + ", " + std::to_string(c.signB);
    if (isHalf && !c.isAInRegisters)
      text += c.isAMNMajor ? ", 1" : ", 0";
    if (isHalf)
      text += c.isBMNMajor ? ", 1" : ", 0";
    text += ";\n";
  }
  return text + productEnd + ownWordsText("c", registers) +
         moveText(false, "%acc", 0, registers);
}

void WarpgroupProducts::check(const ProductCase &c) {
  SCOPED_TRACE(print(c));
  const int m = 64, k = c.a->k(), all = k * c.steps;
  const std::vector<int> a = draw(*c.a, m, all, c.largest);
  const std::vector<int> b = draw(*c.b, c.n, all, c.largest);

  CanonicalLayout layoutA =
      CanonicalLayout::compact(c.modeA, c.isAMNMajor, c.a->bytes(), m, all);
  CanonicalLayout layoutB =
      CanonicalLayout::compact(c.modeB, c.isBMNMajor, c.b->bytes(), c.n, all);
  for (CanonicalLayout *layout : {&layoutA, &layoutB}) {
    layout->stride += c.gap;
    layout->leading += 16 * c.gap;
  }
  std::vector<uint8_t> image;
  auto place = [&](const CanonicalLayout &layout, const ProductType &type,
                   const std::vector<int> &values, int64_t base) {
    for (size_t i = 0; i != values.size(); ++i) {
      const auto at = size_t(base + layout.offset(int(i) / all, int(i) % all));
      image.resize(std::max(image.size(), at + type.bytes()));
      const uint64_t bits = type.encode(values[i]);
      std::memcpy(&image[at], &bits, size_t(type.bytes()));
    }
  };
  place(layoutA, *c.a, a, 0);
  const auto baseB = int64_t(llvm::alignTo(image.size(), 1024));
  place(layoutB, *c.b, b, baseB);
  image.resize(llvm::alignTo(image.size(), 16));

  // PTX ISA, figures of the fragments: warp w has rows 16w and up.
  const int perD = c.result->bits == 16 ? 2 : 1;
  const int registers = c.n / 2 / perD, words = registers + 4 * c.steps;
  const int perA = 32 / c.a->bits;
  std::vector<uint32_t> own(size_t(128) * words);
  for (int thread = 0; thread != 128; ++thread) {
    const int lane = thread % 32, row = thread / 32 * 16 + lane / 4;
    uint32_t *word = &own[size_t(thread) * words];
    for (int i = 0; i != c.n / 2; ++i)
      word[i / perD] |= uint32_t(c.result->encode(c.start)) << 16 * (i % perD);
    for (int i = 0; i != 4 * c.steps * perA; ++i) {
      const int reg = i / perA,
                col = reg / 2 * 4 * perA + lane % 4 * perA + i % perA;
      word[registers + reg] |=
          uint32_t(c.a->encode(a[size_t(row + reg % 2 * 8) * all + col]))
          << c.a->bits * (i % perA);
    }
  }
  const uint64_t out = blank<uint32_t>(size_t(128) * registers);
  runClean(parseOrDie(wrapKernel(kernelText(c, layoutA, layoutB, baseB,
                                            int64_t(image.size()), registers))),
           "test", {1}, {128},
           ArgumentBlock()
               .add(upload(image))
               .add(upload(own))
               .add(out)
               .add(uint32_t(0)));
  const auto results = download<uint32_t>(out, size_t(128) * registers);
  for (int thread = 0; thread != 128; ++thread)
    for (int i = 0; i != c.n / 2; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8,
                col = i / 4 * 8 + thread % 4 * 2 + i % 2;
      int64_t sum =
          c.scale == "0" || c.scale == "%p2" || c.scale == "!%p1" ? 0 : c.start;
      for (int j = 0; j != all; ++j)
        sum += int64_t(c.signA) * a[size_t(row) * all + j] * c.signB *
               b[size_t(col) * all + j];
      if (c.saturates)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      const uint32_t got =
          results[size_t(thread) * registers + i / perD] >> 16 * (i % perD) &
          llvm::maskTrailingOnes<uint32_t>(unsigned(c.result->bits));
      ASSERT_EQ(got, c.result->encode(sum)) << "row " << row << " col " << col;
    }
}

TEST_F(WarpgroupProducts, Types) {
  const ProductType *half = &typeF16;
  for (const ProductType *result : {&typeF16, &typeF32}) {
    check({half, half, result});
    for (const ProductType *a : {&typeE4M3, &typeE5M2})
      for (const ProductType *b : {&typeE4M3, &typeE5M2})
        check({a, b, result});
  }
  check({&typeBF16, &typeBF16, &typeF32});
  check({&typeTF32, &typeTF32, &typeF32});
  for (const ProductType *a : {&typeS8, &typeU8})
    for (const ProductType *b : {&typeS8, &typeU8})
      check({a, b, &typeS32});
}

/// Every mode in both orders, of A and of B, with and without gaps.
TEST_F(WarpgroupProducts, Modes) {
  for (const ProductType *type :
       {&typeF16, &typeBF16, &typeTF32, &typeE4M3, &typeS8})
    for (int mode = 0; mode != 4; ++mode)
      for (int orders = 0; orders != (type->bits == 16 ? 4 : 1); ++orders)
        for (int64_t gap : {0, 1024}) {
          ProductCase c = {type, type, type->semantics ? &typeF32 : &typeS32};
          // Columns in whole rows of the widest mode.
          c.n = 64;
          c.modeA = mode;
          c.modeB = gap ? mode : 3 - mode;
          c.isAMNMajor = orders & 1;
          c.isBMNMajor = orders & 2;
          c.gap = gap;
          check(c);
        }
}

TEST_F(WarpgroupProducts, Columns) {
  for (int n = 8; n <= 256; n += 8) {
    check({&typeF16, &typeF16, &typeF32, n});
    if (n <= 32 || n % 16 == 0)
      check({&typeS8, &typeU8, &typeS32, n});
  }
  check({&typeF16, &typeF16, &typeF16, 256});
  ProductCase wide = {&typeBF16, &typeBF16, &typeF32, 256};
  wide.isAMNMajor = wide.isBMNMajor = true;
  check(wide);
}

TEST_F(WarpgroupProducts, AInRegisters) {
  for (const ProductType *type :
       {&typeF16, &typeBF16, &typeTF32, &typeE4M3, &typeE5M2, &typeS8, &typeU8})
    for (int steps : {1, 2}) {
      ProductCase c = {type, type, type->semantics ? &typeF32 : &typeS32, 24};
      c.isAInRegisters = true;
      c.steps = steps;
      check(c);
    }
}

/// Starts move along K: by 32 bytes inside of a pattern, or by groups.
TEST_F(WarpgroupProducts, StepsAlongK) {
  for (const ProductType *type : {&typeF16, &typeTF32, &typeE5M2, &typeU8})
    for (int mode = 0; mode != 4; ++mode)
      for (bool isMNMajor : {false, true}) {
        if (isMNMajor && type->bits != 16)
          continue;
        ProductCase c = {type, type, type->semantics ? &typeF32 : &typeS32, 64};
        c.modeA = c.modeB = mode;
        c.isAMNMajor = c.isBMNMajor = isMNMajor;
        // A row of the mode, and without a swizzle any number of them.
        c.steps = isMNMajor || mode == 0 ? 4 : std::max(1, (1 << mode) / 2);
        check(c);
      }
}

TEST_F(WarpgroupProducts, ScaleAndSigns) {
  for (const char *scale : {"0", "1", "%p1", "%p2", "!%p1", "!%p2"})
    for (int signs = 0; signs != 4; ++signs) {
      ProductCase c = {&typeF16, &typeF16, &typeF32, 16};
      c.scale = scale;
      c.signA = signs & 1 ? -1 : 1;
      c.signB = signs & 2 ? -1 : 1;
      c.start = 5;
      check(c);
    }
}

TEST_F(WarpgroupProducts, IntegersSaturate) {
  for (bool saturates : {false, true}) {
    ProductCase c = {&typeS8, &typeS8, &typeS32, 16};
    c.saturates = saturates;
    c.largest = 127;
    for (int64_t start : {int64_t(INT32_MAX) - 9, int64_t(INT32_MIN) + 9}) {
      c.start = start;
      check(c);
    }
  }
}

} // namespace
