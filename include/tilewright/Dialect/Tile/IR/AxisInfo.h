//===- AxisInfo.h - What is known of integers and pointers ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How wide an access may be hangs on what is known of its addresses before the
// kernel runs. For each dimension of a tile of integers or pointers
// these are three powers of two:
//
//   contiguity    aligned groups of so many elements are consecutive numbers
//   divisibility  the first number of each such group is a multiple of it
//   constancy     aligned groups of so many elements are all the same number
//
// For `base + pid * 128 + iota`, with `base` a multiple of 16:
//
//   pid * 128                  divisibility 128, contiguity 1
//   iota 0 : tensor<128xi32>   contiguity 128, divisibility of 0: any
//   the sum                    contiguity 128, divisibility 16
//
// so that four i32 pointers in a row are one aligned 16-byte access. Pointers
// count divisibility in bytes, contiguity in elements. A scalar is a tile of
// one dimension and one element.
//
// All of this holds modulo 2^n for n-bit integers: after 127 in i8 comes -128.
// Where it matters how bits are read, in an extension, a comparison or a
// division, what is claimed of the result takes that into account.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_AXISINFO_H
#define TILEWRIGHT_DIALECT_TILE_IR_AXISINFO_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class APInt;
} // namespace llvm

namespace tilewright::tile {

class AxisInfo {
public:
  struct Axis {
    int64_t contiguity = 1;
    int64_t divisibility = 1;
    int64_t constancy = 1;
    bool operator==(const Axis &other) const {
      return contiguity == other.contiguity &&
             divisibility == other.divisibility && constancy == other.constancy;
    }
    /// What every element is a multiple of, wherever it stands in its group.
    int64_t elementDivisibility() const;
    /// What the first element of each group of `size` is a multiple of, where
    /// `unit` is the step between elements (bytes, for pointers).
    int64_t groupDivisibility(int64_t size, int64_t unit = 1) const;
    /// How many elements of `bits` in a row are consecutive numbers whether
    /// their bits are read as signed or as unsigned ones: no run that begins at
    /// a multiple of its length wraps around within.
    int64_t unwrappedRun(unsigned bits) const;
    /// The same numbers of `bits` in a wider type.
    Axis extend(unsigned bits) const;
    /// The sum with another one, of which one step is `unit` steps of this (the
    /// bytes of an element, for pointers).
    Axis add(const Axis &other, int64_t unit) const;
  };
  /// Zero is a multiple of everything: of this, as far as we count.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 30;
  /// The largest power of two that divides `value`, as far as we count.
  static int64_t powerOfTwoDivisor(const llvm::APInt &value);

  /// Nothing is known yet: the start of the fixpoint.
  AxisInfo() = default;
  explicit AxisInfo(llvm::SmallVector<Axis, 2> axes) : axes(std::move(axes)) {}
  /// Nothing will ever be known of a value of this type.
  static AxisInfo pessimistic(mlir::Type type);
  /// One number everywhere in a value of this type.
  static AxisInfo splat(mlir::Type type, int64_t divisibility);

  bool isInitialized() const { return !axes.empty(); }
  unsigned rank() const { return axes.size(); }
  const Axis &axis(unsigned dim) const { return axes[dim]; }

  /// That of the result of an op, dimension by dimension.
  AxisInfo map(llvm::function_ref<Axis(const Axis &)> compute) const;
  static AxisInfo
  zip(const AxisInfo &lhs, const AxisInfo &rhs,
      llvm::function_ref<Axis(const Axis &, const Axis &)> compute);

  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  bool operator==(const AxisInfo &other) const { return axes == other.axes; }
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Axis, 2> axes;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_AXISINFO_H
