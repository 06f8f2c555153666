//===- RandomFill.cpp - Reproducible random tensors -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/RandomFill.h"
#include "tilewright/Spec/ElementCodec.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

/// Four 16-bit numbers, added, centred and scaled. Each has the variance
/// 2^32 / 12.
static double getBellShaped(uint64_t bits) {
  int64_t sum = 0;
  for (unsigned part = 0; part < 4; ++part)
    sum += bits >> (16 * part) & 0xffff;
  double centred = static_cast<double>(sum - int64_t(2) * 65535);
  return centred * (1.7320508075688772 / 65536);
}

/// A number from 0 to 1, the latter excluded.
static double getUniform(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

static int64_t drawInteger(uint64_t bits, const spec::ElementRange &range) {
  uint64_t count = uint64_t(range.high) - uint64_t(range.low) + 1;
  // All 2^64 numbers are counted as 0.
  uint64_t offset = count == 0 ? bits : bits % count;
  return static_cast<int64_t>(uint64_t(range.low) + offset);
}

/// The difference of the ends may be too large for a number.
static double drawReal(uint64_t bits, const spec::ElementRange &range) {
  double share = getUniform(bits);
  double value = range.realLow * (1 - share) + range.realHigh * share;
  return std::clamp(value, range.realLow, range.realHigh);
}

/// The bits of the special numbers of a float type.
static llvm::SmallVector<uint64_t, 8>
getSpecials(ElementType type, const std::optional<spec::ElementRange> &range) {
  llvm::SmallVector<uint64_t, 8> specials;
  for (double value : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL,
                       -HUGE_VAL, 0.0, -0.0, spec::getSmallestDenormal(type),
                       -spec::getSmallestDenormal(type)})
    if (!range || (range->realLow <= value && value <= range->realHigh))
      specials.push_back(spec::encodeReal(type, value));
  return specials;
}

void runtime::fillRandom(ElementType type, void *data, uint64_t count,
                         const RandomFill &fill) {
  constexpr uint64_t chunk = 1 << 16;
  llvm::SmallVector<uint64_t, 8> specials;
  if (fill.hasSpecials && spec::isReal(type))
    specials = getSpecials(type, fill.range);
  uint64_t specialSeed = getRandomBits(fill.seed, ~uint64_t(0));

  auto fillChunk = [&](uint64_t begin) {
    uint64_t end = std::min(begin + chunk, count);
    spec::dispatchElementType(type, [&](auto codec) {
      using Codec = decltype(codec);
      for (uint64_t i = begin; i < end; ++i) {
        uint64_t bits = getRandomBits(fill.seed, i);
        if constexpr (Codec::isInteger)
          Codec::store(data, i,
                       Codec::encode(fill.range ? drawInteger(bits, *fill.range)
                                     : type == ElementType::I1
                                         ? static_cast<int64_t>(bits & 1)
                                         : static_cast<int64_t>(bits)));
        else
          Codec::store(data, i,
                       Codec::encode(fill.range ? drawReal(bits, *fill.range)
                                                : getBellShaped(bits)));
      }
    });
    if (specials.empty())
      return;
    unsigned byteSize = spec::getByteSize(type);
    for (uint64_t i = begin; i < end; ++i) {
      uint64_t bits = getRandomBits(specialSeed, i);
      if (bits % 256 == 0)
        spec::writeElement(type, static_cast<char *>(data) + i * byteSize,
                           specials[(bits >> 8) % specials.size()]);
    }
  };
  llvm::parallelFor(0, llvm::divideCeil(count, chunk),
                    [&](size_t index) { fillChunk(index * chunk); });
}
