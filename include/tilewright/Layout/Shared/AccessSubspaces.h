//===- AccessSubspaces.h - What an access asks of a layout ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Number the elements of a tile in row-major order: each is a vector of n bits.
// A shared layout without padding is an invertible matrix that takes it to the
// n bits of its offset. What an access costs then depends on a few subspaces
// of F2^n alone, and can be said without any layout:
//
//   * registers, threads: the elements that one thread holds, and where the
//     other lanes and warps begin. An instruction can move vectors of 2^k
//     elements if the elements of the first 2^k offsets are held by a thread
//     and all threads begin at multiples of 2^k.
//   * words(k): the elements whose 4-byte words one group of lanes touches
//     with vectors of 2^k. Two of them collide if their difference is a word
//     other than 0 in bank 0. So a group takes
//           2 ^ dim(words(k) & elements in bank 0)
//     wavefronts: none collide if these two subspaces have only 0 in common.
//
// A warp that reads a column of 32 floats of a row-major tile of 32 x 32 has
// words = the span of the row bits, and all of these are in bank 0: dim 5, 32
// wavefronts. After swizzle<5,0,5> bank 0 holds the diagonal: dim 0.
//
// This is the rule of BankModel.h, specialised to linear maps; a test holds
// the two together.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_ACCESSSUBSPACES_H
#define TILEWRIGHT_LAYOUT_SHARED_ACCESSSUBSPACES_H

#include "tilewright/Layout/Algebra/F2Subspace.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright {

/// A shared layout without padding as a matrix: bit j of the offset of element
/// x is rows[j] . x, and elements[j] is the element at offset 2^j.
struct OffsetMatrix {
  llvm::SmallVector<uint32_t, 24> rows, elements;

  /// The matrix of a layout without padding of at most 2^31 elements.
  explicit OffsetMatrix(const SharedLayout &layout);
  /// The matrix of independent rows, as many as elements have bits.
  explicit OffsetMatrix(llvm::ArrayRef<uint32_t> rows);

  unsigned numBits() const { return rows.size(); }
  uint32_t offset(uint32_t element) const;
  SharedLayout toLayout(llvm::ArrayRef<int64_t> shape) const;
};

/// An access as subspaces of the elements of its tile.
class AccessSubspaces {
public:
  /// One way to carry out the access: vectors of 2^vectorBits elements, or
  /// matrices of ldmatrix or stmatrix.
  struct Form {
    unsigned vectorBits = 0;
    bool transposed = false;
    /// The elements that must stand at offsets 1, 2, 4, ..., where the access
    /// leaves no choice: that of matrices, and of runs along a dimension.
    llvm::SmallVector<uint32_t, 4> fixed;
    /// Wavefronts and instructions of all trips if no bank conflicts.
    uint64_t leastCost = 0;
  };

  AccessSubspaces(const SharedAccess &access);

  /// All forms that some layout may allow; none if no layout serves the access.
  llvm::ArrayRef<Form> forms() const { return possibleForms; }

  /// The least cost of a form that moves vectors of so many elements, or of any
  /// form; UINT64_MAX if there is none.
  uint64_t leastCost(unsigned vectorElements) const;
  uint64_t leastCost() const;

  /// The elements that may stand at offset 2^bit, which is inside of a vector
  /// of the form; and those at which bit `bit` of the offset must be 0.
  F2Subspace insideVector(const Form &form, unsigned bit) const;
  F2Subspace outsideVector(const Form &form, unsigned bit) const;

  /// The elements that a group of lanes starts at, against lane 0. Together
  /// with the first 2^vectorBits offsets they are words(vectorBits).
  llvm::ArrayRef<uint32_t> group(const Form &form) const;

  /// Cost of all trips if each group takes 2^collisions wavefronts.
  uint64_t cost(const Form &form, unsigned collisions) const;

  /// The same number as costOfSharedAccess() for a layout without padding:
  /// trips * (wavefronts + instructions), saturating; nullopt if the access
  /// cannot be carried out.
  std::optional<uint64_t> cost(const OffsetMatrix &layout) const;

private:
  void addVectorForms();
  void addMatrixForm(bool transposed);
  void addForm(Form form);
  unsigned groupBits(const Form &form) const;
  uint64_t activeGroups(const Form &form) const;
  uint64_t instructions(const Form &form) const;
  bool allows(const Form &form, const OffsetMatrix &layout) const;
  unsigned collisions(const Form &form, const OffsetMatrix &layout) const;

  SharedAccessKind kind;
  unsigned elementBytes, numBits;
  uint64_t trips, activeWarps = 1;
  unsigned requiredVector;
  std::optional<unsigned> runDim;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<uint32_t, 16> registers;
  llvm::SmallVector<uint32_t, 5> lanes, warps;
  F2Subspace ofRegisters, ofThreads;
  /// As masks of bits: registers that hold what others hold; lanes that take
  /// no part in a store; lanes that start where lane 0 does.
  uint64_t redundantRegisters = 0;
  uint32_t idleLanes = 0, zeroLanes = 0;
  llvm::SmallVector<Form, 5> possibleForms;
  /// For each form, the lanes of a group, in elements.
  llvm::SmallVector<llvm::SmallVector<uint32_t, 5>, 5> groups;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_ACCESSSUBSPACES_H
