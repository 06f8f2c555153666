//===- KernelReport.cpp - What the compiler decided, and why ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/KernelReport.h"

#include "LoopNumbers.h"
#include "RowReport.h"
#include "TimeBound.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/TripCount.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static SourcePlace getPlace(Operation *op) {
  SourcePlace place;
  if (auto location = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    place.file = location.getFilename().str();
    place.line = location.getLine();
    place.column = location.getColumn();
  }
  return place;
}

/// "64x64xf32".
template <typename ShapedType>
static std::string describeType(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(type.getShape(), os, "x");
  os << "x" << type.getElementType();
  return text;
}

static SharedTileReport describeTile(AllocSharedOp op) {
  SharedTileReport report;
  report.place = getPlace(op);
  report.type = describeType(op.getType());
  report.sharedLayout = op.getType().getLayout().getLayout();
  report.layout = report.sharedLayout.toString();
  report.scores = getLayoutScores(op);
  if (auto reason = op->getAttrOfType<StringAttr>(kLayoutReasonAttr))
    report.reason = reason.getValue().str();
  report.bytes = op.getType().getSizeInBytes();
  report.offset = static_cast<int64_t>(*op.getOffset());
  return report;
}

static void addTrips(AccessReport &report, Operation *access) {
  TripCount trips = getTripCount(access);
  report.trips = trips.count;
  report.tripsOfLoops = trips.ofLoops;
  report.areTripsKnown = trips.isKnown;
}

template <typename Access> static AccessReport describeAccess(Access access) {
  AccessReport report;
  report.place = getPlace(access);
  report.op = access->getName().getStringRef().str();
  addTrips(report, access);
  for (const MemoryAccess &of : getMemoryAccesses(access)) {
    report.isLoad |= of.isRead;
    report.isStore |= of.isWrite;
  }
  if (auto noBlock = access->template getAttrOfType<StringAttr>(kNoBlockAttr))
    report.noBlock = noBlock.str();
  if (auto reason = access->template getAttrOfType<StringAttr>(kCopyReasonAttr))
    report.whyNotAhead = reason.str();
  report.vectorElements = *access.getVectorWidth();
  report.vectorBytes = report.vectorElements *
                       getElementBytes(access.getTileType().getElementType());
  return report;
}

/// Why a vector is no wider than it is, or no wider than the user has written.
static std::string getLimit(const AccessReport &report,
                            const VectorWidth &widest) {
  return report.vectorElements < widest.elements ? "vector_width says so"
                                                 : widest.limit;
}

/// What the choice of the tile's layout said of the access, if these are the
/// accesses that it was made for.
static std::optional<SharedAccessBound>
findBound(SharedAccessOpInterface access, AllocSharedOp tile,
          const std::optional<LayoutScores> &scores) {
  SmallVector<SharedAccessOpInterface> all = getAccesses(tile);
  if (!scores || scores->bounds.size() != all.size())
    return std::nullopt;
  return scores->bounds[llvm::find(all, access) - all.begin()];
}

/// Adds what an access takes of global memory. Returns the instructions.
static int64_t addGlobalCost(AccessReport &report, RankedTensorType tile,
                             const AddressVector &addresses, int64_t elements) {
  unsigned bytes = getElementBytes(tile.getElementType());
  report.globalBytes = tile.getNumElements() * bytes;
  GlobalAccessCost cost = costOfGlobalAccess(
      getRegisterLayout(tile).getLayout(), bytes, addresses.dim, elements);
  if (addresses.hasConsecutiveRows)
    report.sectors = {cost.sectors, cost.idealSectors};
  return cost.instructions;
}

static AccessReport describeShared(SharedAccessOpInterface access,
                                   const AxisInfoAnalysis &axes,
                                   ArrayRef<AllocSharedOp> tiles,
                                   ArrayRef<SharedTileReport> tileReports) {
  AccessReport report = describeAccess(access);
  report.isShared = true;
  report.tile =
      llvm::find(tiles, getAllocation(access.getSharedTile())) - tiles.begin();
  report.limit = getLimit(report, getVectorWidth(access, axes));
  const SharedTileReport &tile = tileReports[report.tile];
  report.bound = findBound(access, tiles[report.tile], tile.scores);
  report.shared = describeSharedAccess(access);
  SharedAccessCost cost = costOfSharedAccess(report.shared, tile.sharedLayout);
  report.instructions = cost.instructionsOfBlock();
  report.wavefronts = {cost.wavefronts, cost.idealWavefronts};
  report.worstDegree = cost.worstDegree;
  if (findMemoryAccess(access, MemorySpace::Global)) // A copy.
    addGlobalCost(report, access.getTileType(), getAddressVector(access, axes),
                  report.vectorElements);
  return report;
}

static AccessReport describeGlobal(GlobalAccessOpInterface access,
                                   const AxisInfoAnalysis &axes,
                                   int64_t maxBytes) {
  AccessReport report = describeAccess(access);
  report.limit = getLimit(report, getVectorWidth(access, axes, maxBytes));
  RankedTensorType tile = access.getTileType();
  int64_t elements = report.vectorElements;
  if (access->hasAttr(kByWordsAttr)) {
    elements = bytesPerWord / getElementBytes(tile.getElementType());
    report.limit += "; words of memory are put together by the lanes of a warp";
  }
  report.instructions = addGlobalCost(
      report, tile, getAddressVector(access, axes, maxBytes), elements);
  return report;
}

/// A copy that no threads make.
static bool isBulkCopy(Operation *op) {
  return endsWith(op, AccessEnd::WithHandOver) ||
         endsWith(op, AccessEnd::WithStore);
}

/// What all ops have in common that go from one memory to the other.
static AccessReport describeCopy(Operation *copy) {
  auto tile = cast<SharedType>(
      findMemoryAccess(copy, MemorySpace::Shared)->base.getType());
  AccessReport report;
  report.place = getPlace(copy);
  report.op = copy->getName().getStringRef().str();
  report.isLoad = findMemoryAccess(copy, MemorySpace::Global)->isRead;
  report.isStore = true;
  addTrips(report, copy);
  report.globalBytes = getByteSize(tile);
  return report;
}

/// It goes by whole lines of shared memory.
static AccessReport describeBulkCopy(Operation *copy) {
  constexpr int64_t lineBytes = bytesPerWavefront;
  AccessReport report = describeCopy(copy);
  auto tile = cast<SharedType>(
      findMemoryAccess(copy, MemorySpace::Shared)->base.getType());
  report.vectorBytes = lineBytes;
  report.vectorElements = lineBytes / getElementBytes(tile.getElementType());
  report.instructions = tile.getTensorBoxes()->boxes.size();
  int64_t lines = llvm::divideCeil(report.globalBytes, lineBytes);
  report.wavefronts = {lines, lines};
  int64_t sectors = llvm::divideCeil(report.globalBytes, bytesPerSector);
  report.sectors = {sectors, sectors};
  return report;
}

/// Whether threads move a block between both memories whose rows begin
/// anywhere.
static bool movesRows(Operation *op) {
  return !isBulkCopy(op) && findMemoryAccess(op, MemorySpace::Shared) &&
         findMemoryAccess(op, MemorySpace::Global);
}

static AccessReport describeMoveOfRows(Operation *op,
                                       const AxisInfoAnalysis &axes) {
  AccessReport report = describeCopy(op);
  addMoveOfRows(report, op, axes);
  return report;
}

/// Whether it stores what it has read.
static bool walksAlongRows(Operation *op) {
  return llvm::count_if(getMemoryAccesses(op), [](const MemoryAccess &access) {
           return access.space == MemorySpace::Global;
         }) > 1;
}

static AccessReport describeWalk(Operation *op, bool isLoad,
                                 const AxisInfoAnalysis &axes) {
  AccessReport report = describeCopy(op);
  report.isLoad = isLoad;
  addWalkAlongRows(report, op, axes);
  return report;
}

static AccessReport describeRowAccess(Operation *op, const MemoryAccess &access,
                                      ArrayRef<AllocSharedOp> tiles) {
  AccessReport report;
  report.place = getPlace(op);
  report.op = op->getName().getStringRef().str();
  report.isShared = true;
  report.tile = llvm::find(tiles, getAllocation(access.base)) - tiles.begin();
  report.isLoad = access.isRead;
  report.isStore = access.isWrite;
  addTrips(report, op);
  addRowAccess(report, access);
  return report;
}

/// None for a conversion that only renames registers.
static std::optional<ConversionReport>
describeConversion(ConvertLayoutOp convert) {
  ConversionReport report;
  report.choice = chooseConversion(convert);
  if (!report.choice.plan)
    return std::nullopt;
  report.place = getPlace(convert);
  report.type = describeType(cast<RankedTensorType>(convert.getType()));
  TripCount trips = getTripCount(convert);
  report.trips = trips.count;
  report.areTripsKnown = trips.isKnown;
  return report;
}

namespace {
using TileSet = llvm::SmallSetVector<AllocSharedOp, 4>;

/// Tiles whose stages are filled together, and the op that says so.
struct FilledTiles {
  Operation *op;
  TileSet tiles;
};
} // namespace

/// The tiles that groups of asynchronous copies fill. A channel is lowered when
/// the report is made; its hand-overs are such groups.
static SmallVector<FilledTiles> findTilesOfGroups(KernelOp kernel) {
  SmallVector<FilledTiles> all;
  TileSet open;
  kernel.walk([&](Operation *op) {
    for (const MemoryAccess &access : getMemoryAccesses(op))
      if (access.end == AccessEnd::WithGroup && access.isWrite)
        if (AllocSharedOp tile = getAllocation(access.base);
            isUsedByStages(tile))
          open.insert(tile);
    auto order = dyn_cast<MemoryOrderOpInterface>(op);
    if (!order || order.getMemoryOrder().kind != MemoryOrder::Kind::CloseGroup)
      return;
    TileSet group = std::exchange(open, {});
    auto *same = llvm::find_if(all, [&](const FilledTiles &other) {
      return llvm::any_of(group, [&](AllocSharedOp tile) {
        return other.tiles.contains(tile);
      });
    });
    if (same != all.end())
      same->tiles.insert_range(group);
    else if (!group.empty())
      all.push_back({op, group});
  });
  return all;
}

static CopyReport describeCopies(const FilledTiles &filled) {
  CopyReport report;
  report.place = getPlace(filled.op);
  for (AllocSharedOp tile : filled.tiles) {
    report.stages = tile.getType().getNumStages();
    report.slotBytes += getByteSize(tile.getType().getStageType());
  }
  return report;
}

static CopyReport describeBulkCopies(ChannelOp channel) {
  FilledTiles filled{channel, {}};
  for (Value tile : channel.getTiles())
    filled.tiles.insert(tile.getDefiningOp<AllocSharedOp>());
  CopyReport report = describeCopies(filled);
  auto kernel = channel->getParentOfType<KernelOp>();
  report.isBulk = true;
  report.copyWarps = kernel.getCopyWarps().value_or(0);
  if (auto reason = kernel->getAttrOfType<StringAttr>(kRolesReasonAttr))
    report.whyNoRoles = reason.str();
  return report;
}

static CopyReport describeGroups(const FilledTiles &filled,
                                 const GpuTarget &target) {
  CopyReport report = describeCopies(filled);
  auto reason =
      filled.tiles.front()->getAttrOfType<StringAttr>(kCopyReasonAttr);
  if (reason && target.tma)
    report.whyNotBulk = reason.str();
  return report;
}

static LoopReport describeLoop(LoopLikeOpInterface loop, unsigned number,
                               const KernelReport &kernel,
                               const GpuTarget &target) {
  LoopReport report;
  report.place = getPlace(loop);
  // As of what stands in it.
  TripCount trips = getTripCount(&loop->getRegion(0).front().front());
  report.trips = trips.count;
  report.areTripsKnown = trips.isKnown;
  report.time = boundTime(loop, number, kernel, target);
  return report;
}

static void describeRoles(KernelReport &report, KernelOp kernel) {
  report.roles.push_back(
      {"main", getNumTeams(kernel) * kernel.getNumWarpsOrDefault(), {}});
  kernel.walk([&](RolesOp roles) {
    report.roles.push_back(
        {"copy", static_cast<int>(kernel.getCopyWarps().value_or(0)), {}});
    report.roles.front().registers = roles.getMainRegisters();
    report.roles.back().registers = roles.getCopyRegisters();
    report.blocksOfRoles = roles.getBlocks();
  });
}

static std::string describeTurned(ProductOpInterface product) {
  auto turned = product->getAttrOfType<DenseI64ArrayAttr>(kTurnedAttr);
  return turned ? llvm::join(llvm::map_range(turned.asArrayRef(),
                                             [](int64_t operand) {
                                               return operand == 0 ? "A" : "B";
                                             }),
                             " and ")
                : "";
}

static ProductReport describeProduct(ProductOpInterface product) {
  ProductReport report;
  report.place = getPlace(product);
  report.instruction = stringifyEngine(product.getEngineOrDefault()).str();
  if (auto reason = product->getAttrOfType<StringAttr>(kEngineReasonAttr))
    report.engineReason = reason.str();
  report.isExchanged = product->hasAttr(kExchangedAttr);
  report.turned = describeTurned(product);
  Type operand = getElementTypeOrSelf(product->getOperand(0).getType());
  auto c = cast<RankedTensorType>(product->getResult(0).getType());
  if (product.roundsToTf32())
    report.operandType = "tf32";
  else
    llvm::raw_string_ostream(report.operandType) << operand;
  if (Type right = getElementTypeOrSelf(product->getOperand(1).getType());
      right != operand && !product.roundsToTf32())
    llvm::raw_string_ostream(report.operandType) << " and " << right;
  llvm::raw_string_ostream(report.accumulatorType) << c.getElementType();
  ArrayRef<int64_t> shape = c.getShape();
  report.batch = shape.size() == 3 ? shape.front() : 1;
  report.m = shape.drop_back().back();
  report.n = shape.back();
  report.k = product.getK();
  report.operandBytes = report.batch * (report.m + report.n) * report.k *
                        getElementBytes(operand);
  report.operandWavefronts = product.countOperandWavefronts();
  TripCount trips = getTripCount(product);
  report.trips = trips.count;
  report.areTripsKnown = trips.isKnown;
  if (auto loop = product->getParentOfType<LoopLikeOpInterface>()) {
    report.barriersInLoop = 0;
    loop->walk([&](Operation *op) { *report.barriersInLoop += isBarrier(op); });
  }
  return report;
}

/// The loop that has the copies of a group.
static std::optional<unsigned> findLoop(const FilledTiles &filled,
                                        const LoopNumbers &loops) {
  std::optional<unsigned> number;
  for (AllocSharedOp tile : filled.tiles)
    for (SharedAccessOpInterface access : getAccesses(tile))
      if (std::optional<unsigned> of = loops.find(access))
        number = of;
  return number;
}

/// What a launch of the kernel is.
static KernelReport describeLaunch(KernelOp kernel, const GpuTarget &target) {
  KernelReport report;
  report.name = kernel.getSymName().str();
  report.target = target.name.str();
  report.numWarps = kernel.getNumWarpsOrDefault();
  report.threads = countThreads(kernel);
  report.maxWarpsPerSM = target.maxWarpsPerSM();
  report.maxGlobalVectorBytes = target.globalVectorBytes();
  report.sharedBytes = kernel.getSharedBytes().value_or(0);
  report.isPersistent = kernel.getPersistent();
  report.teams = getNumTeams(kernel);
  if (auto reason = kernel->getAttrOfType<StringAttr>(kPersistReasonAttr))
    report.whyNotPersistent = reason.str();
  report.whyFewerStages = describeFewerStages(kernel);
  describeRoles(report, kernel);
  report.programsPerBlock = countBlockPrograms(kernel);
  report.blocksPerProgram = kernel.getClusterBlocksOrOne();
  return report;
}

/// How slots of channels, and stages of loops, are filled.
static void describeCopies(KernelReport &report, KernelOp kernel,
                           const GpuTarget &target, const LoopNumbers &loops) {
  kernel.walk([&](ChannelOp channel) {
    report.copies.push_back(describeBulkCopies(channel));
    report.copies.back().loop = loops.findReader(channel);
  });
  for (const FilledTiles &filled : findTilesOfGroups(kernel)) {
    report.copies.push_back(describeGroups(filled, target));
    report.copies.back().loop = findLoop(filled, loops);
  }
}

KernelReport tilewright::makeReport(KernelOp kernel, const GpuTarget &target) {
  KernelReport report = describeLaunch(kernel, target);
  LoopNumbers loops(kernel);
  describeCopies(report, kernel, target, loops);
  SmallVector<AllocSharedOp> tiles;
  kernel.walk([&](AllocSharedOp tile) {
    tiles.push_back(tile);
    report.tiles.push_back(describeTile(tile));
  });
  AxisInfoAnalysis axes(kernel);
  kernel.walk([&](Operation *op) {
    auto addTo = [&](auto &records, auto record) {
      record.loop = loops.find(op);
      records.push_back(std::move(record));
    };
    if (isRare(op))
      return;
    if (isBarrier(op)) {
      ++report.barriers;
      report.barriersInLoops +=
          bool(op->getParentOfType<LoopLikeOpInterface>());
    } else if (auto access = dyn_cast<SharedAccessOpInterface>(op))
      addTo(report.accesses, describeShared(access, axes, tiles, report.tiles));
    else if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      addTo(report.accesses,
            describeGlobal(access, axes, target.globalVectorBytes()));
    else if (isBulkCopy(op))
      addTo(report.accesses, describeBulkCopy(op));
    else if (movesRows(op) && walksAlongRows(op))
      for (bool isLoad : {true, false})
        addTo(report.accesses, describeWalk(op, isLoad, axes));
    else if (movesRows(op))
      addTo(report.accesses, describeMoveOfRows(op, axes));
    else if (auto row = findRowAccess(op))
      addTo(report.accesses, describeRowAccess(op, *row, tiles));
    else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      if (auto conversion = describeConversion(convert))
        addTo(report.conversions, std::move(*conversion));
    } else if (auto product = dyn_cast<ProductOpInterface>(op))
      addTo(report.products, describeProduct(product));
  });
  for (auto [number, loop] : llvm::enumerate(loops.get()))
    report.loops.push_back(describeLoop(loop, number, report, target));
  report.time = boundTime(kernel, report, target);
  return report;
}
