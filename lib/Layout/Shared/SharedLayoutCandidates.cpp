//===- SharedLayoutCandidates.cpp - Layouts to choose from ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLayoutCandidates.h"

#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

using Candidate = SharedLayoutCandidate;

//===----------------------------------------------------------------------===//
// Orders of the dimensions
//===----------------------------------------------------------------------===//

OrderedTile::OrderedTile(ArrayRef<int64_t> shape, unsigned elementBytes,
                         std::optional<int64_t> fastest)
    : elementBytes(elementBytes) {
  SmallVector<int64_t, 4> dims;
  if (fastest)
    dims.push_back(*fastest);
  for (int64_t dim = shape.size(); dim-- > 0;)
    if (dim != fastest)
      dims.push_back(dim);
  layout = SharedLayout::ordered(shape, dims);
  if (fastest)
    order = shape.size() == 2 ? "column-major" : layout.toString();
  for (int64_t dim : dims)
    if (shape[dim] > 1) {
      rowElements = shape[dim];
      break;
    }
}

std::vector<OrderedTile> OrderedTile::all(ArrayRef<int64_t> shape,
                                          unsigned elementBytes) {
  std::vector<OrderedTile> tiles;
  tiles.emplace_back(shape, elementBytes, std::nullopt);
  bool isFirst = true;
  for (int64_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 1)
      continue;
    if (!isFirst)
      tiles.emplace_back(shape, elementBytes, dim);
    isFirst = false;
  }
  return tiles;
}

static Candidate makeCandidate(const OrderedTile &tile, Candidate::Form form,
                               const Twine &name, SharedLayout layout) {
  Candidate result;
  result.name = (tile.order + (tile.order.empty() ? "" : " ") + name).str();
  result.layout = std::move(layout);
  result.form = form;
  return result;
}

Candidate OrderedTile::asIs() const {
  Candidate result = makeCandidate(*this, Candidate::Form::AsIs, "", layout);
  result.name = order.empty() ? "as is" : order;
  return result;
}

Candidate OrderedTile::padded(int64_t interval, int64_t amount) const {
  std::string name = "pad:" + std::to_string(amount);
  if (interval != rowElements)
    name += " every " + std::to_string(interval);
  return makeCandidate(*this, Candidate::Form::Padded, name,
                       layout.withPadding(interval, amount));
}

//===----------------------------------------------------------------------===//
// Swizzles
//===----------------------------------------------------------------------===//

static uint64_t costOf(ArrayRef<AccessSubspaces> accesses,
                       const OffsetMatrix &matrix) {
  uint64_t total = 0;
  for (const AccessSubspaces &access : accesses)
    total = SaturatingAdd(total, access.cost(matrix).value_or(UINT64_MAX));
  return total;
}

namespace {
struct Swizzle {
  unsigned bits, base, shift;
};
} // namespace

/// Swizzle<bits, base, shift> for chunks (2^base elements) of 4 to 64 bytes
/// that move within lines of 128 bytes, all banks. The layouts that XOR the
/// chunk with the row, or with the row / k, are among them: `shift` says where
/// the bits of the row begin. A chunk of 16 bytes comes first, for it keeps
/// the widest accesses whole.
static std::optional<Swizzle>
bestTextbookSwizzle(const OrderedTile &tile, ArrayRef<AccessSubspaces> accesses,
                    uint64_t &tried) {
  OffsetMatrix plain(tile.layout);
  uint64_t least = costOf(accesses, plain);
  std::optional<Swizzle> best;
  for (unsigned chunkBytes : {16, 8, 4, 32, 64}) {
    if (chunkBytes < tile.elementBytes)
      continue;
    unsigned base = Log2_32(chunkBytes / tile.elementBytes);
    for (unsigned bits = 1; chunkBytes << bits <= bytesPerWavefront; ++bits)
      for (unsigned shift = bits; shift + base + bits <= plain.numBits();
           ++shift) {
        SmallVector<uint32_t, 24> rows = plain.rows;
        for (unsigned to = base; to < base + bits; ++to)
          rows[to] ^= plain.rows[to + shift];
        ++tried;
        uint64_t cost = costOf(accesses, OffsetMatrix(rows));
        if (cost >= least)
          continue;
        least = cost;
        best = Swizzle{bits, base, shift};
      }
  }
  return best;
}

std::vector<Candidate>
tilewright::bestTextbookSwizzles(ArrayRef<OrderedTile> tiles,
                                 ArrayRef<AccessSubspaces> accesses,
                                 uint64_t &tried) {
  std::vector<Candidate> candidates;
  for (const OrderedTile &tile : tiles)
    if (std::optional<Swizzle> best =
            bestTextbookSwizzle(tile, accesses, tried)) {
      auto [bits, base, shift] = *best;
      candidates.push_back(
          makeCandidate(tile, Candidate::Form::Swizzled,
                        "swizzle<" + Twine(bits) + "," + Twine(base) + "," +
                            Twine(shift) + ">",
                        tile.layout.withSwizzle(bits, base, shift)));
    }
  return candidates;
}

std::vector<Candidate>
tilewright::hardwareCandidates(ArrayRef<int64_t> shape, unsigned elementBytes,
                               std::optional<unsigned> rowDim,
                               std::optional<int64_t> rowBytes) {
  std::vector<Candidate> candidates;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (rowDim && *rowDim != dim)
      continue;
    for (const HardwareSwizzle &mode : HardwareSwizzle::all()) {
      if (rowBytes && *rowBytes != mode.rowBytes)
        continue;
      Expected<SharedLayout> layout =
          hardwareLayout(shape, elementBytes, dim, mode);
      if (!layout) {
        consumeError(layout.takeError());
        continue;
      }
      Candidate &candidate = candidates.emplace_back();
      candidate.name = mode.name.str();
      if (dim + 1 != shape.size())
        candidate.name += " along dimension " + std::to_string(dim);
      candidate.layout = std::move(*layout);
      candidate.form = Candidate::Form::Swizzled;
    }
  }
  return candidates;
}

//===----------------------------------------------------------------------===//
// Paddings
//===----------------------------------------------------------------------===//

static SmallVector<int64_t, 8> commonAmounts(unsigned elementBytes) {
  SmallVector<int64_t, 8> amounts = {1};
  for (int64_t bytes : {4, 8, 16, 32, 64})
    if (bytes > amounts.back() * elementBytes)
      amounts.push_back(bytes / elementBytes);
  return amounts;
}

std::vector<Candidate> tilewright::commonPaddings(ArrayRef<OrderedTile> tiles) {
  std::vector<Candidate> candidates;
  for (const OrderedTile &tile : tiles)
    if (tile.rowElements != tile.layout.numElements())
      for (int64_t amount : commonAmounts(tile.elementBytes))
        candidates.push_back(tile.padded(tile.rowElements, amount));
  return candidates;
}

std::vector<Candidate> tilewright::furtherPaddings(const OrderedTile &tile) {
  std::vector<Candidate> candidates;
  int64_t lineElements = bytesPerWavefront / tile.elementBytes;
  int64_t elements = tile.layout.numElements();
  SmallVector<int64_t, 8> common = commonAmounts(tile.elementBytes);
  for (int64_t amount = 1; amount <= lineElements; ++amount)
    if (tile.rowElements < elements && !is_contained(common, amount))
      candidates.push_back(tile.padded(tile.rowElements, amount));
  if (tile.rowElements < lineElements && lineElements < elements)
    for (int64_t amount = 1; amount <= lineElements; ++amount)
      candidates.push_back(tile.padded(lineElements, amount));
  return candidates;
}
