//===- BlockAddresses.h - Where a block of a view lies ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each register of a block access: the address of its element, and whether
// the element is inside of the view. What is the same for all registers of a
// thread is computed once:
//
//   address(reg) = base + sum over dims of (start + thread part) * stride once
//                       + sum over dims of (register part) * stride constants
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BLOCKADDRESSES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BLOCKADDRESSES_H

#include "Threads/KnownColumns.h"
#include "Threads/ThreadIndex.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <map>

namespace tilewright::tonvvm {

class BlockAddresses {
public:
  /// `view` holds the view's parts as the type conversion makes them; `starts`
  /// are the coordinates of the block's first element, and `ranges` what is
  /// known of both.
  BlockAddresses(mlir::OpBuilder &builder, mlir::Location loc,
                 ThreadIndex &thread, tile::ViewType type,
                 mlir::ValueRange view, mlir::ValueRange starts,
                 const LinearLayout &registers,
                 const BlockRanges *ranges = nullptr);

  mlir::Value getPointer(unsigned reg);
  /// i1.
  mlir::Value isInside(unsigned reg);

private:
  /// What is known of one dimension.
  struct Dim {
    mlir::Value start, extent, stride;
    ThreadCoordinate thread;
    /// Values by register part.
    std::map<int32_t, mlir::Value> coordinates, inside;
  };

  mlir::Value constant(int64_t value);
  mlir::Value getCoordinate(Dim &dim, int32_t part);
  /// Whether all elements of a register are inside along the dimension, or none
  /// is; nothing where neither is known.
  std::optional<bool> isKnownInside(unsigned reg, unsigned dim) const;
  mlir::Value isInside(Dim &dim, int32_t part);
  mlir::Value addElements(mlir::Value pointer, mlir::Value elements);
  /// The pointer for the register parts that cannot just be added.
  mlir::Value getThreadPointer(const LinearLayout::Point &parts);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type elementType;
  mlir::Value base;
  const LinearLayout &registers;
  const BlockRanges *ranges;
  llvm::SmallVector<Dim> dims;
  std::map<LinearLayout::Point, mlir::Value> threadPointers;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_BLOCKADDRESSES_H
