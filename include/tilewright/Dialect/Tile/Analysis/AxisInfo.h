//===- AxisInfo.h - What is known of integers and pointers ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How wide an access may be hangs on what is known of its addresses before the
// kernel runs. For each dimension of a tile of integers or pointers this
// analysis finds three powers of two:
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

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFO_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFO_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

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
  };
  /// Zero is a multiple of everything: of this, as far as we count.
  static constexpr int64_t kMaxDivisibility = KernelOp::kMaxDivisibility;

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

  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  bool operator==(const AxisInfo &other) const { return axes == other.axes; }
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Axis, 2> axes;
};

/// Runs the analysis over a kernel and answers questions about its values.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);
  AxisInfo get(mlir::Value value) const;
  /// Of a scalar, or of a constant: what it is a multiple of.
  int64_t getDivisibility(mlir::OpFoldResult value) const;

private:
  mlir::DataFlowSolver solver;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFO_H
