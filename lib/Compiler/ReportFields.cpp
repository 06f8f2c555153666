//===- ReportFields.cpp - What is shown of a report -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportFields.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static json::Value valueOf(const SourcePlace &place) {
  return json::Object{
      {"file", place.file}, {"line", place.line}, {"column", place.column}};
}

template <typename T>
static json::Value valueOf(const std::optional<T> &value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

/// Null unless `condition`.
template <typename T> static json::Value valueIf(bool condition, T value) {
  return condition ? json::Value(std::move(value)) : json::Value(nullptr);
}

std::string tilewright::toText(const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return text->str();
  if (std::optional<bool> flag = value.getAsBoolean())
    return *flag ? "yes" : "no";
  if (std::optional<int64_t> number = value.getAsInteger())
    return std::to_string(*number);
  if (std::optional<double> number = value.getAsNumber())
    return formatv("{0:f2}", *number).str();
  if (const json::Object *place = value.getAsObject()) {
    int64_t line = place->getInteger("line").value_or(0);
    return line ? std::to_string(line) : "";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The lists
//===----------------------------------------------------------------------===//

static ReportRecord fieldsOf(const KernelReport &kernel) {
  return {{"kernel", "kernel", kernel.name},
          {"target", "target", kernel.target},
          {"num_warps", "warps", kernel.numWarps},
          {"shared_bytes", "shared bytes", kernel.sharedBytes},
          {"barriers", "barriers", kernel.barriers},
          {"barriers_in_loops", "of them in loops", kernel.barriersInLoops},
          {"persistent", "persistent", kernel.isPersistent},
          {"teams", "teams", kernel.teams},
          {"why_not_persistent", "not persistent", kernel.whyNotPersistent},
          {"why_fewer_stages", "fewer stages", kernel.whyFewerStages},
          {"blocks_of_roles", "blocks that roles have registers for",
           valueOf(kernel.blocksOfRoles)},
          {"programs_per_block", "programs a block", kernel.programsPerBlock},
          {"blocks_per_program", "blocks a program", kernel.blocksPerProgram},
          {"shared_load_wavefronts", "wavefronts of loads",
           kernel.getSharedWavefronts(/*ofStores=*/false)},
          {"shared_store_wavefronts", "wavefronts of stores",
           kernel.getSharedWavefronts(/*ofStores=*/true)}};
}

static ReportRecord fieldsOf(const TimeBound &time) {
  return {{"tensor_cores", "tensor cores", time.tensorCores},
          {"arithmetic", "arithmetic", time.arithmetic},
          {"shared_memory", "shared memory", time.sharedMemory},
          {"l2", "L2", time.l2},
          {"memory", "memory, without the L2", time.memory},
          {"operations", "operations", time.operations},
          {"global_bytes", "global bytes", time.globalBytes},
          {"device", "memory of", time.device},
          {"limit", "limit", time.getLimit(/*withMemory=*/true)},
          {"limit_with_l2", "limit, if all comes from the L2",
           time.getLimit(/*withMemory=*/false)}};
}

static ReportRecord fieldsOf(const LayoutScore &score) {
  return {{"name", "candidate", score.name},
          {"wavefronts", "wavefronts", score.wavefronts},
          {"ideal_wavefronts", "ideal", score.ideal},
          {"instructions", "instructions", score.instructions},
          {"bytes", "bytes", score.bytes},
          {"cost", "cost", score.cost},
          {"index_instructions", "for addresses", score.indexInstructions},
          {"move_instructions", "for moves", score.moveInstructions},
          {"blocks_per_sm", "blocks/SM", valueOf(score.blocksPerSM)},
          {"obstacle", "obstacle", score.obstacle}};
}

static ReportRecord fieldsOf(const SharedTileReport &tile, size_t index) {
  const LayoutScores *scores = tile.scores ? &*tile.scores : nullptr;
  return {
      {"index", "tile", int64_t(index)},
      {"place", "line", valueOf(tile.place)},
      {"type", "type", tile.type},
      {"layout", "layout", tile.layout},
      {"reason", "reason", tile.reason},
      {"bytes", "bytes", tile.bytes},
      {"offset", "offset", tile.offset},
      {"lower_bound", "least cost of any",
       valueIf(scores, scores ? scores->lowerBound : 0)},
      {"is_proven", "proven", valueIf(scores, scores && scores->isProven)},
      {"proof", "proof", valueIf(scores, scores ? scores->getProof() : "")}};
}

static ReportRecord fieldsOf(const AccessReport &access) {
  auto countOf = [](const std::optional<AccessCount> &of) {
    return valueIf(of.has_value(), of.value_or(AccessCount()).count);
  };
  auto idealOf = [](const std::optional<AccessCount> &of) {
    return valueIf(of.has_value(), of.value_or(AccessCount()).ideal);
  };
  const auto &bound = access.bound;
  bool isShared = access.isShared;
  return {{"place", "line", valueOf(access.place)},
          {"op", "access", access.op},
          {"tile", "tile", valueIf(isShared, access.tile)},
          {"vector_elements", "elements a lane", access.vectorElements},
          {"vector_bytes", "bytes a lane", access.vectorBytes},
          {"limit", "no wider", access.limit},
          {"no_block", "no block of a view", access.noBlock},
          {"why_not_ahead", "not fetched ahead", access.whyNotAhead},
          {"trips", "trips", access.trips},
          {"trips_known", "known", access.areTripsKnown},
          {"instructions", "instructions", access.instructions},
          {"wavefronts", "wavefronts", countOf(access.wavefronts)},
          {"ideal_wavefronts", "ideal wavefronts", idealOf(access.wavefronts)},
          {"conflict_degree", "ways of conflicts",
           valueIf(isShared, access.worstDegree)},
          {"sectors", "sectors", countOf(access.sectors)},
          {"ideal_sectors", "ideal sectors", idealOf(access.sectors)},
          {"cost", "cost", valueIf(isShared, isShared ? access.getCost() : 0)},
          {"least_cost", "least alone",
           valueIf(bound.has_value(), bound ? bound->cost : 0)},
          {"why_not_least", "no cheaper",
           valueIf(bound.has_value(), bound ? bound->whyNotReached : "")}};
}

static ReportRecord fieldsOf(const ConversionReport &conversion) {
  const ConversionChoice &choice = conversion.choice;
  bool hasOther = choice.wavefronts.has_value();
  return {
      {"place", "line", valueOf(conversion.place)},
      {"type", "tile", conversion.type},
      {"trips", "trips", conversion.trips},
      {"trips_known", "known", conversion.areTripsKnown},
      {"warps", "warps", choice.warps},
      {"shuffles_per_warp", "shuffles a warp", choice.plan->countShuffles()},
      {"selects_per_warp", "selects", choice.plan->countSelects()},
      {"moves_per_warp", "moves", choice.plan->countMoves()},
      {"cycles", "cycles", choice.getShuffleCycles()},
      {"shared_wavefronts", "wavefronts otherwise", valueOf(choice.wavefronts)},
      {"shared_cycles", "cycles otherwise",
       valueIf(hasOther, hasOther ? choice.getSharedCycles() : 0)},
      {"reason", "reason", choice.getReason()}};
}

static ReportRecord fieldsOf(const RoleReport &role) {
  return {{"name", "role", role.name},
          {"warps", "warps", role.warps},
          {"registers", "registers a thread", valueOf(role.registers)}};
}

/// The fields of a loop, with what its products and copies say.
static ReportRecord fieldsOf(const KernelReport &kernel, size_t number) {
  const LoopReport &loop = kernel.loops[number];
  LoopFacts facts = kernel.getFacts(number);
  return {{"index", "loop", int64_t(number)},
          {"place", "line", valueOf(loop.place)},
          {"trips", "trips", loop.trips},
          {"trips_known", "known", loop.areTripsKnown},
          {"instruction", "products by", facts.instruction},
          {"copies_by", "copies by", facts.copiesBy},
          {"stages", "slots", facts.stages},
          {"bytes_in_flight", "bytes in flight", facts.bytesInFlight},
          {"why_not_bulk", "no bulk copies, no role of their own",
           facts.whyNotBulk},
          {"why_no_roles", "no role of their own", facts.whyNoRoles},
          {"tensor_cores", "tensor cores", loop.time.tensorCores},
          {"arithmetic", "arithmetic", loop.time.arithmetic},
          {"shared_memory", "shared memory", loop.time.sharedMemory},
          {"l2", "L2", loop.time.l2},
          {"memory", "memory, without the L2", loop.time.memory},
          {"limit", "limit", loop.time.getLimit(/*withMemory=*/true)},
          {"limit_with_l2", "limit, if all comes from the L2",
           loop.time.getLimit(/*withMemory=*/false)}};
}

static ReportRecord fieldsOf(const CopyReport &copies) {
  return {{"place", "line", valueOf(copies.place)},
          {"stages", "slots", copies.stages},
          {"slot_bytes", "bytes of a slot", copies.slotBytes},
          {"bytes_in_flight", "bytes in flight", copies.getBytesInFlight()},
          {"by", "by", copies.getMaker()},
          {"copy_warps", "warps of their own", copies.copyWarps},
          {"loop", "loop", valueOf(copies.loop)},
          {"why_not_bulk", "no bulk copies", copies.whyNotBulk},
          {"why_no_roles", "no warps of their own", copies.whyNoRoles}};
}

static ReportRecord fieldsOf(const ProductReport &product) {
  return {
      {"place", "line", valueOf(product.place)},
      {"batch", "products", product.batch},
      {"m", "m", product.m},
      {"n", "n", product.n},
      {"k", "k", product.k},
      {"operand_type", "operands", product.operandType},
      {"accumulator_type", "sums", product.accumulatorType},
      {"instruction", "instruction", product.instruction},
      {"exchanged", "operands exchanged", product.isExchanged},
      {"turned", "turned by threads", product.turned},
      {"engine_reason", "no better one", product.engineReason},
      {"operand_bytes", "bytes", product.operandBytes},
      {"operand_wavefronts", "wavefronts of operands",
       product.operandWavefronts},
      {"operations", "operations", product.getOperations()},
      {"operations_per_byte", "a byte", product.getIntensity()},
      {"trips", "trips", product.trips},
      {"trips_known", "known", product.areTripsKnown},
      {"loop", "loop", valueOf(product.loop)},
      {"barriers_in_loop", "barriers a trip", valueOf(product.barriersInLoop)}};
}

static ReportRecord fieldsOf(const PtxasResources &resources) {
  return {{"registers", "registers a thread", resources.registers},
          {"spill_store_bytes", "bytes spilled", resources.spillStoreBytes},
          {"spill_load_bytes", "bytes filled", resources.spillLoadBytes},
          {"stack_bytes", "bytes of stack", resources.stackFrameBytes},
          {"static_shared_bytes", "static shared bytes",
           resources.staticSharedBytes},
          {"why_serialized", "why wgmma waits", resources.whySerialized}};
}

static ReportRecord fieldsOf(const Occupancy &occupancy) {
  return {
      {"blocks_per_sm", "blocks/SM", occupancy.blocksPerSM},
      {"warps_per_sm", "warps/SM", occupancy.warpsPerSM},
      {"limiter", "limited by", stringifyOccupancyLimiter(occupancy.limiter)}};
}

//===----------------------------------------------------------------------===//
// All of a kernel
//===----------------------------------------------------------------------===//

template <typename T>
static ReportSection makeSection(StringRef key, StringRef title,
                                 const std::vector<T> &items) {
  ReportSection section{key, title.str(), {}};
  for (const T &item : items)
    section.records.push_back(fieldsOf(item));
  return section;
}

std::vector<ReportSection> tilewright::sectionsOf(const KernelReport &kernel) {
  std::vector<ReportSection> sections;
  auto addSingle = [&](StringRef key, StringRef title, ReportRecord record) {
    sections.push_back({key, title.str(), {std::move(record)}, true});
  };
  addSingle("", "Kernel", fieldsOf(kernel));
  addSingle("time_bound", "Least clocks of a block on an SM",
            fieldsOf(kernel.time));
  if (kernel.resources) {
    addSingle("resources", "Resources", fieldsOf(*kernel.resources));
    addSingle("occupancy", "Occupancy", fieldsOf(*kernel.occupancy));
  }
  sections.push_back(makeSection("roles", "Roles of warps", kernel.roles));
  ReportSection &loops = sections.emplace_back(
      ReportSection{"loops", "Loops: least clocks on an SM, all trips", {}});
  for (size_t number = 0; number < kernel.loops.size(); ++number)
    loops.records.push_back(fieldsOf(kernel, number));
  ReportSection &tiles =
      sections.emplace_back(ReportSection{"tiles", "Shared tiles", {}});
  for (size_t index = 0; index < kernel.tiles.size(); ++index)
    tiles.records.push_back(fieldsOf(kernel.tiles[index], index));
  sections.push_back(
      makeSection("accesses", "Accesses of one block", kernel.accesses));
  sections.push_back(makeSection("conversions", "Conversions by shuffles",
                                 kernel.conversions));
  sections.push_back(
      makeSection("copies", "Copies ahead of loops", kernel.copies));
  sections.push_back(
      makeSection("products", "Products of one block", kernel.products));
  return sections;
}

std::vector<ReportRecord>
tilewright::candidatesOf(const SharedTileReport &tile) {
  std::vector<ReportRecord> records;
  if (tile.scores)
    for (const LayoutScore &score : tile.scores->candidates)
      records.push_back(fieldsOf(score));
  return records;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object toObject(ReportRecord record) {
  json::Object object;
  for (ReportField &field : record)
    if (field.value.kind() != json::Value::Null)
      object[field.key] = std::move(field.value);
  return object;
}

static json::Array toArray(std::vector<ReportRecord> records) {
  json::Array array;
  for (ReportRecord &record : records)
    array.push_back(toObject(std::move(record)));
  return array;
}

json::Value KernelReport::toJSON() const {
  json::Object object;
  for (ReportSection &section : sectionsOf(*this)) {
    if (section.key.empty())
      object = toObject(section.records.front());
    else if (section.isSingle)
      object[section.key] = toObject(section.records.front());
    else
      object[section.key] = toArray(section.records);
  }
  json::Array &tileObjects = *object.getArray("tiles");
  for (auto [tile, value] : zip_equal(tiles, tileObjects))
    if (tile.scores)
      (*value.getAsObject())["candidates"] = toArray(candidatesOf(tile));
  json::Object summary;
  for (const SummaryLine &line : summarize())
    summary[line.key] = json::Array(line.texts);
  object["summary"] = std::move(summary);
  return object;
}
