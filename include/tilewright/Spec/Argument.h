//===- Argument.h - A parameter of a kernel ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel takes is described once, here: the compiler makes the
// parameters of the code from it, a launch the bytes that stand in them, and
// programs read it as JSON. A launch of copy(A: f16*, n: i32):
//
//   Argument declared[] = {pointer("A", ElementType::F16, 16),
//                          scalar("n", ElementType::I32)};
//   ArgumentBlock values(declared);
//   values.set(0, address);
//   values.set(1, encodeInteger(ElementType::I32, 100));
//   values.getBytes()                       // 12: A at 0, n at 8
//
// A kind of its own is what has other bytes or is made in another way.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_ARGUMENT_H
#define TILEWRIGHT_SPEC_ARGUMENT_H

#include "tilewright/Spec/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <limits>

namespace tilewright::spec {

/// How a launch makes the bytes of a parameter.
enum class ArgumentKind : uint8_t {
  Scalar, ///< The bits of a number.
  Pointer ///< The address of a tensor.
};

/// A parameter of the kernel.
struct Argument {
  std::string name;
  /// The type of the scalar, or of the elements pointed to.
  ElementType type;
  ArgumentKind kind = ArgumentKind::Scalar;
  /// The compiled code relies on the value being a multiple of this: an integer
  /// scalar's value, or a pointer's address in bytes.
  unsigned divisibility = 1;
  /// The compiled code relies on it that no byte reached through this pointer
  /// is reached through another one too, where either of both is written.
  bool isDisjoint = false;
  /// Whether the kernel may write through this pointer.
  bool isWritten = true;
  /// Whether launches get code for what the value is a multiple of.
  bool isSpecialized = true;
  /// Whether the kernel divides by what is made of it. The multiple of
  /// everything that 0 is, such code may not take it for.
  bool isDivisor = false;
  /// Loops along rows count from 0 up to it by this step, and have other code
  /// where trips are few: launches of up to `maxTrips` trips get code for as
  /// many. 0: there are no such loops.
  unsigned loopStep = 0, maxTrips = 0;
  /// Columns of the tile that ends at it, whose masks are known in code for a
  /// part of what it can be. 0: there is no such tile.
  unsigned columns = 0;
  /// The loop of the kernel's products has a trip for each so many, and one for
  /// the rest: launches of few programs with many trips get code that divides
  /// them among blocks. 0: there is no such loop.
  unsigned productStep = 0;
  /// They are of f32 or f64, whole: few of them keep a multiprocessor busy, and
  /// launches of more programs are divided too, where all end together then.
  bool hasFullProducts = false;
  /// Rows of what that loop reads lie so many bytes times it apart: launches
  /// whose rows begin beside sectors get code in which neighbours copy
  /// together. 0: there are no such rows.
  unsigned rowBytes = 0;
  /// The compiled code relies on an integer being from `least` to `most`.
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();

  bool isPointer() const { return kind == ArgumentKind::Pointer; }
  /// Whether its value can be a multiple of something.
  bool hasDivisibility() const { return isPointer() || isInteger(type); }
  bool hasBounds() const {
    return least != std::numeric_limits<int64_t>::min() ||
           most != std::numeric_limits<int64_t>::max();
  }

  /// Bytes of the parameter, which stands at a multiple of its alignment.
  unsigned getByteSize() const;
  unsigned getAlignment() const { return getByteSize(); }
};

inline Argument pointer(llvm::StringRef name, ElementType type,
                        unsigned divisibility = 1) {
  return {name.str(), type, ArgumentKind::Pointer, divisibility};
}
inline Argument scalar(llvm::StringRef name, ElementType type,
                       unsigned divisibility = 1) {
  return {name.str(), type, ArgumentKind::Scalar, divisibility};
}

/// All of it, for programs.
llvm::json::Value toJSON(const Argument &argument);

/// The values of a launch's arguments as the kernel finds them: one block of
/// bytes. All are 0 at first.
class ArgumentBlock {
public:
  ArgumentBlock() = default;
  explicit ArgumentBlock(llvm::ArrayRef<Argument> arguments);

  /// Sets the bits of a scalar in its type, or the address of a pointer.
  void set(unsigned argument, uint64_t bits);
  uint64_t getBits(unsigned argument) const;
  /// The value of an integer scalar, with its sign.
  int64_t getInteger(unsigned argument) const;

  /// How many arguments there are.
  size_t size() const { return places.size(); }
  llvm::ArrayRef<uint8_t> getBytes() const {
    return {reinterpret_cast<const uint8_t *>(words.data()), byteSize};
  }
  /// Where the bytes of an argument begin.
  const void *getData(unsigned argument) const {
    return getBytes().data() + places[argument].offset;
  }

private:
  struct Place {
    unsigned offset, bytes;
  };
  llvm::SmallVector<Place, 12> places;
  /// Words, so that the block is aligned as its arguments are in it.
  llvm::SmallVector<uint64_t, 12> words;
  size_t byteSize = 0;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_ARGUMENT_H
