//===- SelectTmaLoads.cpp - Tiles that the hardware fetches ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Channels/TensorMaps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/CopyRole.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/Algebra/CountOf.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESELECTTMALOADS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// A tile that is loaded from global memory and changes its layout by shared
/// memory.
class LoadCandidate {
public:
  /// None where the load goes another way, or stands behind no loop whose slots
  /// bulk copies fill.
  static std::optional<LoadCandidate> find(GlobalAccessOpInterface load) {
    if (load.isStore() || !load->hasOneUse())
      return std::nullopt;
    auto fill = dyn_cast<SharedAccessOpInterface>(*load->user_begin());
    auto tile = fill ? fill.getSharedTile().getDefiningOp<AllocSharedOp>()
                     : AllocSharedOp();
    if (!tile || !fill.isStore() || isUsedByStages(tile))
      return std::nullopt;
    SmallVector<SharedAccessOpInterface> accesses = getAccesses(tile);
    if (accesses.size() != 2 || !tile.getResult().hasNUses(2) ||
        accesses[0] != fill || accesses[1].isStore() ||
        accesses[1]->getBlock() != load->getBlock() ||
        !isBehindFilledLoop(load))
      return std::nullopt;
    return LoadCandidate(load, fill, accesses[1], tile);
  }

  /// Empty where nothing does.
  std::string whatStandsInTheWay(const AxisInfoAnalysis &axes) {
    MemoryAccess access = getAccess();
    if (!load.isCopyable() || access.mask)
      return "the load has a mask, or another number than 0 for what is "
             "outside";
    if (!mayHaveTensorMap(load, axes))
      return "a launch can make no tensor map of what is loaded: it is no "
             "block of a view, or base and strides are not known to be "
             "multiples of 16 bytes";
    if (!isa<KernelOp>(getParent()) && !isLoopOverPrograms(getParent()))
      return "it is in loops or branches of its own";
    auto view = cast<ViewType>(access.base.getType());
    layout = findHardwareLayout(read, *view.getContiguousDim());
    return layout ? ""
                  : "no layout of the hardware is read as fast as the "
                    "best one";
  }

  void keepReason(StringRef why) {
    load->emitRemark() << "is not fetched by bulk copies: " << why;
    load->setAttr(kCopyReasonAttr, StringAttr::get(load.getContext(), why));
  }

  /// Lets a bulk copy fetch the tile, hand-over `count` of a channel of its
  /// own. Returns whether its slot is still used at the end of the block.
  bool select(Value count, const AxisInfoAnalysis &axes) {
    AllocSharedOp result = findResult();
    makeChannel();
    this->count = count;
    Value slot = handOver();
    read.setMatrix(false);
    read->replaceUsesOfWith(tile, slot);
    read.setVectorWidth(getVectorWidth(read, axes).elements);
    fill->erase();
    load->erase();
    tile->erase();
    if (!result)
      release(read->getNextNode());
    else
      writeInPlace(result, slot);
    return result != nullptr;
  }

  Operation *getParent() const { return read->getParentOp(); }
  /// The end of its block.
  Operation *getEnd() const { return read->getBlock()->getTerminator(); }

  void release(Operation *before) {
    OpBuilder builder(before);
    ReleaseOp::create(builder, channel.getLoc(), channel, count);
  }

private:
  LoadCandidate(GlobalAccessOpInterface load, SharedAccessOpInterface fill,
                SharedAccessOpInterface read, AllocSharedOp tile)
      : load(load), fill(fill), read(read), tile(tile) {}

  MemoryAccess getAccess() {
    return *findMemoryAccess(load, MemorySpace::Global);
  }

  /// Or over tiles, by an author: one that counts, in no other.
  static bool isLoopOverPrograms(Operation *op) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    return loop && loop.getSingleInductionVar() &&
           isa<KernelOp>(op->getParentOp());
  }

  static bool isBehindFilledLoop(Operation *load) {
    auto kernel = load->getParentOfType<KernelOp>();
    return llvm::any_of(
        getChannelsWithMbarriers(kernel), [&](ChannelOp channel) {
          return llvm::any_of(channel->getUsers(), [&](Operation *user) {
            Operation *loop = load->getBlock()->findAncestorOpInBlock(*user);
            return isa<SharedPartOpInterface>(user) &&
                   isa_and_nonnull<LoopLikeOpInterface>(loop) &&
                   loop->isBeforeInBlock(load);
          });
        });
  }

  SharedType getSlotType() { return tile.getType().withLayout(layout); }

  /// A tile that is filled behind the read, to be stored by the hardware, and
  /// could as well be filled in the slot.
  AllocSharedOp findResult() {
    for (Operation *op = read->getNextNode(); op; op = op->getNextNode()) {
      if (!endsWith(op, AccessEnd::WithStore))
        continue;
      auto result = findMemoryAccess(op, MemorySpace::Shared)
                        ->base.getDefiningOp<AllocSharedOp>();
      if (!result || result.getType() != getSlotType())
        continue;
      SmallVector<SharedAccessOpInterface> fills = getAccesses(result);
      if (fills.size() == 1 && result.getResult().hasNUses(2) &&
          fills[0]->getBlock() == read->getBlock() &&
          read->isBeforeInBlock(fills[0]))
        return result;
    }
    return nullptr;
  }

  /// Before all loops.
  void makeChannel() {
    auto kernel = load->getParentOfType<KernelOp>();
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    MLIRContext *context = builder.getContext();
    Location loc = tile.getLoc();
    SmallVector<int64_t> shape = {1};
    llvm::append_range(shape, tile.getType().getShape());
    auto type = SharedType::get(context, shape, tile.getType().getElementType(),
                                layout);
    auto slots =
        AllocSharedOp::create(builder, loc, type, IntegerAttr(), StringAttr());
    slots->setAttr(kLayoutReasonAttr, builder.getStringAttr(getReason()));
    channel = ChannelOp::create(builder, loc, ChannelType::get(context, 1),
                                slots.getResult());
    addMbarriers(channel);
  }

  /// The reason that is told of the layout.
  std::string getReason() {
    SharedAccess described = describeSharedAccess(read);
    described.kind = SharedAccessKind::Load;
    int64_t wavefronts =
        costOfSharedAccess(described, layout.getLayout()).wavefronts;
    return (Twine(getSlotType().getTensorBoxes()->rowBytes) +
            "B, which bulk copies write, costs " +
            countOf(wavefronts, "wavefront") + " (the ideal)")
        .str();
  }

  /// Fills the slot where the tile was loaded, and reads it there.
  Value handOver() {
    Location loc = load->getLoc();
    OpBuilder builder(load);
    // Anew: the loop around was made again, to count.
    MemoryAccess access = getAccess();
    MappedBlock block = llvm::cantFail(MappedBlock::of(
        access.base, access.indices, load.getTileType().getShape()));
    Value map = block.getMap(*getSlotType().getTensorBoxes());
    Type slot = getSlotType();
    auto acquire = AcquireOp::create(builder, loc, slot, channel, count);
    CopyTmaOp::create(builder, loc, map, block.getOffsets(builder),
                      block.getMoved(builder), /*rows=*/nullptr,
                      /*last=*/nullptr, acquire.getTiles().front(),
                      /*barrier=*/nullptr, /*shared_along=*/IntegerAttr());
    CommitOp::create(builder, loc, channel, count);
    auto wait = WaitOp::create(builder, loc, slot, channel, count);
    read->moveAfter(wait);
    return wait.getTiles().front();
  }

  static void writeInPlace(AllocSharedOp result, Value slot) {
    result.getResult().replaceAllUsesWith(slot);
    result.erase();
  }

  GlobalAccessOpInterface load;
  SharedAccessOpInterface fill, read;
  AllocSharedOp tile;
  SharedLayoutAttr layout;
  ChannelOp channel;
  Value count;
};
} // namespace

//===----------------------------------------------------------------------===//
// All loads of a kernel, or none
//===----------------------------------------------------------------------===//

namespace {
struct SelectTmaLoads
    : tilewright::tile::impl::TileSelectTmaLoadsBase<SelectTmaLoads> {
  using TileSelectTmaLoadsBase::TileSelectTmaLoadsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<LoadCandidate> candidates = findCandidates();
    if (candidates.empty())
      return;
    OwningOpRef<KernelOp> before = kernel.clone();
    unsigned blocks = countBlocksWithRoom(kernel);
    select(candidates);
    std::string why =
        CopyRole(kernel, getChannelsWithMbarriers(kernel)).whyNot().str();
    if (why.empty() && countBlocksWithRoom(kernel) < blocks)
      why = "shared memory has no room for it beside what the loop reads";
    if (why.empty())
      return;
    kernel.getBody().takeBody(before->getBody());
    for (LoadCandidate &candidate : findCandidates())
      candidate.keepReason(why);
  }

private:
  SmallVector<LoadCandidate> findCandidates() {
    SmallVector<LoadCandidate> candidates;
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk([&](GlobalAccessOpInterface load) {
      std::optional<LoadCandidate> candidate = LoadCandidate::find(load);
      if (!candidate)
        return;
      std::string why =
          enable ? candidate->whatStandsInTheWay(axes)
                 : "bulk copies are turned off, or their layouts are";
      if (why.empty())
        candidates.push_back(*candidate);
      else
        candidate->keepReason(why);
    });
    return candidates;
  }

  void select(MutableArrayRef<LoadCandidate> candidates) {
    AxisInfoAnalysis axes(getOperation());
    DenseMap<Operation *, Value> counts;
    SmallVector<LoadCandidate *> held;
    for (LoadCandidate &candidate : candidates)
      if (candidate.select(getCount(candidate.getParent(), counts), axes))
        held.push_back(&candidate);
    releaseAtEnd(held);
  }

  /// How many times the body ran before: a slot is handed over once in each.
  static Value getCount(Operation *parent,
                        DenseMap<Operation *, Value> &counts) {
    if (Value known = counts.lookup(parent))
      return known;
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    OpBuilder builder(parent->getContext());
    if (loop)
      builder.setInsertionPoint(loop);
    else
      builder.setInsertionPointToStart(&parent->getRegion(0).front());
    auto constant = [](OpBuilder &builder, Location loc, int64_t value) {
      return arith::ConstantIntOp::create(builder, loc, value, 32);
    };
    Value zero = constant(builder, parent->getLoc(), 0);
    if (!loop)
      return counts[parent] = zero;
    IRRewriter rewriter(builder);
    loop = *loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location loc, ArrayRef<BlockArgument> added) {
          Value one = constant(inner, loc, 1);
          return SmallVector<Value>{
              arith::AddIOp::create(inner, loc, added.front(), one)};
        });
    return counts[loop] = loop.getRegionIterArgs().back();
  }

  /// Slots that the hardware stores from are theirs until it has read them: at
  /// the end, where nobody waits for long.
  static void releaseAtEnd(ArrayRef<LoadCandidate *> held) {
    llvm::SmallPtrSet<Operation *, 2> waited;
    for (LoadCandidate *candidate : held) {
      Operation *end = candidate->getEnd();
      if (waited.insert(end).second) {
        OpBuilder builder(end);
        StoreTmaWaitOp::create(builder, end->getLoc(), /*read=*/true);
      }
      candidate->release(end);
    }
  }
};
} // namespace
