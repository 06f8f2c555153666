//===- WarpgroupMma.h - Products of four warps (wgmma) ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup, four warps in a row, multiplies with `wgmma.m64nNkK`: 64 x K
// times K x N, where K is 32 bytes and N up to 256. D is in registers (PTX ISA,
// "Register Fragments for wgmma.mma_async"), each warp has 16 rows:
//
//   D, 64 x N   register[1,2] lane[8,4] register[2,1] register[1,N/8] warp[4,1]
//
// A and B are read from shared memory, where they lie in one of the layouts of
// HardwareSwizzle.h. A matrix descriptor says where: a start address, the mode
// and two strides (PTX ISA, "Matrix Descriptor Format" and "Strides"). In units
// of atoms of 8 rows of the mode,
//
//                      rows along K ("K-major")   rows along M or N
//   stride             next 8 of M or N           next 8 of K
//   leading            -                          next row of M or N (panel)
//   leading, no mode   next 16 bytes of K         next 8 of K
//   stride, no mode    next 8 of M or N           next 16 bytes of M or N
//
// The hardware XORs bits of addresses. So a product may begin anywhere in a row
// whose number is a multiple of 8: steps along K in a row of 128 bytes are 32
// bytes apart. Rows along M or N are for elements of 2 bytes only.
//
//   auto layout = hardwareLayout({64, 128}, 2, 1, HardwareSwizzle::get(128));
//   auto b = WarpgroupOperand::create(layout, 2, /*kDim=*/0);
//   b->getDescriptor()          // leading 8192, stride 1024, mode 128B
//   b->getStartBytes({16, 64})  // 8192 + 16 * 128, of k = 16 and n = 64
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_WARPGROUPMMA_H
#define TILEWRIGHT_LAYOUT_REGISTERS_WARPGROUPMMA_H

#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Shared/HardwareSwizzle.h"

namespace tilewright {

struct WarpgroupMma {
  static constexpr unsigned warps = 4;
  static constexpr int64_t threads = int64_t(warps) * lanesPerWarp;
  static constexpr int64_t m = 64, leastN = 8, mostN = 256;
  /// Bytes of one instruction along K.
  static constexpr int64_t kBytes = 32;
};

/// Whether a product of M x N can be made by warpgroups.
bool fitsWarpgroups(llvm::ArrayRef<int64_t> shape, unsigned numWarps);
/// Whether each of them then has a part of its own, and none a copy.
bool keepsWarpgroupsBusy(llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// The accumulator of such a product: warpgroups below each other, then side by
/// side, then copies. The registers of an instruction stand together.
LinearLayout warpgroupAccumulatorLayout(llvm::ArrayRef<int64_t> shape,
                                        unsigned numWarps);
bool isWarpgroupAccumulatorLayout(const LinearLayout &layout);

/// The dimension along which each warpgroup has its own of equal parts, the
/// first one the first; none elsewhere, and of one warpgroup.
std::optional<unsigned> getWarpgroupDim(const LinearLayout &layout);

/// N of the instructions that make an accumulator of that layout.
int64_t getInstructionN(const LinearLayout &accumulator);

/// Whether there is an instruction with so many columns (PTX ISA, "Matrix
/// Shape" of wgmma), of elements of so many bytes.
bool hasInstruction(int64_t n, unsigned elementBytes);

/// An operand as wgmma finds it in shared memory.
class WarpgroupOperand {
public:
  /// Describes a tile of two dimensions, of which `kDim` is the one that is
  /// summed over. Errors say what wgmma cannot read.
  static llvm::Expected<WarpgroupOperand>
  create(const SharedLayout &layout, unsigned elementBytes, unsigned kDim);

  /// Rows go along M or N instead of K.
  bool isTransposed() const { return transposed; }
  /// The descriptor of an operand at address 0.
  uint64_t getDescriptor() const;
  /// Where the part of an instruction begins, in bytes.
  int64_t getStartBytes(llvm::ArrayRef<int32_t> point) const {
    return layout.offset(point) * elementBytes;
  }
  /// What the address of the tile must be a multiple of, in bytes.
  int64_t getAlignment() const { return mode->alignment; }

  /// Whether one descriptor, that of `before`, serves both where this tile
  /// stands directly behind that: as right operands, of the same K.
  bool continues(const WarpgroupOperand &before) const;

private:
  /// Bytes from the first column to the one behind the last, as a descriptor
  /// counts.
  std::optional<int64_t> getBytesOfColumns() const;

  WarpgroupOperand(SharedLayout layout, unsigned elementBytes,
                   const HardwareSwizzle &mode)
      : layout(std::move(layout)), elementBytes(elementBytes), mode(&mode) {}

  SharedLayout layout;
  unsigned elementBytes, kDim = 0;
  const HardwareSwizzle *mode;
  bool transposed = false;
  int64_t leadingBytes = 0, strideBytes = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_WARPGROUPMMA_H
