//===- TensorMap.cpp - What bulk tensor copies know of a tensor -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/TensorMap.h"
#include "Machine/Hex.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;

namespace tilewright::sim {

static constexpr uint64_t magic = 0x70614D726F736E65; // "ensorMap"
static constexpr uint64_t largestExtent = uint64_t(1) << 32;
static constexpr uint64_t strideLimit = uint64_t(1) << 40;
static constexpr uint32_t largestBox = 256;
static constexpr uint32_t largestElementStride = 8;
static constexpr uint64_t rowAlign = 16;

namespace {
/// What the 128 bytes hold. Extents are up to 2^32, and stored less one.
struct Layout {
  uint64_t magic;
  uint64_t address;
  uint64_t strides[TensorMap::maximumRank - 1];
  uint32_t lastCoordinates[TensorMap::maximumRank];
  uint16_t box[TensorMap::maximumRank];
  uint8_t elementStrides[TensorMap::maximumRank];
  uint8_t rank;
  TensorMap::Element element;
  TensorMap::Swizzle swizzle;
  TensorMap::Fill fill;
};
static_assert(sizeof(Layout) <= TensorMap::encodedBytes);
} // namespace

unsigned TensorMap::elementBytes() const {
  static constexpr unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return bytes[static_cast<size_t>(element)];
}

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = rowBytes();
  for (unsigned dim = 1; dim != rank; ++dim)
    bytes *= boxRows(dim);
  return bytes;
}

static Error verifyDimension(const TensorMap &map, unsigned dim) {
  auto fail = [&](const Twine &what) {
    return createStringError("dimension " + Twine(dim) + ": " + what);
  };
  if (map.extents[dim] == 0 || map.extents[dim] > largestExtent)
    return fail("an extent is from 1 to 2^32, and not " +
                Twine(map.extents[dim]));
  if (map.box[dim] == 0 || map.box[dim] > largestBox)
    return fail("an extent of the box is from 1 to 256, and not " +
                Twine(map.box[dim]));
  if (map.elementStrides[dim] == 0 ||
      map.elementStrides[dim] > largestElementStride)
    return fail("an element stride is from 1 to 8, and not " +
                Twine(map.elementStrides[dim]));
  if (dim == 0)
    return Error::success();
  const uint64_t stride = map.strides[dim - 1];
  if (stride % rowAlign != 0 || stride >= strideLimit)
    return fail("a stride is a multiple of 16 bytes below 2^40, and not " +
                Twine(stride));
  return Error::success();
}

static Error verifyRow(const TensorMap &map) {
  static constexpr uint64_t spans[] = {0, 32, 64, 128};
  const uint64_t bytes = map.rowBytes(),
                 span = spans[static_cast<size_t>(map.swizzle)];
  if (bytes % rowAlign != 0)
    return createStringError(
        "a row of the box has a multiple of 16 bytes, and not " + Twine(bytes));
  if (span != 0 && bytes > span)
    return createStringError("with a swizzle of " + Twine(span) +
                             " bytes, a row of the box has at most as many, "
                             "and not " +
                             Twine(bytes));
  if (span != 0 && bytes < span)
    return createStringError("with a swizzle of " + Twine(span) +
                             " bytes, only boxes with rows of as many are "
                             "simulated, and these have " +
                             Twine(bytes));
  return Error::success();
}

Error TensorMap::verify() const {
  if (rank == 0 || rank > maximumRank)
    return createStringError("a tensor map has 1 to 5 dimensions, and not " +
                             Twine(rank));
  if (address == 0 || address % rowAlign != 0)
    return createStringError("the address is a multiple of 16 bytes, and not " +
                             hex(address));
  for (unsigned dim = 0; dim != rank; ++dim)
    if (Error failure = verifyDimension(*this, dim))
      return failure;
  if (Error failure = verifyRow(*this))
    return failure;
  const bool isFloat = element >= Element::F16;
  if (fill == Fill::NaN && !isFloat)
    return createStringError("only floating-point elements are filled with "
                             "NaN");
  return Error::success();
}

Expected<TensorMap::Encoded> TensorMap::encode() const {
  if (Error failure = verify())
    return std::move(failure);
  Layout layout = {};
  layout.magic = magic;
  layout.address = address;
  llvm::copy(strides, layout.strides);
  for (unsigned dim = 0; dim != rank; ++dim) {
    layout.lastCoordinates[dim] = static_cast<uint32_t>(extents[dim] - 1);
    layout.box[dim] = static_cast<uint16_t>(box[dim]);
    layout.elementStrides[dim] = static_cast<uint8_t>(elementStrides[dim]);
  }
  layout.rank = static_cast<uint8_t>(rank);
  layout.element = element;
  layout.swizzle = swizzle;
  layout.fill = fill;
  Encoded encoded;
  std::memcpy(encoded.bytes.data(), &layout, sizeof(layout));
  return encoded;
}

std::optional<TensorMap> TensorMap::decode(ArrayRef<uint8_t> bytes) {
  Layout layout;
  if (bytes.size() < encodedBytes)
    return std::nullopt;
  std::memcpy(&layout, bytes.data(), sizeof(layout));
  if (layout.magic != magic || layout.element > Element::F64 ||
      layout.swizzle > Swizzle::Bytes128 || layout.fill > Fill::NaN ||
      layout.rank > maximumRank)
    return std::nullopt;
  TensorMap map;
  map.element = layout.element;
  map.address = layout.address;
  map.rank = layout.rank;
  map.swizzle = layout.swizzle;
  map.fill = layout.fill;
  llvm::copy(layout.strides, map.strides.begin());
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    map.extents[dim] = uint64_t(layout.lastCoordinates[dim]) + 1;
    map.box[dim] = layout.box[dim];
    map.elementStrides[dim] = layout.elementStrides[dim];
  }
  // A kernel may have changed the bytes.
  if (Error failure = map.verify()) {
    consumeError(std::move(failure));
    return std::nullopt;
  }
  return map;
}

} // namespace tilewright::sim
