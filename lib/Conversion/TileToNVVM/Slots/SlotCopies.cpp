//===- SlotCopies.cpp - Copies to slots of threads ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots/SlotCopies.h"

#include "Threads/AsyncCopy.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static SmallVector<Value> getOtherWords(OpBuilder &builder,
                                        const LoadedAhead &ahead) {
  auto others = ahead.load->getOperands().drop_front(kFirstOtherWord);
  if (!others.empty())
    return llvm::to_vector(others);
  return SmallVector<Value>(
      ahead.bytes / bytesPerWord,
      arith::ConstantIntOp::create(builder, ahead.load->getLoc(), 0, 32));
}

void tonvvm::copyToSlot(const LoadedAhead &ahead, Value place, Value mask) {
  Operation *load = ahead.load;
  Location loc = load->getLoc();
  OpBuilder builder(load);
  Value predicate;
  if (load->getNumOperands() > kPredicate)
    predicate = load->getOperand(kPredicate);
  auto ofRow = load->getAttrOfType<BoolAttr>(kVectorOfRowAttr);
  // A copy of no bytes would be one from its address, too.
  AsyncCopy::emit(builder, loc, place, load->getOperand(0), ahead.bytes,
                  ofRow ? Value() : predicate, ofRow ? predicate : mask);
  if (predicate && ofRow && !ofRow.getValue())
    storeVector(builder, loc, place, getOtherWords(builder, ahead),
                arith::XOrIOp::create(
                    builder, loc, predicate,
                    arith::ConstantIntOp::create(builder, loc, 1, 1)));
}

void tonvvm::storeElse(scf::ForOp loop, LoadedAhead ahead, Value place) {
  Operation *loads = ahead.branch.thenYield(),
            *others = ahead.branch.elseYield();
  SmallVector<Value> values;
  for (Value next : loop.getYieldedValues().slice(ahead.first, ahead.count)) {
    unsigned number = cast<OpResult>(next).getResultNumber();
    values.push_back(others->getOperand(number));
    OpBuilder builder(loads);
    loads->setOperand(
        number, arith::ConstantOp::create(builder, loads->getLoc(),
                                          builder.getZeroAttr(next.getType())));
  }
  OpBuilder builder(others);
  storeVector(builder, others->getLoc(), place, values,
              /*predicate=*/nullptr);
}

void tonvvm::awaitCopies(OpBuilder &builder, Location loc) {
  emitPtx(builder, loc, nullptr, {}, "cp.async.wait_all;", "~{memory}");
}
