//===- RaceShadow.cpp - Who accessed each byte, and when ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/RaceShadow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace tilewright::sim {

MutableArrayRef<ShadowPage::Cell> ShadowPage::range(uint64_t offset,
                                                    uint64_t size) {
  const auto wanted =
      static_cast<unsigned>(1u << llvm::countr_zero(offset | size | coarsest));
  if (cells.empty()) {
    granule = wanted;
    cells.resize(bytes / granule);
  }
  if (wanted < granule)
    split(wanted);
  return MutableArrayRef(cells).slice(offset / granule, size / granule);
}

void ShadowPage::split(unsigned wanted) {
  std::vector<Cell> finer;
  finer.reserve(bytes / wanted);
  for (const Cell &cell : cells)
    finer.insert(finer.end(), granule / wanted, cell);
  cells = std::move(finer);
  granule = wanted;
}

/// One mark a warp is enough, and none of those that `now` is ordered after.
void ShadowPage::recordRead(Cell &cell, const Mark &now,
                            const OrderOracle &oracle) {
  size_t foreign = 0;
  for (Mark &read : cell.reads) {
    foreign += read.block != now.block;
    if (!read.sameWarp(now))
      continue;
    const bool together = read.clock == now.clock && read.lane != now.lane;
    read = now;
    if (together)
      read.lane = Mark::severalLanes;
    return;
  }
  if (foreign >= maximumForeignReads)
    return;
  erase_if(cell.reads,
           [&](const Mark &read) { return oracle.isOrdered(read, now); });
  cell.reads.push_back(now);
}

const Mark *ShadowPage::unorderedRead(const Cell &cell, const Mark &now,
                                      const OrderOracle &oracle) {
  for (const Mark &read : cell.reads)
    if (!read.isStrongWith(now) && !oracle.isOrdered(read, now))
      return &read;
  return nullptr;
}

bool ShadowPage::read(uint64_t offset, uint64_t size, const Mark &now,
                      const OrderOracle &oracle, Conflict &conflict) {
  bool races = false;
  for (Cell &cell : range(offset, size)) {
    const Mark &last = cell.lastWrite;
    if (!races && last.valid() && !last.isStrongWith(now) &&
        !oracle.isOrdered(last, now)) {
      races = true;
      conflict = {last, true};
    }
    recordRead(cell, now, oracle);
  }
  return races;
}

void ShadowPage::overwrite(uint64_t offset, uint64_t size, const Mark &now) {
  for (Cell &cell : range(offset, size)) {
    cell.lastWrite = now;
    cell.reads.clear();
  }
}

} // namespace tilewright::sim
