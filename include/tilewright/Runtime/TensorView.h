//===- TensorView.h - A tensor in someone else's memory ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of NumPy or PyTorch, or of any other owner, as a launch sees it:
//
//   TensorView view;
//   view.address = reinterpret_cast<uint64_t>(data);
//   view.type = spec::ElementType::F32;
//   view.extents = {100, 64};
//   view.isDense()                               // true
//   verifyTensor("A", "A[M, N]", {100, 65}, view) // 'A' is 100 x 64; ...
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_TENSORVIEW_H
#define TILEWRIGHT_RUNTIME_TENSORVIEW_H

#include "tilewright/Spec/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace tilewright::runtime {

struct TensorView {
  /// The address of the element whose indices are all 0; in the memory of the
  /// host or of a device.
  uint64_t address = 0;
  spec::ElementType type = spec::ElementType::I8;
  /// Outermost first.
  llvm::SmallVector<int64_t, 4> extents;
  /// In elements; empty for a row-major tensor without gaps.
  llvm::SmallVector<int64_t, 4> strides;
  bool isReadOnly = false;
  /// A kernel must write it before it reads it.
  bool isUninitialized = false;
  /// Threads and programs access it in any order, and are meant to.
  bool mayRace = false;
  /// Addresses of it are among the numbers that a kernel reads, so that a copy
  /// must stand where the tensor does.
  bool keepsAddress = false;

  uint64_t getElementCount() const;
  /// Row-major without gaps; strides of extents of 1, and of no elements at
  /// all, do not matter.
  bool isDense() const;

  struct Span {
    uint64_t begin = 0, end = 0;
  };
  /// The bytes from the first to the last element, in order of addresses.
  Span getSpan() const;
};

/// Fails where the tensor has not the wanted extents or is not dense. `name`:
/// of the argument; `shape`: how the kernel declares it, "A[M, N]".
llvm::Error verifyTensor(llvm::StringRef name, llvm::StringRef shape,
                         llvm::ArrayRef<int64_t> wanted,
                         const TensorView &tensor);

/// "100 x 64"; "a single element" without extents.
std::string formatExtents(llvm::ArrayRef<int64_t> extents);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSORVIEW_H
