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

namespace {
/// A bit of one of a layout's inputs.
struct InputBit {
  unsigned input, bit;
};
} // namespace

/// The bit that alone says in which half an element is, and says no more.
static std::optional<InputBit> findBit(const LinearLayout &whole, unsigned axis,
                                       int64_t stride) {
  LinearLayout::Point alone(whole.rank(), 0);
  alone[axis] = static_cast<int32_t>(stride);
  std::optional<InputBit> found;
  for (auto [number, input] : enumerate(whole.inputs()))
    for (auto [bit, basis] : enumerate(input.bases)) {
      if ((basis[axis] & stride) == 0)
        continue;
      if (found || basis != alone)
        return std::nullopt;
      found = {static_cast<unsigned>(number), static_cast<unsigned>(bit)};
    }
  return found;
}

/// The same, where it is one of the registers.
static std::optional<unsigned> findRegisterBit(const LinearLayout &whole,
                                               unsigned axis, int64_t stride) {
  std::optional<InputBit> found = findBit(whole, axis, stride);
  if (!found || whole.inputs()[found->input].name != "register")
    return std::nullopt;
  return found->bit;
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

std::optional<LinearLayout>
tilewright::bringHalvesTogether(const LinearLayout &whole, unsigned axis,
                                int64_t stride) {
  std::optional<InputBit> found = findBit(whole, axis, stride);
  if (!found)
    return std::nullopt;
  std::vector<LinearLayout::Input> inputs = whole.inputs().vec();
  auto registers = find_if(
      inputs, [](const auto &input) { return input.name == "register"; });
  LinearLayout::Point &basis = inputs[found->input].bases[found->bit];
  if (registers == inputs.end()) {
    LinearLayout::Input made{"register", {basis}};
    basis.assign(whole.rank(), 0);
    inputs.insert(inputs.begin(), std::move(made));
  } else if (registers->bases.empty()) {
    registers->bases.push_back(basis);
    basis.assign(whole.rank(), 0);
  } else {
    std::swap(basis, registers->bases.front());
  }
  return cantFail(LinearLayout::create(std::move(inputs), whole.shape()));
}

LinearLayout tilewright::repeatInRegisters(const LinearLayout &one,
                                           unsigned axis, int64_t copies) {
  SmallVector<int64_t> shape(one.shape());
  assert(shape[axis] == 1 && "copies are made of single elements");
  shape[axis] = copies;
  std::vector<LinearLayout::Point> bases;
  for (int64_t stride = 1; stride < copies; stride *= 2) {
    bases.emplace_back(one.rank(), 0);
    bases.back()[axis] = static_cast<int32_t>(stride);
  }
  append_range(bases, one.bases("register"));
  std::vector<LinearLayout::Input> inputs = {{"register", std::move(bases)}};
  for (const LinearLayout::Input &input : one.inputs())
    if (input.name != "register")
      inputs.push_back(input);
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}
