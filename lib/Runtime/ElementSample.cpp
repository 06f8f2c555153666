//===- ElementSample.cpp - Which elements of a large output to check ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/OutputCheck.h"
#include "tilewright/Runtime/RandomFill.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

/// Elements that follow one another, up to `end`, which is not one of them.
struct Span {
  uint64_t begin;
  uint64_t end;
};

/// The edges of the box of all indices: along one axis, every other index at
/// its first or last value. The two ends of an edge are corners.
class Edges {
public:
  explicit Edges(llvm::ArrayRef<int64_t> extents)
      : extents(extents), strides(extents.size(), 1) {
    for (size_t axis = extents.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * extents[axis];
  }

  /// Edges along an axis; some coincide where extents are 1.
  uint64_t getCountPerAxis() const {
    return uint64_t(1) << (extents.size() - 1);
  }

  /// Adds about \p limit elements of the edge, evenly, with both ends.
  void append(unsigned axis, uint64_t edge, uint64_t limit,
              std::vector<Span> &spans) const {
    uint64_t base = 0;
    for (unsigned other = 0; other < extents.size(); ++other) {
      if (other == axis)
        continue;
      base += (edge & 1) * (extents[other] - 1) * strides[other];
      edge >>= 1;
    }
    uint64_t last = extents[axis] - 1;
    uint64_t step = std::max<uint64_t>(1, last / std::max<uint64_t>(limit, 1));
    for (uint64_t i = 0; i < last; i += step)
      spans.push_back(single(base + i * strides[axis]));
    spans.push_back(single(base + last * strides[axis]));
  }

  static Span single(uint64_t element) { return {element, element + 1}; }

private:
  llvm::ArrayRef<int64_t> extents;
  llvm::SmallVector<uint64_t> strides;
};

} // namespace

/// All elements of the spans, ascending and each once.
static std::vector<uint64_t> listElements(std::vector<Span> spans) {
  // A sample has hundreds of millions of elements: sorting its spans takes a
  // tenth of the time.
  llvm::parallelSort(
      spans, [](const Span &a, const Span &b) { return a.begin < b.begin; });
  uint64_t most = 0;
  for (const Span &span : spans)
    most += span.end - span.begin;
  std::vector<uint64_t> elements;
  elements.reserve(most);
  uint64_t next = 0;
  for (const Span &span : spans)
    for (next = std::max(next, span.begin); next < span.end; ++next)
      elements.push_back(next);
  return elements;
}

std::vector<uint64_t> runtime::sampleElements(llvm::ArrayRef<int64_t> extents,
                                              uint64_t limit, uint64_t seed) {
  uint64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  if (count == 0)
    return {};
  std::vector<Span> spans = {Edges::single(0), Edges::single(count - 1)};

  // Elements of an edge are alone in their rows, so they are dear.
  constexpr unsigned edgeShare = 16;
  // Tensors of more axes than this have too many edges to be worth it.
  constexpr unsigned maxRank = 8;
  if (!extents.empty() && extents.size() <= maxRank) {
    Edges edges(extents);
    uint64_t edgeCount = edges.getCountPerAxis() * extents.size();
    for (unsigned axis = 0; axis < extents.size(); ++axis)
      for (uint64_t edge = 0; edge < edges.getCountPerAxis(); ++edge)
        edges.append(axis, edge, limit / edgeShare / edgeCount, spans);
  }
  uint64_t drawn = spans.size();
  for (uint64_t run = 0; drawn < limit; ++run) {
    uint64_t begin = getRandomBits(seed, run) % count;
    uint64_t end = std::min(begin + sampleRunLength, count);
    spans.push_back({begin, end});
    drawn += end - begin;
  }
  return listElements(std::move(spans));
}
