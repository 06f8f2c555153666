//===- WarpShuffle.cpp - Values that change lanes -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/WarpShuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value tonvvm::resizeInteger(OpBuilder &builder, Location loc, Value integer,
                            unsigned bits) {
  Type type = builder.getIntegerType(bits);
  unsigned from = integer.getType().getIntOrFloatBitWidth();
  if (from < bits)
    return arith::ExtUIOp::create(builder, loc, type, integer);
  if (from > bits)
    return arith::TruncIOp::create(builder, loc, type, integer);
  return integer;
}

Value tonvvm::toBits(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), value);
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  return type == integer
             ? value
             : arith::BitcastOp::create(builder, loc, integer, value);
}

Value tonvvm::fromBits(OpBuilder &builder, Location loc, Value integer,
                       Type type) {
  if (type == integer.getType())
    return integer;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, integer);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, loc, type, integer);
  return arith::BitcastOp::create(builder, loc, type, integer);
}

static Value shuffleInteger(OpBuilder &builder, Location loc, Value integer,
                            NVVM::ShflKind kind, Value lane) {
  unsigned bits = integer.getType().getIntOrFloatBitWidth();
  auto constant = [&](int64_t number, unsigned width) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, width);
  };
  if (bits <= 32) {
    Value word = NVVM::ShflOp::create(
        builder, loc, builder.getI32Type(), constant(-1, 32),
        resizeInteger(builder, loc, integer, 32), lane,
        constant(lanesPerWarp - 1, 32), kind, UnitAttr());
    return resizeInteger(builder, loc, word, bits);
  }
  auto shuffleHalf = [&](Value half) {
    Value word = resizeInteger(builder, loc, half, 32);
    return resizeInteger(builder, loc,
                         shuffleInteger(builder, loc, word, kind, lane), 64);
  };
  Value wide = resizeInteger(builder, loc, integer, 64);
  Value low = shuffleHalf(wide);
  Value high =
      shuffleHalf(arith::ShRUIOp::create(builder, loc, wide, constant(32, 64)));
  high = arith::ShLIOp::create(builder, loc, high, constant(32, 64));
  return resizeInteger(builder, loc,
                       arith::OrIOp::create(builder, loc, low, high), bits);
}

static Value shuffle(OpBuilder &builder, Location loc, Value value,
                     NVVM::ShflKind kind, Value lane) {
  Value bits =
      shuffleInteger(builder, loc, toBits(builder, loc, value), kind, lane);
  return fromBits(builder, loc, bits, value.getType());
}

Value tonvvm::shuffleButterfly(OpBuilder &builder, Location loc, Value value,
                               unsigned laneMask) {
  Value lanes = arith::ConstantIntOp::create(builder, loc, laneMask, 32);
  return shuffle(builder, loc, value, NVVM::ShflKind::bfly, lanes);
}

Value tonvvm::shuffleFromLane(OpBuilder &builder, Location loc, Value value,
                              Value lane) {
  return shuffle(builder, loc, value, NVVM::ShflKind::idx, lane);
}
