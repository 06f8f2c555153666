//===- AxisScan.h - Who scans what along an axis ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prefix sum along an axis is made from small blocks to large ones: where two
// neighbours are scanned, each element of the upper one still lacks the total
// of the lower one. Which block is whose is a bit of the coordinate, and the
// layout says what that bit is a number of. A tile of 1024 in
//
//      register[4] lane[32] warp[4] register[2]
//
// has in its coordinate, from the lowest bit on,
//
//      2 bits of registers   a thread adds up its 4 elements
//      5 bits of lanes       lanes get the totals of those below by shuffles
//      2 bits of warps       ...
//      1 bit of registers    the totals of a warp's 128 elements, of 8 such
//                            parts, go through shared memory; they are scanned
//                            in their turn, and each thread gets what stands
//                            before its own parts
//
// A run is what follows one another of one kind, up to the first bit of warps.
// From there on there are parts: those of this tile are numbered by 3 bits, of
// which 2 are the warp's.
//
// Totals are scanned where all of an axis lies in one warp: in registers of
// each thread that wants some of them; in fewer registers and the lanes that
// would hold the same; or each total in one thread, with one more way through
// shared memory. Who has 32 columns of 16 parts reads 512, 64 or a few totals.
//
// Unlike a reduction (AxisReduction.h) a scan keeps the order of elements, so
// that each bit must move by a power of two.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_AXISSCAN_H
#define TILEWRIGHT_LAYOUT_REGISTERS_AXISSCAN_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>
#include <string>

namespace tilewright {

class AxisScan {
public:
  /// None where a bit moves along the axis and across it, or not by a power of
  /// two, or two by the same one; where lanes stand beyond warps, or higher
  /// bits of lanes before lower ones.
  static std::optional<AxisScan> create(const LinearLayout &tile,
                                        unsigned axis);

  /// A layout in which the axis lies in one warp, if it is not too long.
  static LinearLayout preferred(llvm::ArrayRef<int64_t> shape, unsigned axis,
                                unsigned numWarps);

  /// A layout in which the axis lies in runs of all threads, which have what
  /// else there is in registers; none where there is too little of the axis.
  static std::optional<LinearLayout>
  alongThreads(llvm::ArrayRef<int64_t> shape, unsigned axis, unsigned numWarps);

  /// Bits of the coordinate that follow one another and are all of registers,
  /// or all of lanes; the lowest first.
  struct Run {
    bool isOfLanes = false;
    /// Their masks: of the register's number, or of the lane.
    llvm::SmallVector<unsigned> masks;
  };
  /// The runs below the parts.
  llvm::ArrayRef<Run> getRuns() const { return runs; }

  /// What the runs leave: parts of the axis.
  unsigned getNumParts() const { return 1u << partBits.size(); }

  /// For a bit of registers or of warps, which bit of a part's number it is.
  struct PartBit {
    unsigned mask;
    unsigned part;
  };
  llvm::SmallVector<PartBit> getPartBits(llvm::StringRef input) const;

  /// The registers that hold the first element of all in their part.
  llvm::SmallVector<unsigned> firstOfParts() const;
  /// The register of partTotals() for the part of this one.
  unsigned getTotalOf(unsigned reg) const;

  /// The totals of the parts: in the axis' place there is their number.
  LinearLayout partTotals() const;
  /// Where the totals, of so many bytes, may be scanned; first the registers of
  /// each thread that wants some.
  std::vector<LinearLayout> homesOfTotals(unsigned elementBytes) const;

  /// Whether each element can get what stands before it alone: the axis is in
  /// one warp, and what a thread has of it follows one another.
  bool servesExclusive() const;

  /// Cycles of an SM in which so many warps do this, as those of conversions
  /// are counted (ShufflePlan.h): 1 a shuffle, 1/2 what combines or selects.
  double countCycles(int64_t warps) const;

private:
  AxisScan(const LinearLayout &tile, unsigned axis) : tile(tile), axis(axis) {}

  /// What a bit of the coordinate is; of no input where it is not known yet.
  struct AxisBit {
    std::string input;
    unsigned bit = 0;
  };
  bool collect();
  void splitIntoRuns();
  LinearLayout make(std::vector<LinearLayout::Input> inputs) const;
  LinearLayout::Point unit(unsigned number) const;
  unsigned registersOfRuns() const;
  /// The totals that a thread wants, so many bits of their numbers in its
  /// registers and the others in lanes that would hold the same; none if there
  /// are too few of these.
  std::optional<LinearLayout> gatheredTotals(unsigned bitsOfRegisters) const;
  /// The bases of an input, of which those along the axis number parts, if they
  /// do so at all, and the rest of them are left out, or zeros.
  LinearLayout::Input replaceAxis(llvm::StringRef input, bool numbersParts,
                                  bool keepsBits) const;

  LinearLayout tile;
  unsigned axis;
  /// What each bit of the coordinate is.
  llvm::SmallVector<AxisBit> bits;
  llvm::SmallVector<Run> runs;
  llvm::SmallVector<AxisBit> partBits;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_AXISSCAN_H
