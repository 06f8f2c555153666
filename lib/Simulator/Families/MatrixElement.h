//===- MatrixElement.h - What products of matrices share --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of products, where a warp holds them in registers, and how sums are
// rounded: for mma.sync, and for wgmma.mma_async, each of whose warps computes
// 16 rows with the fragments of mma.sync (PTX ISA, "Matrix Fragments for
// mma"). With g = lane / 4, t = lane % 4, and registers of e elements each,
//
//   A (M x K): register r, element j    row g + 8 * (r % (M / 8)),
//                                       col r / (M / 8) * 4e + t * e + j
//   B (K x 8): register r, element j    row r * 4e + t * e + j, col g
//   C, D (M x 8): element r             row g + 8 * (r / 2), col 2t + r % 2
//
// Products of floating types are exact and are summed in double, then rounded
// once. GPUs sum in an order and width of their own, so their results differ
// from these within the rounding of the sum. Integer results are exact.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MATRIXELEMENT_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MATRIXELEMENT_H

#include "Families/Family.h"

namespace tilewright::sim {

/// Columns and most rows of a fragment of C and D.
constexpr unsigned fragmentColumns = 8;
constexpr unsigned fragmentRows = 16;

/// Element types of A and B.
enum class Element : uint8_t {
  F16,
  BF16,
  TF32,
  F64,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  B1
};
unsigned elementBits(Element element);
inline bool isFloat(Element element) { return element <= Element::E5M2; }
/// The value of an element in the low bits of `bits`; exact.
double elementValue(Element element, uint64_t bits);
int64_t integerElement(Element element, uint64_t bits);

/// Types of C and D.
enum class Result : uint8_t { F16, F32, F64, S32 };
/// Registers of a fragment of `rows` rows.
unsigned resultRegisters(Result result, unsigned rows);

/// The next modifier of the instruction as a type; an error if it is none.
Element takeElement(Decoder &d);
Result takeResult(Decoder &d);

/// Appends the registers of the vector operand `index`, which must be `count`.
void addRegisters(Decoder &d, Instr &i, size_t index, size_t count, Type type,
                  bool isDestination);

/// Calls `store(group, inner, bits)` for every element of an operand, with
/// the lane's row (A) or column (B) and its position along K.
template <class Store>
void unpack(const RegisterFile &registers, llvm::ArrayRef<int32_t> operand,
            Element element, unsigned halves, Store store) {
  const unsigned bits = elementBits(element);
  const unsigned perRegister = std::max(1u, 32 / bits);
  const uint64_t low = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (size_t r = 0; r != operand.size(); ++r) {
    const uint64_t *values = registers.source(operand[r]);
    const size_t base = r / halves * 4 * perRegister;
    for (unsigned lane = 0; lane != warpSize; ++lane) {
      const size_t group = lane / 4 + 8 * (r % halves);
      for (unsigned j = 0; j != perRegister; ++j)
        store(group, base + size_t(lane % 4) * perRegister + j,
              values[lane] >> (bits * j) & low);
    }
  }
}

/// Calls `f(row, col, n)` for the elements n of C and D that a lane holds.
template <class F> void forResults(unsigned lane, unsigned rows, F f) {
  for (unsigned n = 0; n != rows / 4; ++n)
    f(lane / 4 + 8 * (n / 2), lane % 4 * 2 + n % 2, n);
}

/// A step of a product along K, at most 32 elements, in double: products of
/// all types but f64 are exact there.
constexpr unsigned maximumProductK = 32;
using FragmentA = double[fragmentRows][maximumProductK];
using FragmentB = double[maximumProductK][fragmentColumns];
using FragmentSums = double[fragmentRows][fragmentColumns];

/// sums += a * b over `rows` rows and `k` steps; `fuses` rounds each step
/// once, as f64 does.
void multiplyAdd(const FragmentA &a, const FragmentB &b, FragmentSums &sums,
                 unsigned rows, uint64_t k, bool fuses = false);

void loadResults(const RegisterFile &registers, llvm::ArrayRef<int32_t> c,
                 Result type, unsigned rows, FragmentSums &sums);
/// Rounds to `type`; integers wrap around, or end at the range's bounds.
void storeResults(const RegisterFile &registers, llvm::ArrayRef<int32_t> d,
                  Result type, unsigned rows, const FragmentSums &sums,
                  bool saturates = false);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MATRIXELEMENT_H
