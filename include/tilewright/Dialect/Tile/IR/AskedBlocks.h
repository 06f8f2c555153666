//===- AskedBlocks.h - Blocks that registers are left for -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers a thread has is ptxas's choice. A pass that knows how many
// blocks a multiprocessor should run asks for them on the kernel, and ptxas
// leaves registers for so many (.minnctapersm). Kernels with roles do not ask:
// these say it themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ASKEDBLOCKS_H
#define TILEWRIGHT_DIALECT_TILE_IR_ASKEDBLOCKS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Nothing where no pass has asked.
inline std::optional<int64_t> getAskedBlocks(KernelOp kernel) {
  auto blocks =
      kernel->getAttrOfType<mlir::IntegerAttr>(TileDialect::kBlocksPerSMAttr);
  return blocks ? std::optional(blocks.getInt()) : std::nullopt;
}

/// In place of what another pass has asked for.
inline void askForBlocks(KernelOp kernel, int64_t blocks) {
  kernel->setAttr(TileDialect::kBlocksPerSMAttr,
                  mlir::Builder(kernel.getContext()).getI32IntegerAttr(blocks));
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ASKEDBLOCKS_H
