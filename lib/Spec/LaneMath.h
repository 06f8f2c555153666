//===- LaneMath.h - Arithmetic with uncertainties on lanes ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_LANEMATH_H
#define TILEWRIGHT_LIB_SPEC_LANEMATH_H

#include "ReferenceCode.h"

namespace tilewright::spec {

/// A register: one value and one uncertainty a lane.
struct Lanes {
  union {
    double real[laneCount];
    int64_t integer[laneCount];
  };
  double uncertainty[laneCount];

  Lanes() {
    for (unsigned lane = 0; lane < laneCount; ++lane) {
      integer[lane] = 0;
      uncertainty[lane] = 0;
    }
  }

  /// Copies lane 0 to the others.
  void broadcast() {
    for (unsigned lane = 1; lane < laneCount; ++lane) {
      integer[lane] = integer[0];
      uncertainty[lane] = uncertainty[0];
    }
  }
};

/// The instructions that neither read memory nor jump. The rules of the
/// uncertainties stand in ReferenceProgram.h.
class LaneMath {
public:
  LaneMath(unsigned lanes, double roundoff)
      : lanes(lanes), roundoff(roundoff) {}

  /// \p target may be \p b: the accumulator of a reduction.
  void apply(const Instruction &instruction, Lanes &target, const Lanes &a,
             const Lanes &b) const;

private:
  void applyInteger(const Instruction &instruction, Lanes &target,
                    const Lanes &a, const Lanes &b) const;
  void applyReal(const Instruction &instruction, Lanes &target, const Lanes &a,
                 const Lanes &b) const;
  void cast(const Instruction &instruction, Lanes &target,
            const Lanes &a) const;

  unsigned lanes;
  double roundoff;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_LANEMATH_H
