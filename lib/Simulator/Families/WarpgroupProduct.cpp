//===- WarpgroupProduct.cpp - One product of a warpgroup ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/WarpgroupProduct.h"

using namespace llvm;

namespace tilewright::sim {

ProductOperands::ProductOperands(const Instr &instr, const ProductPlan &plan) {
  ArrayRef<int32_t> all = instr.ops;
  scale = all.back();
  descriptorB = all[all.size() - 2];
  const auto fragments = static_cast<size_t>(instr.extra / fragmentColumns);
  d = all.take_front(fragments * resultRegisters(plan.result, fragmentRows));
  if (plan.isAInRegisters)
    a = all.slice(d.size(), all.size() - d.size() - 2);
  else
    descriptorA = all[d.size()];
}

std::optional<MatrixPart> Product::partOfA(unsigned warp) const {
  const ProductPlan plan = ProductPlan::of(*instr);
  if (plan.isAInRegisters)
    return std::nullopt;
  return MatrixPart{MatrixDescriptor(descriptorA), plan.isAMNMajor,
                    warp * fragmentRows, fragmentRows, plan.k()};
}

MatrixPart Product::matrixB() const {
  const ProductPlan plan = ProductPlan::of(*instr);
  return {MatrixDescriptor(descriptorB), plan.isBMNMajor, 0,
          static_cast<unsigned>(instr->extra), plan.k()};
}

/// Calls `store(mn, k, bits)` for every element; those outside of shared memory
/// are zero.
template <class Store>
static void readMatrix(const Block &block, const MatrixPart &part,
                       unsigned elementBytes, Store store) {
  const unsigned perAtom = MatrixDescriptor::atomBytes / elementBytes;
  part.forAtoms([&](unsigned row, unsigned atom, uint64_t address) {
    std::array<uint8_t, MatrixDescriptor::atomBytes> bytes = {};
    const uint64_t offset = address - firstOffset;
    if (offset < block.shared.size() &&
        bytes.size() <= block.shared.size() - offset)
      std::memcpy(bytes.data(), block.shared.data() + offset, bytes.size());
    for (unsigned i = 0; i != perAtom; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + size_t(i) * elementBytes, elementBytes);
      const unsigned along = atom * perAtom + i;
      if (part.isMNMajor)
        store(along, row, bits);
      else
        store(row, along, bits);
    }
  });
}

namespace {
struct FragmentOfB {
  FragmentB values;
};
} // namespace

void Product::execute(Block &block) const {
  if (!isValid)
    return;
  const ProductPlan plan = ProductPlan::of(*instr);
  const ProductOperands ops(*instr, plan);
  const unsigned elementBytes = elementBits(plan.a) / 8;
  auto value = [](Element element, uint64_t bits, bool negates) {
    const double magnitude = elementValue(element, bits);
    return negates ? -magnitude : magnitude;
  };
  std::vector<FragmentOfB> b(instr->extra / fragmentColumns);
  readMatrix(block, matrixB(), elementBytes,
             [&](unsigned n, unsigned k, uint64_t bits) {
               b[n / fragmentColumns].values[k][n % fragmentColumns] =
                   value(plan.b, bits, plan.negatesB);
             });
  for (unsigned warp = 0; warp != warpgroupWarps; ++warp) {
    const RegisterFile registers = {frames[warp]->registers.data(),
                                    block.launch.constants.data()};
    FragmentA a;
    auto storeA = [&](size_t m, size_t k, uint64_t bits) {
      a[m % fragmentRows][k] = value(plan.a, bits, plan.negatesA);
    };
    if (const std::optional<MatrixPart> part = partOfA(warp))
      readMatrix(block, *part, elementBytes, storeA);
    else
      unpack(registers, ops.a, plan.a, /*halves=*/2, storeA);
    const size_t each = ops.d.size() / b.size();
    for (size_t n = 0; n != b.size(); ++n) {
      const ArrayRef<int32_t> d = ops.d.slice(n * each, each);
      FragmentSums sums = {};
      if (adds)
        loadResults(registers, d, plan.result, fragmentRows, sums);
      multiplyAdd(a, b[n].values, sums, fragmentRows, plan.k());
      storeResults(registers, d, plan.result, fragmentRows, sums,
                   plan.saturates);
    }
  }
}

} // namespace tilewright::sim
