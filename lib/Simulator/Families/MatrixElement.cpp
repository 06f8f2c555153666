//===- MatrixElement.cpp - What products of matrices share ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/MatrixElement.h"
#include "Machine/FloatFormat.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

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

/// f16 to float by shifting the bits into place and scaling the exponent.
static float fastHalf(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  const float scaled = llvm::bit_cast<float>(magnitude) * 0x1p112f;
  magnitude = (bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000
                                        : llvm::bit_cast<uint32_t>(scaled);
  return llvm::bit_cast<float>(magnitude | sign);
}

double elementValue(Element element, uint64_t bits) {
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
  case Element::F64:
    return llvm::bit_cast<double>(bits);
  default:
    return static_cast<double>(integerElement(element, bits));
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

unsigned resultRegisters(Result result, unsigned rows) {
  return rows * fragmentColumns / warpSize / (result == Result::F16 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

template <class Enum, size_t count>
static Enum takeNamed(Decoder &d, const StringRef (&names)[count],
                      StringRef what) {
  const StringRef name = d.takeNext();
  const auto *it = find(names, name);
  if (it != std::end(names))
    return static_cast<Enum>(it - std::begin(names));
  d.error("'." + name + "' is not " + what + " type that is supported");
  return Enum();
}

Element takeElement(Decoder &d) {
  constexpr StringRef names[] = {"f16", "bf16", "tf32", "f64", "e4m3", "e5m2",
                                 "s8",  "u8",   "s4",   "u4",  "b1"};
  return takeNamed<Element>(d, names, "an element");
}

Result takeResult(Decoder &d) {
  constexpr StringRef names[] = {"f16", "f32", "f64", "s32"};
  return takeNamed<Result>(d, names, "a result");
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

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void multiplyAdd(const FragmentA &a, const FragmentB &b, FragmentSums &sums,
                 unsigned rows, uint64_t k, bool fuses) {
  for (unsigned row = 0; row != rows; ++row)
    for (uint64_t step = 0; step != k; ++step)
      for (unsigned col = 0; col != fragmentColumns; ++col)
        sums[row][col] =
            fuses ? std::fma(a[row][step], b[step][col], sums[row][col])
                  : sums[row][col] + a[row][step] * b[step][col];
}

static double loadResult(const RegisterFile &registers, ArrayRef<int32_t> c,
                         Result type, unsigned lane, unsigned n) {
  switch (type) {
  case Result::F16:
    return fastHalf(static_cast<uint16_t>(registers.source(c[n / 2])[lane] >>
                                          (16 * (n % 2))));
  case Result::F32:
    return registers.value<float>(c[n], lane);
  case Result::S32:
    return registers.value<int32_t>(c[n], lane);
  default:
    return registers.value<double>(c[n], lane);
  }
}

void loadResults(const RegisterFile &registers, ArrayRef<int32_t> c,
                 Result type, unsigned rows, FragmentSums &sums) {
  for (unsigned lane = 0; lane != warpSize; ++lane)
    forResults(lane, rows, [&](unsigned row, unsigned col, unsigned n) {
      sums[row][col] = loadResult(registers, c, type, lane, n);
    });
}

static void storeResult(const RegisterFile &registers, ArrayRef<int32_t> d,
                        Result type, unsigned lane, unsigned n, double value,
                        bool saturates) {
  switch (type) {
  case Result::F16: {
    uint64_t &slot = registers.destination(d[n / 2])[lane];
    const uint32_t bits = roundTo(formatF16, value);
    slot = n % 2 ? (slot & 0xffff) | bits << 16 : bits;
    return;
  }
  case Result::F32:
    registers.destination(d[n])[lane] = roundTo(formatF32, value);
    return;
  case Result::S32: {
    auto sum = static_cast<int64_t>(value);
    if (saturates)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    registers.destination(d[n])[lane] = static_cast<uint32_t>(sum);
    return;
  }
  default:
    registers.destination(d[n])[lane] = llvm::bit_cast<uint64_t>(value);
  }
}

void storeResults(const RegisterFile &registers, ArrayRef<int32_t> d,
                  Result type, unsigned rows, const FragmentSums &sums,
                  bool saturates) {
  for (unsigned lane = 0; lane != warpSize; ++lane)
    forResults(lane, rows, [&](unsigned row, unsigned col, unsigned n) {
      storeResult(registers, d, type, lane, n, sums[row][col], saturates);
    });
}

} // namespace tilewright::sim
