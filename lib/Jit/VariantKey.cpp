//===- VariantKey.cpp - What a variant of a kernel relies on --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/VariantKey.h"

#include "tilewright/Runtime/Divisibility.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::jit;

VariantKey VariantKey::ofDeclared(llvm::ArrayRef<spec::Argument> arguments) {
  VariantKey key;
  for (const spec::Argument &argument : arguments)
    key.bytes.push_back(
        static_cast<char>(llvm::Log2_32(argument.divisibility)));
  key.bytes.append(2 * arguments.size() + 1, 0);
  key.bytes.push_back(tensorMapsFlag | batchFlag);
  return key;
}

/// 0 where code is the same for any number of them.
char VariantKey::countTrips(const spec::Argument &argument, int64_t end) {
  int64_t step = argument.loopStep;
  if (step == 0 || !argument.isSpecialized || end <= 0 ||
      end > step * argument.maxTrips)
    return 0;
  return static_cast<char>((end + step - 1) / step);
}

int64_t VariantKey::getShift(const spec::Argument &argument, char description) {
  bool isRotated = description == oneByte ||
                   1 << getExponent(description) < unrotatedColumns;
  return isRotated && argument.columns >= minRotatedColumns ? maxRotation : 0;
}

bool VariantKey::isWorthParts(const spec::Argument &argument, char description,
                              int64_t end) {
  int64_t columns = argument.columns;
  int multiple = 1 << getExponent(description);
  bool isLeft = minColumnsOfElements <= columns &&
                columns <= maxColumnsOfElements && 4 * end <= 3 * columns;
  return columns >= minColumnsOfVectors || description == oneByte ||
         multiple < minVectorColumns ||
         (multiple == minVectorColumns && isLeft);
}

/// 0 where the row is none, or longer than the tile, or the kernel says itself
/// where it ends.
char VariantKey::findPart(const spec::Argument &argument, char description,
                          int64_t end) {
  int64_t columns = argument.columns;
  if (columns == 0 || !argument.isSpecialized || argument.hasBounds() ||
      end <= 0 || end > columns || !isWorthParts(argument, description, end))
    return 0;
  end = std::min(end + getShift(argument, description), columns);
  return static_cast<char>((end * numParts + columns - 1) / columns);
}

BoundsPromise VariantKey::getBounds(llvm::ArrayRef<spec::Argument> arguments,
                                    unsigned index) const {
  const spec::Argument &argument = arguments[index];
  int64_t columns = argument.columns, part = getPart(index);
  int64_t shift = getShift(argument, bytes[index]);
  int64_t least = columns * (part - 1) / numParts + 1 - shift;
  int64_t most = columns * part / numParts - (part < numParts ? shift : 0);
  return {argument.name, std::max<int64_t>(least, 1), most};
}

char VariantKey::describe(const spec::Argument &argument,
                          const spec::ArgumentBlock &values, size_t index,
                          unsigned most) {
  uint64_t bits = values.getBits(index);
  bool isZeroDivisor = argument.isDivisor && static_cast<uint32_t>(bits) == 0;
  // Of one that is not specialized, too: code for sizes would be wrong.
  bool isNegative = !argument.isPointer() && spec::isInteger(argument.type) &&
                    values.getInteger(index) < 0;
  char sign = isNegative ? negativeFlag : 0;
  if (!argument.hasDivisibility() || !argument.isSpecialized || isZeroDivisor)
    return static_cast<char>(llvm::Log2_32(argument.divisibility) | sign);
  if (bits == 1 && !argument.isPointer())
    return oneByte;
  char exponent =
      static_cast<char>(llvm::Log2_32(runtime::pickDivisibility(bits, most)));
  exponent |= sign;
  if (argument.isDivisor)
    exponent |= nonzeroFlag;
  if (argument.isDivisor && static_cast<uint16_t>(bits) != 0)
    exponent |= nonzeroHalfFlag;
  return exponent;
}

VariantKey VariantKey::ofLaunch(llvm::ArrayRef<spec::Argument> arguments,
                                const spec::ArgumentBlock &values,
                                runtime::Overlap overlap, unsigned most) {
  VariantKey key;
  size_t count = arguments.size();
  key.bytes.resize_for_overwrite(3 * count + 2);
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    key.bytes[index] = describe(argument, values, index, most);
    key.bytes[count + index] =
        argument.loopStep ? countTrips(argument, values.getInteger(index)) : 0;
    key.bytes[2 * count + index] =
        argument.columns
            ? findPart(argument, key.bytes[index], values.getInteger(index))
            : 0;
  }
  key.bytes[3 * count] = overlap.areShort ? shortFlag : 0;
  key.bytes.back() = static_cast<char>(
      tensorMapsFlag | batchFlag | (overlap.areDisjoint ? disjointFlag : 0) |
      (overlap.areInterleaved ? interleavedFlag : 0));
  return key;
}

VariantKey VariantKey::withProductParts(unsigned parts) const {
  VariantKey key = *this;
  unsigned flags =
      static_cast<uint8_t>(bytes.back()) & ((1u << partsShift) - 1);
  key.bytes.back() = static_cast<char>(flags | (parts - 1) << partsShift);
  return key;
}

void VariantKey::applyTo(PipelineOptions &options,
                         llvm::ArrayRef<spec::Argument> arguments) const {
  options.divisibility.clear();
  options.disjoint.clear();
  options.nonzero.clear();
  options.nonzeroHalves.clear();
  options.negative.clear();
  options.constants.clear();
  options.trips.clear();
  options.bounds.clear();
  options.tensorMaps &= mayUseTensorMaps();
  options.lacksTensorMaps |= !mayUseTensorMaps();
  options.batchPrograms &= mayBatchPrograms();
  options.productParts = static_cast<int>(getProductParts());
  options.pairedAxes = static_cast<int>(getPairedAxes());
  options.readsGaps &= !areInterleaved();
  options.shortArrays = areShort();
  for (const spec::Argument &argument : arguments)
    if (areDisjoint() && argument.isPointer())
      options.disjoint.push_back(argument.name);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.hasDivisibility())
      options.divisibility.push_back({argument.name, getDivisibility(index)});
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (hasNonzeroHalf(index))
      options.nonzeroHalves.push_back(argument.name);
    else if (isNonzeroDivisor(index))
      options.nonzero.push_back(argument.name);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (isNegative(index))
      options.negative.push_back(argument.name);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (isOne(index))
      options.constants.push_back({argument.name, 1});
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (unsigned trips = getTrips(index))
      options.trips.push_back({argument.name, argument.loopStep, trips});
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (getPart(index) != 0)
      options.bounds.push_back(getBounds(arguments, index));
}
