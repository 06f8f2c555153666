//===- KnownColumns.h - What is known of the ends of rows -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register has elements of few columns in all threads: of a tile of 65536, in
// vectors of 8 and 8192 threads, registers 48..55 have columns 49152..57343.
// Where a row is known to end before or behind these (tile.bounds), masks of
// the register are constants, and there is nothing to load or to store, or
// nothing to compare:
//
//   %inside = arith.cmpi slt, %columns, %end     // %end from 49153 to 53248
//
// is true in registers 0..47 and false in 56..63. The values are those that the
// comparisons would have: code with bounds gives the same bits as code without.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_KNOWNCOLUMNS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_KNOWNCOLUMNS_H

#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tonvvm {

struct LoweringContext; // Patterns.h

/// Where a block of a view begins, and where the view ends.
struct BlockRanges {
  struct Dim {
    mlir::ConstantIntRanges start, extent;
  };
  llvm::SmallVector<Dim, 2> dims;
  /// How far the block is rotated.
  std::optional<mlir::ConstantIntRanges> rotation;
};

/// The least and the most coordinate that a register has in any thread.
std::pair<int64_t, int64_t> getCoordinates(const LinearLayout &layout,
                                           unsigned reg, unsigned dim);

/// Whether all of these coordinates, of which none is negative, are inside of
/// a view of that extent, or none is; nothing where neither is known.
std::optional<bool> areKnownInside(const mlir::ConstantIntRanges &coordinates,
                                   const mlir::ConstantIntRanges &extent);

/// Finds, for a kernel whose arguments have bounds, what masks are in
/// registers, and where blocks of views end.
void collectKnownColumns(tile::KernelOp kernel, LoweringContext &context);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_KNOWNCOLUMNS_H
