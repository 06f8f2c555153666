//===- RowBuffer.cpp - Rows of memory that begin anywhere -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/RowBuffer.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace tilewright;

RowBuffer::RowBuffer(llvm::ArrayRef<int64_t> shape, unsigned rowDim,
                     unsigned elementBytes)
    : order({rowDim}), pitches(shape.size(), elementBytes), shape(shape),
      elementBytes(elementBytes) {
  for (size_t dim = shape.size(); dim-- > 0;)
    if (dim != rowDim)
      order.push_back(dim);
  constexpr int64_t most = pieceBytes - 1;
  // From the first byte of what is counted so far to its last one.
  int64_t span = shape[rowDim] * elementBytes;
  for (int64_t dim : llvm::drop_begin(order)) {
    bool isRun = hasShortRows() && dim == order[1];
    pitches[dim] = isRun ? span : llvm::alignTo(span + 2 * most, pieceBytes);
    span += (shape[dim] - 1) * (pitches[dim] + (isRun ? 0 : most));
  }
  bytes = llvm::alignTo(span + 2 * most, pieceBytes);
}

int64_t RowBuffer::countWays(unsigned dim, int64_t strideBytes) const {
  if (hasShortRows())
    return 1;
  int64_t distance = pitches[dim] + strideBytes % pieceBytes;
  int64_t words = distance / std::min<int64_t>(elementBytes, bytesPerWord);
  int64_t lanes =
      std::min<int64_t>(shape[dim] * elementBytes / bytesPerWord, lanesPerWarp);
  int64_t banks = numBanks / std::gcd<int64_t>(words, numBanks);
  return llvm::divideCeil(lanes, banks);
}

RowBuffer::Copies RowBuffer::countCopies(int64_t strideBytes) const {
  int64_t rowBytes = shape[order.front()] * elementBytes;
  int64_t numPieces = countPieces(rowBytes), numRows = 1;
  for (int64_t dim : llvm::drop_begin(order))
    numRows *= shape[dim];
  // Where a piece lies, less where the buffer begins; -1 if the row has none of
  // it.
  auto findPlace = [&](int64_t origin, int64_t number) -> int64_t {
    int64_t begin = origin, row = number / numPieces;
    for (int64_t dim : llvm::drop_begin(order)) {
      begin += row % shape[dim] * (pitches[dim] + strideBytes % pieceBytes);
      row /= shape[dim];
    }
    int64_t at = number % numPieces * pieceBytes - begin % pieceBytes;
    return at < rowBytes ? begin + at : -1;
  };
  int64_t all = numRows * numPieces, wavefronts = 0, fewest = 0;
  for (int64_t origin = 0; origin < pieceBytes; origin += elementBytes)
    for (int64_t first = 0; first < all; first += lanesPerWarp) {
      llvm::SmallVector<int64_t, lanesPerWarp> places;
      for (int64_t lane = first; lane < std::min(first + lanesPerWarp, all);
           ++lane)
        places.push_back(findPlace(origin, lane));
      wavefronts +=
          countWavefronts(SharedAccessKind::Store, pieceBytes, places);
      fewest += fewestWavefronts(SharedAccessKind::Store, pieceBytes, places);
    }
  int64_t numOrigins = pieceBytes / elementBytes;
  return {llvm::divideCeilSigned(all, int64_t(lanesPerWarp)),
          llvm::divideCeilSigned(wavefronts, numOrigins),
          llvm::divideCeilSigned(fewest, numOrigins)};
}

std::optional<SharedLayout>
RowBuffer::getLayout(llvm::ArrayRef<int64_t> ofTile) const {
  SharedLayout layout = SharedLayout::ordered(ofTile, order);
  int64_t rowElements = ofTile[order.front()];
  int64_t numRows = layout.numElements() / rowElements;
  int64_t missing =
      llvm::divideCeil(bytes, elementBytes) - layout.numElements();
  // One row has the room in its middle.
  if (numRows == 1)
    return rowElements == 1
               ? std::nullopt
               : std::optional(layout.withPadding(rowElements / 2, missing));
  return layout.withPadding(rowElements,
                            llvm::divideCeil(missing, numRows - 1));
}
