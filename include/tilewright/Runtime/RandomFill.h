//===- RandomFill.h - Reproducible random tensors ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element depends on the seed and its own position only, so tensors of any
// size are filled by all cores at once and are the same on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_RANDOMFILL_H
#define TILEWRIGHT_RUNTIME_RANDOMFILL_H

#include "tilewright/Spec/TensorShape.h"

namespace tilewright::runtime {

/// The \p index-th output of the generator splitmix64 with state \p seed
/// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
inline uint64_t getRandomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

struct RandomFill {
  uint64_t seed = 0;
  /// Make about one float in 256 a NaN, an infinity, a zero of either sign or a
  /// denormal.
  bool hasSpecials = false;
  /// Nothing: all integers, and floats around 0. Otherwise all are in the
  /// range, the specials too.
  std::optional<spec::ElementRange> range = std::nullopt;
};

/// Fills \p count elements at \p data. Integers take all values of their type,
/// or of the range, alike. Floats are spread evenly over the range; without one
/// they are bell-shaped around 0 with variance 1 (the sum of four uniform
/// numbers) and at most 2 * sqrt(3) in size.
void fillRandom(spec::ElementType type, void *data, uint64_t count,
                const RandomFill &fill);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_RANDOMFILL_H
