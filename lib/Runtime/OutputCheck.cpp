//===- OutputCheck.cpp - Compares an output with its reference ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/OutputCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;
using spec::ReferenceValue;

bool OutputReport::mayBeRounded() const {
  return !isRight() && unwritten == 0 && maxWrongError <= maxExpected / 64;
}

namespace {

/// The elements to compare: all, or a list.
class ElementSet {
public:
  ElementSet(uint64_t count, std::optional<std::vector<uint64_t>> sample)
      : count(sample ? sample->size() : count), sample(std::move(sample)) {}

  uint64_t size() const { return count; }
  /// Writes the positions of the elements from \p begin on.
  void get(uint64_t begin, llvm::MutableArrayRef<uint64_t> elements) const {
    for (auto [offset, element] : llvm::enumerate(elements))
      element = sample ? (*sample)[begin + offset] : begin + offset;
  }

private:
  uint64_t count;
  std::optional<std::vector<uint64_t>> sample;
};

class Checker {
public:
  Checker(const spec::ReferenceProgram &program,
          llvm::ArrayRef<const void *> tensors, const void *output,
          std::optional<uint8_t> poison, const CheckOptions &options)
      : program(program), matcher(program, options.tolerance), tensors(tensors),
        output(static_cast<const char *>(output)),
        type(program.getOutputType()), byteSize(spec::getByteSize(type)),
        options(options) {
    if (poison)
      poisonBits = uint64_t(*poison) * (~uint64_t(0) / 255) &
                   llvm::maskTrailingOnes<uint64_t>(8 * byteSize);
  }

  OutputReport check();

private:
  ElementSet chooseElements() const;
  uint64_t chooseTaskCount(uint64_t elements) const;
  OutputReport checkRange(const ElementSet &elements, uint64_t begin,
                          uint64_t end) const;
  void checkElement(uint64_t element, const ReferenceValue &reference,
                    OutputReport &report) const;
  Mismatch describe(uint64_t element, uint64_t bits,
                    const ReferenceValue &reference) const;
  void merge(const OutputReport &part, OutputReport &report) const;

  const spec::ReferenceProgram &program;
  spec::Matcher matcher;
  llvm::ArrayRef<const void *> tensors;
  const char *output;
  ElementType type;
  unsigned byteSize;
  std::optional<uint64_t> poisonBits;
  const CheckOptions &options;
};

} // namespace

ElementSet Checker::chooseElements() const {
  uint64_t count = program.getElementCount();
  uint64_t rows = count / std::max<uint64_t>(program.getRowLength(), 1);
  double work = static_cast<double>(count) * program.getElementWork() +
                static_cast<double>(rows) * program.getRowWork();
  double limit =
      options.workLimit > 0
          ? options.workLimit
          : 2e9 * static_cast<double>(llvm::parallel::getThreadCount());
  if (count == 0 || work <= limit)
    return ElementSet(count, std::nullopt);
  double affordable = limit / (program.getElementWork() +
                               program.getRowWork() / sampleRunLength);
  uint64_t sampleSize = static_cast<uint64_t>(
      std::clamp<double>(affordable, 1, static_cast<double>(count)));
  return ElementSet(
      count, sampleElements(program.getExtents(), sampleSize, options.seed));
}

/// Several tasks a core even out their lengths, but each computes its first row
/// anew.
uint64_t Checker::chooseTaskCount(uint64_t elements) const {
  constexpr uint64_t minElements = 1024;
  uint64_t cores = llvm::parallel::getThreadCount();
  double work = static_cast<double>(elements) * program.getElementWork();
  bool rowsAreCheap =
      program.getRowWork() * static_cast<double>(8 * cores) < work / 8;
  return std::clamp<uint64_t>(elements / minElements, 1,
                              rowsAreCheap ? 8 * cores : cores);
}

Mismatch Checker::describe(uint64_t element, uint64_t bits,
                           const ReferenceValue &reference) const {
  Mismatch mismatch;
  mismatch.element = element;
  mismatch.gotBits = bits;
  mismatch.got = spec::formatElement(type, bits);
  mismatch.expected = spec::formatElement(type, matcher.encode(reference));
  mismatch.error = matcher.getError(bits, reference);
  mismatch.bound = matcher.getBound(reference);
  llvm::ArrayRef<int64_t> extents = program.getExtents();
  mismatch.index.resize(extents.size());
  uint64_t rest = element;
  for (size_t axis = extents.size(); axis-- > 0;) {
    mismatch.index[axis] = rest % extents[axis];
    rest /= extents[axis];
  }
  return mismatch;
}

void Checker::checkElement(uint64_t element, const ReferenceValue &reference,
                           OutputReport &report) const {
  uint64_t bits = spec::readElement(type, output + element * byteSize);
  bool isPoison = bits == poisonBits;
  if (std::isfinite(reference.real))
    report.maxExpected =
        std::max(report.maxExpected, std::fabs(reference.real));
  // Nearly always: there is nothing to measure.
  if (bits == matcher.encode(reference)) {
    report.ambiguous += isPoison;
    report.undefined += matcher.isUndefined(reference);
    return;
  }
  if (!matcher.matches(bits, reference)) {
    ++report.wrong;
    report.unwritten += isPoison;
    double error = matcher.getError(bits, reference);
    report.maxWrongError = std::max(report.maxWrongError, error);
    report.maxWrongShare =
        std::max(report.maxWrongShare, error / matcher.getBound(reference));
    if (report.mismatches.size() < options.maxMismatches)
      report.mismatches.push_back(describe(element, bits, reference));
    return;
  }
  report.ambiguous += isPoison;
  if (matcher.isUndefined(reference)) {
    ++report.undefined;
    return;
  }
  if (double error = matcher.getError(bits, reference); error > 0) {
    report.maxError = std::max(report.maxError, error);
    report.maxErrorShare =
        std::max(report.maxErrorShare, error / matcher.getBound(reference));
  }
}

OutputReport Checker::checkRange(const ElementSet &elements, uint64_t begin,
                                 uint64_t end) const {
  constexpr uint64_t batch = 1024;
  OutputReport report;
  spec::ReferenceEvaluator evaluator(program, tensors);
  std::vector<uint64_t> positions(batch);
  std::vector<ReferenceValue> values(batch);
  for (uint64_t at = begin; at < end; at += batch) {
    size_t size = std::min(batch, end - at);
    auto current = llvm::MutableArrayRef<uint64_t>(positions).take_front(size);
    elements.get(at, current);
    evaluator.evaluate(current, values);
    for (size_t i = 0; i < size; ++i)
      checkElement(current[i], values[i], report);
  }
  return report;
}

void Checker::merge(const OutputReport &part, OutputReport &report) const {
  report.wrong += part.wrong;
  report.unwritten += part.unwritten;
  report.ambiguous += part.ambiguous;
  report.undefined += part.undefined;
  report.maxError = std::max(report.maxError, part.maxError);
  report.maxErrorShare = std::max(report.maxErrorShare, part.maxErrorShare);
  report.maxWrongError = std::max(report.maxWrongError, part.maxWrongError);
  report.maxWrongShare = std::max(report.maxWrongShare, part.maxWrongShare);
  report.maxExpected = std::max(report.maxExpected, part.maxExpected);
  for (const Mismatch &mismatch : part.mismatches)
    if (report.mismatches.size() < options.maxMismatches)
      report.mismatches.push_back(mismatch);
}

OutputReport Checker::check() {
  ElementSet elements = chooseElements();
  uint64_t count = elements.size();
  uint64_t tasks = chooseTaskCount(count);
  std::vector<OutputReport> parts(tasks);
  // Split so that no product of two large numbers is needed.
  uint64_t perTask = count / tasks;
  uint64_t longer = count % tasks;
  auto getBegin = [&](uint64_t task) {
    return task * perTask + std::min(task, longer);
  };
  llvm::parallelFor(0, tasks, [&](size_t task) {
    parts[task] = checkRange(elements, getBegin(task), getBegin(task + 1));
  });

  OutputReport report;
  report.elements = program.getElementCount();
  report.checked = count;
  for (const OutputReport &part : parts)
    merge(part, report);
  return report;
}

OutputReport runtime::checkOutput(const spec::ReferenceProgram &program,
                                  llvm::ArrayRef<const void *> tensors,
                                  const void *output,
                                  std::optional<uint8_t> poison,
                                  const CheckOptions &options) {
  return Checker(program, tensors, output, poison, options).check();
}
