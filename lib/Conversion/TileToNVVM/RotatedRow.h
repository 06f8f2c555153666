//===- RotatedRow.h - Vectors of a block that begins anywhere ---*- C++ -*-===//
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
// The vectors but the first one are vectors of memory. That one is where the
// row is joined, and is moved one by one, as are those that cross an end of the
// view, and all of them where the block is rotated by something else. What is
// moved one by one anyhow has vectors of one element. A block that is rotated
// by more than a vector has none of its elements in front of the one where it
// is joined, if it ends before; else all of it is moved one by one.
//
// So at most three vectors of a row are none of memory. Their elements are its
// edges: the lanes of the warp that has such a vector load one each, beside
// the vectors, and hand them over once all are there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H

#include "KnownColumns.h"
#include "ThreadIndex.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tonvvm {

/// On a branch that puts edges of a row in place of its vectors, or loads what
/// has no vectors: it may be taken as late as the row is used.
inline constexpr llvm::StringLiteral kJoinsEdgesAttr = "tile.joins_edges";

class RotatedRow {
public:
  /// Registers of consecutive places.
  using Vector = llvm::SmallVector<unsigned, 16>;

  /// The parts of a view of one dimension as the type conversion makes them,
  /// the coordinate of the block's first element, and how far its `extent`
  /// elements are rotated; `ranges`, which may be null, is what is known of
  /// these.
  RotatedRow(mlir::OpBuilder &builder, mlir::Location loc, ThreadIndex &thread,
             tile::ViewType type, mlir::ValueRange view, mlir::Value start,
             mlir::Value rotation, int64_t extent,
             const LinearLayout &registers, const BlockRanges *ranges);

  /// The elements of vectors, each of consecutive places, or `other`, or zeros.
  /// Where vectors of the tile are none of memory, as a rule, `isShifted`, each
  /// is put together of the words that it is in.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  load(llvm::ArrayRef<Vector> vectors, mlir::Value other, bool isShifted);
  /// Of the values of all registers, those of vectors; where the predicate
  /// holds, or always where it is null.
  void store(llvm::ArrayRef<Vector> vectors, llvm::ArrayRef<mlir::Value> values,
             mlir::Value predicate);

private:
  class HereOnly;

  /// What the lanes of a warp have of edges, and where the vectors of these
  /// begin.
  struct Edges {
    llvm::SmallVector<mlir::Value> loaded;
    llvm::SmallVector<mlir::Value, 3> places;
  };
  /// The element of edges that is a lane's.
  struct EdgeElement {
    mlir::Value number, condition, pointer;
  };
  /// Whether a vector is one of memory, and where it is then.
  struct Whole {
    mlir::Value condition, pointer;
  };
  /// Whether each bit of a place is one of a register, a lane or a warp, so
  /// that who has a place is found by comparing bits, and vectors have one
  /// size, of words.
  bool canLoadEdges(llvm::ArrayRef<Vector> vectors) const;
  /// Of vectors that may have elements.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  loadInside(llvm::ArrayRef<Vector> vectors, mlir::Value other, bool isShifted);
  /// Of all elements, where canLoadEdges holds.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  loadWithEdges(llvm::ArrayRef<Vector> vectors, mlir::Value other);
  void storeWithEdges(llvm::ArrayRef<Vector> vectors,
                      llvm::ArrayRef<mlir::Value> values);
  void setRanges(const BlockRanges &ranges);
  /// Whether all elements of a vector, and so many before and behind it, are
  /// inside of the view in all threads, or none is; nothing where neither is
  /// known.
  std::optional<bool> isKnownInside(llvm::ArrayRef<unsigned> vector,
                                    int64_t more = 0) const;
  /// Whether the vector of an edge (getEdgePlaces) may be this one.
  bool mayBeEdge(llvm::ArrayRef<unsigned> vector, size_t edge) const;
  /// Those of vectors that may have elements.
  llvm::SmallVector<Vector> dropOutside(llvm::ArrayRef<Vector> vectors) const;
  llvm::SmallVector<Whole> getWholeVectors(llvm::ArrayRef<Vector> vectors);
  llvm::SmallVector<mlir::Value, 3> getEdgePlaces(unsigned count);
  EdgeElement getEdgeElement(llvm::ArrayRef<mlir::Value> places, unsigned count,
                             unsigned first);
  Edges loadEdges(unsigned count, mlir::Value other);
  /// The words of so many elements of edges, of which each lane has one.
  llvm::SmallVector<mlir::Value> gatherWords(mlir::Value loaded, unsigned first,
                                             unsigned count);
  /// The words of vectors, with those of edges among them; or of what is loaded
  /// one by one, where the address is not that of vectors.
  llvm::SmallVector<mlir::Value> joinEdges(llvm::ArrayRef<Vector> vectors,
                                           const Edges &edges,
                                           llvm::ArrayRef<mlir::Value> words,
                                           mlir::Value other);
  llvm::SmallVector<mlir::Value> insertEdges(llvm::ArrayRef<Vector> vectors,
                                             const Edges &edges,
                                             llvm::ArrayRef<mlir::Value> words);
  void storeEdges(llvm::ArrayRef<Vector> vectors,
                  llvm::ArrayRef<mlir::Value> words);
  llvm::SmallVector<mlir::Value> loadEach(llvm::ArrayRef<unsigned> vector,
                                          mlir::Value other);
  void storeEach(llvm::ArrayRef<unsigned> vector,
                 llvm::ArrayRef<mlir::Value> values, mlir::Value predicate);
  /// i1: whether vectors between the edges are vectors of memory.
  mlir::Value areVectors(unsigned count);
  /// i1: whether vectors of this warp may be none of memory.
  mlir::Value hasEdges(unsigned count, llvm::ArrayRef<mlir::Value> places);
  /// i1: whether a thread of this warp has the place.
  mlir::Value isInWarp(mlir::Value place);
  /// i1: whether this thread's vector begins at the place.
  mlir::Value hasPlace(llvm::ArrayRef<unsigned> vector, mlir::Value place);
  /// i32: the lane of its warp that has the place.
  mlir::Value getLaneOf(mlir::Value place);
  /// A vector, where the condition holds; else zeros.
  struct Loaded {
    mlir::Value condition;
    llvm::SmallVector<mlir::Value> elements;
  };
  Loaded loadAligned(llvm::ArrayRef<unsigned> vector);
  Loaded loadShifted(llvm::ArrayRef<unsigned> vector);
  /// What begins so many bytes behind the first of these words.
  llvm::SmallVector<mlir::Value>
  shiftWords(llvm::SmallVector<mlir::Value> words, mlir::Value behind);
  /// The element so many places behind that of a register.
  mlir::Value loadElement(unsigned reg, unsigned behind, mlir::Value other);
  /// Those of a vector that could not be loaded at once.
  llvm::SmallVector<mlir::Value> loadRest(llvm::ArrayRef<unsigned> vector,
                                          mlir::Value condition,
                                          llvm::ArrayRef<mlir::Value> elements,
                                          mlir::Value other);
  /// i32: the number in the block of the element of a register.
  mlir::Value getElement(unsigned reg, unsigned behind = 0);
  mlir::Value getCoordinate(mlir::Value element);
  mlir::Value isInside(mlir::Value element);
  /// Null where all are.
  mlir::Value isBehindBegin(mlir::Value element);
  mlir::Value getPointer(mlir::Value coordinate);
  /// i1: whether place 0 is at a multiple of so many elements in memory.
  mlir::Value isAligned(unsigned count);
  /// i1: whether elements from the one of the first register on are a vector of
  /// memory, all inside of the view.
  mlir::Value isVector(llvm::ArrayRef<unsigned> vector);
  mlir::Value constant(int64_t value, unsigned bits = 32);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type elementType;
  const LinearLayout &registers;
  int64_t extent, bytes;
  mlir::Value base, start, rotation;
  /// i32: elements of the block from `begin` up to `end` are inside of the
  /// view; `begin` is null where the block begins there.
  mlir::Value begin, end;
  /// What `end` is at least and at the most, and how far the block is rotated
  /// at the most.
  int64_t leastEnd = 0, mostEnd, mostRotation;
  ThreadCoordinate thread;
  /// The address of place 0, if it were one of the block's.
  mlir::Value address;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROTATEDROW_H
