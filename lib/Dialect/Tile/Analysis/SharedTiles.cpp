//===- SharedTiles.cpp - Who touches a shared tile, and when ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Calls `visit` for each op that makes a part of the tile.
static void forEachPart(Value sharedTile,
                        llvm::function_ref<void(SharedPartOpInterface)> visit) {
  for (OpOperand &use : sharedTile.getUses())
    if (auto parts = dyn_cast<SharedPartOpInterface>(use.getOwner()))
      for (Value part : parts.getPartsOf(use)) {
        visit(part.getDefiningOp<SharedPartOpInterface>());
        forEachPart(part, visit);
      }
}

/// Calls `visit` for each use of the tile, or of a part of it, that leads to no
/// parts.
static void forEachUse(Value sharedTile,
                       llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : sharedTile.getUses()) {
    auto parts = dyn_cast<SharedPartOpInterface>(use.getOwner());
    if (!parts) {
      visit(use);
      continue;
    }
    for (Value part : parts.getPartsOf(use))
      forEachUse(part, visit);
  }
}

static LogicalResult checkStages(SharedPartOpInterface op) {
  for (OpResult part : op->getResults()) {
    Value stage = op.getStageOf(part);
    APInt number;
    if (!stage || !matchPattern(stage, m_ConstantInt(&number)))
      continue;
    auto whole = cast<SharedType>(op.getWholeOf(part).getType());
    int64_t numStages = whole.getShape().front();
    if (number.isNegative() || number.sge(numStages))
      return op->emitOpError("stage ")
             << number.getSExtValue() << " is none of the " << numStages
             << " stages of the tile, 0 to " << numStages - 1;
  }
  return success();
}

static LogicalResult checkSharedUses(Operation *op) {
  auto isShared = [](Type type) { return isa<SharedType>(type); };
  if (auto parts = dyn_cast<SharedPartOpInterface>(op))
    return checkStages(parts);
  if (isa<AllocSharedOp>(op))
    return success();
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  bool passesOn = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isShared(operand.getType()) &&
           llvm::none_of(accesses, [&](const MemoryAccess &access) {
             return access.base == operand;
           });
  });
  bool hasArgument = llvm::any_of(op->getRegions(), [&](Region &region) {
    return llvm::any_of(region.getArgumentTypes(), isShared);
  });
  if (passesOn || hasArgument || llvm::any_of(op->getResultTypes(), isShared))
    return op->emitOpError(
        "a shared tile is only loaded, stored, multiplied and "
        "subviewed; it is no value to pass on");
  return success();
}

bool tilewright::tile::isUsedByStages(AllocSharedOp tile) {
  return llvm::any_of(tile->getUsers(), llvm::IsaPred<SharedPartOpInterface>);
}

LogicalResult tilewright::tile::checkSharedTiles(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    return succeeded(checkSharedUses(op)) ? WalkResult::advance()
                                          : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<SharedAccessOpInterface>
tilewright::tile::getAccesses(AllocSharedOp tile) {
  llvm::SmallSetVector<Operation *, 8> users;
  forEachUse(tile.getResult(),
             [&](OpOperand &use) { users.insert(use.getOwner()); });
  // Uses come in no order: the program's is the one to show. A kernel that is
  // written out has many tiles, each in one block: it is not walked for each.
  SmallVector<SharedAccessOpInterface> accesses;
  if (llvm::all_equal(llvm::map_range(
          users, [](Operation *user) { return user->getBlock(); }))) {
    for (Operation *user : users)
      if (auto access = dyn_cast<SharedAccessOpInterface>(user))
        accesses.push_back(access);
    llvm::sort(accesses, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return accesses;
  }
  tile->getParentOfType<KernelOp>().walk([&](SharedAccessOpInterface access) {
    if (users.contains(access))
      accesses.push_back(access);
  });
  return accesses;
}

SmallVector<SharedOperand> tilewright::tile::getProducts(AllocSharedOp tile) {
  SmallVector<SharedOperand> products;
  forEachUse(tile.getResult(), [&](OpOperand &use) {
    if (auto product = dyn_cast<SharedProductOpInterface>(use.getOwner()))
      products.push_back({product, use.getOperandNumber()});
  });
  return products;
}

bool tilewright::tile::isStoredInBulk(AllocSharedOp tile) {
  bool isStored = false;
  forEachUse(tile.getResult(), [&](OpOperand &use) {
    isStored |= endsWith(use.getOwner(), AccessEnd::WithStore);
  });
  return isStored;
}

static int64_t getAlignmentOfBoxes(SharedType type) {
  std::optional<TensorBoxes> boxes = type.getTensorBoxes();
  return boxes ? HardwareSwizzle::get(boxes->rowBytes).alignment : 1;
}

int64_t tilewright::tile::getHardwareAlignment(AllocSharedOp tile) {
  int64_t alignment =
      isStoredInBulk(tile) ? getAlignmentOfBoxes(tile.getType()) : 1;
  for (SharedOperand read : getProducts(tile))
    alignment = std::max(alignment, read.product.getAlignment(read.operand));
  return alignment;
}

LogicalResult tilewright::tile::checkAlignment(AllocSharedOp tile) {
  int64_t alignment = getHardwareAlignment(tile);
  auto offset = static_cast<int64_t>(*tile.getOffset());
  if (offset % alignment == 0)
    return success();
  return tile.emitOpError("a product or a bulk copy reads this tile where it "
                          "lies: its offset is a multiple of ")
         << alignment << ", not " << offset;
}

AllocSharedOp tilewright::tile::getAllocation(Value sharedTile) {
  while (auto parts = sharedTile.getDefiningOp<SharedPartOpInterface>())
    sharedTile = parts.getWholeOf(cast<OpResult>(sharedTile));
  return sharedTile.getDefiningOp<AllocSharedOp>();
}

AllocSharedOp tilewright::tile::getTileBefore(AllocSharedOp tile) {
  for (SharedOperand read : getProducts(tile))
    if (SharedProductOpInterface before = read.product.getProductBefore();
        before && read.operand == 1)
      return getAllocation(before.getOperandTile(1));
  return nullptr;
}

SharedBytes SharedBytes::of(SharedType type, int64_t offset) {
  return {offset, offset + type.getSizeInBytes(), type.getStageStride(),
          type.getStageBytes()};
}

SharedBytes SharedBytes::getStage(int64_t number) const {
  int64_t first = begin + number * every;
  return {first, first + stage, every, stage};
}

bool SharedBytes::overlaps(const SharedBytes &other) const {
  if (begin >= other.end || other.begin >= end)
    return false;
  if (every != other.every || every == 0)
    return true;
  int64_t distance = llvm::mod(other.begin - begin, every);
  return distance < stage || every - distance < other.stage;
}

/// The outermost loop around `op` that `tile` stands outside of, or `op`.
static Operation *getLastingUse(Operation *op, AllocSharedOp tile) {
  Operation *lasting = op;
  for (Operation *parent = op->getParentOp();
       parent && !parent->isAncestor(tile); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      lasting = parent;
  return lasting;
}

/// What fills slots there is over when the last one was waited for.
static bool isInCopyRole(Operation *op) {
  auto roles = op->getParentOfType<RolesOp>();
  return roles && roles.getCopy().isAncestor(op->getParentRegion());
}

/// Who fills the slots of a channel with mbarriers does not wait for the
/// program to come to it, and an mbarrier's bytes are nothing else's. Returns
/// whether the tile is such.
static bool extendForRoles(LiveRange &range, unsigned end) {
  bool isFilledByRole = false;
  for (Operation *user : range.tile->getUsers())
    if (auto channel = dyn_cast<ChannelOp>(user);
        channel && channel.getMbarriers()) {
      isFilledByRole = true;
      range.begin = 0;
      if (channel.getMbarriers() == range.tile)
        range.end = end;
    }
  return isFilledByRole;
}

/// The outermost loop around `op`, or null.
static Operation *getOutermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

using Positions = DenseMap<Operation *, std::pair<unsigned, unsigned>>;

/// What the hardware stores needs its bytes until the next wait in the block of
/// the store; if there is none, until the end of the kernel, and in the next
/// iteration up to the wait in front of where the tile is filled.
static void extendForStores(LiveRange &range, Positions &positions,
                            unsigned end) {
  auto isWait = [](Operation &op) { return waitsForStoredTiles(&op); };
  Operation *fill = nullptr;
  bool goesOn = false;
  forEachUse(range.tile.getResult(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (!endsWith(op, AccessEnd::WithStore)) {
      if (!fill || positions[op].first < positions[fill].first)
        fill = op;
      return;
    }
    auto behind =
        llvm::make_range(std::next(op->getIterator()), op->getBlock()->end());
    auto wait = llvm::find_if(behind, isWait);
    if (wait == behind.end())
      goesOn = true;
    else
      range.end = std::max(range.end, positions[&*wait].first);
  });
  if (!goesOn)
    return;
  range.end = end;
  Operation *loop = getOutermostLoop(range.tile);
  if (!loop)
    return;
  range.begin = std::min(range.begin, positions[loop].first);
  if (!fill)
    return;
  auto before =
      llvm::make_range(fill->getBlock()->begin(), fill->getIterator());
  auto wait = llvm::find_if(before, isWait);
  if (wait == before.end())
    return;
  range.gapBegin = positions[&*wait].first;
  range.gapEnd = positions[fill].first;
}

SmallVector<LiveRange> tilewright::tile::getLiveRanges(KernelOp kernel) {
  // Positions of where each op begins and ends: its own and its regions'.
  Positions positions;
  unsigned next = 0;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op].first = next++; });
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    unsigned end = positions[op].first;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        end = std::max(end, positions[&inner].second);
    positions[op].second = end;
  });

  SmallVector<LiveRange> ranges;
  kernel.walk([&](AllocSharedOp tile) {
    LiveRange range{tile, next, positions[tile].first};
    auto include = [&](Operation *user) {
      if (isInCopyRole(user))
        return;
      Operation *lasting = getLastingUse(user, tile);
      range.begin = std::min(range.begin, positions[lasting].first);
      range.end = std::max(range.end, positions[lasting].second);
    };
    forEachUse(tile.getResult(),
               [&](OpOperand &use) { include(use.getOwner()); });
    // A part that is somebody's for a while needs its bytes all that while.
    forEachPart(tile.getResult(), [&](SharedPartOpInterface op) {
      if (Operation *end = op.getEnd()) {
        include(op);
        include(end);
      }
    });
    if (range.begin == next) // No use at all.
      range.begin = range.end;
    // A slot is stored from before it is released: no gap in its life.
    if (!extendForRoles(range, next))
      extendForStores(range, positions, next);
    ranges.push_back(range);
  });
  return ranges;
}
