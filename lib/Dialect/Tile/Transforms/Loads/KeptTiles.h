//===- KeptTiles.h - What registers of a thread keep ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers of a thread tiles take: whether one may be kept until it
// is used again, or is rather loaded anew.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_KEPTTILES_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_KEPTTILES_H

#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"

namespace tilewright::tile {

inline constexpr int64_t kRegisterBytes = bytesPerWord;

/// Bytes of what is loaded that a thread keeps to use again, at the most: 64 of
/// its 255 registers.
inline constexpr int64_t kMaxKeptBytes = 256;

/// Registers for tiles of a thread that computes, where its products leave few:
/// with two blocks of four warps, and four that copy with 40 registers, a
/// multiprocessor has 216 for it (tile-split-roles), and more with other
/// blocks. Beside 128 sums 64 words have room, of a residual of halves.
inline constexpr int64_t kMostProductRegisters = 216 - kOtherRegisters;

/// That a thread has tiles in; none for those without a layout.
inline int64_t countRegisters(mlir::ValueRange values) {
  int64_t registers = 0;
  for (mlir::Value value : values)
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
        type && getRegisterLayout(type))
      registers += llvm::divideCeil(getRegisterLayout(type).getNumRegisters() *
                                        getElementBytes(type.getElementType()),
                                    kRegisterBytes);
  return registers;
}

/// As many blocks as a multiprocessor runs at once whose threads have so many
/// registers.
inline int64_t countBlocksOf(KernelOp kernel, int64_t registers) {
  const GpuTarget &target = getTargetOrDefault(kernel);
  int64_t threads = kernel.getNumThreads();
  return std::min<int64_t>({target.registersPerSM / (threads * registers),
                            target.maxThreadsPerSM / threads,
                            target.maxBlocksPerSM});
}

inline bool mayBeKept(KernelOp kernel, int64_t bytes) {
  return bytes <= kMaxKeptBytes * kernel.getNumThreads();
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_KEPTTILES_H
