//===- LoadUnderProducts.cpp - Loads while the last products run ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Loads/KeptTiles.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADUNDERPRODUCTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// The wait for the last products of a loop, which read slots of channels.
class LastWait {
public:
  static std::optional<LastWait> find(MemoryOrderOpInterface op) {
    MemoryOrder order = op.getMemoryOrder();
    if (order.kind != MemoryOrder::Kind::WaitForProducts ||
        order.pending != 0 || op->getNumResults() == 0)
      return std::nullopt;
    auto loop = op->getOperand(0).getDefiningOp<LoopLikeOpInterface>();
    if (!loop || loop->getBlock() != op->getBlock())
      return std::nullopt;
    LastWait wait(op, loop);
    bool isBehind = llvm::all_of(op->getOperands(), [&](Value sums) {
      return sums.getDefiningOp() == loop.getOperation();
    });
    for (Operation *between = loop->getNextNode(); between != op;
         between = between->getNextNode())
      isBehind &= isMemoryEffectFree(between) && between->getNumRegions() == 0;
    return isBehind && wait.findChannels() ? std::optional(wait) : std::nullopt;
  }

  /// Moves what may stand in front of the wait there, in order.
  void run() {
    IRRewriter rewriter(wait->getContext());
    for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
             std::next(wait->getIterator()), wait->getBlock()->end()))) {
      if (op.getNumRegions() != 0 || op.hasTrait<OpTrait::IsTerminator>())
        return;
      if (!isMemoryEffectFree(&op) && !isa<AllocSharedOp>(op) &&
          !raise(rewriter, &op))
        left.push_back(&op);
    }
  }

private:
  LastWait(Operation *wait, LoopLikeOpInterface loop)
      : wait(wait), loop(loop) {}

  /// Whether all that products read are slots that nobody fills before they
  /// are released.
  bool findChannels() {
    return !anyOpIn(loop, [&](SharedProductOpInterface product) {
      return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned operand) {
        return !findChannel(product.getOperandTile(operand));
      });
    });
  }

  bool findChannel(Value tile) {
    auto part = tile ? tile.getDefiningOp<HandOverOpInterface>()
                     : HandOverOpInterface();
    auto channel =
        part ? part.getChannel().getDefiningOp<ChannelOp>() : ChannelOp();
    return channel && channel.getMbarriers() &&
           (channels.insert(channel), true);
  }

  /// Returns whether it is in front of the wait now.
  bool raise(IRRewriter &rewriter, Operation *op) {
    if (!mayPassWait(op) || llvm::any_of(left, [&](Operation *before) {
          return !mayPass(op, before);
        }))
      return false;
    if (countAcrossWait() + countRegisters(op->getResults()) >
        kMostProductRegisters)
      return false;
    SmallVector<Value> needed;
    SmallVector<Operation *> tiles;
    for (Value operand : op->getOperands())
      if (auto tile = operand.getDefiningOp<AllocSharedOp>())
        tiles.push_back(tile);
      else
        needed.push_back(operand);
    if (failed(moveValueDefinitions(rewriter, needed, wait)))
      return false;
    for (Operation *tile : tiles)
      if (tile->getBlock() == wait->getBlock() && wait->isBeforeInBlock(tile))
        tile->moveBefore(wait);
    op->moveBefore(wait);
    return true;
  }

  /// Whether the op does without the wait, and makes no use of what products
  /// read.
  bool mayPassWait(Operation *op) {
    if (auto handOver = dyn_cast<HandOverOpInterface>(op))
      return !channels.contains(
          handOver.getChannel().getDefiningOp<ChannelOp>());
    if (isa<MemoryOrderOpInterface>(op))
      return waitsForStoredTiles(op);
    if (isPlainLoad(op) || endsWith(op, AccessEnd::WithHandOver))
      return true;
    // By threads, of tiles that are none of the products'.
    return isa<SharedAccessOpInterface>(op) &&
           getMemoryAccesses(op).size() == 1 && endsWith(op, AccessEnd::WithOp);
  }

  /// Whether `op` may stand in front of `before`, which stays.
  static bool mayPass(Operation *op, Operation *before) {
    if (talksByMemory(before) || shareTiles(op, before))
      return false;
    bool isOrder = isa<MemoryOrderOpInterface>(before);
    bool isHandOver = isa<HandOverOpInterface>(before);
    if (auto load = findMemoryAccess(op, MemorySpace::Global))
      return !keepsBehind(before, getRoot(load->base)) &&
             (isPlainLoad(op) || (!isOrder && !isHandOver));
    // By threads, and not ordered with what others do.
    if (isa<SharedAccessOpInterface>(op))
      return !isOrder || isHandOver;
    // What a hand-over waits for may hang on another one, and a wait for stores
    // is for those before it.
    return isa<HandOverOpInterface>(op) && !isOrder && !isHandOver;
  }

  /// Whether both touch one shared tile, or a part of it.
  static bool shareTiles(Operation *op, Operation *other) {
    llvm::SmallPtrSet<Operation *, 2> tiles = getAllocations(op);
    return llvm::any_of(getAllocations(other),
                        [&](Operation *tile) { return tiles.contains(tile); });
  }

  static llvm::SmallPtrSet<Operation *, 2> getAllocations(Operation *op) {
    llvm::SmallPtrSet<Operation *, 2> allocations;
    auto handOver = dyn_cast<HandOverOpInterface>(op);
    ValueRange used = handOver
                          ? handOver.getChannel().getDefiningOp()->getOperands()
                          : op->getOperands();
    for (Value tile : used)
      if (isa<SharedType>(tile.getType()))
        allocations.insert(getAllocation(tile));
    return allocations;
  }

  /// Registers of a thread for what is made since the loop, or by it, and used
  /// behind the wait.
  int64_t countAcrossWait() {
    int64_t registers = countRegisters(wait->getResults());
    for (Operation *op = loop->getNextNode(); op != wait;
         op = op->getNextNode())
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              Operation *inBlock =
                  wait->getBlock()->findAncestorOpInBlock(*user);
              return !inBlock || wait->isBeforeInBlock(inBlock);
            }))
          registers += countRegisters(result);
    return registers;
  }

  Operation *wait;
  LoopLikeOpInterface loop;
  /// The channels of what the products read.
  llvm::SmallSetVector<Operation *, 2> channels;
  /// What touches memory behind the wait, and stays there.
  SmallVector<Operation *> left;
};

struct LoadUnderProducts
    : tilewright::tile::impl::TileLoadUnderProductsBase<LoadUnderProducts> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<LastWait> waits;
    kernel.walk([&](MemoryOrderOpInterface op) {
      if (std::optional<LastWait> wait = LastWait::find(op))
        waits.push_back(*wait);
    });
    if (waits.empty())
      return;
    // Tiles that are filled while products run need bytes beside theirs.
    OwningOpRef<KernelOp> before = kernel.clone();
    unsigned blocks = countBlocksWithRoom(kernel);
    for (LastWait &wait : waits)
      wait.run();
    if (countBlocksWithRoom(kernel) < blocks)
      kernel.getBody().takeBody(before->getBody());
  }
};
} // namespace
