//===- RunEnds.h - Where runs of elements begin and end ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of elements that begins anywhere is moved by pieces of 16 bytes, but
// for what it has of the pieces in which it begins and ends:
//
//   |....aaaa|aaaaaaaa|aa......|
//        ends  pieces   ends
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RUNENDS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RUNENDS_H

#include "Rows/RowBlock.h"

namespace tilewright::tonvvm {

struct RunEnd {
  /// i32: how many bytes behind the first piece it lies. i1: whether it is
  /// moved alone.
  mlir::Value place, mask;
};

/// The element of a thread or a lane, i32, of those in the pieces in which a
/// run begins and ends. `behind` and `end`, i32, say how many bytes behind its
/// first piece it begins, and ends; `bytes` are an element's.
RunEnd findRunEnd(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
                  mlir::Value behind, mlir::Value end, int64_t bytes);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RUNENDS_H
