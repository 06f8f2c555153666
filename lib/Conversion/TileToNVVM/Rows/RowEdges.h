//===- RowEdges.h - What of a row is in no vector of memory -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At most three vectors of a row are none of memory: where it is joined
// (RowPlaces.h), and those that cross an end of the view. Their elements are
// its edges: the lanes of the warp that has such a vector load one each, beside
// the vectors, and hand them over once all are there. A block that is rotated
// by more than a vector has none of its elements in front of the one where it
// is joined, if it ends before; else all of it is moved one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWEDGES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWEDGES_H

#include "Rows/RowPlaces.h"

namespace tilewright::tonvvm {

/// On a branch that puts edges of a row in place of its vectors, or loads what
/// has no vectors: it may be taken as late as the row is used.
inline constexpr llvm::StringLiteral kJoinsEdgesAttr = "tile.joins_edges";

class RowEdges : RowPlaces {
public:
  explicit RowEdges(const RowPlaces &places) : RowPlaces(places) {}

  /// Whether each bit of a place is one of a register, a lane or a warp, so
  /// that who has a place is found by comparing bits, and vectors have one
  /// size, of words.
  bool canMove(llvm::ArrayRef<Vector> vectors) const;
  /// The elements of vectors, where canMove holds, or `other`, or zeros.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  load(llvm::ArrayRef<Vector> vectors, mlir::Value other);
  /// Stores vectors, whose values are among those of all registers.
  void store(llvm::ArrayRef<Vector> vectors,
             llvm::ArrayRef<mlir::Value> values);

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
  /// Whether a vector is one of memory, and where it is then; and whether it
  /// is inside wherever rows end.
  struct Whole {
    mlir::Value condition, pointer;
    bool isInside;
  };
  /// Whether the vector of an edge (getEdgePlaces) may be this one.
  bool mayBeEdge(llvm::ArrayRef<unsigned> vector, size_t edge) const;
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
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWEDGES_H
