//===- Report.cpp - What the compiler decided, and why ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Report.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/Conversions.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Layout/CountOf.h"
#include "tilewright/Layout/GlobalAccess.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Reading a placed kernel
//===----------------------------------------------------------------------===//

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

template <typename Access> static AccessReport describeAccess(Access access) {
  AccessReport report;
  report.place = getPlace(access);
  report.op = access->getName().getStringRef().str();
  TripCount trips = getTripCount(access);
  report.trips = trips.count;
  report.areTripsKnown = trips.isKnown;
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

static AccessReport describeShared(SharedAccessOpInterface access,
                                   ArrayRef<AllocSharedOp> tiles,
                                   ArrayRef<SharedTileReport> tileReports) {
  AccessReport report = describeAccess(access);
  report.isShared = true;
  report.tile =
      llvm::find(tiles, getAllocation(access.getSharedTile())) - tiles.begin();
  report.limit = getLimit(report, getVectorWidth(access));
  const SharedTileReport &tile = tileReports[report.tile];
  report.bound = findBound(access, tiles[report.tile], tile.scores);
  report.shared = describeSharedAccess(access);
  SharedAccessCost cost = costOfSharedAccess(report.shared, tile.sharedLayout);
  report.instructions = cost.instructionsOfBlock();
  report.count = cost.wavefronts;
  report.ideal = cost.idealWavefronts;
  report.worstDegree = cost.worstDegree;
  return report;
}

static AccessReport describeGlobal(GlobalAccessOpInterface access,
                                   const AxisInfoAnalysis &axes,
                                   int64_t maxBytes) {
  AccessReport report = describeAccess(access);
  report.limit = getLimit(report, getVectorWidth(access, axes, maxBytes));
  RankedTensorType tile = access.getTileType();
  AddressVector addresses = getAddressVector(access, axes, maxBytes);
  GlobalAccessCost cost =
      costOfGlobalAccess(getRegisterLayout(tile).getLayout(),
                         getElementBytes(tile.getElementType()), addresses.dim,
                         report.vectorElements);
  report.instructions = cost.instructions;
  report.isCountKnown = addresses.hasConsecutiveRows;
  if (report.isCountKnown) {
    report.count = cost.sectors;
    report.ideal = cost.idealSectors;
  }
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

static ProductReport describeProduct(Operation *product, StringRef instruction,
                                     Type operand, int64_t k) {
  ProductReport report;
  report.place = getPlace(product);
  report.instruction = instruction.str();
  auto c = cast<RankedTensorType>(product->getResult(0).getType());
  llvm::raw_string_ostream(report.operandType) << operand;
  llvm::raw_string_ostream(report.accumulatorType) << c.getElementType();
  report.m = c.getDimSize(0);
  report.n = c.getDimSize(1);
  report.k = k;
  report.operandBytes = (report.m + report.n) * k * getElementBytes(operand);
  if (auto loop = product->getParentOfType<LoopLikeOpInterface>()) {
    report.barriersInLoop = 0;
    loop->walk([&](BarrierOp) { ++*report.barriersInLoop; });
  }
  return report;
}

KernelReport tilewright::makeReport(KernelOp kernel, const GpuTarget &target) {
  KernelReport report;
  report.name = kernel.getSymName().str();
  report.target = target.name.str();
  report.numWarps = kernel.getNumWarpsOrDefault();
  report.sharedBytes = kernel.getSharedBytes().value_or(0);
  SmallVector<AllocSharedOp> tiles;
  kernel.walk([&](AllocSharedOp tile) {
    tiles.push_back(tile);
    report.tiles.push_back(describeTile(tile));
  });
  AxisInfoAnalysis axes(kernel);
  kernel.walk([&](Operation *op) {
    if (isa<BarrierOp>(op))
      ++report.barriers;
    else if (auto access = dyn_cast<SharedAccessOpInterface>(op))
      report.accesses.push_back(describeShared(access, tiles, report.tiles));
    else if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      report.accesses.push_back(
          describeGlobal(access, axes, target.globalVectorBytes()));
    else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      if (auto conversion = describeConversion(convert))
        report.conversions.push_back(std::move(*conversion));
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      auto a = cast<RankedTensorType>(dot.getA().getType());
      report.products.push_back(
          describeProduct(dot, dot.usesTensorCores() ? "mma.sync" : "FMA",
                          a.getElementType(), a.getDimSize(1)));
    } else if (auto dot = dyn_cast<WarpgroupDotOp>(op))
      report.products.push_back(describeProduct(
          dot, "wgmma", dot.getA().getType().getElementType(), dot.getK()));
  });
  return report;
}

void tilewright::addResources(KernelReport &report,
                              const KernelResources &resources,
                              const GpuTarget &target) {
  report.resources = resources;
  report.occupancy = target.occupancy(report.numWarps * target.warpSize,
                                      resources.registers, report.sharedBytes);
}

int64_t KernelReport::getSharedWavefronts(bool ofStores) const {
  int64_t sum = 0;
  // What asynchronous copies write is neither, as in the profiler's counters.
  StringRef op = ofStores ? "tile.local_store" : "tile.local_load";
  for (const AccessReport &access : accesses)
    if (access.op == op)
      sum += access.trips * access.count;
  return sum;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printPlace(llvm::raw_ostream &os, const SourcePlace &place) {
  if (place.line)
    os << "line " << place.line << ": ";
}

static void printTrips(llvm::raw_ostream &os, int64_t trips, bool areKnown) {
  if (!areKnown)
    os << "; in a loop of unknown length, weighed as "
       << countOf(trips, "trip");
  else if (trips != 1)
    os << "; " << countOf(trips, "trip");
}

static void printAccess(llvm::raw_ostream &os, const AccessReport &access) {
  os << "  ";
  printPlace(os, access.place);
  os << access.op;
  if (access.isShared)
    os << " of tile " << access.tile;
  os << "\n    vector of " << access.vectorElements << " ("
     << countOf(access.vectorBytes, "byte") << ")";
  if (!access.limit.empty())
    os << ": " << access.limit;
  os << "\n    ";
  if (access.isCountKnown)
    os << countOf(access.count, access.isShared ? "wavefront" : "sector")
       << ", ideal " << access.ideal;
  else
    os << "sectors that hang on addresses not known here";
  os << ", by " << countOf(access.instructions, "warp instruction");
  if (access.isShared && access.worstDegree > 1)
    os << "; " << access.worstDegree << "-way bank conflicts";
  printTrips(os, access.trips, access.areTripsKnown);
  os << "\n";
  if (!access.bound)
    return;
  os << "    cost " << access.getCost() << ", in a layout for it alone "
     << access.bound->cost;
  if (!access.bound->whyNotReached.empty())
    os << ": " << access.bound->whyNotReached;
  os << "\n";
}

/// More are in the JSON and HTML reports.
static constexpr size_t maxPrintedCandidates = 6;

static void printScores(llvm::raw_ostream &os, const LayoutScores &scores) {
  os << llvm::formatv("    {0,-34} {1,10} {2,12} {3,8} {4,10} {5,9}\n",
                      "candidate", "wavefronts", "instructions", "bytes",
                      "cost", "blocks/SM");
  ArrayRef<LayoutScore> candidates = scores.candidates;
  for (const LayoutScore &score : candidates.take_front(maxPrintedCandidates)) {
    std::string blocks =
        score.blocksPerSM ? std::to_string(*score.blocksPerSM) : "-";
    os << llvm::formatv("    {0,-34} {1,10} {2,12} {3,8} {4,10} {5,9}",
                        score.name, score.wavefronts, score.instructions,
                        score.bytes, score.cost, blocks);
    if (!score.obstacle.empty())
      os << "  " << score.obstacle;
    os << "\n";
  }
  if (candidates.size() > maxPrintedCandidates)
    os << "    and " << candidates.size() - maxPrintedCandidates
       << " that cost no less\n";
  os << "    " << scores.getProof() << "\n";
}

static void printConversion(llvm::raw_ostream &os,
                            const ConversionReport &conversion) {
  os << "  ";
  printPlace(os, conversion.place);
  os << "tile.convert_layout of " << conversion.type << "\n    "
     << conversion.choice.getReason();
  printTrips(os, conversion.trips, conversion.areTripsKnown);
  os << "\n";
}

static void printProduct(llvm::raw_ostream &os, const ProductReport &product) {
  os << "  ";
  printPlace(os, product.place);
  os << "tile.dot of " << product.m << "x" << product.n << "x" << product.k
     << ", " << product.operandType << " into " << product.accumulatorType
     << ", by " << product.instruction << "\n    " << product.getOperations()
     << " operations on " << countOf(product.operandBytes, "byte")
     << " of operands: " << llvm::format("%.4g", product.getIntensity())
     << " a byte; each element of a is used " << product.n
     << " times, each of b " << product.m << " times";
  if (product.barriersInLoop)
    os << "; " << countOf(*product.barriersInLoop, "barrier")
       << " a trip of the loop";
  os << "\n";
}

void KernelReport::print(llvm::raw_ostream &os) const {
  os << "kernel " << name << " for " << target << ": " << numWarps << " warps, "
     << sharedBytes << " bytes of shared memory, " << barriers
     << (barriers == 1 ? " barrier\n" : " barriers\n");
  if (!tiles.empty())
    os << "\nshared tiles\n";
  for (auto [index, tile] : llvm::enumerate(tiles)) {
    os << "  tile " << index << ": ";
    printPlace(os, tile.place);
    os << tile.type << ", " << tile.layout << ", " << tile.bytes << " bytes at "
       << tile.offset << "\n";
    if (!tile.reason.empty())
      os << "    " << tile.reason << "\n";
    if (tile.scores)
      printScores(os, *tile.scores);
  }
  os << "\naccesses of one block\n";
  for (const AccessReport &access : accesses)
    printAccess(os, access);
  if (!conversions.empty())
    os << "\nconversions by shuffles\n";
  for (const ConversionReport &conversion : conversions)
    printConversion(os, conversion);
  if (!products.empty())
    os << "\nproducts of one block\n";
  for (const ProductReport &product : products)
    printProduct(os, product);
  os << "\nresources\n";
  if (!resources) {
    os << "  unknown: no ptxas was found (set TILEWRIGHT_PTXAS to one)\n";
    return;
  }
  os << "  " << resources->registers << " registers a thread, "
     << resources->spillStoreBytes << " bytes spilled, "
     << resources->stackFrameBytes << " bytes of stack\n"
     << "  " << countOf(occupancy->blocksPerSM, "block") << " ("
     << occupancy->warpsPerSM << " warps) an SM, limited by "
     << stringifyOccupancyLimiter(occupancy->limiter) << "\n";
}

static llvm::json::Value toJSON(const SourcePlace &place) {
  return llvm::json::Object{
      {"file", place.file}, {"line", place.line}, {"column", place.column}};
}

static llvm::json::Value toJSON(const LayoutScore &score) {
  llvm::json::Object object{{"name", score.name},
                            {"wavefronts", score.wavefronts},
                            {"ideal_wavefronts", score.ideal},
                            {"instructions", score.instructions},
                            {"bytes", score.bytes},
                            {"cost", score.cost},
                            {"index_instructions", score.indexInstructions},
                            {"move_instructions", score.moveInstructions},
                            {"obstacle", score.obstacle}};
  if (score.blocksPerSM)
    object["blocks_per_sm"] = *score.blocksPerSM;
  return object;
}

static llvm::json::Value toJSON(const SharedTileReport &tile) {
  llvm::json::Object object{
      {"place", toJSON(tile.place)}, {"type", tile.type},
      {"layout", tile.layout},       {"reason", tile.reason},
      {"bytes", tile.bytes},         {"offset", tile.offset}};
  if (tile.scores) {
    llvm::json::Array candidates;
    for (const LayoutScore &score : tile.scores->candidates)
      candidates.push_back(toJSON(score));
    object["candidates"] = std::move(candidates);
    object["lower_bound"] = tile.scores->lowerBound;
    object["is_proven"] = tile.scores->isProven;
    object["proof"] = tile.scores->getProof();
  }
  return object;
}

static llvm::json::Value toJSON(const AccessReport &access) {
  llvm::json::Object object{{"place", toJSON(access.place)},
                            {"op", access.op},
                            {"vector_elements", access.vectorElements},
                            {"vector_bytes", access.vectorBytes},
                            {"limit", access.limit},
                            {"trips", access.trips},
                            {"trips_known", access.areTripsKnown},
                            {"instructions", access.instructions}};
  if (access.isShared) {
    object["tile"] = access.tile;
    object["wavefronts"] = access.count;
    object["ideal_wavefronts"] = access.ideal;
    object["conflict_degree"] = access.worstDegree;
    object["cost"] = access.getCost();
    if (access.bound) {
      object["least_cost"] = access.bound->cost;
      object["why_not_least"] = access.bound->whyNotReached;
    }
  } else if (access.isCountKnown) {
    object["sectors"] = access.count;
    object["ideal_sectors"] = access.ideal;
  }
  return object;
}

static llvm::json::Value toJSON(const ConversionReport &conversion) {
  const ConversionChoice &choice = conversion.choice;
  llvm::json::Object object{{"place", toJSON(conversion.place)},
                            {"type", conversion.type},
                            {"trips", conversion.trips},
                            {"trips_known", conversion.areTripsKnown},
                            {"warps", choice.warps},
                            {"shuffles_per_warp", choice.plan->countShuffles()},
                            {"selects_per_warp", choice.plan->countSelects()},
                            {"moves_per_warp", choice.plan->countMoves()},
                            {"cycles", choice.getShuffleCycles()},
                            {"reason", choice.getReason()}};
  if (choice.wavefronts) {
    object["shared_wavefronts"] = *choice.wavefronts;
    object["shared_cycles"] = choice.getSharedCycles();
  }
  return object;
}

static llvm::json::Value toJSON(const ProductReport &product) {
  llvm::json::Object object{{"place", toJSON(product.place)},
                            {"instruction", product.instruction},
                            {"operand_type", product.operandType},
                            {"accumulator_type", product.accumulatorType},
                            {"m", product.m},
                            {"n", product.n},
                            {"k", product.k},
                            {"operand_bytes", product.operandBytes},
                            {"operations", product.getOperations()},
                            {"operations_per_byte", product.getIntensity()}};
  if (product.barriersInLoop)
    object["barriers_in_loop"] = *product.barriersInLoop;
  return object;
}

template <typename T>
static llvm::json::Array toJSONArray(const std::vector<T> &items) {
  llvm::json::Array array;
  for (const T &item : items)
    array.push_back(toJSON(item));
  return array;
}

llvm::json::Value KernelReport::toJSON() const {
  llvm::json::Object object{
      {"kernel", name},
      {"target", target},
      {"num_warps", numWarps},
      {"shared_bytes", sharedBytes},
      {"barriers", barriers},
      {"tiles", toJSONArray(tiles)},
      {"accesses", toJSONArray(accesses)},
      {"conversions", toJSONArray(conversions)},
      {"products", toJSONArray(products)},
      {"shared_load_wavefronts", getSharedWavefronts(/*ofStores=*/false)},
      {"shared_store_wavefronts", getSharedWavefronts(/*ofStores=*/true)}};
  if (resources) {
    object["resources"] = llvm::json::Object{
        {"registers", resources->registers},
        {"spill_store_bytes", resources->spillStoreBytes},
        {"spill_load_bytes", resources->spillLoadBytes},
        {"stack_bytes", resources->stackFrameBytes},
        {"static_shared_bytes", resources->staticSharedBytes}};
    object["occupancy"] = llvm::json::Object{
        {"blocks_per_sm", occupancy->blocksPerSM},
        {"warps_per_sm", occupancy->warpsPerSM},
        {"limiter", stringifyOccupancyLimiter(occupancy->limiter)}};
  }
  return object;
}
