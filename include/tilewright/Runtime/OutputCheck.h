//===- OutputCheck.h - Compares an output with its reference ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is compared where the reference is cheap enough; else all
// corners, elements of the edges, and short runs of neighbours at random places
// (neighbours share the cost of the reference). The report always says how
// many.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_OUTPUTCHECK_H
#define TILEWRIGHT_RUNTIME_OUTPUTCHECK_H

#include "tilewright/Spec/ReferenceProgram.h"
#include "tilewright/Spec/Tolerance.h"
#include <string>
#include <vector>

namespace tilewright::runtime {

/// An element that is not what it should be.
struct Mismatch {
  /// Row-major position, and the same as an index for each axis.
  uint64_t element;
  llvm::SmallVector<int64_t> index;
  /// The numbers as text, and the bits that were found.
  std::string expected;
  std::string got;
  uint64_t gotBits;
  /// |got - expected| and what it may be.
  double error;
  double bound;
};

struct OutputReport {
  std::string name;
  uint64_t elements = 0;
  /// How many of the elements were compared.
  uint64_t checked = 0;
  /// How many of those are wrong, and still hold the bytes from before the
  /// launch.
  uint64_t wrong = 0;
  uint64_t unwritten = 0;
  /// Right elements that could also be unwritten ones: what they hold is what
  /// was there before the launch.
  uint64_t ambiguous = 0;
  /// Elements for which the reference has no defined value.
  uint64_t undefined = 0;
  /// The first wrong ones.
  std::vector<Mismatch> mismatches;
  /// The largest error of a right element, and the largest as a share of what
  /// it may be.
  double maxError = 0;
  double maxErrorShare = 0;
  /// The largest error of a wrong element, the same as a share, and the largest
  /// finite number that the output should have.
  double maxWrongError = 0;
  double maxWrongShare = 0;
  double maxExpected = 0;

  bool isRight() const { return wrong == 0; }
  /// Whether wrong elements are no further off than a type of few bits rounds.
  bool mayBeRounded() const;
};

struct CheckOptions {
  spec::Tolerance tolerance;
  /// Operations of the reference that may be spent on one output; 0: two
  /// thousand million for each core, which is seconds.
  double workLimit = 0;
  unsigned maxMismatches = 8;
  /// Chooses the sample.
  uint64_t seed = 0;
};

/// Compares \p output with the reference. \p tensors: as the evaluator takes
/// them. \p poison: the byte that filled the output before the launch; nothing
/// if the output had contents.
OutputReport checkOutput(const spec::ReferenceProgram &program,
                         llvm::ArrayRef<const void *> tensors,
                         const void *output, std::optional<uint8_t> poison,
                         const CheckOptions &options);

/// The neighbours that a random sample takes together.
inline constexpr unsigned sampleRunLength = 32;

/// About \p limit positions of a tensor at the most, ascending and distinct,
/// with all its corners (so never fewer than those).
std::vector<uint64_t> sampleElements(llvm::ArrayRef<int64_t> extents,
                                     uint64_t limit, uint64_t seed);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_OUTPUTCHECK_H
