//===- GlobalAccess.h - Cost of an access to global memory ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is moved in sectors of 32 bytes (CUDA C++ Best Practices
// Guide, "Coalesced Access to Global Memory"): an instruction costs as many
// sectors as its 32 lanes touch, wanted or not. A warp that reads 32 adjacent
// floats touches 4; a warp that reads a column of a matrix touches 32. So the
// lanes of a warp should stand side by side along the dimension of stride 1:
//
//      coalescedRows({64, 64}, /*contiguousDim=*/1, /*vectorElements=*/4,
//                    /*numWarps=*/8)
//
// is register[1,4] lane[2,16] register[4,1] warp[8,1]: 16 lanes of 4 floats are
// a row, a warp covers 2 rows at once, and 8 rows in 4 instructions.
//
// Where rows begin at odd places, each run of lanes begins and ends inside of a
// sector. So runs are long, and a warp goes on where its last one ended: the
// sectors at their seams are then still at hand in the caches.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_GLOBALACCESS_H
#define TILEWRIGHT_LAYOUT_REGISTERS_GLOBALACCESS_H

#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright {

/// Widest access of one lane, on GPUs that have such (GpuTarget in Target/);
/// others have maxBytesPerLane, as for shared memory.
constexpr unsigned maxGlobalBytesPerLane = 32;

/// What global memory is read and written by.
constexpr int64_t bytesPerSector = 32;

/// What caches ask memory for: an access of a warp that begins inside of a line
/// takes a request more than it has lines.
constexpr int64_t bytesPerLine = 128;

/// What a block needs to access a tile of global memory once.
struct GlobalAccessCost {
  /// Warp instructions of the block.
  int64_t instructions = 0;
  /// Sectors that each instruction touches, summed.
  int64_t sectors = 0;
  /// Sectors of the tile: what it would take to touch each once.
  int64_t idealSectors = 0;
  /// Lines of 128 bytes that each instruction touches, summed: the load-store
  /// unit takes a cycle for each.
  int64_t lines = 0;
};

/// The instructions of an access to global memory: vectors of at most
/// `vectorElements` along `contiguousDim`, and of at most 16 bytes. Which
/// registers form vectors is the same question as for a tile in shared memory,
/// hence the type.
SharedAccessPlan planGlobalAccess(const LinearLayout &registers,
                                  unsigned elementBytes, unsigned contiguousDim,
                                  unsigned vectorElements, bool isStore);

/// The cost of a load with a register layout (inputs "register", "lane",
/// "warp"), to compare layouts. The base of the tile is taken to be aligned to
/// a sector. Rows along `contiguousDim`, the dimension of stride 1, that are
/// shorter than one, but have two elements or more, are taken to follow one
/// another: if they do not, no layout touches fewer sectors than another.
/// Longer ones are in different lines.
///
/// An instruction moves `vectorElements` a lane (a power of two), or fewer
/// where the layout has no such run of registers along `contiguousDim`, or
/// they are wider than 16 bytes. Redundant registers are not accessed;
/// redundant lanes and warps are.
GlobalAccessCost costOfGlobalAccess(const LinearLayout &registers,
                                    unsigned elementBytes,
                                    unsigned contiguousDim,
                                    unsigned vectorElements);

/// A register layout of `numWarps` warps (a power of two) for a coalesced
/// access to a tile. Threads hold `vectorElements` (a power of two) along
/// `contiguousDim`, and as many rows of that, where there are enough: what is
/// then accessed along another dimension finds vectors too. The lanes of a warp
/// fill a row, then go on along the other dimensions, from the last to the
/// first. Warps take these first, further registers the rest of the row. What
/// is left of lanes and warps holds copies.
LinearLayout coalescedRows(llvm::ArrayRef<int64_t> shape,
                           unsigned contiguousDim, unsigned vectorElements,
                           unsigned numWarps);

/// The same, where elements that lie near each other differ in bits of several
/// coordinates: one point for each bit, the nearest first. Lanes differ in the
/// first of them, warps in the last.
LinearLayout coalescedBits(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<LinearLayout::Point> bits,
                           unsigned numWarps);

/// Threads hold all of the `axis` in their first registers, and the other
/// elements are over all threads as coalescedRows() has them, 16 bytes a thread
/// where there are enough. For tiles of more than one dimension.
LinearLayout spreadAcross(llvm::ArrayRef<int64_t> shape, unsigned axis,
                          unsigned elementBytes, unsigned numWarps);

/// The same with threads that hold elements of few rows: the lanes of a warp
/// fill no more than a line of 128 bytes of each. Warps and further registers
/// take the other dimensions first, then the rest of the row.
LinearLayout coalescedLines(llvm::ArrayRef<int64_t> shape,
                            unsigned elementBytes, unsigned contiguousDim,
                            unsigned vectorElements, unsigned numWarps);

/// The same for what is scanned along `axis`, another dimension: threads hold
/// elements that follow one another along it, then come lanes, and warps last.
/// Rows of memory are shared by lanes and warps as far as they go.
LinearLayout coalescedAlong(llvm::ArrayRef<int64_t> shape, unsigned axis,
                            unsigned contiguousDim, unsigned vectorElements,
                            unsigned numWarps);

/// The same for what is turned on its way: an element a lane, of as many rows
/// as sectors allow. Eight lanes along a row of f32 and four along a column
/// write the columns of a padded or swizzled shared tile without bank
/// conflicts.
LinearLayout coalescedSectors(llvm::ArrayRef<int64_t> shape,
                              unsigned elementBytes, unsigned contiguousDim,
                              unsigned numWarps);

/// The same with rows that are whole in a warp, if there are as many as warps:
/// the lanes of a warp divide its rows, but no more than leaves lines of 128
/// bytes. Warps divide the first dimension into parts that lie side by side;
/// further registers have the rest of the row.
LinearLayout coalescedInWarps(llvm::ArrayRef<int64_t> shape,
                              unsigned elementBytes, unsigned contiguousDim,
                              unsigned vectorElements, unsigned numWarps);

/// The same with so many lanes for each row, as far as it goes; the others have
/// other rows: those that follow, or `apart`, with what each lane has in
/// between.
LinearLayout sharedByLanes(llvm::ArrayRef<int64_t> shape,
                           unsigned contiguousDim, int64_t lanes,
                           unsigned vectorElements, unsigned numWarps,
                           bool apart = false);

/// Lanes stand side by side along the rows, each with a vector, and a warp has
/// what follows in a row before it has another one: as much as each has.
LinearLayout piecesOfWarps(llvm::ArrayRef<int64_t> shape,
                           unsigned contiguousDim, unsigned vectorElements,
                           unsigned numWarps);

/// Numbers of which each warp has those of its rows in such a layout, one a
/// lane; the other lanes have copies.
LinearLayout numbersOfWarps(int64_t count, unsigned numWarps);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_GLOBALACCESS_H
