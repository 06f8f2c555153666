//===- BulkChannels.cpp - Channels that bulk copies fill ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/BulkChannels.h"

#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Shared/HardwareSwizzle.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

void tilewright::tile::addMbarriers(ChannelOp channel) {
  OpBuilder builder(channel);
  auto layout =
      SharedLayoutAttr::get(builder.getContext(), SharedLayout::rowMajor({2}));
  auto type = SharedType::get(builder.getContext(),
                              {channel.getType().getNumStages(), 2},
                              builder.getI64Type(), layout);
  auto mbarriers = AllocSharedOp::create(builder, channel.getLoc(), type,
                                         IntegerAttr(), StringAttr());
  channel.getMbarriersMutable().assign(mbarriers);
}

SmallVector<CopyTmaOp> tilewright::tile::getBulkCopies(AcquireOp acquire) {
  SmallVector<CopyTmaOp> copies;
  for (Operation &op :
       llvm::make_range(acquire->getIterator(), acquire->getBlock()->end()))
    if (auto copy = dyn_cast<CopyTmaOp>(op);
        copy && copy.getDest().getDefiningOp() == acquire)
      copies.push_back(copy);
  return copies;
}

SharedLayoutAttr
tilewright::tile::findHardwareLayout(SharedAccessOpInterface access,
                                     unsigned rowDim) {
  SharedType type = access.getSharedTile().getType();
  unsigned bytes = getElementBytes(type.getElementType());
  SharedAccess described = describeSharedAccess(access);
  if (described.kind == SharedAccessKind::LoadMatrix)
    described.kind = SharedAccessKind::Load;
  for (const HardwareSwizzle &mode : HardwareSwizzle::all()) {
    llvm::Expected<SharedLayout> layout =
        hardwareLayout(type.getShape(), bytes, rowDim, mode);
    if (!layout) {
      llvm::consumeError(layout.takeError());
      continue;
    }
    SharedAccessCost cost = costOfSharedAccess(described, *layout);
    if (cost.isIdeal())
      return SharedLayoutAttr::get(type.getContext(), *layout);
  }
  return nullptr;
}

unsigned tilewright::tile::countBlocksWithRoom(KernelOp kernel) {
  GpuTarget target = getTargetOrDefault(kernel);
  int64_t bytes = planSharedMemory(getSharedRequests(kernel),
                                   target.freeSharedBytesPerBlock())
                      .total;
  return target.occupancy(countThreads(kernel), /*registersPerThread=*/1, bytes)
      .blocksPerSM;
}
