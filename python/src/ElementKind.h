//===- ElementKind.h - The element types of array libraries -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_ELEMENTKIND_H
#define TILEWRIGHT_PYTHON_ELEMENTKIND_H

#include "tilewright/Spec/ElementType.h"

namespace tilewright::python {

/// What an array library calls an element type: it knows signs, and names that
/// the kernel has not.
struct ElementKind {
  enum Family : uint8_t { Bool, Signed, Unsigned, Float, BFloat, E4M3, E5M2 };
  Family family;
  unsigned bytes;

  bool operator==(const ElementKind &other) const {
    return family == other.family && bytes == other.bytes;
  }
};

/// "float16", "bfloat16", "uint8": names of NumPy, PyTorch and ml_dtypes.
std::optional<ElementKind> parseElementKind(llvm::StringRef name);

/// What DLPack calls by a code (DLDataTypeCode) and a width.
std::optional<ElementKind> getDLPackKind(uint8_t code, unsigned bits,
                                         unsigned lanes);

/// What elements of this kind are in a kernel; nothing for those that kernels
/// have not, such as floats of 16 bytes.
std::optional<spec::ElementType> getElementType(ElementKind kind);

/// Whether a kernel may take elements of this kind for those of `type`.
/// Integers of a kernel have no sign, and a truth value is a byte of 0 or 1;
/// bits of what NumPy does not know, bfloat16 and 8-bit floats, may come as
/// unsigned integers.
bool fits(ElementKind kind, spec::ElementType type);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_ELEMENTKIND_H
