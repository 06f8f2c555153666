//===- LaunchChoices.h - Which code serves a launch best --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has code in which blocks run several programs, or several blocks
// one. By the programs of a launch and the multiprocessors of its device it is
// known which of it is fastest there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_LAUNCHCHOICES_H
#define TILEWRIGHT_RUNTIME_LAUNCHCHOICES_H

#include "tilewright/Runtime/Device.h"

namespace tilewright::runtime {

/// As many blocks as a cluster can have on all GPUs that have clusters (CUDA
/// Programming Guide, "Thread Block Clusters").
inline constexpr unsigned portableClusterBlocks = 8;

/// Whether a launch is better off with so many programs a block: each
/// multiprocessor has a block, or there are more programs than run at once, and
/// few blocks have fewer programs. A device without multiprocessors, the
/// simulator, takes any number.
bool servesBatch(const GridSize &grid,
                 const std::array<unsigned, 3> &blockPrograms,
                 unsigned multiprocessors);

/// Among how many blocks each program of a launch had better divide a loop of
/// products of so many trips: each has a multiprocessor for itself then, and
/// enough trips for the sums that they send one another. Of full products
/// (spec::Argument::hasFullProducts) the busiest multiprocessor then has less
/// to do; else a power of two, or three. A device without multiprocessors, the
/// simulator, divides half of all launches, into two to sixteen. With
/// `areLoaded`, threads load operands that no copy brings: two blocks share a
/// multiprocessor, so that one multiplies while the other one waits.
unsigned chooseProductParts(const GridSize &grid, int64_t trips, bool areFull,
                            unsigned multiprocessors, bool areLoaded = false);

/// The axes of a grid along which a cluster had better have several programs,
/// where these copy together (spec::PairedAxes): the first one, as tiles of
/// products are wide rather than high. Where that has an odd number of them,
/// uneven, if there are no more waves by the block more, or else the second
/// one. Four programs, if no more waves follow from that.
unsigned choosePairedAxes(const GridSize &grid, unsigned multiprocessors);

/// Whether a grid may have so many blocks a program along x.
bool allowsClusters(const GridSize &grid, unsigned clusterBlocks);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_LAUNCHCHOICES_H
