//===- ShuffleFactors.h - Which lane reads what in which step ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linear algebra of ShufflePlan.h. In a step t of the conversion, lane l of
// warp w reads
//
//      lane      steps(t).lane ^ readers(l, w).lane
//      register  steps(t).reg  ^ readers(l, w).reg
//
// which is the element of its register t ^ order(l, w). In the terms of
// ShufflePlan.h, steps is (A, D), readers (A R + B, D R + E), and order R.
//
// Steps have one bit for each bit of the target's register that is not
// redundant, and then *spare* bits: where a lane must hand out more registers
// than it gets, there are more steps than registers, and order() says which
// steps are for nothing in which lane.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEFACTORS_H
#define TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEFACTORS_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright {

/// A register of a lane, or the XOR of two such places.
struct Place {
  uint32_t reg = 0;
  uint32_t lane = 0;

  Place &operator^=(const Place &other) {
    reg ^= other.reg;
    lane ^= other.lane;
    return *this;
  }
  Place operator^(const Place &other) const { return Place(*this) ^= other; }
  uint64_t asVector() const { return uint64_t(lane) << 32 | reg; }
};

struct ShuffleFactors {
  /// A linear function of lane and warp, by the images of their bits.
  template <typename Image> struct OfThread {
    llvm::SmallVector<Image, 10> ofLaneBits, ofWarpBits;

    llvm::SmallVector<Image, 10> all() const {
      llvm::SmallVector<Image, 10> images = ofLaneBits;
      images.append(ofWarpBits.begin(), ofWarpBits.end());
      return images;
    }
  };

  llvm::SmallVector<Place, 16> steps;
  /// How many of the bits of steps are spare ones, the last.
  unsigned numSpare = 0;
  OfThread<Place> readers;
  /// As masks of the bits of steps.
  OfThread<uint32_t> order;

  Place stepPlace(uint32_t step) const;
  /// Whether each lane reads from itself, but for steps(t).
  bool readsInPlace() const;
};

/// What a lane offers in a step, as a function of its own number: the register
/// ofSteps(t) ^ ofThreads(l, w).
struct OfferedRegisters {
  llvm::SmallVector<uint32_t, 16> ofSteps;
  ShuffleFactors::OfThread<uint32_t> ofThreads;

  explicit OfferedRegisters(const ShuffleFactors &factors);
};

/// The orders worth a try, none where a warp lacks an element that it needs.
llvm::SmallVector<ShuffleFactors, 3>
findShuffleFactors(const LinearLayout &from, const LinearLayout &to);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEFACTORS_H
