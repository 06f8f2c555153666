//===- ReportFacts.cpp - What follows from a report -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/KernelReport.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;

void tilewright::addResources(KernelReport &report,
                              const PtxasResources &resources,
                              const GpuTarget &target) {
  report.resources = resources;
  report.occupancy =
      target.occupancy(report.threads, resources.registers, report.sharedBytes);
  // Candidates were weighed before registers were known.
  int64_t most =
      target.occupancy(report.threads, resources.registers, /*sharedBytes=*/0)
          .blocksPerSM;
  for (SharedTileReport &tile : report.tiles)
    if (tile.scores)
      for (LayoutScore &score : tile.scores->candidates)
        if (score.blocksPerSM)
          score.blocksPerSM = std::min(*score.blocksPerSM, most);
}

int64_t KernelReport::getSharedWavefronts(bool ofStores) const {
  int64_t sum = 0;
  // What asynchronous copies write is neither, as in the profiler's counters.
  for (const AccessReport &access : accesses)
    if (access.isShared && access.globalBytes == 0 &&
        access.isStore == ofStores)
      sum += access.getWavefronts();
  return sum;
}

/// Adds a word to "a and b", unless it is there.
static void addWord(std::string &list, llvm::StringRef word) {
  if (!llvm::StringRef(list).contains(word))
    list += (list.empty() ? "" : " and ") + word.str();
}

LoopFacts KernelReport::getFacts(unsigned loop) const {
  LoopFacts facts;
  for (const ProductReport &product : products)
    if (product.loop == loop)
      addWord(facts.instruction, product.instruction);
  for (const CopyReport &of : copies) {
    if (of.loop != loop)
      continue;
    addWord(facts.copiesBy, of.getMaker());
    if (facts.whyNotBulk.empty())
      facts.whyNotBulk = of.whyNotBulk;
    if (facts.whyNoRoles.empty())
      facts.whyNoRoles = of.whyNoRoles;
    facts.stages = std::max(facts.stages, of.stages);
    facts.bytesInFlight += of.getBytesInFlight();
  }
  return facts;
}

/// What takes nearly as long as the longest limits a kernel as well.
static constexpr double kAbout = 0.8;

std::string TimeBound::getLimit(bool withMemory) const {
  std::pair<double, llvm::StringRef> parts[] = {
      {tensorCores, "tensor cores"},
      {arithmetic, "arithmetic"},
      {sharedMemory, "shared memory"},
      {l2, "L2"},
      {withMemory ? memory : 0, "memory"}};
  llvm::sort(parts,
             [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string limit;
  for (auto [clocks, name] : parts)
    if (clocks > 0 && clocks >= kAbout * parts[0].first)
      limit += (limit.empty() ? "" : " and ") + name.str();
  return limit;
}
