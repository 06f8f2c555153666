//===- ElementKind.cpp - The element types of array libraries -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKind.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilewright;
using namespace tilewright::python;
using spec::ElementType;

std::optional<ElementKind> python::parseElementKind(llvm::StringRef name) {
  using Result = std::optional<ElementKind>;
  return llvm::StringSwitch<Result>(name)
      .Case("bool", ElementKind{ElementKind::Bool, 1})
      .Case("int8", ElementKind{ElementKind::Signed, 1})
      .Case("int16", ElementKind{ElementKind::Signed, 2})
      .Case("int32", ElementKind{ElementKind::Signed, 4})
      .Case("int64", ElementKind{ElementKind::Signed, 8})
      .Case("uint8", ElementKind{ElementKind::Unsigned, 1})
      .Case("uint16", ElementKind{ElementKind::Unsigned, 2})
      .Case("uint32", ElementKind{ElementKind::Unsigned, 4})
      .Case("uint64", ElementKind{ElementKind::Unsigned, 8})
      .Case("float16", ElementKind{ElementKind::Float, 2})
      .Case("float32", ElementKind{ElementKind::Float, 4})
      .Case("float64", ElementKind{ElementKind::Float, 8})
      .Case("bfloat16", ElementKind{ElementKind::BFloat, 2})
      .Case("float8_e4m3fn", ElementKind{ElementKind::E4M3, 1})
      .Case("float8_e5m2", ElementKind{ElementKind::E5M2, 1})
      .Default(std::nullopt);
}

std::optional<ElementKind> python::getDLPackKind(uint8_t code, unsigned bits,
                                                 unsigned lanes) {
  if (lanes != 1)
    return std::nullopt;
  // Numbers of DLDataTypeCode in dlpack.h.
  enum : uint8_t {
    dlInt = 0,
    dlUInt = 1,
    dlFloat = 2,
    dlBfloat = 4,
    dlBool = 6,
    dlFloat8E4M3FN = 10,
    dlFloat8E5M2 = 12
  };
  unsigned bytes = bits / 8;
  switch (code) {
  case dlInt:
    return ElementKind{ElementKind::Signed, bytes};
  case dlUInt:
    return ElementKind{ElementKind::Unsigned, bytes};
  case dlFloat:
    return ElementKind{ElementKind::Float, bytes};
  case dlBfloat:
    return ElementKind{ElementKind::BFloat, bytes};
  case dlBool:
    return ElementKind{ElementKind::Bool, bytes};
  case dlFloat8E4M3FN:
    return ElementKind{ElementKind::E4M3, bytes};
  case dlFloat8E5M2:
    return ElementKind{ElementKind::E5M2, bytes};
  default:
    return std::nullopt;
  }
}

std::optional<ElementType> python::getElementType(ElementKind kind) {
  auto choose = [&](unsigned bytes,
                    ElementType type) -> std::optional<ElementType> {
    if (kind.bytes == bytes)
      return type;
    return std::nullopt;
  };
  switch (kind.family) {
  case ElementKind::Bool:
    return choose(1, ElementType::I1);
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return kind.bytes == 1   ? ElementType::I8
           : kind.bytes == 2 ? ElementType::I16
           : kind.bytes == 4 ? ElementType::I32
                             : choose(8, ElementType::I64);
  case ElementKind::Float:
    return kind.bytes == 2   ? ElementType::F16
           : kind.bytes == 4 ? ElementType::F32
                             : choose(8, ElementType::F64);
  case ElementKind::BFloat:
    return choose(2, ElementType::BF16);
  case ElementKind::E4M3:
    return choose(1, ElementType::F8E4M3);
  case ElementKind::E5M2:
    return choose(1, ElementType::F8E5M2);
  }
  return std::nullopt;
}

bool python::fits(ElementKind kind, ElementType type) {
  if (kind.bytes != spec::getByteSize(type))
    return false;
  switch (type) {
  case ElementType::I1:
    return kind.family == ElementKind::Bool;
  case ElementType::I8:
    return kind.family == ElementKind::Bool ||
           kind.family == ElementKind::Signed ||
           kind.family == ElementKind::Unsigned;
  case ElementType::I16:
  case ElementType::I32:
  case ElementType::I64:
    return kind.family == ElementKind::Signed ||
           kind.family == ElementKind::Unsigned;
  case ElementType::F8E4M3:
    return kind.family == ElementKind::E4M3 ||
           kind.family == ElementKind::Unsigned;
  case ElementType::F8E5M2:
    return kind.family == ElementKind::E5M2 ||
           kind.family == ElementKind::Unsigned;
  case ElementType::BF16:
    return kind.family == ElementKind::BFloat ||
           kind.family == ElementKind::Unsigned;
  case ElementType::F16:
  case ElementType::F32:
  case ElementType::F64:
    return kind.family == ElementKind::Float;
  }
  return false;
}
