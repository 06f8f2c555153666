//===- GlobalAccess.cpp - Cost of an access to global memory --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/GlobalAccess.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace tilewright;

/// The dimensions from the fastest to the slowest in memory.
static SmallVector<int64_t, 4> memoryOrder(unsigned rank,
                                           unsigned contiguousDim) {
  SmallVector<int64_t, 4> order = {contiguousDim};
  for (int64_t dim = rank; dim-- > 0;)
    if (dim != contiguousDim)
      order.push_back(dim);
  return order;
}

/// In what order the elements of a tile lie in global memory.
static SharedLayout layoutInMemory(const LinearLayout &registers,
                                   unsigned contiguousDim) {
  return SharedLayout::ordered(registers.shape(),
                               memoryOrder(registers.rank(), contiguousDim));
}

/// The access as one to a tile in shared memory of that order, but that no
/// vector leaves a row.
static SharedAccess asSharedAccess(const LinearLayout &registers,
                                   unsigned elementBytes,
                                   unsigned contiguousDim,
                                   unsigned vectorElements) {
  SharedAccess access;
  access.registers = registers;
  access.elementBytes = elementBytes;
  access.requiredVector =
      std::min<int64_t>(vectorElements, registers.shape()[contiguousDim]);
  access.maxBytes = std::max(access.maxBytes, vectorElements * elementBytes);
  return access;
}

SharedAccessPlan tilewright::planGlobalAccess(const LinearLayout &registers,
                                              unsigned elementBytes,
                                              unsigned contiguousDim,
                                              unsigned vectorElements,
                                              bool isStore) {
  SharedAccess access =
      asSharedAccess(registers, elementBytes, contiguousDim, vectorElements);
  access.kind = isStore ? SharedAccessKind::Store : SharedAccessKind::Load;
  return planSharedAccess(access, layoutInMemory(registers, contiguousDim));
}

GlobalAccessCost tilewright::costOfGlobalAccess(const LinearLayout &registers,
                                                unsigned elementBytes,
                                                unsigned contiguousDim,
                                                unsigned vectorElements) {
  assert(contiguousDim < registers.rank() && "no such dimension");
  int64_t row = registers.shape()[contiguousDim];
  SharedLayout tile = layoutInMemory(registers, contiguousDim);
  SharedAccessPlan plan = planSharedAccess(
      asSharedAccess(registers, elementBytes, contiguousDim, vectorElements),
      tile);
  int64_t instructions =
      int64_t(plan.instructions.size()) * registers.inputSize("warp");

  // What the lanes of an instruction touch, in pieces of so many elements.
  auto countTouched = [&](int64_t elements) {
    F2Span pieces;
    for (const LinearLayout::Point &basis : registers.bases("lane"))
      pieces.insert(tile.linearOffset(basis) / elements);
    return instructions << pieces.rank();
  };
  GlobalAccessCost cost;
  cost.instructions = instructions;
  int64_t sector = row == 1 ? 1 : bytesPerSector / elementBytes;
  cost.sectors = countTouched(sector);
  cost.lines = countTouched(std::min(row, bytesPerLine / elementBytes));
  cost.idealSectors = llvm::divideCeil(registers.numElements(), sector);
  return cost;
}

namespace {
/// Hands out what inner factors leave of each dimension.
class TileCover {
public:
  /// Begins with the vector of a thread. The number of warps is only checked.
  TileCover(ArrayRef<int64_t> shape, unsigned contiguousDim,
            unsigned vectorElements, [[maybe_unused]] unsigned numWarps)
      : remaining(shape) {
    assert(contiguousDim < shape.size() && "no such dimension");
    assert(isPowerOf2_32(vectorElements) && isPowerOf2_32(numWarps) &&
           "vectors and numbers of warps are powers of two");
    take("register", contiguousDim, vectorElements);
  }

  /// Covers up to `count` along one dimension, and returns what remains of
  /// `count`.
  int64_t take(StringRef input, unsigned dim, int64_t count) {
    int64_t taken = std::min(count, remaining[dim]);
    if (taken == 1)
      return count;
    remaining[dim] /= taken;
    LayoutFactor &factor = factors.emplace_back();
    factor.input = input.str();
    factor.extents.assign(remaining.size(), 1);
    factor.extents[dim] = taken;
    return count / taken;
  }

  int64_t take(StringRef input, ArrayRef<int64_t> dims, int64_t count) {
    for (int64_t dim : dims)
      count = take(input, static_cast<unsigned>(dim), count);
    return count;
  }

  /// Hands `count` lanes or warps to the dimensions. Those beyond what is left
  /// hold copies.
  void share(StringRef input, ArrayRef<int64_t> dims, int64_t count) {
    count = take(input, dims, count);
    if (count > 1)
      factors.push_back({input.str(), {}, count});
  }

  int64_t elementsLeft() const { return product_of(remaining); }
  int64_t left(unsigned dim) const { return remaining[dim]; }

  /// A layout in which threads hold all that is left, in this order.
  LinearLayout layout(ArrayRef<int64_t> dims) {
    take("register", dims, std::numeric_limits<int64_t>::max());
    return cantFail(layoutFromFactors(factors, remaining.size()));
  }

private:
  SmallVector<int64_t, 4> remaining;
  SmallVector<LayoutFactor> factors;
};
} // namespace

/// The other dimensions as they lie in memory, then the contiguous one.
static SmallVector<int64_t, 4> othersFirst(ArrayRef<int64_t> memoryOrder) {
  SmallVector<int64_t, 4> order(memoryOrder.drop_front());
  order.push_back(memoryOrder.front());
  return order;
}

LinearLayout tilewright::coalescedRows(ArrayRef<int64_t> shape,
                                       unsigned contiguousDim,
                                       unsigned vectorElements,
                                       unsigned numWarps) {
  auto order = memoryOrder(shape.size(), contiguousDim);

  TileCover cover(shape, contiguousDim, vectorElements, numWarps);
  cover.share("lane", order, lanesPerWarp);
  int64_t perThread = std::max<int64_t>(1, cover.elementsLeft() / numWarps);
  cover.take("register", ArrayRef(order).drop_front(),
             std::min<int64_t>(vectorElements, perThread));
  cover.share("warp", othersFirst(order), numWarps);
  return cover.layout(order);
}

LinearLayout tilewright::coalescedBits(ArrayRef<int64_t> shape,
                                       ArrayRef<LinearLayout::Point> bits,
                                       unsigned numWarps) {
  std::vector<LinearLayout::Input> inputs;
  auto take = [&](StringRef name, size_t count) {
    std::vector<LinearLayout::Point> bases(
        bits.begin(), bits.begin() + std::min(count, bits.size()));
    bits = bits.drop_front(bases.size());
    bases.resize(count, LinearLayout::Point(shape.size(), 0));
    if (count > 0)
      inputs.push_back({name.str(), std::move(bases)});
  };
  size_t ofWarps = Log2_32(numWarps);
  take("lane", Log2_32(lanesPerWarp));
  take("register", bits.size() - std::min(ofWarps, bits.size()));
  take("warp", ofWarps);
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}

LinearLayout tilewright::spreadAcross(ArrayRef<int64_t> shape, unsigned axis,
                                      unsigned elementBytes,
                                      unsigned numWarps) {
  SmallVector<int64_t, 4> kept(shape);
  kept.erase(kept.begin() + axis);
  assert(!kept.empty() && "one element cannot be spread");
  int64_t elements = 1;
  for (int64_t extent : kept)
    elements *= extent;
  int64_t perThread = elements / (int64_t(lanesPerWarp) * numWarps);
  int64_t vector = std::clamp<int64_t>(
      perThread, 1, std::max<int64_t>(1, maxBytesPerLane / elementBytes));
  LinearLayout others = coalescedRows(kept, kept.size() - 1, vector, numWarps)
                            .insertUnitDim(axis);

  std::vector<LinearLayout::Input> inputs = others.inputs().vec();
  if (!others.hasInput("register"))
    inputs.insert(inputs.begin(), {"register", {}});
  LinearLayout::Input &registers = *find_if(
      inputs, [](const auto &input) { return input.name == "register"; });
  for (unsigned bit = 0; bit < Log2_64(shape[axis]); ++bit) {
    LinearLayout::Point point(shape.size(), 0);
    point[axis] = 1 << bit;
    registers.bases.insert(registers.bases.begin() + bit, point);
  }
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}

/// The lanes whose vectors fill so many bytes of a row.
static int64_t countLanesOf(int64_t bytes, unsigned elementBytes,
                            unsigned vectorElements) {
  return std::clamp<int64_t>(bytes / (int64_t(elementBytes) * vectorElements),
                             1, lanesPerWarp);
}

/// A warp accesses at most `bytes` of each row at a time.
static LinearLayout coalescedPieces(ArrayRef<int64_t> shape, int64_t bytes,
                                    unsigned elementBytes,
                                    unsigned contiguousDim,
                                    unsigned vectorElements,
                                    unsigned numWarps) {
  auto others = othersFirst(memoryOrder(shape.size(), contiguousDim));

  TileCover cover(shape, contiguousDim, vectorElements, numWarps);
  int64_t lanesOfPiece = countLanesOf(bytes, elementBytes, vectorElements);
  int64_t lanes = lanesPerWarp / lanesOfPiece *
                  cover.take("lane", contiguousDim, lanesOfPiece);
  cover.share("lane", others, lanes);
  cover.share("warp", others, numWarps);
  return cover.layout(others);
}

LinearLayout tilewright::coalescedLines(ArrayRef<int64_t> shape,
                                        unsigned elementBytes,
                                        unsigned contiguousDim,
                                        unsigned vectorElements,
                                        unsigned numWarps) {
  return coalescedPieces(shape, bytesPerLine, elementBytes, contiguousDim,
                         vectorElements, numWarps);
}

LinearLayout tilewright::coalescedAlong(ArrayRef<int64_t> shape, unsigned axis,
                                        unsigned contiguousDim,
                                        unsigned vectorElements,
                                        unsigned numWarps) {
  auto order = memoryOrder(shape.size(), contiguousDim);
  erase(order, axis);
  order.push_back(axis);

  TileCover cover(shape, contiguousDim, vectorElements, numWarps);
  int64_t threads = int64_t(lanesPerWarp) * numWarps;
  cover.take("register", axis,
             std::max<int64_t>(1, cover.elementsLeft() / threads));
  cover.share("lane", order, lanesPerWarp);
  cover.share("warp", order, numWarps);
  return cover.layout(order);
}

LinearLayout tilewright::coalescedSectors(ArrayRef<int64_t> shape,
                                          unsigned elementBytes,
                                          unsigned contiguousDim,
                                          unsigned numWarps) {
  return coalescedPieces(shape, bytesPerSector, elementBytes, contiguousDim,
                         /*vectorElements=*/1, numWarps);
}

LinearLayout tilewright::coalescedInWarps(ArrayRef<int64_t> shape,
                                          unsigned elementBytes,
                                          unsigned contiguousDim,
                                          unsigned vectorElements,
                                          unsigned numWarps) {
  int64_t rows = product_of(shape) / shape[contiguousDim];
  int64_t lanesOfRows = std::clamp<int64_t>(
      rows / numWarps, 1,
      lanesPerWarp / countLanesOf(bytesPerLine, elementBytes, vectorElements));
  return sharedByLanes(shape, contiguousDim, lanesPerWarp / lanesOfRows,
                       vectorElements, numWarps);
}

LinearLayout tilewright::sharedByLanes(ArrayRef<int64_t> shape,
                                       unsigned contiguousDim, int64_t lanes,
                                       unsigned vectorElements,
                                       unsigned numWarps, bool apart) {
  auto order = memoryOrder(shape.size(), contiguousDim);
  auto others = ArrayRef(order).drop_front();

  TileCover cover(shape, contiguousDim, vectorElements, numWarps);
  int64_t lanesOfRows =
      lanesPerWarp / lanes * cover.take("lane", contiguousDim, lanes);
  auto takeRows = [&](int64_t ofOthers) {
    if (shape.size() > 1)
      cover.take("register", 0,
                 std::max<int64_t>(1, cover.left(0) / numWarps / ofOthers));
  };
  if (apart)
    takeRows(lanesOfRows);
  cover.share("lane", others, lanesOfRows);
  takeRows(/*ofOthers=*/1);
  SmallVector<int64_t> ofWarps(reverse(others));
  // Rows of one element are side by side, and warps have none of another
  // dimension.
  if (contiguousDim == 0 && shape.size() > 1)
    ofWarps.push_back(contiguousDim);
  cover.share("warp", ofWarps, numWarps);
  return cover.layout(order);
}

LinearLayout tilewright::piecesOfWarps(ArrayRef<int64_t> shape,
                                       unsigned contiguousDim,
                                       unsigned vectorElements,
                                       unsigned numWarps) {
  auto order = memoryOrder(shape.size(), contiguousDim);

  TileCover cover(shape, contiguousDim, vectorElements, numWarps);
  cover.share("lane", order, lanesPerWarp);
  cover.take("register", contiguousDim,
             std::max<int64_t>(1, cover.elementsLeft() / numWarps));
  cover.share("warp", othersFirst(order), numWarps);
  return cover.layout(order);
}

LinearLayout tilewright::numbersOfWarps(int64_t count, unsigned numWarps) {
  TileCover cover({count}, 0, /*vectorElements=*/1, numWarps);
  int64_t ofWarp = std::clamp<int64_t>(count / numWarps, 1, lanesPerWarp);
  int64_t copies = lanesPerWarp / ofWarp * cover.take("lane", 0, ofWarp);
  cover.share("lane", {}, copies);
  cover.take("register", 0, std::max<int64_t>(1, cover.left(0) / numWarps));
  cover.share("warp", 0, numWarps);
  return cover.layout(0);
}
