//===- ShufflePlan.h - Data that moves inside of warps ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two register layouts of one tile, each warp with the elements it needs: how
// does every lane get its own by shfl.sync, in which each lane offers one
// register and takes the one that a lane of its choice offers?
//
// Layouts are linear, and so is the question "where was it before?". Bits r of
// the register and l of the lane after the conversion came from
//
//      lane      A r ^ B l
//      register  D r ^ E l                     (and the warp's number, as l)
//
// In the transpose of a tile of 2 x 32, two registers a lane, that exchanges
// the register's bit with bit 0 of the lane, A takes r0 to l0, E takes l0 to
// r0, and B drops l0:
//
//                lane 0   lane 1                     lane 0   lane 1
//      reg 0      a        b                          a        c
//      reg 1      c        d                          b        d
//
// Let each lane fill its registers in another order: in step t, register
// t ^ R l. Then a step reads lane A t ^ (A R + B) l, the same function of l for
// all steps but for a constant. R is chosen such that this function takes no
// two lanes that want different registers to one lane; what a lane must offer
// in step t is then a linear function of its own number, register p ^ P l.
// In the example R l0 = r0, and step t reads lane l ^ t:
//
//      step 0     lane 0 keeps a       lane 1 keeps d
//      step 1     lane 0 offers c      lane 1 offers b      shuffle
//
// So a conversion is: selects for the order in which registers are offered, one
// shuffle for each step that is not a lane's own, and selects for the order in
// which they are filled. A select of one bit of that order is one instruction a
// register. Bits that change places can also do so one by one: more shuffles,
// but fewer selects.
//
// No sequence of shuffles needs fewer of them than the R with the fewest: if
// some R makes the function of lanes the identity, steps with A t = 0 are
// free, and lane 0 must get all others from elsewhere; if none does, some lane
// has nothing of its own. Of what R can be, and of one round or several, the
// plan takes what costs fewest cycles (getCycles).
//
// Elements of less than 4 bytes travel together where there are directions of
// registers that all lanes keep side by side; wider ones in two.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_CONVERSION_SHUFFLEPLAN_H
#define TILEWRIGHT_LAYOUT_CONVERSION_SHUFFLEPLAN_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

/// What each thread does to convert a tile, as a straight-line program over
/// words: a few elements, or one.
struct ShufflePlan {
  enum class StepKind {
    Pack,   ///< the elements of some registers as a word
    Select, ///< one of two words, as a condition on the thread says
    Shuffle ///< the word of another lane of the warp
  };
  struct Step {
    StepKind kind = StepKind::Pack;
    /// Pack: registers of the source, lowest bytes first.
    llvm::SmallVector<unsigned, 4> registers = {};
    /// Select: where the condition's parity is odd, and where it is even.
    /// Shuffle: the word that each lane offers is `ifOdd`. Words go by the
    /// number of their step, which is an earlier one.
    unsigned ifOdd = 0, ifEven = 0;
    /// Select: number of the condition.
    unsigned condition = 0;
    /// Shuffle: the lane read from, against that of `threads`.
    unsigned laneXor = 0;
  };
  /// Where the program leaves the element of a register.
  struct Result {
    unsigned step = 0;
    /// Inside of the word, in elements.
    unsigned position = 0;
  };

  std::vector<Step> steps;
  /// One a register of the target.
  std::vector<Result> results;
  /// What the program asks a thread, a map from "lane" and "warp": coordinate 0
  /// (of 32) is the lane that its shuffles read from, but for their laneXor;
  /// coordinate 1 + c (of 2) is condition c.
  LinearLayout threads;
  unsigned elementBytes = 4;
  unsigned elementsPerWord = 1;

  /// Do all shuffles read from lane ^ laneXor?
  bool isButterfly() const;

  /// Instructions of one warp: words of 8 bytes take two.
  int64_t countShuffles() const { return countOf(StepKind::Shuffle); }
  int64_t countSelects() const { return countOf(StepKind::Select); }
  /// Byte permutations that bring together and take apart what stands side by
  /// side neither before nor after.
  int64_t countMoves() const;

  /// Cycles in which an SM does this for one warp when it does nothing else:
  /// cyclesPerShuffle and cyclesPerSelect for each.
  double getCycles() const;

private:
  int64_t countOf(StepKind kind) const;
};

/// A shuffle passes the data banks of shared memory, 32 lanes a cycle and SM:
/// the throughput of "warp shuffle" in NVIDIA's CUDA C++ Programming Guide,
/// "Arithmetic Instructions", for compute capability 8.0 to 9.0. An H200 took
/// 1.00 cycles for shfl.sync.idx (docs/decisions/0007-conversions.md).
constexpr double cyclesPerShuffle = 1;
/// selp and prmt: 64 lanes a cycle and SM there; 0.51 cycles on an H200.
constexpr double cyclesPerSelect = 0.5;

/// The plans worth a try to get from one register layout to another, of
/// elements of 1, 2, 4, 8 or 16 bytes; none where a warp lacks elements that it
/// needs, where the shapes differ, or above 2^16 registers. For elements of 4
/// bytes or more, one of them has the fewest shuffles that any sequence can
/// have. Inputs are "register", "lane" of at most 5 bits, and "warp"; lanes and
/// warps that a layout does not number hold copies.
std::vector<ShufflePlan> listShufflePlans(const LinearLayout &from,
                                          const LinearLayout &to,
                                          unsigned elementBytes);

/// The one of least cycles.
std::optional<ShufflePlan> planShuffles(const LinearLayout &from,
                                        const LinearLayout &to,
                                        unsigned elementBytes);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_CONVERSION_SHUFFLEPLAN_H
