//===- RaceShadow.h - Who accessed each byte, and when ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to a byte race if one of them writes, they are by different
// threads, and nothing orders them. The shadow keeps, for every granule of
// memory, a mark of the last write and marks of the reads since then. A mark
// says who and at which logical time: every warp has a clock that advances
// whenever it synchronises, and every warp knows up to which clock of each
// other warp it is ordered after (a vector clock). So
//
//   warp 0: st.shared [0]   mark {warp 0, clock 1}
//   both:   bar.sync 0      warp 1 now knows warp 0 up to clock 1
//   warp 1: ld.shared [0]   knows[0] = 1 >= 1: ordered
//
// and without the barrier knows[0] = 0 < 1, which is a race. The scheme is
// that of FastTrack (Flanagan and Freund, PLDI 2009), with lanes within warps
// and blocks within the grid as two further levels.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_CHECKS_RACESHADOW_H
#define TILEWRIGHT_LIB_SIMULATOR_CHECKS_RACESHADOW_H

#include "Ptx/Scope.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace tilewright::sim {

/// One access by one lane.
struct Mark {
  uint32_t clock = 0; ///< of the warp; 0: no access
  uint32_t block = 0;
  uint32_t pc = 0;
  uint32_t serial = 0; ///< tells executions of one warp apart
  uint16_t warp = 0;   ///< or whoever else has a clock, see Clocks.h
  uint8_t lane = 0;    ///< or `severalLanes`
  /// Of volatile, relaxed and stronger accesses; None: a plain one.
  Scope strong = Scope::None;

  static constexpr uint8_t severalLanes = 32;
  bool valid() const { return clock != 0; }
  bool sameWarp(const Mark &other) const {
    return block == other.block && warp == other.warp;
  }
  /// PTX: accesses that are morally strong relative to each other, and so never
  /// race.
  bool isStrongWith(const Mark &other) const {
    const Scope least = block == other.block ? Scope::Block : Scope::Gpu;
    return strong >= least && other.strong >= least;
  }
};

/// Decides whether `earlier` is ordered before what the current warp does.
class OrderOracle {
public:
  virtual ~OrderOracle() = default;
  virtual bool isOrdered(const Mark &earlier, const Mark &now) const = 0;
};

/// What an access collided with.
struct Conflict {
  Mark earlier;
  bool earlierIsWrite = false;
};

/// The shadow of a short piece of memory. Granules are as fine as the finest
/// access so far: 16 bytes, or a smaller power of two.
class ShadowPage {
public:
  static constexpr uint64_t bytes = 1024;

  /// Records a read of [offset, offset + size); true if it races.
  bool read(uint64_t offset, uint64_t size, const Mark &now,
            const OrderOracle &oracle, Conflict &conflict);
  /// Records a write. `isSameValue(offset, size)` tells whether the bytes
  /// written equal those that are there: two writes of one value are no race.
  template <class SameValue>
  bool write(uint64_t offset, uint64_t size, const Mark &now,
             const OrderOracle &oracle, Conflict &conflict,
             SameValue isSameValue);
  /// A last write in [offset, offset + size) for which `isWanted` holds.
  template <class Wanted>
  const Mark *findWrite(uint64_t offset, uint64_t size, Wanted isWanted) {
    for (const Cell &cell : range(offset, size))
      if (cell.lastWrite.valid() && isWanted(cell.lastWrite))
        return &cell.lastWrite;
    return nullptr;
  }
  /// Makes `now` the last write, whatever was there.
  void overwrite(uint64_t offset, uint64_t size, const Mark &now);
  void clear() { cells.clear(); }

private:
  struct Cell {
    Mark lastWrite;
    llvm::SmallVector<Mark, 2> reads;
  };
  /// More readers of other blocks than this add nothing: whichever block
  /// writes, one of them is another block.
  static constexpr size_t maximumForeignReads = 4;

  llvm::MutableArrayRef<Cell> range(uint64_t offset, uint64_t size);
  void split(unsigned wanted);
  static void recordRead(Cell &cell, const Mark &now,
                         const OrderOracle &oracle);
  static const Mark *unorderedRead(const Cell &cell, const Mark &now,
                                   const OrderOracle &oracle);

  static constexpr unsigned coarsest = 16;
  unsigned granule = coarsest;
  std::vector<Cell> cells;
};

template <class SameValue>
bool ShadowPage::write(uint64_t offset, uint64_t size, const Mark &now,
                       const OrderOracle &oracle, Conflict &conflict,
                       SameValue isSameValue) {
  bool races = false;
  llvm::MutableArrayRef<Cell> touched = range(offset, size);
  uint64_t at = offset / granule * granule;
  for (Cell &cell : touched) {
    const Mark &last = cell.lastWrite;
    if (!races && last.valid() && !last.isStrongWith(now) &&
        !oracle.isOrdered(last, now) && !isSameValue(at, granule, last)) {
      races = true;
      conflict = {last, true};
    }
    if (const Mark *read = races ? nullptr : unorderedRead(cell, now, oracle)) {
      races = true;
      conflict = {*read, false};
    }
    cell.lastWrite = now;
    cell.reads.clear();
    at += granule;
  }
  return races;
}

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_CHECKS_RACESHADOW_H
