//===- ThreadIndex.cpp - Layouts, evaluated by a thread ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/ThreadIndex.h"

#include "Threads/Clusters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/IR/FirstThread.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Banks/BankModel.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value ThreadCoordinate::get(OpBuilder &builder, Location loc,
                            int32_t registerPart) const {
  if (registerPart == 0)
    return threadPart;
  Value part = arith::ConstantIntOp::create(builder, loc, registerPart, 32);
  if (isDisjoint(registerPart))
    return arith::AddIOp::create(builder, loc, threadPart, part);
  return arith::XOrIOp::create(builder, loc, threadPart, part);
}

/// Bits of the number of a thread in its warpgroup.
static constexpr int32_t kWarpgroupBits = 7;

/// A team is a warpgroup, whose threads are numbered as if there were no other.
static bool isInTeam(OpBuilder &builder) {
  Operation *around = builder.getInsertionBlock()->getParentOp();
  while (around && !around->hasAttr(tile::kTeamsAttr))
    around = around->getParentOp();
  return around != nullptr;
}

ThreadIndex::ThreadIndex(OpBuilder &builder, Location loc)
    : builder(builder), loc(loc) {
  threadOfBlock = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  thread = isInTeam(builder)
               ? arith::AndIOp::create(builder, loc, threadOfBlock,
                                       constant((1 << kWarpgroupBits) - 1))
               : threadOfBlock;
  if (getClusterBlocks(builder.getInsertionBlock()->getParentOp()) > 1) {
    Value size = NVVM::BlockDimXOp::create(builder, loc, builder.getI32Type());
    Value first = arith::MulIOp::create(builder, loc,
                                        getBlockInCluster(builder, loc), size);
    thread = arith::AddIOp::create(builder, loc, first, thread);
  }
  lane =
      arith::AndIOp::create(builder, loc, thread, constant(lanesPerWarp - 1));
  warp = arith::ShRUIOp::create(builder, loc, thread,
                                constant(llvm::Log2_32(lanesPerWarp)));
}

Value ThreadIndex::constant(int32_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value ThreadIndex::applyBits(Value input, ArrayRef<int32_t> images) {
  // Bits that move by one distance move together: a mask and a shift.
  std::map<int, uint32_t> maskOfShift;
  for (auto [bit, image] : llvm::enumerate(images))
    for (int out = 0; out < 31; ++out)
      if (image >> out & 1)
        maskOfShift[out - static_cast<int>(bit)] |= uint32_t(1) << bit;
  Value sum;
  uint32_t sumBits = 0;
  for (auto [shift, mask] : maskOfShift) {
    Value term = arith::AndIOp::create(builder, loc, input,
                                       constant(static_cast<int32_t>(mask)));
    if (shift > 0)
      term = arith::ShLIOp::create(builder, loc, term, constant(shift));
    if (shift < 0)
      term = arith::ShRUIOp::create(builder, loc, term, constant(-shift));
    uint32_t bits = shift >= 0 ? mask << shift : mask >> -shift;
    if (!sum)
      sum = term;
    else if ((sumBits & bits) == 0)
      sum = arith::OrIOp::create(builder, loc, sum, term);
    else
      sum = arith::XOrIOp::create(builder, loc, sum, term);
    sumBits |= bits;
  }
  return sum;
}

ThreadCoordinate ThreadIndex::getCoordinate(const LinearLayout &layout,
                                            unsigned dim) {
  ThreadCoordinate coordinate;
  auto addInput = [&](StringRef name, Value value) {
    SmallVector<int32_t> images;
    int32_t bits = 0;
    for (const LinearLayout::Point &basis : layout.bases(name)) {
      images.push_back(basis[dim]);
      bits |= basis[dim];
    }
    Value part = applyBits(value, images);
    if (!part)
      return;
    Value &sum = coordinate.threadPart;
    if (!sum)
      sum = part;
    else if ((coordinate.threadBits & bits) == 0)
      sum = arith::OrIOp::create(builder, loc, sum, part);
    else
      sum = arith::XOrIOp::create(builder, loc, sum, part);
    coordinate.threadBits |= bits;
  };
  addInput("lane", lane);
  addInput("warp", warp);
  if (!coordinate.threadPart)
    coordinate.threadPart = constant(0);
  return coordinate;
}

Value ThreadIndex::isFirst() {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<LLVM::LLVMFuncOp>();
  if (function && function->hasAttr(tile::kFirstThreadAttr))
    return {};
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread,
                               constant(0));
}

Value ThreadIndex::getWarpgroup() {
  return arith::ShRUIOp::create(builder, loc, thread, constant(kWarpgroupBits));
}

Value ThreadIndex::getWarpgroupOfBlock() {
  return arith::ShRUIOp::create(builder, loc, threadOfBlock,
                                constant(kWarpgroupBits));
}

Value ThreadIndex::isFirstOfWarp() {
  return isCanonical(/*idleLanes=*/lanesPerWarp - 1, /*idleWarps=*/0);
}

Value ThreadIndex::isFirstOfWarpgroup() {
  Value inside = arith::AndIOp::create(builder, loc, thread,
                                       constant((1 << kWarpgroupBits) - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, inside,
                               constant(0));
}

Value ThreadIndex::isCanonical(int64_t idleLanes, int64_t idleWarps) {
  Value bits;
  auto addBits = [&](Value input, int64_t mask) {
    if (mask == 0)
      return;
    Value set = arith::AndIOp::create(builder, loc, input,
                                      constant(static_cast<int32_t>(mask)));
    bits = bits ? arith::OrIOp::create(builder, loc, bits, set) : set;
  };
  addBits(lane, idleLanes);
  addBits(warp, idleWarps);
  if (!bits)
    return nullptr;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                               constant(0));
}

Value tonvvm::isFirstOfBlock(OpBuilder &builder, Location loc) {
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()),
      arith::ConstantIntOp::create(builder, loc, 0, 32));
}

Operation *tonvvm::syncWarp(OpBuilder &builder, Location loc) {
  constexpr int allLanes = -1;
  return NVVM::SyncWarpOp::create(
      builder, loc, arith::ConstantIntOp::create(builder, loc, allLanes, 32));
}
