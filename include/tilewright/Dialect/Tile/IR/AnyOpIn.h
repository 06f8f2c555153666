//===- AnyOpIn.h - Whether there is such an op ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What llvm::any_of is for ranges, for all that can be walked: an op (which
// counts as well), a block, a region.
//
//   anyOpIn<LoopLikeOpInterface, ProductOpInterface>(kernel)
//   anyOpIn(*loop, [](DotOp product) { return product.getK() > 64; })
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ANYOPIN_H
#define TILEWRIGHT_DIALECT_TILE_IR_ANYOPIN_H

#include "mlir/IR/Operation.h"

namespace tilewright::tile {

/// Whether the predicate holds for an op of the type that it takes.
template <typename Root, typename Predicate>
bool anyOpIn(Root &&root, Predicate holds) {
  using OpT = typename llvm::function_traits<Predicate>::template arg_t<0>;
  return root
      .walk([&](OpT op) {
        return holds(op) ? mlir::WalkResult::interrupt()
                         : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether there is an op of one of the types.
template <typename... OpTs, typename Root> bool anyOpIn(Root &&root) {
  return anyOpIn(std::forward<Root>(root),
                 [](mlir::Operation *op) { return mlir::isa<OpTs...>(op); });
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ANYOPIN_H
