//===- Comparison.cpp - Where two results differ --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;
using spec::ElementType;

/// Wrong elements that are kept of a buffer.
static constexpr size_t maxDifferences = 8;

/// Numbers of a type in their order, as integers: neighbours are 1 apart, and
/// so are the zeros.
static double getRank(ElementType type, uint64_t bits) {
  if (spec::isInteger(type))
    return static_cast<double>(spec::decodeInteger(type, bits));
  uint64_t sign = uint64_t(1) << (8 * spec::getByteSize(type) - 1);
  auto magnitude = static_cast<double>(bits & (sign - 1));
  return bits & sign ? -magnitude - 1 : magnitude;
}

static double getValue(ElementType type, uint64_t bits) {
  return spec::isInteger(type)
             ? static_cast<double>(spec::decodeInteger(type, bits))
             : spec::decodeReal(type, bits);
}

/// How far apart two elements of different bits are, as \p kind measures it.
static double getDistance(Tolerance::Kind kind, ElementType type,
                          uint64_t first, uint64_t second) {
  if (kind == Tolerance::Kind::Bits)
    return INFINITY;
  bool isFirstNaN = spec::isNaN(type, first);
  if (isFirstNaN || spec::isNaN(type, second))
    return isFirstNaN && spec::isNaN(type, second) ? 0 : INFINITY;
  if (kind == Tolerance::Kind::Ulp)
    return std::abs(getRank(type, first) - getRank(type, second));
  double a = getValue(type, first);
  double b = getValue(type, second);
  if (a == b)
    return 0;
  double difference = std::abs(a - b);
  if (kind == Tolerance::Kind::Absolute || std::isinf(difference))
    return difference;
  return difference / std::max(std::abs(a), std::abs(b));
}

static BufferComparison compareBuffer(const TestArgument &argument,
                                      const std::vector<char> &first,
                                      const std::vector<char> &second) {
  BufferComparison result;
  result.name = argument.declared.name;
  result.type = argument.declared.type;
  result.elements = argument.count;
  const Tolerance &tolerance = argument.tolerance;
  unsigned byteSize = spec::getByteSize(argument.declared.type);
  for (uint64_t i = 0; i < argument.count; ++i) {
    uint64_t a =
        spec::readElement(argument.declared.type, &first[i * byteSize]);
    uint64_t b =
        spec::readElement(argument.declared.type, &second[i * byteSize]);
    if (a == b)
      continue;
    ++result.unequal;
    double distance = getDistance(tolerance.kind, argument.declared.type, a, b);
    if (tolerance.kind != Tolerance::Kind::Bits)
      result.largestDistance = std::max(result.largestDistance, distance);
    if (distance <= tolerance.limit)
      continue;
    if (result.wrong++ < maxDifferences)
      result.differences.push_back({i, a, b});
  }
  return result;
}

std::vector<BufferComparison> diff::compare(const KernelTest &test,
                                            const BufferBytes &first,
                                            const BufferBytes &second) {
  std::vector<BufferComparison> results;
  for (auto [argument, a, b] : zip(test.arguments, first, second))
    if (argument.declared.isPointer())
      results.push_back(compareBuffer(argument, a, b));
  return results;
}

std::string diff::formatBits(ElementType type, uint64_t bits) {
  return "0x" + utohexstr(bits, /*LowerCase=*/true,
                          /*Width=*/2 * spec::getByteSize(type));
}

json::Object BufferComparison::toJSON() const {
  json::Array shown;
  for (const Difference &difference : differences)
    shown.push_back(
        json::Object{{"index", difference.index},
                     {"first", formatBits(type, difference.first)},
                     {"second", formatBits(type, difference.second)}});
  json::Object object{
      {"name", name},         {"type", spec::getName(type)},
      {"elements", elements}, {"unequal", unequal},
      {"wrong", wrong},       {"differences", std::move(shown)}};
  // JSON has no infinity.
  if (std::isfinite(largestDistance))
    object["largest_distance"] = largestDistance;
  return object;
}
