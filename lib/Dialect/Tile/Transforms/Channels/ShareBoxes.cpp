//===- ShareBoxes.cpp - Boxes that the blocks of a cluster copy together --===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESHAREBOXES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
class BoxSharing {
public:
  explicit BoxSharing(KernelOp kernel)
      : kernel(kernel), programs(getClusterPrograms(kernel)) {
    for (unsigned axis = 0; axis < programs.size(); ++axis)
      if (programs[axis] > 1)
        differences.try_emplace(axis, kernel, axis);
  }

  void run() {
    for (ChannelOp channel : getChannelsWithMbarriers(kernel))
      if (mayBeOfCluster(channel))
        share(channel);
    for (const auto &[map, maps] : mapsOfParts)
      if (map->use_empty())
        map->erase();
  }

private:
  /// Whether all blocks do the same hand-overs. What has one slot is given back
  /// elsewhere (ReleaseUnderProducts.h).
  bool mayBeOfCluster(ChannelOp channel) {
    if (channel->getParentOp() != kernel ||
        channel.getType().getNumStages() < 2)
      return false;
    return llvm::none_of(channel->getUsers(), [&](Operation *handOver) {
      for (Operation *op = handOver; op != kernel; op = op->getParentOp())
        for (const auto &[axis, ofAxis] : differences)
          if (ofAxis.diverges(op))
            return true;
      return false;
    });
  }

  void share(ChannelOp channel) {
    for (Operation *handOver : channel->getUsers())
      if (auto acquire = dyn_cast<AcquireOp>(handOver))
        for (Operation *user : llvm::make_early_inc_range(acquire->getUsers()))
          if (auto copy = dyn_cast<CopyTmaOp>(user))
            share(channel, copy);
  }

  /// Along the first axis along which all blocks copy the same.
  void share(ChannelOp channel, CopyTmaOp copy) {
    std::optional<TensorBoxes> boxes =
        copy.getDest().getType().getTensorBoxes();
    for (const auto &[axis, ofAxis] : differences) {
      std::optional<TensorBoxes> part = boxes->getPart(programs[axis]);
      if (!part || ofAxis.differs(copy))
        continue;
      copy.setSharedAlong(axis);
      copy.getMapMutable().assign(getMap(copy.getTensorMap(), *part));
      channel.setOfCluster(true);
      return;
    }
  }

  /// The map with smaller boxes.
  TensorMapOp getMap(TensorMapOp map, const TensorBoxes &part) {
    if (llvm::equal(map.getBox(), part.extents))
      return map;
    TensorMapOp &made = mapsOfParts[map][part.extents];
    if (!made) {
      OpBuilder builder(map);
      made = cast<TensorMapOp>(builder.clone(*map));
      made.setBox(part.extents);
    }
    return made;
  }

  KernelOp kernel;
  std::array<int32_t, 3> programs;
  std::map<unsigned, ProgramDifferences> differences;
  llvm::MapVector<TensorMapOp, std::map<SmallVector<int64_t>, TensorMapOp>>
      mapsOfParts;
};

struct ShareBoxes : tilewright::tile::impl::TileShareBoxesBase<ShareBoxes> {
  void runOnOperation() override {
    if (countClusterPrograms(getOperation()) > 1)
      BoxSharing(getOperation()).run();
  }
};
} // namespace
