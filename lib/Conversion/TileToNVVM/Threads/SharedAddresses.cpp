//===- SharedAddresses.cpp - Where a shared access goes -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/SharedAddresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value tonvvm::addBytes(OpBuilder &builder, Location loc, Value base,
                       Value offset) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value tonvvm::addBytes(OpBuilder &builder, Location loc, Value base,
                       int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(
      builder, loc, base.getType(), builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)},
      LLVM::GEPNoWrapFlags::inbounds);
}

Value tonvvm::addElements(OpBuilder &builder, Location loc, Value base,
                          Value offset, const SharedLayout &layout,
                          unsigned elementBytes) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  if (layout.isPadded()) {
    Value rows = arith::ShRUIOp::create(
        builder, loc, offset, constant(llvm::Log2_64(layout.padInterval())));
    Value padding =
        arith::MulIOp::create(builder, loc, rows, constant(layout.padAmount()));
    offset = arith::AddIOp::create(builder, loc, offset, padding);
  }
  Value bytes =
      arith::MulIOp::create(builder, loc, offset, constant(elementBytes));
  return addBytes(builder, loc, base, bytes);
}

SharedAddresses::SharedAddresses(OpBuilder &builder, Location loc,
                                 ThreadIndex &thread, Value base,
                                 const LinearLayout &registers,
                                 const SharedLayout &layout,
                                 unsigned elementBytes)
    : builder(builder), loc(loc), base(base), layout(layout),
      elementBytes(elementBytes),
      toOffset(registers.compose(layout.pointToOffset())),
      offset(thread.getCoordinate(toOffset, 0)) {}

Value SharedAddresses::get(unsigned reg) {
  int32_t part = toOffset.apply({{"register", reg}})[0];
  // Bits in which the thread has no say are added as a constant, which becomes
  // part of the instruction; only the others need an XOR.
  int32_t folded = 0;
  for (int bit = 0; bit < 31; ++bit)
    if (part >> bit & 1 && offset.isDisjoint(1 << bit))
      folded |= 1 << bit;
  // Sums of disjoint bits have no carry, so padding them is padding each.
  return addBytes(builder, loc, getThreadPointer(part & ~folded),
                  layout.pad(folded) * elementBytes);
}

Value SharedAddresses::getThreadPointer(int32_t part) {
  Value &pointer = threadPointers[part];
  if (pointer)
    return pointer;
  Value elements = offset.get(builder, loc, part);
  return pointer =
             addElements(builder, loc, base, elements, layout, elementBytes);
}
