//===- Clusters.cpp - Programs that several blocks run --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Clusters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

int64_t tonvvm::getClusterBlocks(Operation *inKernel) {
  for (Operation *op = inKernel; op; op = op->getParentOp()) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      return kernel.getClusterBlocksOrOne();
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
      auto extents = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getClusterDimAttrName());
      return extents && !function->hasAttr(kWholeProgramsAttr) ? extents[0] : 1;
    }
  }
  return 1;
}

int32_t tonvvm::countBlocksOfCluster(Operation *inFunction) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(inFunction);
  if (!function)
    function = inFunction->getParentOfType<LLVM::LLVMFuncOp>();
  auto extents = function ? function->getAttrOfType<DenseI32ArrayAttr>(
                                NVVM::NVVMDialect::getClusterDimAttrName())
                          : DenseI32ArrayAttr();
  return extents ? extents[0] : 1;
}

bool tonvvm::hasClusters(Operation *inFunction) {
  return countBlocksOfCluster(inFunction) > 1;
}

Value tonvvm::getClusterOfBlock(OpBuilder &builder, Location loc) {
  return NVVM::ClusterIdXOp::create(builder, loc, builder.getI32Type());
}

Value tonvvm::getNumClusters(OpBuilder &builder, Location loc) {
  return NVVM::ClusterDimXOp::create(builder, loc, builder.getI32Type());
}

Value tonvvm::getBlockInCluster(OpBuilder &builder, Location loc) {
  return NVVM::BlockInClusterIdXOp::create(builder, loc, builder.getI32Type());
}

/// The number of programs along the axes before.
static int32_t countBefore(ArrayRef<int32_t> programs, unsigned axis) {
  return llvm::product_of(programs.take_front(axis), int32_t(1));
}

static Value constant(OpBuilder &builder, Location loc, int32_t number) {
  return arith::ConstantIntOp::create(builder, loc, number, 32);
}

Value tonvvm::getPlaceInCluster(OpBuilder &builder, Location loc,
                                ArrayRef<int32_t> programs, unsigned axis) {
  Value before = constant(
      builder, loc,
      static_cast<int32_t>(llvm::Log2_32(countBefore(programs, axis))));
  Value place = arith::ShRUIOp::create(builder, loc,
                                       getBlockInCluster(builder, loc), before);
  return arith::AndIOp::create(builder, loc, place,
                               constant(builder, loc, programs[axis] - 1));
}

Value tonvvm::getBlocksAlong(OpBuilder &builder, Location loc,
                             ArrayRef<int32_t> programs, unsigned axis) {
  int32_t before = countBefore(programs, axis), bits = 0;
  for (int32_t place = 0; place < programs[axis]; ++place)
    bits |= 1 << (place * before);
  // From the first of them on.
  Value mine = arith::MulIOp::create(
      builder, loc, getPlaceInCluster(builder, loc, programs, axis),
      constant(builder, loc, before));
  Value first = arith::SubIOp::create(builder, loc,
                                      getBlockInCluster(builder, loc), mine);
  Value blocks =
      arith::ShLIOp::create(builder, loc, constant(builder, loc, bits), first);
  return arith::TruncIOp::create(builder, loc, builder.getI16Type(), blocks);
}

Value tonvvm::mapToBlock(OpBuilder &builder, Location loc, Value pointer,
                         Value rank) {
  return NVVM::MapaOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kClusterSpace), pointer,
      rank);
}

/// All threads of a warp are here, as at any barrier of a program.
static UnitAttr isAligned(OpBuilder &builder) { return builder.getUnitAttr(); }

void tonvvm::waitForCluster(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, isAligned(builder));
  NVVM::ClusterWaitOp::create(builder, loc, isAligned(builder));
}
