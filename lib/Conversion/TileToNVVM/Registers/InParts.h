//===- InParts.h - Ops one behind the other, in parts -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that let ptxas have fewer values at a time look for runs of ops in a
// block, and put each into another order, part by part:
//
//   load load load load store store store store     // four values at once
//   load load store store load load store store     // two
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_INPARTS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_INPARTS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tonvvm {

/// Lets a `Run` take ops of the block, one behind the other, as many as it
/// will, and change them where that is worth while; then the next one.
template <typename Run> void changeRuns(mlir::Block &block) {
  auto begin = block.begin();
  while (begin != block.end()) {
    Run run;
    auto op = begin;
    while (op != block.end() && run.take(*op))
      ++op;
    if (run.isWorthwhile())
      run.apply();
    begin = op == begin ? std::next(begin) : op;
  }
}

/// Results that are computed side by side, at the least: enough to hide
/// latencies.
inline constexpr size_t kElementsOfPart = 16;
/// Ops on floats of a result, with fewer of which ptxas keeps little.
inline constexpr size_t kLeastOpsOfElement = 4;

/// Whether it computes with floats.
bool isFloatOp(mlir::Operation *op);

/// A branch that is never taken: no launch has so many blocks along an axis.
/// ptxas orders what lies between two branches, and does not know of that one.
/// Each has another number, or it would know the second one by the first.
void emitCut(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_INPARTS_H
