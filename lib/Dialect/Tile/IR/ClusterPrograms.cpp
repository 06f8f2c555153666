//===- ClusterPrograms.cpp - Neighbours that copy together ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"

#include "TileOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileClusterOps.cpp.inc"

std::array<int32_t, 3> tilewright::tile::getClusterPrograms(KernelOp kernel) {
  std::array<int32_t, 3> programs = {1, 1, 1};
  if (auto attr =
          kernel->getAttrOfType<DenseI32ArrayAttr>(kClusterProgramsAttr))
    llvm::copy(attr.asArrayRef(), programs.begin());
  return programs;
}

int64_t tilewright::tile::countClusterPrograms(KernelOp kernel) {
  return llvm::product_of(getClusterPrograms(kernel), int64_t(1));
}

std::array<int32_t, 3> tilewright::tile::getLaunchedPrograms(KernelOp kernel) {
  std::array<int32_t, 3> programs = getClusterPrograms(kernel);
  for (unsigned axis = 0; axis < programs.size(); ++axis)
    programs[axis] *= kernel.getBlockPrograms(axis);
  return programs;
}

static LogicalResult verifyInCluster(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  // That of a kernel that is a function by now was verified before.
  if (!kernel || kernel->hasAttr(kClusterProgramsAttr))
    return success();
  return op->emitOpError(
             "is of kernels that have clusters of programs, which have '")
         << kClusterProgramsAttr << "'";
}

LogicalResult PlaceInClusterOp::verify() { return verifyInCluster(*this); }
LogicalResult ClusterBarrierOp::verify() { return verifyInCluster(*this); }

void PlaceInClusterOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                         SetIntRangeFn setRange) {
  unsigned bits = IndexType::kInternalStorageBitWidth;
  setRange(getResult(),
           ConstantIntRanges::fromUnsigned(
               APInt(bits, 0), APInt(bits, kMostClusterPrograms - 1)));
}
