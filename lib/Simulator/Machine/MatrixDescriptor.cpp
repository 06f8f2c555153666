//===- MatrixDescriptor.cpp - Where wgmma finds a matrix ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/MatrixDescriptor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

static uint64_t field(uint64_t bits, unsigned first, unsigned count) {
  return bits >> first & maskTrailingOnes<uint64_t>(count);
}

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : start(field(bits, 0, 14) * 16), leading(field(bits, 16, 14) * 16),
      stride(field(bits, 32, 14) * 16), baseOffset(field(bits, 49, 3)),
      reserved(bits & 0x3FF1'C000'C000'C000) {
  static constexpr int64_t rowBytes[] = {16, 128, 64, 32};
  mode = &HardwareSwizzle::get(rowBytes[field(bits, 62, 2)]);
}

std::string MatrixDescriptor::findDefect(bool isMNMajor, unsigned atoms) const {
  if (reserved != 0)
    return "has reserved bits set: 0x" + utohexstr(reserved, true);
  if (mode->atomBits == 0)
    return baseOffset == 0 ? std::string()
                           : "has a base offset and no swizzle to apply it to";
  const auto row = static_cast<uint64_t>(mode->rowBytes);
  const uint64_t length = std::min(atoms * atomBytes, row);
  if (start % row + length > row)
    return ("starts at byte " + Twine(start % row) + " of a row of " +
            Twine(row) + " bytes, of which it needs " + Twine(length) +
            (isMNMajor ? " along M or N" : " along K"))
        .str();
  return std::string();
}

uint64_t MatrixDescriptor::atomAddress(bool isMNMajor, unsigned row,
                                       unsigned atom) const {
  const auto rowBytes = static_cast<uint64_t>(mode->rowBytes);
  const uint64_t rowAtoms = rowBytes / atomBytes;
  const bool isExchanged = isMNMajor && mode->atomBits == 0;
  const uint64_t groups = isExchanged ? leading : stride;
  const uint64_t panels = isExchanged ? stride : leading;
  const uint64_t address = start + row / HardwareSwizzle::periodRows * groups +
                           row % HardwareSwizzle::periodRows * rowBytes +
                           atom / rowAtoms * panels +
                           atom % rowAtoms * atomBytes;
  const uint64_t pattern = (address >> 7) - baseOffset;
  return address ^ (field(pattern, 0, mode->atomBits) << 4);
}

} // namespace tilewright::sim
