//===- Recomputer.cpp - Values computed anew ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/Recomputer.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Whether it may differ between the threads of a block.
static bool isOfThread(Value value) {
  SmallVector<Value> open = {value};
  DenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<NVVM::ThreadIdXOp>(op) || !isPure(op))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

void Recomputer::replace(Operation &op, const llvm::SetVector<Value> &wanted) {
  op.walk([&](Operation *inside) {
    for (OpOperand &operand : inside->getOpOperands())
      if (wanted.contains(operand.get()))
        operand.set(get(operand.get(), &op));
  });
}

Value Recomputer::get(Value value, Operation *user) {
  if (matchPattern(value, m_Constant()))
    return value;
  Value &again = anew[value];
  if (again)
    return again;
  if (kept.contains(value)) {
    Value hidden = from == HiddenFrom::Ptxas ? addZero(value) : hide(value);
    return anew[value] = hidden;
  }
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand, user));
  return anew[value] = OpBuilder(user).clone(*op, mapping)->getResult(0);
}

/// What it is, and LLVM cannot know it.
Value Recomputer::hide(Value value) {
  Location loc = value.getLoc();
  Type type = value.getType();
  if (type.isIndex()) {
    Value number =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, type, hide(number));
  }
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  bool isGlobal = pointer && pointer.getAddressSpace() == kGlobalSpace;
  if (!isGlobal && !type.isInteger(32) && !type.isInteger(64))
    return value;
  unsigned bits = isGlobal ? 64 : type.getIntOrFloatBitWidth();
  StringRef of = getRegisterClass(bits);
  return emitPtx(builder, loc, type, value,
                 llvm::formatv("mov.b{0} $0, $1;", bits).str(),
                 llvm::formatv("={0},{0}", of).str());
}

/// Values of the same for all threads are left as they are: what is made of
/// them takes no register of a thread.
Value Recomputer::addZero(Value value) {
  if (!isOfThread(value))
    return value;
  Location loc = value.getLoc();
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::GEPOp::create(builder, loc, type, builder.getI8Type(), value,
                               ArrayRef<LLVM::GEPArg>{getZero()});
  if (type.isIndex()) {
    Value none = arith::IndexCastUIOp::create(builder, loc, type, getZero());
    return arith::AddIOp::create(builder, loc, value, none);
  }
  if (type.isInteger(32))
    return arith::AddIOp::create(builder, loc, value, getZero());
  if (type.isInteger(64))
    return arith::AddIOp::create(
        builder, loc, value,
        arith::ExtUIOp::create(builder, loc, type, getZero()));
  return value;
}

Value Recomputer::getZero() {
  if (zero)
    return zero;
  Location loc = builder.getUnknownLoc();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value told = emitPtx(builder, loc, thread.getType(), thread,
                       "{\n.reg .b32 lane;\nmov.u32 lane, %laneid;\n"
                       "shfl.sync.idx.b32 $0, $1, lane, 31, -1;\n}",
                       "=r,r");
  return zero = arith::SubIOp::create(builder, loc, told, thread);
}
