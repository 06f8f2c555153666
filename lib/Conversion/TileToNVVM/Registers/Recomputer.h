//===- Recomputer.h - Values computed anew ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is computed anew must not look like what is there already, or LLVM takes
// that, and ptxas too. So what is kept goes through what they do not see
// through:
//
//   %r = text "mov.b32 $0, $1;" (%row)     // hidden from LLVM
//   %r = %row + (shuffle(%tid) - %tid)     // from ptxas, too: a 0 is added
//   %p = %base + %r * %stride              // anew, for its user
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RECOMPUTER_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RECOMPUTER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tonvvm {

/// From whom it is hidden that what is computed anew is there already.
enum class HiddenFrom {
  /// LLVM, which would not compute it in a loop.
  Llvm,
  /// ptxas too, which would keep it over a barrier. A shuffle tells.
  Ptxas
};

/// Computes values anew, from those that are kept, which are taken from `start`
/// on.
class Recomputer {
public:
  Recomputer(mlir::Block *block, mlir::Block::iterator start,
             const llvm::SetVector<mlir::Value> &kept,
             HiddenFrom from = HiddenFrom::Llvm)
      : builder(block, start), kept(kept), from(from) {}

  /// Has an op, with all that is in it, take what is `wanted` anew.
  void replace(mlir::Operation &op, const llvm::SetVector<mlir::Value> &wanted);

private:
  /// The same number, by ops that are in front of `user` at the latest.
  mlir::Value get(mlir::Value value, mlir::Operation *user);
  mlir::Value hide(mlir::Value value);
  mlir::Value addZero(mlir::Value value);
  mlir::Value getZero();

  mlir::OpBuilder builder;
  const llvm::SetVector<mlir::Value> &kept;
  HiddenFrom from;
  llvm::DenseMap<mlir::Value, mlir::Value> anew;
  /// A zero (i32) of which nobody knows that it is one.
  mlir::Value zero;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_RECOMPUTER_H
