//===- Clusters.cpp - Programs that several blocks run --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Clusters.h"

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
      return extents && !function->hasAttr(kPartsOfFunctionAttr) ? extents[0]
                                                                 : 1;
    }
  }
  return 1;
}

bool tonvvm::hasClusters(Operation *inFunction) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(inFunction);
  if (!function)
    function = inFunction->getParentOfType<LLVM::LLVMFuncOp>();
  return function &&
         function->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName());
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
