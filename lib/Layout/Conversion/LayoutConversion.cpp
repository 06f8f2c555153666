//===- LayoutConversion.cpp - From one register layout to another -*-C++-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/LayoutConversion.h"

#include <map>

using namespace tilewright;

/// Whether both layouts send each value of an input to the same point. An input
/// that one of them lacks, in whole or above some bit, adds nothing there.
static bool agreeOn(llvm::StringRef input, const LinearLayout &a,
                    const LinearLayout &b) {
  unsigned bits = std::max(a.numBits(input), b.numBits(input));
  for (unsigned bit = 0; bit < bits; ++bit) {
    int64_t value = int64_t(1) << bit;
    // apply() ignores bits beyond the input, as is wanted here.
    if (a.apply({{input, value}}) != b.apply({{input, value}}))
      return false;
  }
  return true;
}

/// The first register of a thread that holds each element.
static std::map<LinearLayout::Point, unsigned>
firstRegisters(const LinearLayout &layout) {
  std::map<LinearLayout::Point, unsigned> registerOfPoint;
  for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg)
    registerOfPoint.try_emplace(layout.apply({{"register", reg}}), reg);
  return registerOfPoint;
}

std::optional<llvm::SmallVector<unsigned>>
tilewright::mapRegisters(const LinearLayout &from, const LinearLayout &to) {
  if (from.shape() != to.shape() || !agreeOn("lane", from, to) ||
      !agreeOn("warp", from, to))
    return std::nullopt;
  std::map<LinearLayout::Point, unsigned> registerOfPoint =
      firstRegisters(from);
  llvm::SmallVector<unsigned> registers;
  for (int64_t reg = 0; reg < to.inputSize("register"); ++reg) {
    auto found = registerOfPoint.find(to.apply({{"register", reg}}));
    if (found == registerOfPoint.end())
      return std::nullopt;
    registers.push_back(found->second);
  }
  return registers;
}

llvm::SmallVector<unsigned>
tilewright::canonicalRegisters(const LinearLayout &layout) {
  std::map<LinearLayout::Point, unsigned> registerOfPoint =
      firstRegisters(layout);
  llvm::SmallVector<unsigned> registers;
  for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg)
    registers.push_back(registerOfPoint.at(layout.apply({{"register", reg}})));
  return registers;
}
