//===- MatrixDescriptor.h - Where wgmma finds a matrix ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async is given a matrix in shared memory by 64 bits (PTX ISA,
// "Matrix Descriptor Format" and "Strides"; all byte counts without their
// lowest four bits):
//
//   bits  0-13  start address             bits 49-51  base offset
//   bits 16-29  leading dimension offset  bits 62-63  mode: 0 none, 1 128B,
//   bits 32-45  stride dimension offset               2 64B, 3 32B
//
// The matrix lies in atoms of 16 bytes, whose elements follow each other along
// K (K-major), or along M or N (MN-major, "transposed"; types of 16 bits only).
// As in HardwareSwizzle.h, a mode makes rows of W = 16, 32, 64 or 128 bytes of
// such atoms. Rows of neighbours in the other dimension follow each other, and
// 8 of them are a group. That leaves two distances:
//
//   from group to group of 8 rows      the stride offset
//   from panel to panel of W bytes     the leading offset
//
// In MN-major without a swizzle, and only there, the two change places. In a
// K-major mode with a swizzle a product never leaves its panel, as it takes
// 32 bytes along K, and the leading offset means nothing:
//
//   K-major, 128B, f16, A of 64 x 16     row m, atom j of 2:
//     start + m / 8 * stride + m % 8 * 128 + j * 16
//   K-major, none                        start + m / 8 * stride + m % 8 * 16
//                                              + j * leading
//   MN-major, 128B, f16, B of 16 x N     row k, atom j of N / 8:
//     start + k / 8 * stride + k % 8 * 128 + j % 8 * 16 + j / 8 * leading
//   MN-major, none                       start + k / 8 * leading + k % 8 * 16
//                                              + j * stride
//
// Last, the mode XORs bits of the address itself: bits 4 and up with as many
// from bit 7 up. So one may start inside of a pattern, 32 bytes further for the
// next K. A pattern that does not begin at a multiple of its own size says by
// the base offset in which 128 bytes of 1024 it does, and counts from there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_MATRIXDESCRIPTOR_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_MATRIXDESCRIPTOR_H

#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include <cstdint>
#include <string>

namespace tilewright::sim {

struct MatrixDescriptor {
  static constexpr uint64_t atomBytes = HardwareSwizzle::atomBytes;

  explicit MatrixDescriptor(uint64_t bits);

  /// What is wrong with the fields, for a matrix with `atoms` atoms along the
  /// dimension that is contiguous; empty if nothing is.
  std::string findDefect(bool isMNMajor, unsigned atoms) const;

  /// The shared address of an atom: number `atom` along the dimension that is
  /// contiguous, number `row` along the other.
  uint64_t atomAddress(bool isMNMajor, unsigned row, unsigned atom) const;

  uint64_t start;   ///< bytes
  uint64_t leading; ///< bytes
  uint64_t stride;  ///< bytes
  uint64_t baseOffset;
  uint64_t reserved; ///< bits that have no meaning
  const HardwareSwizzle *mode;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_MATRIXDESCRIPTOR_H
