//===- WordsOfRows.cpp - Elements that threads have as words --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/WordsOfRows.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace tilewright;

/// Elements of a piece that a thread has at most: it has a bit for each.
static constexpr int64_t kMostElements = 32;

/// The point `distance` along a dimension.
static LinearLayout::Point along(unsigned rank, unsigned dim,
                                 int64_t distance) {
  LinearLayout::Point point(rank, 0);
  point[dim] = static_cast<int32_t>(distance);
  return point;
}

namespace {
/// Takes bits of the register's number that go along the row.
class RegisterBits {
public:
  RegisterBits(const LinearLayout &layout, unsigned dim)
      : bases(layout.bases("register")), dim(dim), left(bases.size(), true) {}

  /// The numbers of registers from which elements are multiples of `step`
  /// apart, up to `count` of them.
  SmallVector<unsigned> takeRun(int64_t step, int64_t count) {
    SmallVector<unsigned> run = {0};
    for (; static_cast<int64_t>(run.size()) < count; step *= 2) {
      std::optional<unsigned> bit = take(step);
      if (!bit)
        break;
      for (unsigned each : SmallVector<unsigned>(run))
        run.push_back(each | 1u << *bit);
    }
    return run;
  }

  /// All numbers of the bits that are left, less those that hold copies.
  SmallVector<unsigned> takeOthers() {
    SmallVector<unsigned> others = {0};
    for (auto [bit, basis] : enumerate(bases))
      if (left[bit] && any_of(basis, [](int32_t part) { return part != 0; }))
        for (unsigned each : SmallVector<unsigned>(others))
          others.push_back(each | 1u << bit);
    return others;
  }

private:
  std::optional<unsigned> take(int64_t step) {
    for (auto [bit, basis] : enumerate(bases))
      if (left[bit] && basis == along(basis.size(), dim, step)) {
        left[bit] = false;
        return static_cast<unsigned>(bit);
      }
    return std::nullopt;
  }

  ArrayRef<LinearLayout::Point> bases;
  unsigned dim;
  SmallVector<bool> left;
};
} // namespace

std::optional<WordsOfRows> WordsOfRows::find(const LinearLayout &layout,
                                             unsigned elementBytes,
                                             unsigned dim) {
  int64_t perWord = bytesPerWord / elementBytes;
  ArrayRef<LinearLayout::Point> lanes = layout.bases("lane");
  if (perWord < 2 || int64_t(1) << lanes.size() != lanesPerWarp)
    return std::nullopt;
  for (auto [bit, basis] : enumerate(lanes))
    if (basis != along(layout.rank(), dim, perWord << bit))
      return std::nullopt;
  RegisterBits bits(layout, dim);
  SmallVector<unsigned> inWord = bits.takeRun(1, perWord);
  SmallVector<unsigned> words =
      bits.takeRun(perWord * lanesPerWarp, kMostElements / perWord);
  if (static_cast<int64_t>(inWord.size()) != perWord || words.size() < 2)
    return std::nullopt;
  WordsOfRows found;
  for (unsigned first : bits.takeOthers()) {
    Piece &piece = found.pieces.emplace_back();
    for (unsigned word : words)
      piece.push_back(map_to_vector<4>(
          inWord, [&](unsigned element) { return first | word | element; }));
  }
  return found;
}
