//===- LinearLayout.h - Layouts as linear maps over bits --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout answers "which element of the tile is that?". For a tile in
// registers, "that" is register r of lane l of warp w; for a tile in memory it
// is offset o. Every layout the compiler uses, but for padding, has one
// property that makes it easy to handle: it is linear over bits.
//
// Take a tile of 4 x 8 elements held by 8 lanes, 4 adjacent elements of a row
// in each lane:
//
//              col 0..3   col 4..7
//      row 0   lane 0     lane 1
//      row 1   lane 2     lane 3
//      row 2   lane 4     lane 5
//      row 3   lane 6     lane 7
//
// Register 1 of lane 0 is element (0,1), register 2 is (0,2), and register 3
// is (0,3) = (0,1) ^ (0,2): the image of 3 = 1 ^ 2 is the XOR of the images of
// 1 and 2. Lane 1 starts at (0,4), lane 2 at (1,0), lane 4 at (2,0), and lane
// 7 = 1 ^ 2 ^ 4 at (0,4) ^ (1,0) ^ (2,0) = (3,4). So the images of the single
// bits, called bases, say everything:
//
//      register   bit 0 -> (0,1)   bit 1 -> (0,2)
//      lane       bit 0 -> (0,4)   bit 1 -> (1,0)   bit 2 -> (2,0)
//
// and any other element is an XOR of bases: register 2 of lane 5 holds
// (0,2) ^ (0,4) ^ (2,0) = (2,6). In code:
//
//      auto layout = LinearLayout::create(
//          {{"register", {{0, 1}, {0, 2}}},
//           {"lane", {{0, 4}, {1, 0}, {2, 0}}}}, /*shape=*/{4, 8});
//      layout->apply({{"register", 2}, {"lane", 5}});      // (2, 6)
//
// This is a matrix over F2, the field with two elements, whose columns are the
// bases. Hence questions about layouts are questions of linear algebra:
//
//   * where does element (2,6) live?     invert() and apply.
//   * where does register 2 of lane 5 of this tile lie in shared memory?
//     compose() with the layout of the shared tile, inverted.
//   * does more than one lane hold the same element?  Are bases dependent?
//   * how wide a load can a lane use?    Which low bits of the offset are
//     images of registers?
//
// What is not a power of two is not linear: extents of tiles are powers of
// two, and padding is kept apart (SharedLayout.h). The idea of using F2 for
// layouts of tensors is that of "Linear Layouts" (arXiv:2505.23819).
//
// Data may be replicated. A basis of zero means that this bit of the input
// does not change the element; more generally, an input bit whose basis is the
// XOR of others is redundant. Of the threads that hold one element, the
// canonical one has 0 in every redundant bit, where bits of "register" are
// considered first, then "lane", then "warp", then the other inputs as
// declared: a bit is redundant if bits considered earlier reach its basis.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_LINEARLAYOUT_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// A map over F2 from the bits of named inputs ("register", "lane", "warp",
/// "offset", ...) to a point of a space whose extents are powers of two.
class LinearLayout {
public:
  /// One coordinate an output dimension, in elements.
  using Point = llvm::SmallVector<int32_t, 4>;

  struct Input {
    std::string name;
    /// bases[b]: the image of bit b.
    std::vector<Point> bases;

    bool operator==(const Input &other) const {
      return name == other.name && bases == other.bases;
    }
  };

  /// The map of no input to the one point of the space of rank 0.
  LinearLayout() = default;

  /// The map with these inputs to the space of extents `shape`. Errors: an
  /// extent that is no power of two or above 2^31, a basis of the wrong rank
  /// or outside the space, an input without a name or named twice, more than
  /// 31 bits in one input, more than 62 bits in all inputs or in the shape.
  static llvm::Expected<LinearLayout> create(std::vector<Input> inputs,
                                             llvm::ArrayRef<int64_t> shape);

  /// Extents of the output space.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  unsigned rank() const { return extents.size(); }
  /// Number of points of the output space.
  int64_t numElements() const;

  /// The inputs in the order of declaration.
  llvm::ArrayRef<Input> inputs() const { return namedInputs; }
  bool hasInput(llvm::StringRef input) const { return find(input); }
  /// Empty when there is no such input.
  llvm::ArrayRef<Point> bases(llvm::StringRef input) const;
  /// Number of bits of an input: 0 when there is no such input.
  unsigned numBits(llvm::StringRef input) const { return bases(input).size(); }
  /// Number of values of an input: 1 when there is no such input.
  int64_t inputSize(llvm::StringRef input) const {
    return int64_t(1) << numBits(input);
  }

  /// The point these values stand for. Absent inputs are 0; bits beyond the
  /// size of an input, and inputs this layout lacks, do not matter.
  Point apply(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> values) const;

  /// The row-major position of a point of the output space, and back: a point
  /// as one bit vector.
  uint64_t flatten(llvm::ArrayRef<int32_t> point) const;
  static Point unflatten(uint64_t position, llvm::ArrayRef<int64_t> shape);

  /// Is every point the image of some input?
  bool isSurjective() const;
  /// Is no point the image of two inputs, that is, is nothing replicated?
  bool isInjective() const;
  bool isBijective() const { return isSurjective() && isInjective(); }

  /// Which input holds a point: the map from inputs "dim0", "dim1", ... (this
  /// layout's coordinates) to one output dimension for each input of this
  /// layout, in order of declaration, of extent inputSize. Redundant bits come
  /// out as 0. For a surjective layout, invert() and then this layout is the
  /// identity; in any other one, points that no input reaches give 0.
  LinearLayout invert() const;

  /// First this, then `outer`, whose inputs stand, by position, for this
  /// layout's output dimensions and must be at least as large.
  LinearLayout compose(const LinearLayout &outer) const;

  /// Dimension i of the result is dimension permutation[i] of this layout.
  LinearLayout transpose(llvm::ArrayRef<int64_t> permutation) const;

  /// The same elements in row-major order under other extents. Errors: an
  /// extent that is no power of two, another number of elements.
  llvm::Expected<LinearLayout> reshape(llvm::ArrayRef<int64_t> newShape) const;

  /// A dimension of extent 1 before dimension `axis` (axis <= rank).
  LinearLayout insertUnitDim(unsigned axis) const;

  /// The coordinate along `axis` is forgotten, and the dimension with it: the
  /// layout of what remains after a reduction.
  LinearLayout dropDim(unsigned axis) const;

  /// The extent of `axis` becomes 1, its coordinate 0: the layout of a source
  /// whose broadcast along `axis` has this layout, without moving data.
  LinearLayout collapseDim(unsigned axis) const;

  /// This layout without the redundant bits of an input, so that each element
  /// this input reaches is there once. The bits left are renumbered.
  LinearLayout removeZeroBases(llvm::StringRef input) const;

  /// The redundant bits of an input (see the top of this file): a thread with
  /// any of them set holds a copy of what another thread, with none set, has.
  int64_t zeroBasisMask(llvm::StringRef input) const;

  /// The same function of the same named inputs. The order of declaration and
  /// inputs of no bits do not matter.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  /// One line: "register:[(0,1),(0,2)] lane:[(0,4),(1,0),(2,0)] -> 4x8".
  std::string toString() const;

private:
  LinearLayout(std::vector<Input> inputs, llvm::ArrayRef<int64_t> shape)
      : namedInputs(std::move(inputs)), extents(shape) {}

  const Input *find(llvm::StringRef name) const;
  /// Indices of the inputs in the order in which redundancy is decided.
  llvm::SmallVector<unsigned, 4> canonicalOrder() const;
  /// Number of independent bases, and of all bases.
  unsigned countIndependentBases() const;
  unsigned countBases() const;
  /// The layout whose bases are images of this layout's under `map`.
  template <typename Map>
  LinearLayout mapBases(llvm::ArrayRef<int64_t> newShape, Map map) const;

  std::vector<Input> namedInputs;
  llvm::SmallVector<int64_t, 4> extents;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_LINEARLAYOUT_H
