//===- LanesOfWarps.cpp - The same elements in other lanes ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/LanesOfWarps.h"

#include "tilewright/Layout/Algebra/F2Subspace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilewright;

std::optional<LinearLayout>
tilewright::coalescedByLanes(const LinearLayout &registers,
                             unsigned vectorElements) {
  unsigned lanes = registers.numBits("lane");
  unsigned ofVector = llvm::Log2_32(vectorElements);
  if (registers.zeroBasisMask("register") != 0 ||
      registers.zeroBasisMask("lane") != 0)
    return std::nullopt;
  std::vector<LinearLayout::Point> bases(registers.bases("register"));
  llvm::append_range(bases, registers.bases("lane"));
  llvm::sort(bases, [&](const auto &a, const auto &b) {
    return registers.flatten(a) < registers.flatten(b);
  });
  auto ofLanes = llvm::ArrayRef(bases).drop_front(
      std::min<size_t>(ofVector, bases.size()));
  if (ofLanes.size() < lanes)
    return std::nullopt;
  for (unsigned bit = 0; bit < ofVector; ++bit)
    if (registers.flatten(bases[bit]) != uint64_t(1) << bit)
      return std::nullopt;
  std::vector<LinearLayout::Point> inRegisters(
      llvm::ArrayRef(bases).take_front(ofVector));
  llvm::append_range(inRegisters, ofLanes.drop_front(lanes));
  return llvm::cantFail(
      LinearLayout::create({{"register", inRegisters},
                            {"lane", ofLanes.take_front(lanes)},
                            {"warp", registers.bases("warp")}},
                           registers.shape()));
}

// The elements of a warp are those of its registers and lanes, a subspace,
// moved by those of the warp's number.
llvm::SmallVector<int32_t>
tilewright::nameElementsOfWarps(const LinearLayout &registers) {
  F2Subspace ofWarp;
  for (llvm::StringRef input : {"register", "lane"})
    for (const LinearLayout::Point &point : registers.bases(input))
      ofWarp.insert(static_cast<uint32_t>(registers.flatten(point)));
  llvm::SmallVector<int32_t> name(ofWarp.basis().begin(), ofWarp.basis().end());
  F2Subspace known = ofWarp;
  for (const LinearLayout::Point &point : registers.bases("warp")) {
    uint32_t begin =
        ofWarp.reduce(static_cast<uint32_t>(registers.flatten(point)));
    if (!known.insert(begin))
      return {};
    name.push_back(static_cast<int32_t>(begin));
  }
  return name;
}
