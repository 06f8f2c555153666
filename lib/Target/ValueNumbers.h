//===- ValueNumbers.h - Which values are the same ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives values numbers. Two with one number are the same where both are
// computed: integers are sums of other numbers, whatever the order in which
// they were added, and all else what is computed of the same by the same op.
//
//      %a = add %x, 3        %b = add (add %x, 5), -2      one number
//
// Sums wrap around as those of the instructions do. Places are pointers as a
// base and a sum of bytes, a constant of which is known apart:
//
//      gep i16, %p, (sext (%x + 9))      x is a multiple of 8
//                                        base: p + 2 * sext(x + 8), offset: 2
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_VALUENUMBERS_H
#define TILEWRIGHT_LIB_TARGET_VALUENUMBERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <vector>

namespace tilewright {

/// A sum of numbers, each times a factor, and a constant, in `bits`.
struct NumberSum {
  unsigned bits = 0;
  uint64_t constant = 0;
  std::map<unsigned, uint64_t> factors;

  void add(const NumberSum &other, uint64_t times = 1);
  /// As an integer with a sign.
  int64_t getOffset() const;
};

/// A pointer: what it has in common with others, and bytes behind that.
struct NumberedPlace {
  unsigned base = 0;
  int64_t offset = 0;
};

class ValueNumbers {
public:
  explicit ValueNumbers(const llvm::DataLayout &layout) : layout(layout) {}

  unsigned get(llvm::Value *value);
  NumberSum getSum(llvm::Value *value);
  NumberedPlace getPlace(llvm::Value *pointer);

  /// How many of the lowest bits of a sum without its constant are zero.
  unsigned countZeros(const NumberSum &sum) const;

private:
  using Key = std::vector<uint64_t>;
  unsigned intern(const Key &key);
  unsigned getOfSum(const NumberSum &sum);
  unsigned getOfOperation(llvm::Value *value);
  NumberSum computeSum(llvm::Value *value);
  NumberSum extend(llvm::CastInst &cast);
  NumberSum getLeaf(llvm::Value *value);

  const llvm::DataLayout &layout;
  llvm::DenseMap<llvm::Value *, unsigned> numbers;
  llvm::DenseMap<llvm::Value *, NumberSum> sums;
  std::map<Key, unsigned> known;
  /// Of numbers that are integers: how many of their lowest bits are zero.
  llvm::DenseMap<unsigned, unsigned> zeros;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_VALUENUMBERS_H
