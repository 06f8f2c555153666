//===- CheckChannels.cpp - Refuse hand-overs that do not agree ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProtocol.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKCHANNELS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
struct CheckChannels
    : tilewright::tile::impl::TileCheckChannelsBase<CheckChannels> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<ChannelOp> channels = getChannelsWithMbarriers(kernel);
    if (channels.empty())
      return;
    int64_t mostStages = 0;
    for (ChannelOp channel : channels) {
      if (failed(checkSlotBytes(channel)))
        return signalPassFailure();
      mostStages =
          std::max<int64_t>(mostStages, channel.getType().getNumStages());
    }
    bool isLegal = true;
    auto check = [&](const Way &way) -> LogicalResult {
      isLegal = succeeded(checkProtocol(way, channels));
      return success(isLegal);
    };
    Operation *obstacle =
        forEachWay(kernel, channels, /*mostTrips=*/mostStages + 1, check);
    if (!isLegal)
      return signalPassFailure();
    if (obstacle)
      obstacle->emitRemark(
          "hand-overs are not checked, since they hang on what "
          "is not followed");
  }
};
} // namespace
