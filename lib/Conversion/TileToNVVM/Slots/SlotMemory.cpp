//===- SlotMemory.cpp - Where slots of threads lie ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots/SlotMemory.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Bytes for mbarriers, which are no part of what the kernel was given.
static constexpr int64_t kOtherSharedBytes = 128;

SlotMemory::SlotMemory(LLVM::LLVMFuncOp function)
    : function(function), target(getTargetOrDefault(function)),
      threads(*tonvvm::getNumThreads(function)),
      sharedBytes(
          function->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt()) {}

void SlotMemory::makeRoom(int64_t blocks) {
  int64_t ofBlock = target.sharedBytesPerSM / blocks -
                    target.reservedSharedBytesPerBlock - kOtherSharedBytes;
  ofBlock = std::min<int64_t>(ofBlock, target.maxSharedBytesPerBlock -
                                           kOtherSharedBytes);
  room = (ofBlock - sharedBytes) / getStride();
}

bool SlotMemory::take() {
  if (!hasRoom(1))
    return false;
  ++numSlots;
  return true;
}

/// Where the slots begin in dynamic shared memory.
int64_t SlotMemory::getFirstByte() const {
  bool isDynamic = sharedBytes > int64_t(target.staticSharedLimit);
  return isDynamic ? llvm::alignTo(sharedBytes, kSlotBytes) : 0;
}

Value SlotMemory::makeAddress(OpBuilder &builder, Location loc, bool isOfWarp) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, getSymbol());
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  if (isOfWarp)
    thread = arith::AndIOp::create(builder, loc, thread,
                                   constant(-int64_t(lanesPerWarp)));
  Value offset = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, thread, constant(kSlotBytes)),
      constant(getFirstByte() + (numSlots - 1) * getStride()));
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The symbol of dynamic shared memory.
std::string SlotMemory::getSymbol() {
  if (getFirstByte() > 0)
    return getSharedSymbol(function);
  std::string symbol = getSymbolOf(function.getSymNameAttr(), "slots");
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder builder(function);
    LLVM::GlobalOp::create(builder, function.getLoc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           symbol,
                           /*value=*/Attribute(), kSlotBytes, kSharedSpace);
  }
  return symbol;
}

void SlotMemory::writeBytes() {
  if (isEmpty())
    return;
  int64_t bytes = getFirstByte() + numSlots * getStride();
  function->setAttr(kSlotBytesAttr,
                    Builder(function.getContext()).getI64IntegerAttr(bytes));
}
