//===- VariantKey.h - What a variant of a kernel relies on ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs code that was made for what its values are: the largest power
// of two that divides each, which integers are 1 and which are below 0, and
// whether its tensors are apart in memory, and short, or in gaps of one
// another. An integer that is 1, as strides are, is a constant of the code;
// others are not, so that an argument is a reason for one more variant at the
// most. Where the kernel goes along a row in few parts, their number counts too
// (spec::Argument::loopStep), and where a tile has a row, in which sixteenth of
// it the row ends (spec::Argument::columns), and where a launch has few
// programs with long loops of products, among how many blocks they are divided
// (spec::Argument::productStep), and where rows of what these read begin beside
// sectors, which neighbours copy them together (spec::Argument::rowBytes).
// Launches that are alike in it have equal keys,
// and share a variant, if the tensor maps that its code takes are there for all
// of them. Who cannot have these shares the variant without:
//
//   VariantKey key =
//       VariantKey::ofLaunch(arguments, values, overlap, most);
//   key.getDivisibility(0)                  // 16
//   key.isOne(2)                            // true: a stride of 1
//   key.applyTo(options.pipeline, arguments);
//   if (!canHave(image.tensorMaps, values))
//     key = key.withoutTensorMaps();
//
// What else variants differ by becomes part of the key here, and reaches the
// compiler in applyTo().
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_VARIANTKEY_H
#define TILEWRIGHT_JIT_VARIANTKEY_H

#include "tilewright/Compiler/PassPipeline.h"
#include "tilewright/Runtime/Overlap.h"
#include "llvm/ADT/SmallString.h"

namespace tilewright::jit {

class VariantKey {
public:
  /// What the kernel itself promises, and nothing of any launch. Its code may
  /// take tensor maps, as that of ofLaunch(): both are one variant where
  /// launches get none of their own.
  static VariantKey ofDeclared(llvm::ArrayRef<spec::Argument> arguments);
  /// All that a launch allows, with divisibilities up to `most`.
  static VariantKey ofLaunch(llvm::ArrayRef<spec::Argument> arguments,
                             const spec::ArgumentBlock &values,
                             runtime::Overlap overlap, unsigned most);

  unsigned getDivisibility(unsigned argument) const {
    return isOne(argument) ? 1 : 1u << getExponent(bytes[argument]);
  }

  /// Whether the kernel divides by what is made of the argument, and its low 32
  /// bits are 0 in no launch.
  bool isNonzeroDivisor(unsigned argument) const {
    return bytes[argument] & nonzeroFlag;
  }
  /// Whether the low 16 bits of such an argument are 0 in no launch.
  bool hasNonzeroHalf(unsigned argument) const {
    return bytes[argument] & nonzeroHalfFlag;
  }

  /// Whether the argument is an integer that is below 0 in all launches.
  bool isNegative(unsigned argument) const {
    return bytes[argument] & negativeFlag;
  }

  /// Whether the argument is an integer that is 1 in all launches.
  bool isOne(unsigned argument) const { return bytes[argument] == oneByte; }

  /// Trips of the loops along rows that end at the argument, in all launches; 0
  /// where that is not known.
  unsigned getTrips(unsigned argument) const {
    return static_cast<uint8_t>(bytes[getNumArguments() + argument]);
  }

  /// The part of the tile, from 1 on, in which rows end in all launches that
  /// have as many columns as the argument says; 0 where that is not known.
  unsigned getPart(unsigned argument) const {
    return static_cast<uint8_t>(bytes[2 * getNumArguments() + argument]);
  }
  /// What an argument with such a part may be then.
  BoundsPromise getBounds(llvm::ArrayRef<spec::Argument> arguments,
                          unsigned index) const;

  /// Whether all pointers are disjoint (spec::Argument::isDisjoint), beside
  /// those that the kernel says.
  bool areDisjoint() const { return bytes.back() & disjointFlag; }
  /// Whether an array that is written may lie in gaps of another one.
  bool areInterleaved() const { return bytes.back() & interleavedFlag; }

  /// Whether all arrays are of less than 2^31 bytes.
  bool areShort() const { return bytes[bytes.size() - 2] & shortFlag; }

  /// Whether the code may take tensor maps; whoever launches it asks whether
  /// there are any, and whether the launch can have them.
  bool mayUseTensorMaps() const { return bytes.back() & tensorMapsFlag; }
  VariantKey withoutTensorMaps() const {
    VariantKey key = withPairedAxes(0);
    key.bytes.back() &= ~tensorMapsFlag;
    return key;
  }

  /// Whether blocks may run several programs at once, or several blocks one;
  /// whoever launches the code asks whether that serves the launch.
  bool mayBatchPrograms() const { return bytes.back() & batchFlag; }
  VariantKey withoutBatches() const {
    VariantKey key = *this;
    key.bytes.back() &= ~batchFlag;
    return key;
  }

  /// Blocks among which a program divides its products, 1 to 16.
  unsigned getProductParts() const {
    return 1u + (static_cast<uint8_t>(bytes.back()) >> partsShift);
  }
  VariantKey withProductParts(unsigned parts) const;

  /// Axes along which a cluster has several programs (spec::PairedAxes).
  unsigned getPairedAxes() const {
    return static_cast<uint8_t>(bytes[bytes.size() - 2] & ~shortFlag);
  }
  VariantKey withPairedAxes(unsigned axes) const {
    VariantKey key = *this;
    char flag = static_cast<char>(bytes[bytes.size() - 2] & shortFlag);
    key.bytes[bytes.size() - 2] = static_cast<char>(axes | flag);
    return key;
  }

  /// Has the compiler rely on it, in place of what the kernel promises.
  void applyTo(PipelineOptions &options,
               llvm::ArrayRef<spec::Argument> arguments) const;

  /// Equal for equal keys, to look up by.
  llvm::StringRef getBytes() const { return bytes; }
  bool operator==(const VariantKey &other) const {
    return bytes == other.bytes;
  }

private:
  static constexpr char disjointFlag = 1, tensorMapsFlag = 2, batchFlag = 4,
                        interleavedFlag = 8;
  /// Beside the paired axes.
  static constexpr char shortFlag = 64;
  /// Above the flags, how many parts of products there are beside one.
  static constexpr unsigned partsShift = 4;
  /// More than any exponent.
  static constexpr char oneByte = 31;
  /// Beside the exponent of a divisor.
  static constexpr char nonzeroFlag = 32, nonzeroHalfFlag = 64;
  /// Beside that of an integer.
  static constexpr char negativeFlag = static_cast<char>(128);
  static char getExponent(char description) {
    return description & ~(nonzeroFlag | nonzeroHalfFlag | negativeFlag);
  }
  /// Parts that a tile is told apart in.
  static constexpr int64_t numParts = 16;
  /// Rows that begin anywhere have so many places of a tile that is rotated in
  /// front, at the most, so that their parts end as much earlier.
  static constexpr int64_t maxRotation = 63;
  /// Rows of a multiple of so many begin with vectors, if the first one does,
  /// and are not rotated.
  static constexpr int unrotatedColumns = 16;
  /// With fewer columns a part is too small for that.
  static constexpr int64_t minRotatedColumns = 16384;
  /// Lanes have vectors of a shorter tile if its rows are a multiple of so many
  /// columns. Then a register has columns from all over the row, and knowing
  /// where this ends says nothing of it.
  static constexpr int64_t minColumnsOfVectors = 1024;
  static constexpr int minVectorColumns = 4;
  /// But where such a row leaves a quarter of so short a tile, lanes had better
  /// have single elements of it, and not what it leaves (tile-move-runs).
  static constexpr int64_t minColumnsOfElements = 32,
                           maxColumnsOfElements = 128;

  static char describe(const spec::Argument &argument,
                       const spec::ArgumentBlock &values, size_t index,
                       unsigned most);
  static char countTrips(const spec::Argument &argument, int64_t end);
  /// How many columns earlier parts end, where what is known of the argument is
  /// described so.
  static int64_t getShift(const spec::Argument &argument, char description);
  /// Whether code is better for knowing in which part of the tile a row ends.
  static bool isWorthParts(const spec::Argument &argument, char description,
                           int64_t end);
  static char findPart(const spec::Argument &argument, char description,
                       int64_t end);

  size_t getNumArguments() const { return bytes.size() / 3; }

  /// Of each argument the exponent of its divisibility, with nonzeroFlag
  /// and nonzeroHalfFlag for divisors that are not 0 and negativeFlag for
  /// integers that are below it, or oneByte; of each the
  /// trips of loops that end there; of each the part of a tile that ends there;
  /// then paired axes, and whether arrays are short; then flags, and the parts
  /// of products.
  llvm::SmallString<48> bytes;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_VARIANTKEY_H
