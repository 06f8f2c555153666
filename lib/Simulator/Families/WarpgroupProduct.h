//===- WarpgroupProduct.h - One product of a warpgroup ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgmma.mma_async: D = A * B + D by four warps. Warp w has rows 16w to
// 16w + 15 of A and D, in fragments of 16 x 8 as mma.sync has them, side by
// side (PTX ISA, "Matrix Fragments for wgmma.mma_async"). B, and A unless it is
// in registers, are in shared memory: see MatrixDescriptor.h. A product always
// takes 32 bytes of each row along K.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUPPRODUCT_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUPPRODUCT_H

#include "Families/MatrixElement.h"
#include "Machine/Block.h"
#include "Machine/MatrixDescriptor.h"

namespace tilewright::sim {

constexpr unsigned productRows = warpgroupWarps * fragmentRows;
/// Bytes along K, whatever the type.
constexpr unsigned productBytesK = 32;

/// Decoded form, kept in Instr::attr; N is in Instr::extra. Instr::ops has D,
/// then A (registers or a descriptor), B (a descriptor), and scale-d.
struct ProductPlan {
  Element a;
  Element b;
  Result result;
  bool isAInRegisters : 1;
  bool isAMNMajor : 1;
  bool isBMNMajor : 1;
  bool negatesA : 1;
  bool negatesB : 1;
  bool saturates : 1;

  static ProductPlan of(const Instr &instr) {
    ProductPlan plan;
    std::memcpy(&plan, instr.attr.data(), sizeof(plan));
    return plan;
  }
  unsigned k() const { return productBytesK * 8 / elementBits(a); }
};
static_assert(sizeof(ProductPlan) <= sizeof(Instr::attr));

/// scale-d as a constant, in place of a predicate.
constexpr int32_t scaleZero = -1;
constexpr int32_t scaleOne = -2;

struct ProductOperands {
  llvm::ArrayRef<int32_t> d, a;
  int32_t descriptorA = 0; ///< unless A is in registers
  int32_t descriptorB;
  int32_t scale; ///< a predicate operand, scaleZero or scaleOne

  ProductOperands(const Instr &instr, const ProductPlan &plan);
};

/// The rectangle of a matrix that a warp reads from shared memory.
struct MatrixPart {
  MatrixDescriptor descriptor;
  bool isMNMajor;
  unsigned begin; ///< along M or N
  unsigned count;
  unsigned k; ///< elements along K

  /// Atoms along the dimension that is contiguous.
  unsigned atoms() const { return isMNMajor ? count / 8 : 2; }
  /// Calls `f(row, atom, address)` for each atom of 16 bytes, with the atom's
  /// number along the contiguous dimension and the row's along the other.
  template <class F> void forAtoms(F f) const {
    const unsigned firstRow = isMNMajor ? 0 : begin,
                   rows = isMNMajor ? k : count,
                   firstAtom = isMNMajor ? begin / 8 : 0;
    for (unsigned row = firstRow; row != firstRow + rows; ++row)
      for (unsigned atom = firstAtom; atom != firstAtom + atoms(); ++atom)
        f(row, atom, descriptor.atomAddress(isMNMajor, row, atom));
  }
};

struct Product {
  const Instr *instr = nullptr;
  uint32_t pc = 0;
  uint64_t descriptorA = 0;
  uint64_t descriptorB = 0;
  bool adds = false; ///< to D, which is otherwise not read
  /// False when the warps did not agree, or a descriptor has a defect.
  bool isValid = true;
  /// The clock of the warpgroup, which knows by it when its reads are over.
  uint32_t clock = 0;
  /// The product's number among those of each warp, for its registers.
  std::array<uint64_t, warpgroupWarps> numbers = {};
  /// The registers of each warp.
  std::array<std::shared_ptr<Frame>, warpgroupWarps> frames;

  /// What warp `warp` of the group reads of A; null if that is in registers.
  std::optional<MatrixPart> partOfA(unsigned warp) const;
  MatrixPart matrixB() const;
  /// Reads shared memory as it is now, and A and D, and writes D.
  void execute(Block &block) const;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUPPRODUCT_H
