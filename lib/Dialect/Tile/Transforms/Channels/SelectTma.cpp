//===- SelectTma.cpp - Slots filled by bulk copies ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Channels/HoistChannel.h"
#include "Channels/TensorMaps.h"
#include "tilewright/Dialect/Tile/Analysis/CopyRole.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESELECTTMA
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// A channel that bulk copies could fill.
class StagedCandidate {
public:
  explicit StagedCandidate(ChannelOp channel) : channel(channel) {
    for (Operation *user : channel->getUsers())
      if (auto acquire = dyn_cast<AcquireOp>(user))
        for (Operation *copy : acquire->getUsers())
          copies.push_back(dyn_cast<CopyAsyncOp>(copy));
  }

  /// Empty where nothing does.
  std::string whatStandsInTheWay(AnalysisManager analyses) {
    if (channel.getType().getNumStages() < 2)
      return "one stage leaves nothing to fill ahead: use num_stages = 2 or "
             "more";
    if (!isa<KernelOp>(channel->getParentOp()) && !canHoist(channel))
      return "it is made anew in each run of a loop or a branch";
    for (Value tile : channel.getTiles())
      if (std::string why = checkReaders(tile); !why.empty())
        return why;
    for (CopyAsyncOp copy : copies)
      if (std::string why = checkCopy(copy, analyses); !why.empty())
        return why;
    return "";
  }

  void select() {
    for (CopyAsyncOp copy : copies)
      replace(copy);
    addMbarriers(channel);
    hoist(channel);
  }

private:
  /// Threads would read by other layouts than those of the hardware.
  static std::string checkReaders(Value tile) {
    auto allocation = tile.getDefiningOp<AllocSharedOp>();
    bool isRead = llvm::any_of(
        getAccesses(allocation),
        [](SharedAccessOpInterface access) { return !access.isStore(); });
    return isRead ? "threads read a tile, and no product by wgmma does where "
                    "it lies"
                  : "";
  }

  static std::string checkCopy(CopyAsyncOp copy, AnalysisManager analyses) {
    if (!copy || !copy.getViewType())
      return whyNoBlock(copy);
    if (copy.getMask())
      return "a copy has a mask";
    ViewType view = copy.getViewType();
    std::optional<TensorBoxes> boxes =
        copy.getDest().getType().getTensorBoxes();
    if (!boxes || view.getContiguousDim() != boxes->rowDim)
      return "the layout of a tile is none that bulk copies write";
    if (std::string why =
            whyNotAligned(copy, analyses.getAnalysis<AxisInfoAnalysis>());
        !why.empty())
      return why;
    llvm::Expected<MappedBlock> block = describe(copy);
    return block ? "" : llvm::toString(block.takeError());
  }

  static llvm::Expected<MappedBlock> describe(CopyAsyncOp copy) {
    return MappedBlock::of(copy.getSource(), copy.getOffsets(),
                           copy.getDest().getType().getShape());
  }

  static std::string whyNoBlock(CopyAsyncOp copy) {
    auto reason =
        copy ? copy->getAttrOfType<StringAttr>(kNoBlockAttr) : StringAttr();
    return "what is copied is no block of a view" +
           (reason ? ": " + reason.str() : "");
  }

  /// Names the argument of which too little is known. A thread of a small tile
  /// has no vector of 16 bytes, whatever its addresses are.
  static std::string whyNotAligned(CopyAsyncOp copy,
                                   const AxisInfoAnalysis &axes) {
    int64_t bytes = getElementBytes(copy.getViewType().getElementType());
    VectorWidth width = getAddressVector(copy, axes).width;
    int64_t elements =
        std::max<int64_t>(width.elements, copy.getVectorWidth().value_or(1));
    return elements * bytes >= kMapBytes ? ""
                                         : "base and strides are not known to "
                                           "be multiples of 16 bytes: " +
                                               width.limit;
  }

  static void replace(CopyAsyncOp copy) {
    OpBuilder builder(copy);
    MappedBlock block = llvm::cantFail(describe(copy));
    TensorMapOp map = block.getMap(*copy.getDest().getType().getTensorBoxes());
    CopyTmaOp::create(builder, copy.getLoc(), map, block.getOffsets(builder),
                      block.getMoved(builder), /*rows=*/nullptr,
                      /*last=*/nullptr, copy.getDest(),
                      /*barrier=*/nullptr, /*shared_along=*/IntegerAttr());
    copy.erase();
  }

  ChannelOp channel;
  SmallVector<CopyAsyncOp> copies;
};

struct SelectTma : tilewright::tile::impl::TileSelectTmaBase<SelectTma> {
  using TileSelectTmaBase::TileSelectTmaBase;

  void runOnOperation() override {
    if (!getTargetOrDefault(getOperation()).tma)
      return;
    SmallVector<ChannelOp> channels;
    SmallVector<StagedCandidate> candidates;
    getOperation().walk([&](ChannelOp channel) {
      if (channel.getMbarriers())
        return;
      if (!enable)
        return keepReason(channel,
                          "bulk copies are turned off (--tensor-maps=false)");
      StagedCandidate candidate(channel);
      std::string why = candidate.whatStandsInTheWay(getAnalysisManager());
      if (why.empty())
        why = CopyRole(getOperation(), channel).whyNot();
      if (!why.empty()) {
        channel.emitRemark() << "is not filled by bulk copies: " << why;
        return keepReason(channel, why);
      }
      channels.push_back(channel);
      candidates.push_back(std::move(candidate));
    });
    for (StagedCandidate &candidate : candidates)
      candidate.select();
  }

private:
  static void keepReason(ChannelOp channel, StringRef why) {
    for (Value tile : channel.getTiles())
      tile.getDefiningOp()->setAttr(kCopyReasonAttr,
                                    StringAttr::get(channel.getContext(), why));
  }
};

} // namespace
