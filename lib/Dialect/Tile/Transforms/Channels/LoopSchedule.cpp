//===- LoopSchedule.cpp - Which loads of a loop run ahead -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/LoopSchedule.h"

#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

using namespace mlir;
using namespace tilewright::tile;

static std::optional<StagedLoad> matchStagedLoad(scf::ForOp loop,
                                                 GlobalAccessOpInterface load,
                                                 const AxisInfoAnalysis &axes) {
  auto coordinates = getCoordinatesAhead(load);
  if (!coordinates)
    return std::nullopt;
  auto store = dyn_cast<LocalStoreOp>(*load->user_begin());
  auto tile = store ? store.getDest().getDefiningOp<AllocSharedOp>() : nullptr;
  if (!tile || tile->getBlock() != loop.getBody() ||
      store->getBlock() != loop.getBody() || tile.getOffset() ||
      tile.getType().getLayout())
    return std::nullopt;
  bool isOnlyLoaded = llvm::all_of(tile->getUsers(), [&](Operation *user) {
    return user == store ||
           (isa<LocalLoadOp>(user) && user->getBlock() == loop.getBody() &&
            store->isBeforeInBlock(user));
  });
  std::optional<CopyShape> shape = getCopyShape(load, axes);
  if (!isOnlyLoaded || !shape)
    return std::nullopt;
  return StagedLoad{load, store, tile, *shape, std::move(*coordinates)};
}

SmallVector<LoopSchedule> tilewright::tile::scheduleLoops(KernelOp kernel,
                                                          int numStages) {
  SmallVector<LoopSchedule> schedules;
  AxisInfoAnalysis axes(kernel);
  kernel.walk([&](scf::ForOp loop) {
    LoopSchedule schedule{loop, {}, getNumStages(loop, numStages)};
    if (schedule.numStages == 1)
      return;
    for (auto load : loop.getBody()->getOps<GlobalAccessOpInterface>())
      if (auto staged = matchStagedLoad(loop, load, axes))
        schedule.loads.push_back(std::move(*staged));
    if (!schedule.loads.empty())
      schedules.push_back(std::move(schedule));
  });
  return schedules;
}
