//===- LoopSchedule.cpp - Which loads of a loop run ahead -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/LoopSchedule.h"

#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Layout/Banks/BankModel.h"

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

/// Whether nobody but products asks for what is read of the tile.
static bool isOnlyMultiplied(AllocSharedOp tile) {
  return llvm::all_of(tile->getUsers(), [](Operation *user) {
    return !isa<LocalLoadOp>(user) ||
           llvm::all_of(user->getUsers(), llvm::IsaPred<ProductOpInterface>);
  });
}

/// Whether threads have no registers for what they load, beside the sums of the
/// loop's products.
static bool isShortOfRegisters(KernelOp kernel, const LoopSchedule &schedule) {
  int64_t threads = kernel.getNumThreads();
  int64_t bytes = 0;
  for (const StagedLoad &staged : schedule.loads)
    bytes += getByteSize(GlobalAccessOpInterface(staged.load).getTileType());
  int64_t words = llvm::divideCeil(bytes, threads * tilewright::bytesPerWord);
  for (auto product :
       scf::ForOp(schedule.loop).getBody()->getOps<ProductOpInterface>())
    words += product.countSumsOfThread();
  return words + kRegistersBesideProducts >
         getTargetOrDefault(kernel).registersPerThread(threads);
}

SmallVector<LoopSchedule> tilewright::tile::scheduleLoops(KernelOp kernel) {
  SmallVector<LoopSchedule> schedules;
  AxisInfoAnalysis axes(kernel);
  kernel.walk([&](scf::ForOp loop) {
    LoopSchedule schedule{loop, {}, getNumStages(loop)};
    // Where there was no room for more, tiles take turns in the same bytes.
    if (schedule.numStages == 1 && getMostStages(kernel) == 1)
      return;
    for (auto load : loop.getBody()->getOps<GlobalAccessOpInterface>())
      if (auto staged = matchStagedLoad(loop, load, axes);
          staged && (schedule.numStages > 1 || isOnlyMultiplied(staged->tile)))
        schedule.loads.push_back(std::move(*staged));
    if (schedule.numStages == 1 && !isShortOfRegisters(kernel, schedule))
      return;
    if (!schedule.loads.empty())
      schedules.push_back(std::move(schedule));
  });
  return schedules;
}
