//===- AddInProducts.cpp - Products that add to what a loop carries -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEADDINPRODUCTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Products of bytes are summed with fewer bits by some tensor cores: who adds
/// in f32 instead means to.
static constexpr unsigned kFewBits = 8;

/// Whether the loop goes on with the sum, or another product does.
static bool isCarriedOn(Operation *add) {
  return isa<LoopLikeOpInterface>(add->getParentOp()) &&
         llvm::any_of(add->getUsers(), [&](Operation *user) {
           auto product = dyn_cast<DotOp>(user);
           return user == add->getBlock()->getTerminator() ||
                  (product && product.getC() == add->getResult(0));
         });
}

/// The product that an operand is, where it begins at 0 and has no other use.
static DotOp getProductFromZero(Value operand) {
  auto product = operand.getDefiningOp<DotOp>();
  if (!product || !product->hasOneUse())
    return nullptr;
  Type element = product.getOperandType();
  bool hasFewBits =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= kFewBits;
  return isZero(product.getC()) && !hasFewBits ? product : nullptr;
}

namespace {
struct AddInProducts
    : tilewright::tile::impl::TileAddInProductsBase<AddInProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> adds;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::AddIOp>(op))
        adds.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // From below: what the last product is added to is carried on, too.
    for (Operation *add : llvm::reverse(adds))
      if (isCarriedOn(add))
        addInProduct(rewriter, add);
  }

private:
  static void addInProduct(IRRewriter &rewriter, Operation *add) {
    for (unsigned operand : {1, 0}) {
      DotOp product = getProductFromZero(add->getOperand(operand));
      if (!product || product->getBlock() != add->getBlock())
        continue;
      // Where it is added: what it is added to may be computed behind it.
      rewriter.moveOpBefore(product, add);
      rewriter.modifyOpInPlace(product, [&] {
        product.getCMutable().set(add->getOperand(1 - operand));
      });
      rewriter.replaceOp(add, product);
      return;
    }
  }
};
} // namespace
