//===- MatrixMultiply.cpp - mma.sync --------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C with the elements spread over the registers of a warp: see
// MatrixElement.h. Products of 4 bits and of one bit are here only.
//
//===----------------------------------------------------------------------===//

#include "Families/MatrixElement.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

enum class Mode : uint8_t { Multiply, XorPopc, AndPopc };

/// Decoded form, kept in Instr::attr; K is in Instr::extra.
struct Plan {
  Element a;
  Element b;
  Result result; ///< of D and C
  Result third;
  uint8_t rows;
  uint8_t registersA;
  uint8_t registersB;
  uint8_t flags; ///< Mode, and 4: satfinite
};
static_assert(sizeof(Plan) == sizeof(Instr::attr));

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

Plan planOf(const Instr &instr) {
  Plan plan;
  std::memcpy(&plan, instr.attr.data(), sizeof(plan));
  return plan;
}

/// The operands' registers: D, A, B, C in this order in Instr::ops.
struct Operands {
  ArrayRef<int32_t> d, a, b, c;
  Operands(const Instr &instr, const Plan &plan) {
    ArrayRef<int32_t> all = instr.ops;
    const unsigned results = resultRegisters(plan.result, plan.rows);
    d = all.take_front(results);
    a = all.slice(results, plan.registersA);
    b = all.slice(results + plan.registersA, plan.registersB);
    c = all.drop_front(results + plan.registersA + plan.registersB);
  }
};

Step floatExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!isWholeWarp(warp, mask))
    return Step::Next;
  const Plan plan = planOf(instr);
  const Operands ops(instr, plan);
  const RegisterFile registers = warp.registerFile();
  FragmentA a;
  FragmentB b;
  unpack(registers, ops.a, plan.a, plan.rows / 8,
         [&](size_t row, size_t k, uint64_t bits) {
           a[row][k] = elementValue(plan.a, bits);
         });
  unpack(registers, ops.b, plan.b, 1, [&](size_t col, size_t k, uint64_t bits) {
    b[k][col] = elementValue(plan.b, bits);
  });
  FragmentSums sums;
  loadResults(registers, ops.c, plan.third, plan.rows, sums);
  multiplyAdd(a, b, sums, plan.rows, instr.extra,
              /*fuses=*/plan.a == Element::F64);
  storeResults(registers, ops.d, plan.result, plan.rows, sums);
  return Step::Next;
}

constexpr unsigned maximumIntegerK = 256;

Step integerExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!isWholeWarp(warp, mask))
    return Step::Next;
  const Plan plan = planOf(instr);
  const Operands ops(instr, plan);
  const auto mode = static_cast<Mode>(plan.flags & 3);
  int64_t a[fragmentRows][maximumIntegerK], b[fragmentColumns][maximumIntegerK];
  const RegisterFile registers = warp.registerFile();
  unpack(registers, ops.a, plan.a, plan.rows / 8,
         [&](size_t row, size_t k, uint64_t bits) {
           a[row][k] = integerElement(plan.a, bits);
         });
  unpack(registers, ops.b, plan.b, 1, [&](size_t col, size_t k, uint64_t bits) {
    b[col][k] = integerElement(plan.b, bits);
  });
  for (unsigned lane = 0; lane != warpSize; ++lane)
    forResults(lane, plan.rows, [&](unsigned row, unsigned col, unsigned n) {
      int64_t sum = warp.value<int32_t>(ops.c[n], lane);
      for (unsigned k = 0; k != instr.extra; ++k)
        sum += mode == Mode::XorPopc ? a[row][k] ^ b[col][k]
                                     : a[row][k] * b[col][k];
      if (plan.flags & 4)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      warp.destination(ops.d[n])[lane] = static_cast<uint32_t>(sum);
    });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// "m16n8k16"; false if it is not of the supported pattern.
bool parseShape(StringRef shape, Plan &plan, uint64_t &k) {
  unsigned rows = 0, cols = 0;
  if (!shape.consume_front("m") || shape.consumeInteger(10, rows) ||
      !shape.consume_front("n") || shape.consumeInteger(10, cols) ||
      !shape.consume_front("k") || shape.consumeInteger(10, k))
    return false;
  plan.rows = static_cast<uint8_t>(rows);
  return shape.empty() && cols == fragmentColumns && (rows == 8 || rows == 16);
}

/// K must be filled by whole registers of both operands.
bool fits(const Plan &plan, uint64_t k) {
  const unsigned step = 4 * std::max(1u, 32 / elementBits(plan.a));
  const bool sameWidth = elementBits(plan.a) == elementBits(plan.b);
  const unsigned most = isFloat(plan.a) ? maximumProductK : maximumIntegerK;
  // m8n8k4 of f16 is Volta's, whose fragments are of another kind.
  const bool isVolta = plan.rows == 8 && plan.a == Element::F16;
  return sameWidth && k != 0 && k % step == 0 && k <= most && !isVolta &&
         isFloat(plan.a) == isFloat(plan.b);
}

void decodeMultiply(Decoder &d, Instr &i) {
  i.kind = InstrKind::Matrix;
  i.syncMask = Instr::syncAll;
  d.take("aligned");
  Plan plan = {};
  if (!parseShape(d.takeNext(), plan, i.extra))
    return d.error("the shape is not supported");
  if (!d.take("row") || !d.take("col"))
    return d.error("only .row.col is supported");
  const bool saturates = d.take("satfinite");
  const Mode mode = d.take("xor")   ? Mode::XorPopc
                    : d.take("and") ? Mode::AndPopc
                                    : Mode::Multiply;
  d.take("popc");
  plan.result = takeResult(d);
  plan.a = takeElement(d);
  plan.b = takeElement(d);
  plan.third = takeResult(d);
  plan.flags = static_cast<uint8_t>(unsigned(mode) | (saturates ? 4 : 0));
  d.expectOperands(4, 4);
  const bool isInteger = !isFloat(plan.a);
  if (!d.failed() &&
      (!fits(plan, i.extra) || isInteger != (plan.result == Result::S32) ||
       isInteger != (plan.third == Result::S32)))
    d.error("the combination of shape and types is not supported");
  if (d.failed())
    return;
  const unsigned perRegister = std::max(1u, 32 / elementBits(plan.a));
  const auto steps =
      static_cast<unsigned>(i.extra / (4 * uint64_t(perRegister)));
  plan.registersA = static_cast<uint8_t>(steps * plan.rows / 8);
  plan.registersB = static_cast<uint8_t>(steps);
  std::memcpy(i.attr.data(), &plan, sizeof(plan));
  i.exec = isInteger ? &integerExec : &floatExec;
  const bool isDouble = plan.a == Element::F64;
  const Type operandType = isDouble ? Type::B64 : Type::B32;
  addRegisters(d, i, 0, resultRegisters(plan.result, plan.rows),
               plan.result == Result::F64 ? Type::B64 : Type::B32, true);
  addRegisters(d, i, 1, plan.registersA, operandType, false);
  addRegisters(d, i, 2, plan.registersB, operandType, false);
  addRegisters(d, i, 3, resultRegisters(plan.third, plan.rows),
               plan.third == Result::F64 ? Type::B64 : Type::B32, false);
}

} // namespace

void registerMatrixMultiply(OpcodeTable &table) {
  table.add("mma.sync", decodeMultiply);
}

} // namespace tilewright::sim
