//===- AlternateFragments.cpp - Two iterations have left operands ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/CloneTrip.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_ALTERNATEFRAGMENTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Whether the op is a product whose left operand is made in this block.
static bool takesWordsOf(Operation &op, Block *body) {
  auto words = op.getAttrOfType<DenseI32ArrayAttr>(kLeftWordsAttr);
  if (!words)
    return false;
  ValueRange left = op.getOperands().slice(words[0], words[1]);
  return llvm::any_of(
      left, [&](Value word) { return word.getParentBlock() == body; });
}

/// Whether products of an iteration are under way while the next one makes
/// their left operands anew.
static bool isMatch(scf::ForOp loop) {
  bool takesWords = false, leavesProducts = false;
  for (Operation &op : *loop.getBody()) {
    takesWords |= takesWordsOf(op, loop.getBody());
    auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op);
    leavesProducts |= takesWords && wait && wait.getGroup() > 0;
  }
  return leavesProducts && !loop.getUnsignedCmp();
}

/// Makes two iterations of one, and one behind the loop where it has an odd
/// number of them.
static void pairIterations(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value step = loop.getStep();
  auto add = [&](Value value, Value more) -> Value {
    return arith::AddIOp::create(builder, loc, value, more);
  };
  Value last = arith::SubIOp::create(builder, loc, loop.getUpperBound(), step);
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(loop.getLowerBound());
  auto pairs = scf::ForOp::create(builder, loc, loop.getLowerBound(), last,
                                  add(step, step), inits);
  pairs->setAttrs(loop->getAttrs());
  builder.setInsertionPointToStart(pairs.getBody());
  Value number = pairs.getInductionVar();
  ValueRange carried = ValueRange(pairs.getRegionIterArgs()).drop_back();
  SmallVector<Value> between = tile::cloneTrip(builder, loop, number, carried);
  Value second = add(number, step);
  SmallVector<Value> yields = tile::cloneTrip(builder, loop, second, between);
  yields.push_back(add(second, step));
  scf::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(pairs);
  Value next = pairs.getResults().back();
  ValueRange sums = pairs.getResults().drop_back();
  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      next, loop.getUpperBound());
  auto odd = scf::IfOp::create(
      builder, loc, isOdd,
      [&](OpBuilder &inner, Location) {
        SmallVector<Value> values = tile::cloneTrip(inner, loop, next, sums);
        scf::YieldOp::create(inner, loc, values);
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, sums);
      });
  loop.replaceAllUsesWith(odd.getResults());
  loop.erase();
}

namespace {
struct AlternateFragments
    : tilewright::impl::AlternateFragmentsBase<AlternateFragments> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isMatch(loop))
        loops.push_back(loop);
    });
    llvm::for_each(loops, pairIterations);
  }
};
} // namespace
