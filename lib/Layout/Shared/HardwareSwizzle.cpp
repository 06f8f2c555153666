//===- HardwareSwizzle.cpp - The swizzles of TMA and wgmma ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/HardwareSwizzle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;
using namespace tilewright;

ArrayRef<HardwareSwizzle> HardwareSwizzle::all() {
  static constexpr HardwareSwizzle modes[] = {{"128B", 128, 3, 1024},
                                              {"64B", 64, 2, 512},
                                              {"32B", 32, 1, 256},
                                              {"none", 16, 0, 128}};
  return modes;
}

const HardwareSwizzle &HardwareSwizzle::get(int64_t rowBytes) {
  const HardwareSwizzle *found =
      find_if(all(), [&](const HardwareSwizzle &mode) {
        return mode.rowBytes == rowBytes;
      });
  assert(found != all().end() && "rows are of 16, 32, 64 or 128 bytes");
  return *found;
}

Expected<SharedLayout> tilewright::hardwareLayout(ArrayRef<int64_t> shape,
                                                  unsigned elementBytes,
                                                  unsigned rowDim,
                                                  const HardwareSwizzle &mode) {
  assert(rowDim < shape.size() && "a dimension of the tile");
  std::string name = ("swizzle mode " + mode.name).str();
  if (elementBytes > HardwareSwizzle::atomBytes || elementBytes == 0 ||
      !isPowerOf2_32(elementBytes))
    return createStringError(name + " does not hold elements of " +
                             Twine(elementBytes) + " bytes");
  Expected<LinearLayout> checked = LinearLayout::create({}, shape);
  if (!checked)
    return checked.takeError();
  int64_t rowElements = mode.rowBytes / elementBytes;
  if (shape[rowDim] < rowElements)
    return createStringError(name + " needs rows of " + Twine(mode.rowBytes) +
                             " bytes; these have " +
                             Twine(shape[rowDim] * elementBytes));
  int64_t rows = checked->numElements() / shape[rowDim];
  if (rows < HardwareSwizzle::periodRows)
    return createStringError(name + " needs " +
                             Twine(HardwareSwizzle::periodRows) +
                             " rows; the tile has " + Twine(rows));

  // A row of a panel, then the rows, then the panels.
  LinearLayout::Input offset{"offset", {}};
  auto append = [&](unsigned dim, int64_t from, int64_t to) {
    for (int64_t coordinate = from; coordinate < to; coordinate *= 2) {
      offset.bases.emplace_back(shape.size(), 0);
      offset.bases.back()[dim] = static_cast<int32_t>(coordinate);
    }
  };
  append(rowDim, 1, rowElements);
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (dim != rowDim)
      append(dim, 1, shape[dim]);
  append(rowDim, rowElements, shape[rowDim]);
  Expected<LinearLayout> linear = LinearLayout::create({offset}, shape);
  if (!linear)
    return linear.takeError();
  Expected<SharedLayout> plain = SharedLayout::create(std::move(*linear));
  if (!plain)
    return plain.takeError();
  // Byte addresses: bits [4, 4 + atomBits) ^= bits [7, 7 + atomBits).
  unsigned base = Log2_64(HardwareSwizzle::atomBytes / elementBytes);
  return plain->withSwizzle(mode.atomBits, base, /*shift=*/3);
}
