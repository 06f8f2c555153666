//===- Overlap.cpp - Tensors of a launch that share memory ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Overlap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {
/// A tensor as blocks of bytes without gaps, whose distances from the first are
/// multiples of a step.
struct Blocks {
  explicit Blocks(const TensorView &tensor);
  uint64_t begin, bytes, step = 0;
};
} // namespace

Blocks::Blocks(const TensorView &tensor)
    : begin(tensor.getSpan().begin), bytes(spec::getByteSize(tensor.type)) {
  if (tensor.strides.empty()) {
    bytes *= tensor.getElementCount();
    return;
  }
  // From the smallest stride on, as long as blocks touch.
  llvm::SmallVector<std::pair<uint64_t, int64_t>, 4> axes;
  for (auto [stride, extent] : llvm::zip_equal(tensor.strides, tensor.extents))
    if (extent > 1)
      axes.emplace_back(std::abs(stride) * spec::getByteSize(tensor.type),
                        extent);
  llvm::sort(axes);
  for (auto [stride, extent] : axes) {
    if (step == 0 && stride <= bytes)
      bytes += stride * (extent - 1);
    else
      step = std::gcd(step, stride);
  }
}

static bool areApart(const TensorView::Span &a, const TensorView::Span &b) {
  // An empty one has no bytes, wherever it is.
  return a.begin == a.end || b.begin == b.end || a.end <= b.begin ||
         b.end <= a.begin;
}

bool runtime::mayOverlap(const TensorView &a, const TensorView &b) {
  if (areApart(a.getSpan(), b.getSpan()))
    return false;
  Blocks blocksA(a), blocksB(b);
  uint64_t step = std::gcd(blocksA.step, blocksB.step);
  if (step == 0)
    return true;
  // All blocks of both, seen from the beginning of one of a's.
  uint64_t distance = (blocksB.begin - blocksA.begin) % step;
  if (blocksB.begin < blocksA.begin)
    distance = (step - (blocksA.begin - blocksB.begin) % step) % step;
  return distance < blocksA.bytes || distance + blocksB.bytes > step;
}

static llvm::Error makeOverlapError(const spec::Argument &a,
                                    const spec::Argument &b) {
  auto choose = [&](bool isA, bool isB) {
    return isA && isB ? std::string("both") : "'" + (isA ? a : b).name + "'";
  };
  return llvm::createStringError(
      llvm::formatv(
          "'{0}' and '{1}' share memory, and the kernel writes {2}, while its "
          "code relies on it that they do not: pass a copy, or write "
          "tile.may_overlap at {3} in the kernel",
          a.name, b.name, choose(a.isWritten, b.isWritten),
          choose(a.isDisjoint, b.isDisjoint))
          .str());
}

llvm::Expected<Overlap>
runtime::compareTensors(llvm::ArrayRef<spec::Argument> arguments,
                        llvm::ArrayRef<TensorArgument> tensors) {
  Overlap overlap(static_cast<size_t>(llvm::count_if(
                      arguments, [](const spec::Argument &argument) {
                        return argument.isPointer();
                      })) == tensors.size());
  llvm::SmallVector<TensorView::Span, 12> spans;
  for (const TensorArgument &each : tensors)
    spans.push_back(each.tensor->getSpan());
  for (size_t i = 1; i < tensors.size(); ++i) {
    const spec::Argument &a = arguments[tensors[i].argument];
    for (size_t j = 0; j < i; ++j) {
      // Most are told apart by where they begin and end.
      if (LLVM_LIKELY(areApart(spans[i], spans[j])))
        continue;
      const spec::Argument &b = arguments[tensors[j].argument];
      if (!a.isWritten && !b.isWritten)
        continue;
      if (!mayOverlap(*tensors[i].tensor, *tensors[j].tensor)) {
        overlap.areInterleaved = true;
        continue;
      }
      if (a.isDisjoint || b.isDisjoint)
        return makeOverlapError(b, a);
      overlap.areDisjoint = false;
    }
  }
  overlap.areShort = overlap.areDisjoint &&
                     llvm::all_of(spans, [](const TensorView::Span &span) {
                       return span.end - span.begin < uint64_t(1) << 31;
                     });
  return overlap;
}

bool runtime::dependsOnOverlap(llvm::ArrayRef<spec::Argument> arguments) {
  unsigned open = 0;
  bool isWritten = false;
  for (const spec::Argument &argument : arguments) {
    if (!argument.isPointer() || argument.isDisjoint)
      continue;
    ++open;
    isWritten |= argument.isWritten;
  }
  return open > 1 && isWritten;
}
