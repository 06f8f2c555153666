//===- WarpgroupTest.h - Kernels around wgmma -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SIMULATOR_WARPGROUPTEST_H
#define TILEWRIGHT_TEST_UNIT_SIMULATOR_WARPGROUPTEST_H

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::sim {

/// An element type, and numbers in it.
struct ProductType {
  const char *name;
  int bits;
  const llvm::fltSemantics *semantics; ///< null: integers
  bool isSigned = true;

  int bytes() const { return bits / 8; }
  /// Elements along K: always 32 bytes.
  int k() const { return 256 / bits; }
  /// `value`, a small integer, as bits.
  uint64_t encode(int64_t value) const {
    if (!semantics)
      return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(bits);
    llvm::APFloat number(static_cast<double>(value));
    bool lost = false;
    number.convert(*semantics, llvm::RoundingMode::NearestTiesToEven, &lost);
    const uint64_t pattern = number.bitcastToAPInt().getZExtValue();
    return semantics == &llvm::APFloat::FloatTF32() ? pattern << 13 : pattern;
  }
};

inline const ProductType typeF16 = {"f16", 16, &llvm::APFloat::IEEEhalf()};
inline const ProductType typeBF16 = {"bf16", 16, &llvm::APFloat::BFloat()};
inline const ProductType typeTF32 = {"tf32", 32, &llvm::APFloat::FloatTF32()};
inline const ProductType typeE4M3 = {"e4m3", 8, &llvm::APFloat::Float8E4M3FN()};
inline const ProductType typeE5M2 = {"e5m2", 8, &llvm::APFloat::Float8E5M2()};
inline const ProductType typeS8 = {"s8", 8, nullptr};
inline const ProductType typeU8 = {"u8", 8, nullptr, false};
inline const ProductType typeF32 = {"f32", 32, &llvm::APFloat::IEEEsingle()};
inline const ProductType typeS32 = {"s32", 32, nullptr};

/// A canonical layout, as the table of PTX ISA ("Canonical Layouts") writes
/// them: strides of nested coordinates in elements, and a swizzle on top.
struct CanonicalLayout {
  int swizzleBits; ///< B of Swizzle<B, 4, 3>; 0: interleaved
  bool isMNMajor;
  int elementBytes;
  int64_t leading; ///< bytes
  int64_t stride;  ///< bytes

  /// Byte offset of an element from the start of the matrix, before the
  /// swizzle.
  int64_t linearOffset(int mn, int k) const {
    const int t = 16 / elementBytes, w = 1 << swizzleBits;
    const int64_t lbo = leading / elementBytes, sbo = stride / elementBytes;
    int64_t element = 0;
    if (isMNMajor && swizzleBits == 0) // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
      element = mn % t + mn / t * sbo + k % 8 * t + k / 8 * lbo;
    else if (isMNMajor) // ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
      element = mn % t + mn / t % w * t + mn / t / w * lbo +
                int64_t(k % 8) * w * t + k / 8 * sbo;
    else if (swizzleBits == 0) // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
      element = mn % 8 * t + mn / 8 * sbo + k % t + k / t * lbo;
    else // ((8,m),(T,2k)):((wT,SBO),(1,T))
      element = int64_t(mn % 8) * w * t + mn / 8 * sbo + k % t + k / t * t;
    return element * elementBytes;
  }
  int64_t offset(int mn, int k) const {
    const int64_t byte = linearOffset(mn, k), mask = (1 << swizzleBits) - 1;
    return byte ^ (byte >> 3 & mask << 4);
  }
  /// The fields of a descriptor but for the start address.
  uint64_t fields() const {
    static constexpr uint64_t modes[] = {0, 3, 2, 1};
    return uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
           modes[swizzleBits] << 62;
  }
  /// The layout without gaps of `mn` rows or columns by `k` elements.
  static CanonicalLayout compact(int swizzleBits, bool isMNMajor,
                                 int elementBytes, int mn, int k) {
    const int row = 16 << swizzleBits;
    const int64_t group = int64_t(8) * row;
    if (!isMNMajor) {
      // Panels of a row's bytes along K, one after the other.
      const int64_t panel = group * (mn / 8);
      return {swizzleBits, false, elementBytes, panel, group};
    }
    const int64_t panel = group * (k / 8);
    if (swizzleBits == 0)
      return {0, true, elementBytes, group, panel};
    return {swizzleBits, true, elementBytes, panel, group};
  }
};

/// "{%acc0, %acc1, ...}".
inline std::string registerList(const std::string &prefix, int first,
                                int count) {
  std::string text;
  for (int i = 0; i != count; ++i)
    text += (i ? ", " : "{") + prefix + std::to_string(first + i);
  return text + "}";
}

/// Text that makes %rd(number) the descriptor of what lies `offset` bytes into
/// the shared variable `tile`. Uses %r50 and %rd50.
inline std::string descriptorText(int number, uint64_t fields, int64_t offset) {
  const std::string rd = "%rd" + std::to_string(number);
  return "mov.u32 %r50, tile; add.u32 %r50, %r50, " + std::to_string(offset) +
         "; bfe.u32 %r50, %r50, 4, 14; cvt.u64.u32 " + rd + ", %r50; or.b64 " +
         rd + ", " + rd + ", " + std::to_string(int64_t(fields)) + ";\n";
}

/// Text that copies `bytes` bytes (a multiple of 4) from `a` to `tile` with 128
/// threads, and makes them visible to wgmma. Uses %r50 to 54 and %rd50 to 51.
inline std::string fillText(int64_t bytes) {
  return "ld.param.u64 %rd50, [a]; mov.u32 %r51, %tid.x; shl.b32 %r51, %r51, 2;"
         "\nFILL: setp.ge.u32 %p15, %r51, " +
         std::to_string(bytes) +
         "; @%p15 bra FILLED; cvt.u64.u32 %rd51, %r51; add.u64 %rd51, %rd50, "
         "%rd51; ld.global.b32 %r52, [%rd51]; mov.u32 %r53, tile; add.u32 %r53,"
         " %r53, %r51; st.shared.b32 [%r53], %r52; add.u32 %r51, %r51, 512; "
         "bra FILL;\nFILLED: fence.proxy.async.shared::cta; bar.sync 0;\n";
}

/// Text that makes %rd52 the address of the thread's own `words` words of a
/// parameter. Uses %r54 and %rd53.
inline std::string ownWordsText(const std::string &parameter, int words) {
  return "ld.param.u64 %rd52, [" + parameter +
         "]; mov.u32 %r54, %tid.x; mul.lo.u32 %r54, %r54, " +
         std::to_string(4 * words) +
         "; cvt.u64.u32 %rd53, %r54; add.u64 %rd52, %rd52, %rd53;\n";
}

/// Text that moves `count` registers from or to the words that begin at word
/// `first` of %rd52.
inline std::string moveText(bool isLoad, const std::string &prefix, int first,
                            int count) {
  std::string text;
  for (int i = 0; i != count; ++i) {
    const std::string reg = prefix + std::to_string(i),
                      at = "[%rd52+" + std::to_string(4 * (first + i)) + "]";
    text += isLoad ? "ld.global.b32 " + reg + ", " + at + ";\n"
                   : "st.global.b32 " + at + ", " + reg + ";\n";
  }
  return text;
}

/// The declarations that the texts above need, for `tileBytes` of shared
/// memory.
inline std::string productDeclarations(int64_t tileBytes) {
  return ".reg .b32 %acc<128>;\n.reg .b32 %a<32>;\n.shared .align 1024 .b8 "
         "tile[" +
         std::to_string(tileBytes) + "];\n";
}

constexpr const char *productEnd =
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

} // namespace tilewright::sim

#endif // TILEWRIGHT_TEST_UNIT_SIMULATOR_WARPGROUPTEST_H
