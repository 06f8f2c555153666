//===- SharedPlace.h - Places of shared memory -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether two stores of a thread may meet in shared memory, by what is known of
// their addresses before the thread is. Elements of a swizzled tile are turned:
//
//   base + (%e ^ 8) * 2 + 64        a place of element %e ^ 8
//   base + (%e ^ 24) * 2 + 64       apart from it, whatever %e is
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDPLACE_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDPLACE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::tonvvm {

/// Where a thread stores in shared memory, as far as SharedAddresses say it:
/// base + (element ^ turn) * scale + offset.
class SharedPlace {
public:
  explicit SharedPlace(mlir::LLVM::StoreOp store);

  /// Whether the two have no byte in common, whichever the thread is.
  bool isApartFrom(const SharedPlace &other) const;

private:
  void readElement(mlir::Value bytes);

  mlir::Value base, element;
  int64_t turn = 0, scale = 1, offset = 0, width;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDPLACE_H
