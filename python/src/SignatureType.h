//===- SignatureType.h - Types in the signature of a call -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a Python kernel is told of an argument's type, in Triton's names: "i32"
// of a number, "*fp16" of an array. Unlike the types of compiled code these
// know signs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_SIGNATURETYPE_H
#define TILEWRIGHT_PYTHON_SIGNATURETYPE_H

#include "ElementKind.h"
#include "tilewright/Spec/Argument.h"

namespace tilewright::python {

struct SignatureType {
  enum Id : uint8_t {
    I1,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    FP8E4NV,
    FP8E5,
    FP16,
    BF16,
    FP32,
    FP64
  };
  Id id = I32;
  /// An array of it.
  bool isPointer = false;

  /// "fp32", "i1", and names that libraries have for the same: "float32",
  /// "int1". No array.
  static std::optional<SignatureType> parse(llvm::StringRef name);
  /// An array of such elements, which kernels have.
  static SignatureType ofArray(ElementKind kind);

  bool isInteger() const { return !isPointer && id >= I1 && id <= U64; }
  /// "*fp32".
  std::string getText() const;
  /// What it is in compiled code, where integers have no sign.
  spec::ElementType getElementType() const;
  /// Whether compiled code may take such a value for an argument. An array of
  /// truth values is one of bytes.
  bool fits(const spec::Argument &argument) const;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SIGNATURETYPE_H
