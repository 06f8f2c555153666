//===- HardwareSwizzle.h - The swizzles of TMA and wgmma --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk tensor copies (TMA) write, and wgmma reads, a tile in shared memory in
// one of four layouts (PTX ISA, "Swizzling modes"; CUDA Driver API,
// CUtensorMapSwizzle). Each row of the tile is exactly as long as the mode says
// and is made of atoms of 16 bytes; the atom of a row is XORed with a number
// that counts rows, so that 8 atoms below each other lie in different banks:
//
//   mode   row, bytes   atom ^= of row r    on byte addresses    aligned to
//   none           16   -                   -                           128
//   32             32   (r / 4) % 2         swizzle<1,4,3>              256
//   64             64   (r / 2) % 4         swizzle<2,4,3>              512
//   128           128    r % 8              swizzle<3,4,3>             1024
//
// The hardware XORs bits of the address itself: hence the alignment, that of
// the 8 rows of 128 bytes after which the pattern repeats (8 of the shorter
// rows for the other modes). Rows of the matrix that are longer become panels,
// one after the other, each copied on its own:
//
//   auto layout = hardwareLayout({64, 128}, /*elementBytes=*/2, /*rowDim=*/1,
//                                HardwareSwizzle::get(128));
//
// has two panels of 64 x 64 elements of 2 bytes. All of this is linear over
// F2: the modes are points of the space that SwizzleSearch.h searches.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_HARDWARESWIZZLE_H
#define TILEWRIGHT_LAYOUT_SHARED_HARDWARESWIZZLE_H

#include "tilewright/Layout/Shared/SharedLayout.h"

namespace tilewright {

struct HardwareSwizzle {
  /// "none", "32B", "64B" or "128B".
  llvm::StringRef name;
  /// Bytes of a row of the tile, or of a panel of it.
  int64_t rowBytes;
  /// Atoms that are permuted are 2^atomBits.
  unsigned atomBits;
  /// What the address of a tile must be a multiple of, in bytes.
  int64_t alignment;

  /// Rows after which the pattern repeats; a tile is made of whole periods.
  static constexpr int64_t periodRows = 8;
  static constexpr int64_t atomBytes = 16;

  /// The widest first.
  static llvm::ArrayRef<HardwareSwizzle> all();
  /// The mode for the bytes of a row: 16 (none), 32, 64 or 128.
  static const HardwareSwizzle &get(int64_t rowBytes);
};

/// The layout of a tile whose rows go along `rowDim`, in a mode of the
/// hardware; the other dimensions follow, the last first. Errors, which say
/// what the mode needs: elements larger than an atom, rows shorter than the
/// mode's, fewer rows than a period.
llvm::Expected<SharedLayout> hardwareLayout(llvm::ArrayRef<int64_t> shape,
                                            unsigned elementBytes,
                                            unsigned rowDim,
                                            const HardwareSwizzle &mode);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_HARDWARESWIZZLE_H
