//===- PairedAxes.h - Pairs of programs that copy together ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch may be better off with clusters of two or four programs that are
// neighbours along one axis or two. It chooses the axes, the compiler makes
// code for them, and options of both and of tools name them by a number of four
// bits.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_PAIREDAXES_H
#define TILEWRIGHT_SPEC_PAIREDAXES_H

#include <cstdint>

namespace tilewright::spec {

struct PairedAxes {
  static constexpr unsigned none = 0;
  /// Two programs along an axis of the grid.
  static constexpr unsigned first = 1, second = 2;
  /// Beside the bit of the first axis: its last cluster may have fewer.
  static constexpr unsigned uneven = 4;
  /// Beside the bit of one axis alone: four programs.
  static constexpr unsigned four = 8;

  unsigned bits = none;

  /// What isLegal takes, for messages.
  static constexpr const char *legalBits =
      "1, 2, 3, 5, 7, 9, 10 or 13, or 0 for none";

  static constexpr bool isLegal(int64_t bits) {
    return bits >= 0 && bits <= (first | second | uneven | four) &&
           ((bits & uneven) == 0 || (bits & first) != 0) &&
           ((bits & four) == 0 ||
            (bits & (first | second)) != (first | second)) &&
           bits != four;
  }

  constexpr bool isPaired(unsigned axis) const {
    return axis < 2 && (bits >> axis & 1) != 0;
  }
  /// Whether there may be an odd number of programs along the axis.
  constexpr bool isUneven(unsigned axis) const {
    return axis == 0 && isPaired(axis) && (bits & uneven) != 0;
  }
  constexpr unsigned getPrograms(unsigned axis) const {
    if (!isPaired(axis))
      return 1;
    return (bits & four) != 0 ? 4 : 2;
  }
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_PAIREDAXES_H
