//===- RowPlaces.h - Where a block lies that begins anywhere ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of 16 elements that begins 3 elements behind a multiple of 16 bytes,
// in vectors of 4 and rotated by 3: place p has element (p - 3) mod 16.
//
//   places    0..3          4..7       8..11      12..15
//   elements  13 14 15 0    1 2 3 4    5 6 7 8    9 10 11 12
//
// So the vectors but the first one are vectors of memory. What is none can be
// moved an element at a time here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWPLACES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWPLACES_H

#include "Threads/KnownColumns.h"
#include "Threads/ThreadIndex.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tonvvm {

class RowPlaces {
public:
  /// Registers of consecutive places.
  using Vector = llvm::SmallVector<unsigned, 16>;

  /// The parts of a view of one dimension as the type conversion makes them,
  /// the coordinate of the block's first element, and how far its `extent`
  /// elements are rotated; `ranges`, which may be null, is what is known of
  /// these.
  RowPlaces(mlir::OpBuilder &builder, mlir::Location loc, ThreadIndex &thread,
            tile::ViewType type, mlir::ValueRange view, mlir::Value start,
            mlir::Value rotation, int64_t extent, const LinearLayout &registers,
            const BlockRanges *ranges);

  /// Whether the kernel does not write the array, as far as is known.
  bool isReadOnly = false;

protected:
  /// Whether all elements of a vector, and so many before and behind it, are
  /// inside of the view in all threads, or none is; nothing where neither is
  /// known.
  std::optional<bool> isKnownInside(llvm::ArrayRef<unsigned> vector,
                                    int64_t more = 0) const;
  /// i32: the number in the block of the element so many places behind that of
  /// a register.
  mlir::Value getElement(unsigned reg, unsigned behind = 0);
  mlir::Value getCoordinate(mlir::Value element);
  mlir::Value isInside(mlir::Value element);
  /// Null where all are.
  mlir::Value isBehindBegin(mlir::Value element);
  mlir::Value getPointer(mlir::Value coordinate);
  /// i1: whether place 0 is at a multiple of so many elements in memory.
  mlir::Value isAligned(unsigned count);
  mlir::Value constant(int64_t value, unsigned bits = 32);

  /// The element so many places behind that of a register.
  mlir::Value loadElement(unsigned reg, unsigned behind, mlir::Value other);
  /// The words of a vector.
  llvm::SmallVector<mlir::Value> loadEach(llvm::ArrayRef<unsigned> vector,
                                          mlir::Value other);
  void storeEach(llvm::ArrayRef<unsigned> vector,
                 llvm::ArrayRef<mlir::Value> values, mlir::Value predicate);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type elementType;
  const LinearLayout &registers;
  int64_t extent, bytes;
  mlir::Value base, start, rotation;
  /// i32: elements of the block from `begin` up to `end` are inside of the
  /// view; `begin` is null where the block begins there.
  mlir::Value begin, end;
  /// What `end` may be, and how far the block is rotated at the most.
  mlir::ConstantIntRanges ends;
  int64_t mostRotation;
  ThreadCoordinate thread;
  /// The address of place 0, if it were one of the block's.
  mlir::Value address;

private:
  void setRanges(const BlockRanges &ranges);
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWPLACES_H
