//===- SignatureType.cpp - Types in the signature of a call ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignatureType.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilewright;
using namespace tilewright::python;
using spec::ElementType;

namespace {
struct TypeInfo {
  llvm::StringLiteral name;
  ElementType element;
};
} // namespace

/// All types, in the order of SignatureType::Id.
static constexpr TypeInfo kTypes[] = {
    {"i1", ElementType::I1},        {"i8", ElementType::I8},
    {"i16", ElementType::I16},      {"i32", ElementType::I32},
    {"i64", ElementType::I64},      {"u8", ElementType::I8},
    {"u16", ElementType::I16},      {"u32", ElementType::I32},
    {"u64", ElementType::I64},      {"fp8e4nv", ElementType::F8E4M3},
    {"fp8e5", ElementType::F8E5M2}, {"fp16", ElementType::F16},
    {"bf16", ElementType::BF16},    {"fp32", ElementType::F32},
    {"fp64", ElementType::F64},
};

std::optional<SignatureType> SignatureType::parse(llvm::StringRef name) {
  auto id = llvm::StringSwitch<std::optional<Id>>(name)
                .Cases({"i1", "int1", "u1", "bool"}, I1)
                .Cases({"i8", "int8"}, I8)
                .Cases({"i16", "int16"}, I16)
                .Cases({"i32", "int32"}, I32)
                .Cases({"i64", "int64"}, I64)
                .Cases({"u8", "uint8"}, U8)
                .Cases({"u16", "uint16"}, U16)
                .Cases({"u32", "uint32"}, U32)
                .Cases({"u64", "uint64"}, U64)
                .Cases({"fp8e4nv", "float8e4nv", "float8_e4m3fn"}, FP8E4NV)
                .Cases({"fp8e5", "float8e5", "float8_e5m2"}, FP8E5)
                .Cases({"fp16", "float16"}, FP16)
                .Cases({"bf16", "bfloat16"}, BF16)
                .Cases({"fp32", "float32"}, FP32)
                .Cases({"fp64", "float64"}, FP64)
                .Default(std::nullopt);
  if (!id)
    return std::nullopt;
  return SignatureType{*id};
}

SignatureType SignatureType::ofArray(ElementKind kind) {
  auto choose = [&](Id bytes1, Id bytes2, Id bytes4, Id bytes8) {
    return SignatureType{kind.bytes == 1   ? bytes1
                         : kind.bytes == 2 ? bytes2
                         : kind.bytes == 4 ? bytes4
                                           : bytes8,
                         /*isPointer=*/true};
  };
  switch (kind.family) {
  case ElementKind::Bool:
    return {I1, true};
  case ElementKind::Signed:
    return choose(I8, I16, I32, I64);
  case ElementKind::Unsigned:
    return choose(U8, U16, U32, U64);
  case ElementKind::Float:
    return choose(FP16, FP16, FP32, FP64);
  case ElementKind::BFloat:
    return {BF16, true};
  case ElementKind::E4M3:
    return {FP8E4NV, true};
  case ElementKind::E5M2:
    return {FP8E5, true};
  }
  llvm_unreachable("not a family of elements");
}

std::string SignatureType::getText() const {
  return (isPointer ? "*" : "") + kTypes[id].name.str();
}

ElementType SignatureType::getElementType() const { return kTypes[id].element; }

bool SignatureType::fits(const spec::Argument &argument) const {
  if (argument.isPointer() != isPointer)
    return false;
  return argument.type == getElementType() ||
         (isPointer && id == I1 && argument.type == ElementType::I8);
}
