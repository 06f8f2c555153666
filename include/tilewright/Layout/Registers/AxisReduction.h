//===- AxisReduction.h - Who combines what along an axis --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of each row of a tile, or its maximum, is taken where its elements
// are: first those in registers of one thread, then those of other lanes, then
// those of other warps. The layout says how much of each there is. A tile of
// 8 x 64 in
//
//      register[1,2] lane[8,4] register[1,4] warp[1,2]
//
// has 8 elements of a row in each thread, over 4 lanes and 2 warps:
//
//      registers   7 combinations in each thread
//      lanes       2 exchanges, with lane ^ 1 and with lane ^ 2; after them
//                  all 4 lanes have the sum
//      warps       a tile of 8 x 2, one column a warp, goes through shared
//                  memory; each thread reads the row it needs and combines it
//
// The result, of 8, is in lane*4 lane[8] warp*2: copies in all threads that had
// a part of the row, ready to be broadcast along it again.
//
// Where many rows meet many warps, that reads much more than there is: for 128
// x 8 results of 8 warps, 8 times all of it. It then takes two steps: each sum
// is combined by one thread (the tile is *spread*), and goes through shared
// memory once more to where it is needed.
//
// It takes a layout in which each bit of register, lane and warp moves either
// along the axis or across it. Which element meets which first is up to the
// layout: the combination must be associative and commutative.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_AXISREDUCTION_H
#define TILEWRIGHT_LAYOUT_REGISTERS_AXISREDUCTION_H

#include "tilewright/Layout/Algebra/LinearLayout.h"
#include "tilewright/Layout/Banks/BankModel.h"

#include <optional>

namespace tilewright {

class AxisReduction {
public:
  /// None where a bit moves along the axis and across it at once, or where
  /// several threads or registers repeat elements along it other than by bits
  /// that move nothing.
  static std::optional<AxisReduction> create(const LinearLayout &source,
                                             unsigned axis);

  /// Whether several warps hold parts of one result.
  bool spansWarps() const { return !axisBits("warp").empty(); }

  /// For each register of the result, or of what a warp makes: the registers
  /// of the source that are combined in it.
  std::vector<llvm::SmallVector<unsigned>> registerGroups() const;

  /// The masks with which lanes exchange what they have, by XOR.
  llvm::SmallVector<unsigned> laneMasks() const;

  /// After each warp has combined what it has: the extent of the axis is the
  /// number of warps along it.
  LinearLayout perWarp() const;

  /// The same tile in each warp: of the axis as much in registers of one thread
  /// as an instruction loads, the rest in lanes that hold the same in result(),
  /// and in more registers where there are too few of them.
  LinearLayout gathered(unsigned elementBytes) const;

  /// The same tile with all of the axis in registers of one thread and the
  /// other elements, of elementBytes, over all threads, as for a store to
  /// global memory. For tiles of more than one dimension.
  LinearLayout spread(unsigned elementBytes) const;

  /// Whether to combine the warps' results in spread() rather than gathered(),
  /// by the wavefronts and instructions that reading them takes. If nothing
  /// wants the results in result() (`moveAnyway`), that is all.
  /// Else spread() needs a second way through shared memory, with a barrier of
  /// its own, and must cost less than half.
  bool isBetterSpread(unsigned elementBytes, bool moveAnyway) const;

  /// The layout of the result, which has no such axis.
  LinearLayout result() const;

private:
  AxisReduction(const LinearLayout &source, unsigned axis)
      : source(source), axis(axis) {}

  bool movesAlong(const LinearLayout::Point &basis) const {
    return basis[axis] != 0;
  }
  /// The bits of an input that move along the axis.
  llvm::SmallVector<unsigned> axisBits(llvm::StringRef input) const;
  /// What becomes of the bits along the axis: none of them are left, they
  /// number copies, or they number the elements that are left of the axis.
  enum AxisBits { leaveOut, copy, renumber };
  LinearLayout::Input replaceAxis(llvm::StringRef input,
                                  AxisBits axisBits) const;
  LinearLayout::Point zero() const {
    return LinearLayout::Point(source.rank(), 0);
  }
  /// Element 2^number of the axis.
  LinearLayout::Point unit(unsigned number) const;
  /// Wavefronts and instructions of an access to a tile that lies in memory
  /// with the axis last.
  int64_t costOfAccess(SharedAccessKind kind, const LinearLayout &registers,
                       unsigned elementBytes) const;
  /// A layout of these inputs with one element a warp along the axis.
  LinearLayout create(std::vector<LinearLayout::Input> inputs) const;

  LinearLayout source;
  unsigned axis;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_AXISREDUCTION_H
