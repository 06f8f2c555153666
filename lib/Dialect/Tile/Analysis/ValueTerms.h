//===- ValueTerms.h - Values that are computed alike ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether roles of a kernel compute the same number is asked of how each
// computes it. A term is a name for that:
//
//   main:  %m = arith.divsi %K, %c64      term 7: the quotient of terms 3 and 5
//   copy:  %n = arith.divsi %K, %c64      term 7, too
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_VALUETERMS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_VALUETERMS_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include <map>

namespace tilewright::tile {

/// What a value is: the same number for what is computed in the same way, in
/// whatever role.
struct ValueTerm {
  unsigned number = 0;
  /// Terms of the loop counters that it hangs on.
  llvm::SmallVector<unsigned, 2> counters;
};

/// Numbers the values of a kernel.
class ValueTerms {
public:
  const ValueTerm &get(mlir::Value value);

private:
  class Builder;

  ValueTerm make(mlir::Value value);
  ValueTerm make(mlir::BlockArgument argument, Builder &term);
  void makeCarried(mlir::Value value, mlir::LoopLikeOpInterface loop,
                   mlir::OpOperand *init, Builder &term);

  llvm::DenseMap<mlir::Value, std::unique_ptr<ValueTerm>> terms;
  std::map<llvm::SmallVector<uintptr_t, 8>, unsigned> numbers;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_ANALYSIS_VALUETERMS_H
