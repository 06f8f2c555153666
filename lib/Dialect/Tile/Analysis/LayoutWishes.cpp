//===- LayoutWishes.cpp - The register layouts that accesses want ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/LayoutWishes.h"

#include "BitSteps.h"
#include "LikelySteps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"
#include "tilewright/Dialect/Tile/Analysis/CarriedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/OperandMaking.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Conversion/ConversionChoice.h"
#include "tilewright/Layout/Registers/AxisScan.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

TileMeetings::TileMeetings(KernelOp kernel) {
  SmallVector<Value> computed, carried, accessed;
  SmallVector<std::pair<GlobalAccessOpInterface, Value>> tileOfAccess;
  kernel.walk([&](Operation *op) {
    noteIfCheap(op);
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      for (const CarriedTile &tile : getCarriedTiles(branch)) {
        SmallVector<Value> tiles(tile.inputs);
        for (OpOperand *feeder : tile.feeders)
          tiles.push_back(feeder->get());
        meet(tiles);
        if (branch.hasLoop())
          carried.push_back(tile.inputs.front());
      }
    auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
    Value tile = inRegisters ? meet(getTiles(op)) : nullptr;
    if (!tile)
      return;
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op)) {
      tileOfAccess.push_back({access, tile});
      if (op->getParentOfType<LoopLikeOpInterface>())
        accessed.push_back(tile);
    } else if (getMemoryAccesses(op).empty() && op->getNumResults() != 0 &&
               !inRegisters.isCheap()) {
      computed.push_back(tile);
    }
    auto combine = dyn_cast<CombineOpInterface>(op);
    if (combine && !combine.combinesInAnyOrder())
      scanned.push_back({tile, combine.getAxis()});
  });
  for (auto [access, tile] : tileOfAccess)
    accesses[meeting.getLeaderValue(tile)].push_back(access);
  DenseSet<Value> aroundLoops;
  for (Value tile : computed)
    ofFewRows.insert(meeting.getLeaderValue(tile));
  for (Value tile : carried)
    aroundLoops.insert(meeting.getLeaderValue(tile));
  for (Value tile : accessed)
    if (Value leader = meeting.getLeaderValue(tile);
        aroundLoops.contains(leader))
      ofFewRows.insert(leader);
}

/// What is made of nothing is made again for each use: it ties no tiles.
void TileMeetings::noteIfCheap(Operation *op) {
  auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
  if (inRegisters && inRegisters.isCheap() &&
      llvm::all_of(op->getOperands(), [&](Value operand) {
        return !isTile(operand) || cheap.contains(operand);
      }))
    cheap.insert(op->getResult(0));
}

SmallVector<Value> TileMeetings::getTiles(Operation *op) {
  SmallVector<Value> tiles;
  llvm::copy_if(op->getOperands(), std::back_inserter(tiles), isTile);
  llvm::copy_if(op->getResults(), std::back_inserter(tiles), isTile);
  return tiles;
}

/// Returns one of the tiles that meet; none where all are cheap.
Value TileMeetings::meet(ArrayRef<Value> tiles) {
  Value first;
  for (Value tile : tiles) {
    if (cheap.contains(tile))
      continue;
    if (!first)
      first = tile;
    meeting.unionSets(first, tile);
  }
  return first;
}

bool TileMeetings::wantFewRows(Operation *access) const {
  SmallVector<Value> tiles = getTiles(access);
  return llvm::any_of(tiles, [&](Value tile) {
    return !cheap.contains(tile) &&
           ofFewRows.contains(meeting.getLeaderValue(tile));
  });
}

GlobalAccessOpInterface TileMeetings::findOther(
    GlobalAccessOpInterface access,
    function_ref<bool(GlobalAccessOpInterface)> isWanted) const {
  // All of its tiles meet, but for those that are cheap.
  SmallVector<Value> tiles = getTiles(access);
  const Value *tile =
      llvm::find_if(tiles, [&](Value each) { return !cheap.contains(each); });
  if (tile == tiles.end())
    return nullptr;
  ArrayRef<int64_t> shape = access.getTileType().getShape();
  for (GlobalAccessOpInterface other :
       accesses.find(meeting.getLeaderValue(*tile))->second)
    if (other != access && other.getTileType().getShape() == shape &&
        isWanted(other))
      return other;
  return nullptr;
}

std::optional<unsigned>
TileMeetings::getScannedAxis(GlobalAccessOpInterface access) const {
  SmallVector<Value> tiles = getTiles(access);
  std::optional<unsigned> found;
  for (auto [tile, axis] : scanned) {
    // What meets it in another shape has other axes.
    if (cast<RankedTensorType>(tile.getType()).getShape() !=
            access.getTileType().getShape() ||
        llvm::none_of(tiles, [&, scannedTile = tile](Value other) {
          return meeting.isEquivalent(scannedTile, other);
        }))
      continue;
    if (found && *found != axis)
      return std::nullopt;
    found = axis;
  }
  return found;
}

LayoutWishes::LayoutWishes(KernelOp kernel, int64_t maxBytes,
                           bool turnsOperands)
    : axes(kernel), numWarps(kernel.getNumWarpsOrDefault()),
      isBatch(kernel.getBlockPrograms().has_value()),
      turnsOperands(turnsOperands && !isBatch),
      batchedPrograms(countBlockPrograms(kernel)), meetings(kernel),
      runs(kernel) {
  llvm::SmallSetVector<Block *, 4> multiplying;
  kernel.walk([&](ProductOpInterface product) {
    multiplying.insert(product->getBlock());
  });
  for (Block *block : multiplying)
    making.insert_range(findOperandMaking(block));
  kernel.walk([&](GlobalAccessOpInterface access) {
    AddressVector vector = getAddressVector(access, axes, maxBytes);
    bool goByWords = findStepOfWords(access, vector, axes).has_value();
    addresses.try_emplace(access, Addresses{std::move(vector), goByWords});
  });
}

bool LayoutWishes::repeats(GlobalAccessOpInterface access, unsigned dim) const {
  Value pointers = findMemoryAccess(access, MemorySpace::Global)->base;
  return isTile(pointers) && getLikelyStep(pointers, dim, axes) == 0;
}

RegisterLayoutAttr LayoutWishes::get(GlobalAccessOpInterface access) const {
  const AddressVector &vector = getVector(access);
  // What is the same for many neighbours is one sector for any of them.
  if (repeats(access, vector.dim))
    if (GlobalAccessOpInterface other =
            meetings.findOther(access, [&](GlobalAccessOpInterface other) {
              const AddressVector &ofOther = getVector(other);
              return ofOther.dim == vector.dim && ofOther.width.elements > 1;
            }))
      return get(other);
  if (RankedTensorType tile = access.getTileType();
      turnsOperands && isTurned(access, axes))
    return RegisterLayoutAttr::get(
        tile.getContext(),
        coalescedSectors(tile.getShape(),
                         getElementBytes(tile.getElementType()), vector.dim,
                         numWarps));
  if (std::optional<LanesOfRuns> lanes =
          runs.getLanes(access, vector.width.elements))
    return RegisterLayoutAttr::get(
        access.getContext(),
        sharedByLanes(access.getTileType().getShape(), vector.dim, lanes->lanes,
                      lanes->elements, numWarps, lanes->areApart));
  auto goesByWords = [&](GlobalAccessOpInterface other) {
    const Addresses &ofOther = addresses.find(other)->second;
    return ofOther.goByWords && ofOther.vector.dim == vector.dim;
  };
  if (goesByWords(access) || meetings.findOther(access, goesByWords))
    return RegisterLayoutAttr::get(
        access.getContext(),
        piecesOfWarps(
            access.getTileType().getShape(), vector.dim,
            std::max<int64_t>(
                1, bytesPerWord /
                       getElementBytes(access.getTileType().getElementType())),
            numWarps));
  if (RegisterLayoutAttr byBits = getByBits(access, vector.dim))
    return byBits;
  if (GlobalAccessOpInterface wider = findWider(access, vector))
    return get(wider);
  return coalesced(access.getTileType(), vector.dim, vector.width.elements,
                   meetings.wantFewRows(access),
                   meetings.getScannedAxis(access));
}

/// Where elements side by side in memory differ in another bit than the lowest
/// one of a coordinate, lanes go along the bits that move least.
RegisterLayoutAttr LayoutWishes::getByBits(GlobalAccessOpInterface access,
                                           unsigned dim) const {
  RankedTensorType tile = access.getTileType();
  Value pointers = findMemoryAccess(access, MemorySpace::Global)->base;
  if (!isTile(pointers) || tile.getDimSize(dim) == 1)
    return nullptr;
  std::optional<BitSteps> steps = findBitSteps(pointers, axes);
  if (!steps || (*steps)[dim].front() <= 1)
    return nullptr;
  SmallVector<std::pair<int64_t, LinearLayout::Point>> bits;
  for (auto [number, ofDim] : llvm::enumerate(*steps))
    for (auto [bit, step] : llvm::enumerate(ofDim)) {
      LinearLayout::Point point(tile.getRank(), 0);
      point[number] = 1 << bit;
      bits.emplace_back(step, point);
    }
  llvm::sort(bits);
  if (bits.front().first != 1)
    return nullptr;
  return RegisterLayoutAttr::get(
      tile.getContext(),
      coalescedBits(tile.getShape(),
                    llvm::to_vector(llvm::make_second_range(bits)), numWarps));
}

/// What moves more elements at once, and meets this load: a store, or a load of
/// the same array, which brings the lines of this one into the L1. Of columns
/// that are read beside one another, only some begin at multiples of a vector.
GlobalAccessOpInterface
LayoutWishes::findWider(GlobalAccessOpInterface load,
                        const AddressVector &vector) const {
  // What goes through shared memory in a loop is copied there ahead of time.
  if (load.isStore() || load->getParentOfType<LoopLikeOpInterface>())
    return nullptr;
  auto getAccess = [](GlobalAccessOpInterface access) {
    return *findMemoryAccess(access, MemorySpace::Global);
  };
  // Fewer bytes are rather exchanged when they are stored.
  auto getBytes = [](GlobalAccessOpInterface access) {
    return getElementBytes(access.getTileType().getElementType());
  };
  Value base = getAccess(load).base, array = getRoot(base);
  int64_t step = isTile(base) ? getLikelyStep(base, vector.dim, axes) : 1;
  int64_t perThread = std::max<int64_t>(1, load.getTileType().getNumElements() /
                                               (lanesPerWarp * numWarps));
  return meetings.findOther(load, [&](GlobalAccessOpInterface other) {
    MemoryAccess access = getAccess(other);
    if (access.isAtomic() ||
        (access.isRead && (!array || getRoot(access.base) != array)))
      return false;
    const AddressVector &ofOther = getVector(other);
    // Lanes that are sectors apart read each sector again and again.
    int64_t elements = std::min(ofOther.width.elements, perThread);
    return ofOther.dim == vector.dim &&
           ofOther.width.elements > vector.width.elements &&
           getBytes(other) >= getBytes(load) &&
           step * elements * getBytes(load) < bytesPerSector;
  });
}

RegisterLayoutAttr LayoutWishes::get(DotOp dot) const {
  return chooseAccumulatorLayout(dot, numWarps, axes);
}

RegisterLayoutAttr LayoutWishes::getDefault(RankedTensorType tile) const {
  int64_t bytes = getElementBytes(tile.getElementType());
  return coalesced(tile, std::max<int64_t>(tile.getRank() - 1, 0),
                   std::max<int64_t>(1, kMaxVectorBytes / bytes),
                   meetings.anyWantFewRows());
}

RegisterLayoutAttr LayoutWishes::getForScan(RankedTensorType tile,
                                            unsigned axis) const {
  auto countCycles = [&](const LinearLayout &layout) {
    std::optional<AxisScan> scan = AxisScan::create(layout, axis);
    return scan ? scan->countCycles(numWarps)
                : std::numeric_limits<double>::infinity();
  };
  RegisterLayoutAttr usual = getDefault(tile);
  std::optional<LinearLayout> runs =
      AxisScan::alongThreads(tile.getShape(), axis, numWarps);
  return runs && countCycles(*runs) < countCycles(usual.getLayout())
             ? RegisterLayoutAttr::get(tile.getContext(), *runs)
             : usual;
}

GlobalAccessCost LayoutWishes::getCost(GlobalAccessOpInterface access,
                                       RegisterLayoutAttr layout) const {
  const AddressVector &vector = getVector(access);
  return costOfGlobalAccess(
      layout.getLayout(),
      getElementBytes(access.getTileType().getElementType()), vector.dim,
      vector.width.elements);
}

/// Twice the lines are fewer cycles than a conversion. Twice the sectors are
/// written in halves, each of which goes to the L2 by itself. And the part of a
/// line that an atomic access changes is a trip of its own.
bool LayoutWishes::serves(GlobalAccessOpInterface store,
                          RegisterLayoutAttr layout) const {
  GlobalAccessCost cost = getCost(store, layout),
                   best = getCost(store, get(store));
  int64_t mayTake =
      findMemoryAccess(store, MemorySpace::Global)->isRead ? 1 : 2;
  return cost.lines <= mayTake * best.lines && cost.sectors <= best.sectors;
}

/// Both ways in cycles: a line is one of the unit that moves what is converted
/// too, and the address and the mask of an instruction are about one.
bool LayoutWishes::servesLoad(GlobalAccessOpInterface load,
                              RegisterLayoutAttr layout) const {
  // A conversion would have the programs of a block wait for one another, or
  // the warps that have rows.
  if (isBatch || runs.areThere())
    return true;
  auto cycles = [&](RegisterLayoutAttr candidate) {
    GlobalAccessCost cost = getCost(load, candidate);
    return static_cast<double>(cost.lines + cost.instructions);
  };
  RegisterLayoutAttr wish = get(load);
  return cycles(layout) <=
         cycles(wish) +
             countConversionCycles(
                 wish.getLayout(), layout.getLayout(),
                 getElementBytes(load.getTileType().getElementType()));
}

RegisterLayoutAttr
LayoutWishes::coalesced(RankedTensorType tile, unsigned dim, int64_t vector,
                        bool wantsFewRows,
                        std::optional<unsigned> scannedAxis) const {
  // Rather narrower vectors than threads without elements.
  int64_t perThread = std::max<int64_t>(
      1, tile.getNumElements() / (int64_t(lanesPerWarp) * numWarps));
  vector = std::min(vector, perThread);
  unsigned bytes = getElementBytes(tile.getElementType());
  // What there is once a program stays in the warp that has the program's row.
  // That of one row is stored by itself, which costs as much as to hand it on.
  if (tile.getRank() == 1 && tile.getNumElements() == batchedPrograms &&
      batchedPrograms >= 2 * int64_t(numWarps))
    return RegisterLayoutAttr::get(tile.getContext(),
                                   numbersOfWarps(batchedPrograms, numWarps));
  if (isBatch)
    return RegisterLayoutAttr::get(
        tile.getContext(),
        coalescedInWarps(tile.getShape(), bytes, dim, vector, numWarps));
  // Where rows are no sector, threads side by side are rather in one line.
  if (scannedAxis && *scannedAxis != dim &&
      tile.getShape()[dim] * bytes >= bytesPerSector)
    return RegisterLayoutAttr::get(
        tile.getContext(),
        coalescedAlong(tile.getShape(), *scannedAxis, dim, vector, numWarps));
  return RegisterLayoutAttr::get(
      tile.getContext(),
      wantsFewRows
          ? coalescedLines(tile.getShape(), bytes, dim, vector, numWarps)
          : coalescedRows(tile.getShape(), dim, vector, numWarps));
}
