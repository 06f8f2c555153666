//===- MatrixMultiply.cpp - mma.sync --------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C with the elements spread over the registers of a warp. All
// shapes follow one pattern (PTX ISA, "Matrix Fragments for mma"): with
// g = lane / 4, t = lane % 4, and registers that hold e elements each,
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

#include "Family.h"
#include "FloatFormat.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

constexpr unsigned columns = 8;
constexpr unsigned maximumRows = 16;

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
constexpr StringRef elementNames[] = {
    "f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1"};
unsigned elementBits(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::TF32:
    return 32;
  case Element::F64:
    return 64;
  case Element::S4:
  case Element::U4:
    return 4;
  case Element::B1:
    return 1;
  default:
    return 8;
  }
}
bool isFloat(Element element) { return element <= Element::E5M2; }

enum class Result : uint8_t { F16, F32, F64, S32 };
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

unsigned resultRegisters(Result result, unsigned rows) {
  return rows * columns / warpSize / (result == Result::F16 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// f16 to float by shifting the bits into place and scaling the exponent.
inline float fastHalf(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  const float scaled = llvm::bit_cast<float>(magnitude) * 0x1p112f;
  magnitude = (bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000
                                        : llvm::bit_cast<uint32_t>(scaled);
  return llvm::bit_cast<float>(magnitude | sign);
}

double floatElement(Element element, uint64_t bits) {
  switch (element) {
  case Element::F16:
    return fastHalf(static_cast<uint16_t>(bits));
  case Element::BF16:
    return bf16Value(static_cast<uint16_t>(bits));
  case Element::TF32: // the unit ignores the low 13 bits
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) & ~0x1fffu);
  case Element::E4M3:
    return valueOf(formatE4M3, static_cast<uint32_t>(bits));
  case Element::E5M2:
    return valueOf(formatE5M2, static_cast<uint32_t>(bits));
  default:
    return llvm::bit_cast<double>(bits);
  }
}

int64_t integerElement(Element element, uint64_t bits) {
  switch (element) {
  case Element::S8:
    return static_cast<int8_t>(bits);
  case Element::S4:
    return SignExtend64<4>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

template <class T> T elementValue(Element element, uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(floatElement(element, bits));
  else
    return integerElement(element, bits);
}

/// Calls `store(group, inner, value)` for every element of an operand, with
/// the lane's row (A) or column (B) and its position along K.
template <class T, class Store>
void unpack(Warp &warp, ArrayRef<int32_t> registers, Element element,
            unsigned halves, Store store) {
  const unsigned bits = elementBits(element);
  const unsigned perRegister = std::max(1u, 32 / bits);
  const uint64_t low = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (size_t r = 0; r != registers.size(); ++r) {
    const uint64_t *values = warp.source(registers[r]);
    const size_t base = r / halves * 4 * perRegister;
    for (unsigned lane = 0; lane != warpSize; ++lane) {
      const size_t group = lane / 4 + 8 * (r % halves);
      for (unsigned j = 0; j != perRegister; ++j)
        store(group, base + size_t(lane % 4) * perRegister + j,
              elementValue<T>(element, values[lane] >> (bits * j) & low));
    }
  }
}

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

/// Calls `f(row, col, register, half)` for the elements of C and D that a
/// lane holds.
template <class F> void forResults(unsigned lane, unsigned rows, F f) {
  for (unsigned n = 0; n != rows / 4; ++n)
    f(lane / 4 + 8 * (n / 2), lane % 4 * 2 + n % 2, n);
}

double loadResult(Warp &warp, ArrayRef<int32_t> c, Result type, unsigned lane,
                  unsigned n) {
  switch (type) {
  case Result::F16:
    return fastHalf(
        static_cast<uint16_t>(warp.source(c[n / 2])[lane] >> (16 * (n % 2))));
  case Result::F32:
    return warp.value<float>(c[n], lane);
  default:
    return warp.value<double>(c[n], lane);
  }
}

void storeResult(Warp &warp, ArrayRef<int32_t> d, Result type, unsigned lane,
                 unsigned n, double value) {
  switch (type) {
  case Result::F16: {
    uint64_t &slot = warp.destination(d[n / 2])[lane];
    const uint32_t bits = roundTo(formatF16, value);
    slot = n % 2 ? (slot & 0xffff) | bits << 16 : bits;
    return;
  }
  case Result::F32:
    warp.destination(d[n])[lane] = roundTo(formatF32, value);
    return;
  default:
    warp.destination(d[n])[lane] = llvm::bit_cast<uint64_t>(value);
  }
}

/// K is at most 32 for floating types: m16n8k32 of fp8.
constexpr unsigned maximumFloatK = 32;

Step floatExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!isWholeWarp(warp, mask))
    return Step::Next;
  const Plan plan = planOf(instr);
  const Operands ops(instr, plan);
  // Kept in double: products of all types but f64 are exact.
  double a[maximumRows][maximumFloatK], b[maximumFloatK][columns];
  unpack<double>(warp, ops.a, plan.a, plan.rows / 8,
                 [&](size_t row, size_t k, double v) { a[row][k] = v; });
  unpack<double>(warp, ops.b, plan.b, 1,
                 [&](size_t col, size_t k, double v) { b[k][col] = v; });
  double sums[maximumRows][columns];
  for (unsigned lane = 0; lane != warpSize; ++lane)
    forResults(lane, plan.rows, [&](unsigned row, unsigned col, unsigned n) {
      sums[row][col] = loadResult(warp, ops.c, plan.third, lane, n);
    });
  const bool isDouble = plan.a == Element::F64;
  for (unsigned row = 0; row != plan.rows; ++row)
    for (unsigned k = 0; k != instr.extra; ++k)
      for (unsigned col = 0; col != columns; ++col)
        sums[row][col] = isDouble
                             ? std::fma(a[row][k], b[k][col], sums[row][col])
                             : sums[row][col] + a[row][k] * b[k][col];
  for (unsigned lane = 0; lane != warpSize; ++lane)
    forResults(lane, plan.rows, [&](unsigned row, unsigned col, unsigned n) {
      storeResult(warp, ops.d, plan.result, lane, n, sums[row][col]);
    });
  return Step::Next;
}

constexpr unsigned maximumIntegerK = 256;

Step integerExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!isWholeWarp(warp, mask))
    return Step::Next;
  const Plan plan = planOf(instr);
  const Operands ops(instr, plan);
  const auto mode = static_cast<Mode>(plan.flags & 3);
  int64_t a[maximumRows][maximumIntegerK], b[columns][maximumIntegerK];
  unpack<int64_t>(warp, ops.a, plan.a, plan.rows / 8,
                  [&](size_t row, size_t k, int64_t v) { a[row][k] = v; });
  unpack<int64_t>(warp, ops.b, plan.b, 1,
                  [&](size_t col, size_t k, int64_t v) { b[col][k] = v; });
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

Element takeElement(Decoder &d) {
  const StringRef name = d.takeNext();
  const auto *it = find(elementNames, name);
  if (it != std::end(elementNames))
    return static_cast<Element>(it - std::begin(elementNames));
  d.error("'." + name + "' is not an element type that is supported");
  return Element::F16;
}

Result takeResult(Decoder &d) {
  const StringRef name = d.takeNext();
  constexpr StringRef names[] = {"f16", "f32", "f64", "s32"};
  const auto *it = find(names, name);
  if (it != std::end(names))
    return static_cast<Result>(it - std::begin(names));
  d.error("'." + name + "' is not a result type that is supported");
  return Result::F32;
}

/// "m16n8k16"; false if it is not of the supported pattern.
bool parseShape(StringRef shape, Plan &plan, uint64_t &k) {
  unsigned rows = 0, cols = 0;
  if (!shape.consume_front("m") || shape.consumeInteger(10, rows) ||
      !shape.consume_front("n") || shape.consumeInteger(10, cols) ||
      !shape.consume_front("k") || shape.consumeInteger(10, k))
    return false;
  plan.rows = static_cast<uint8_t>(rows);
  return shape.empty() && cols == columns && (rows == 8 || rows == 16);
}

/// K must be filled by whole registers of both operands.
bool fits(const Plan &plan, uint64_t k) {
  const unsigned step = 4 * std::max(1u, 32 / elementBits(plan.a));
  const bool sameWidth = elementBits(plan.a) == elementBits(plan.b);
  const unsigned most = isFloat(plan.a) ? maximumFloatK : maximumIntegerK;
  // m8n8k4 of f16 is Volta's, whose fragments are of another kind.
  const bool isVolta = plan.rows == 8 && plan.a == Element::F16;
  return sameWidth && k != 0 && k % step == 0 && k <= most && !isVolta &&
         isFloat(plan.a) == isFloat(plan.b);
}

void addRegisters(Decoder &d, Instr &i, size_t index, size_t count, Type type,
                  bool isDestination) {
  const ArrayRef<Operand> registers = d.elements(index);
  if (registers.size() != count)
    return d.error("operand " + Twine(index + 1) + " needs " + Twine(count) +
                   " registers");
  for (const Operand &reg : registers)
    i.ops.push_back(isDestination ? d.destination(reg, type)
                                  : d.source(reg, type));
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
