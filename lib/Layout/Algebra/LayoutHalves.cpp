//===- LayoutHalves.cpp - Tiles that threads halve by themselves ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/LayoutHalves.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilewright;

/// The bit of the registers that alone says in which half an element is.
static std::optional<unsigned> findRegisterBit(const LinearLayout &whole,
                                               unsigned axis, int64_t stride) {
  std::optional<unsigned> found;
  for (const LinearLayout::Input &input : whole.inputs())
    for (auto [bit, basis] : enumerate(input.bases)) {
      if ((basis[axis] & stride) == 0)
        continue;
      LinearLayout::Point alone(whole.rank(), 0);
      alone[axis] = static_cast<int32_t>(stride);
      if (found || input.name != "register" || basis != alone)
        return std::nullopt;
      found = bit;
    }
  return found;
}

/// The coordinate in a half: without the bit.
static int32_t dropBit(int32_t coordinate, int64_t stride) {
  auto below = static_cast<int32_t>(stride - 1);
  return (coordinate & below) | (coordinate >> 1 & ~below);
}

std::optional<LayoutHalves> tilewright::halveLayout(const LinearLayout &whole,
                                                    unsigned axis,
                                                    int64_t stride) {
  std::optional<unsigned> bit = findRegisterBit(whole, axis, stride);
  if (!bit)
    return std::nullopt;
  std::vector<LinearLayout::Input> inputs = whole.inputs().vec();
  for (LinearLayout::Input &input : inputs) {
    if (input.name == "register")
      input.bases.erase(input.bases.begin() + *bit);
    for (LinearLayout::Point &basis : input.bases)
      basis[axis] = dropBit(basis[axis], stride);
  }
  SmallVector<int64_t> shape(whole.shape());
  shape[axis] /= 2;
  LayoutHalves halves;
  halves.half = cantFail(LinearLayout::create(std::move(inputs), shape));
  for (unsigned reg = 0; reg < whole.inputSize("register"); ++reg)
    (reg >> *bit & 1 ? halves.upper : halves.lower).push_back(reg);
  return halves;
}
