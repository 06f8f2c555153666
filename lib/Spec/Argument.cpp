//===- Argument.cpp - A parameter of a kernel -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/Argument.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace tilewright;
using namespace tilewright::spec;

unsigned Argument::getByteSize() const {
  switch (kind) {
  case ArgumentKind::Scalar:
    return spec::getByteSize(type);
  case ArgumentKind::Pointer:
    return sizeof(uint64_t);
  }
  llvm_unreachable("not a kind of argument");
}

/// Null where the value may be any.
static llvm::json::Value describeBounds(const Argument &argument) {
  if (!argument.hasBounds())
    return nullptr;
  return llvm::json::Array{argument.least, argument.most};
}

llvm::json::Value spec::toJSON(const Argument &argument) {
  return llvm::json::Object{{"name", argument.name},
                            {"type", getName(argument.type)},
                            {"is_pointer", argument.isPointer()},
                            {"bytes", argument.getByteSize()},
                            {"alignment", argument.getAlignment()},
                            {"divisibility", argument.divisibility},
                            {"bounds", describeBounds(argument)},
                            {"is_disjoint", argument.isDisjoint},
                            {"is_written", argument.isWritten}};
}

ArgumentBlock::ArgumentBlock(llvm::ArrayRef<Argument> arguments) {
  for (const Argument &argument : arguments) {
    unsigned bytes = argument.getByteSize();
    byteSize = llvm::alignTo(byteSize, argument.getAlignment());
    places.push_back({static_cast<unsigned>(byteSize), bytes});
    byteSize += bytes;
  }
  words.resize(llvm::divideCeil(byteSize, sizeof(uint64_t)));
}

/// memcpy of as many bytes as an argument has: of sizes that are known these
/// are single instructions.
static void copyArgument(void *target, const void *source, unsigned bytes) {
  switch (bytes) {
  case sizeof(uint64_t):
    std::memcpy(target, source, sizeof(uint64_t));
    return;
  case sizeof(uint32_t):
    std::memcpy(target, source, sizeof(uint32_t));
    return;
  default:
    std::memcpy(target, source, bytes);
  }
}

// The low bytes of a number come first, on the host as on the device.
void ArgumentBlock::set(unsigned argument, uint64_t bits) {
  const Place &place = places[argument];
  copyArgument(reinterpret_cast<uint8_t *>(words.data()) + place.offset, &bits,
               place.bytes);
}

uint64_t ArgumentBlock::getBits(unsigned argument) const {
  const Place &place = places[argument];
  uint64_t bits = 0;
  copyArgument(&bits, getBytes().data() + place.offset, place.bytes);
  return bits;
}

int64_t ArgumentBlock::getInteger(unsigned argument) const {
  return llvm::SignExtend64(getBits(argument), 8 * places[argument].bytes);
}
