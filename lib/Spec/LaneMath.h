//===- LaneMath.h - Arithmetic with uncertainties on lanes ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_LANEMATH_H
#define TILEWRIGHT_LIB_SPEC_LANEMATH_H

#include "ReferenceCode.h"
#include "tilewright/Spec/ReferenceProgram.h"
#include <cmath>
#include <limits>

namespace tilewright::spec {

/// The uncertainty of what is not known.
inline constexpr double undefined = std::numeric_limits<double>::infinity();

/// Products of 0 and of what is undefined are undefined too: NaN.
inline double known(double uncertainty) {
  return std::isnan(uncertainty) ? undefined : uncertainty;
}

inline int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

inline double size(int64_t value) {
  return std::fabs(static_cast<double>(value));
}

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

/// The instructions that neither read memory nor jump: arithmetic in
/// LaneMath.cpp, conversions and choice in LaneConversions.cpp. The rules of
/// the uncertainties stand in ReferenceProgram.h.
class LaneMath {
public:
  LaneMath(unsigned lanes, double roundoff)
      : lanes(lanes), roundoff(roundoff), unit(toleranceFactor * roundoff),
        flushed(getFlushed(roundoff)) {}

  /// \p target may be \p b: the accumulator of a reduction.
  void apply(const Instruction &instruction, Lanes &target, const Lanes &a,
             const Lanes &b, const Lanes &c) const;

private:
  void applyInteger(const Instruction &instruction, Lanes &target,
                    const Lanes &a, const Lanes &b) const;
  void applyReal(const Instruction &instruction, Lanes &target, const Lanes &a,
                 const Lanes &b) const;
  void applyFunction(const Instruction &instruction, Lanes &target,
                     const Lanes &a, const Lanes &b) const;
  void divide(const Instruction &instruction, Lanes &target, const Lanes &a,
              const Lanes &b) const;
  void setConstant(const Instruction &instruction, Lanes &target) const;
  void convertToReal(const Instruction &instruction, Lanes &target,
                     const Lanes &a) const;
  void castInteger(const Instruction &instruction, Lanes &target,
                   const Lanes &a) const;
  void castToInteger(const Instruction &instruction, Lanes &target,
                     const Lanes &a) const;
  void castToReal(const Instruction &instruction, Lanes &target,
                  const Lanes &a) const;
  void cast(const Instruction &instruction, Lanes &target,
            const Lanes &a) const;
  void keepWithin(const Instruction &instruction, Lanes &target,
                  const Lanes &a) const;
  void checkIndex(const Instruction &instruction, Lanes &target,
                  const Lanes &a) const;
  void compare(const Instruction &instruction, Lanes &target, const Lanes &a,
               const Lanes &b) const;
  void select(const Instruction &instruction, Lanes &target,
              const Lanes &condition, const Lanes &a, const Lanes &b) const;

  /// By how much a kernel's value may differ, and back.
  double toDistance(double uncertainty) const { return unit * uncertainty; }
  double toUncertainty(double distance) const { return distance / unit; }

  unsigned lanes;
  double roundoff;
  double unit;
  double flushed;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_LANEMATH_H
