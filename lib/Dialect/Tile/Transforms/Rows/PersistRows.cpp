//===- PersistRows.cpp - Blocks that run programs with long rows ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/ProgramLoop.h"
#include "Loads/RowsAhead.h"
#include "Rows/NarrowRows.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPERSISTROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of a row from which on blocks stay: of shorter ones a
/// multiprocessor has so many blocks that one loads while others compute.
static constexpr int64_t kMinRow = 16384;
/// Rows that begin anywhere and are copied ahead: in blocks of some warps,
/// which meet, and of which some are on a multiprocessor, and threads of so
/// many elements.
static constexpr int64_t kCopiedElementBytes = 2, kCopiedElements = 32;
static constexpr int64_t kMinCopyingWarps = 2, kMaxCopyingWarps = 8;
/// Others are taken in phases where a thread has so many elements: few warps
/// then wait for each other.
static constexpr int64_t kPhasedElements = 64;
static constexpr int64_t kMinPhasedWarps = 4;

/// Tiles from so many elements to so many have rows of which phases begin with
/// sectors.
static constexpr int64_t kLeastSectorRow = 65536, kMostSectorRow = 262144;

/// Whether rows that are loaded begin with a vector of memory and have nothing
/// else.
static bool haveVectors(KernelOp kernel, ArrayRef<RowLoad> loads,
                        const AxisInfoAnalysis &axes) {
  int64_t threads = kernel.getNumThreads();
  return llvm::all_of(loads, [&](const RowLoad &load) {
    auto access = dyn_cast<GlobalAccessOpInterface>(load.op);
    if (!access || !isTileType(load.op->getResult(0).getType()))
      return true;
    RankedTensorType tile = access.getTileType();
    int64_t most = std::min(getGlobalVectorBytes(access), kMaxVectorBytes);
    int64_t elements = std::min(most / getElementBytes(tile.getElementType()),
                                tile.getNumElements() / threads);
    return getAddressVector(access, axes, most).width.elements >= elements;
  });
}

/// Tiles that the block loads besides.
static SmallVector<GlobalAccessOpInterface>
findOtherLoads(Block &block, ArrayRef<RowLoad> rows) {
  SmallVector<GlobalAccessOpInterface> others;
  block.walk([&](GlobalAccessOpInterface access) {
    if (!access.isStore() && isTileType(access.getTileType()) &&
        llvm::none_of(rows, [&](const RowLoad &row) {
          return row.op == access.getOperation();
        }))
      others.push_back(access);
  });
  return others;
}

/// Whether all programs load the same.
static bool isShared(GlobalAccessOpInterface load, ArrayRef<Value> numbers) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  return succeeded(getBackwardSlice(load, &slice, options)) &&
         llvm::none_of(numbers, [&](Value number) {
           return slice.contains(number.getDefiningOp());
         });
}

/// What rows of a phase begin with, of memory: vectors. Long ones beside two
/// tiles that are rotated with them gain more by whole sectors than phases of
/// fewer rows lose; beside one, and of the longest, some do not.
static int64_t countBytesOfBegin(GlobalAccessOpInterface row,
                                 size_t numOthers) {
  RankedTensorType tile = row.getTileType();
  bool hasSectors = numOthers >= 2 &&
                    getElementBytes(tile.getElementType()) < bytesPerWord &&
                    tile.getNumElements() >= kLeastSectorRow &&
                    tile.getNumElements() <= kMostSectorRow;
  return hasSectors ? bytesPerSector
                    : std::min(getGlobalVectorBytes(row), kMaxVectorBytes);
}

/// Rows, so many of which one after the other are as far behind vectors of
/// memory, or sectors, as the next ones, whatever their length.
static int64_t countPhases(ArrayRef<RowLoad> rows, size_t numOthers) {
  int64_t phases = 1;
  for (const RowLoad &row : rows)
    if (auto access = dyn_cast<GlobalAccessOpInterface>(row.op))
      phases = std::max(
          phases, countBytesOfBegin(access, numOthers) /
                      getElementBytes(access.getTileType().getElementType()));
  return phases;
}

/// Whether what is loaded is known to begin with a vector of memory, wherever
/// it ends.
static bool beginsWithVector(GlobalAccessOpInterface load,
                             const AxisInfoAnalysis &axes) {
  MemoryAccess access = *findMemoryAccess(load, MemorySpace::Global);
  if (isTileType(access.base.getType()))
    return axes.get(access.base).axis(0).divisibility >= kMaxVectorBytes;
  auto view = access.base.getDefiningOp<ViewOp>();
  int64_t bytes = getElementBytes(load.getTileType().getElementType());
  return view && std::min(axes.getDivisibility(OpFoldResult(view.getBase())),
                          bytes * axes.getDivisibility(
                                      OpFoldResult(access.indices.front()))) >=
                     kMaxVectorBytes;
}

/// Whether rows would be moved by elements, since as many arrays are in the way
/// of their vectors (`tile-rotate-rows`).
static bool areNarrow(KernelOp kernel, ArrayRef<GlobalAccessOpInterface> others,
                      const AxisInfoAnalysis &axes) {
  int64_t numTiles = 0;
  kernel.walk([&](GlobalAccessOpInterface access) {
    numTiles += isTileType(access.getTileType());
  });
  int64_t inTheWay = llvm::count_if(others, [&](GlobalAccessOpInterface load) {
    return beginsWithVector(load, axes);
  });
  return 2 * inTheWay >= numTiles;
}

/// Elements of a row that a thread has.
static int64_t countElementsOfThread(KernelOp kernel) {
  return countElementsOfRow(kernel) / kernel.getNumThreads();
}

/// Whether narrow rows can be copied ahead.
static bool areCopied(KernelOp kernel, ArrayRef<RowLoad> rows,
                      ArrayRef<GlobalAccessOpInterface> others,
                      const AxisInfoAnalysis &axes) {
  int64_t bytes = 0;
  int64_t warps = kernel.getNumWarpsOrDefault();
  if (warps < kMinCopyingWarps || warps > kMaxCopyingWarps ||
      countElementsOfThread(kernel) != kCopiedElements)
    return false;
  // A row in parts begins in one of them.
  DenseSet<Value> arrays;
  bool canBe = llvm::all_of(rows, [&](const RowLoad &row) {
    auto access = dyn_cast<GlobalAccessOpInterface>(row.op);
    if (!access || !isTileType(access.getTileType()))
      return true;
    RankedTensorType tile = access.getTileType();
    Value array = getRoot(findMemoryAccess(access, MemorySpace::Global)->base);
    if (getElementBytes(tile.getElementType()) != kCopiedElementBytes ||
        tile.getNumElements() != countElementsOfRow(kernel) ||
        beginsWithVector(access, axes) || mayWriteThrough(kernel, array) ||
        !arrays.insert(array).second)
      return false;
    bytes += getRowBufferType(tile).getSizeInBytes();
    return true;
  });
  int64_t blocks = countBlocksOfRows(kernel, 1 + others.size());
  return canBe && kLeastRowsAhead * bytes <= getRoomForRows(kernel, blocks);
}

namespace {
struct PersistRows : tilewright::tile::impl::TilePersistRowsBase<PersistRows> {
  using TilePersistRowsBase::TilePersistRowsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getPersistent() || kernel.getBlockPrograms() ||
        kernel.getCopyWarps() || !combinesRows(kernel) || !storesRows(kernel) ||
        findMixOfPlaces(kernel) || talksToOthers(kernel))
      return;
    SmallVector<Value> numbers;
    kernel.walk([&](ProgramIdOp id) { numbers.push_back(id); });
    persist(kernel, kernel.getBody().front(), numbers);
  }

private:
  /// Rows that begin anywhere are rotated as each asks, and what is loaded
  /// besides with them: blocks take those one after the other that ask alike.
  static void persist(KernelOp kernel, Block &block, ArrayRef<Value> numbers) {
    SmallVector<RowLoad> rows = chooseRowLoads(kernel, block, numbers);
    if (rows.empty())
      return;
    AxisInfoAnalysis axes(kernel);
    SmallVector<GlobalAccessOpInterface> others = findOtherLoads(block, rows);
    bool areVectors = haveVectors(kernel, rows, axes);
    // What is rotated with the rows is better loaded once, even where these
    // leave much of their tile.
    bool isLong =
        kMinRow <= (areVectors || others.empty() ? countColumnsOfRow(kernel)
                                                 : countElementsOfRow(kernel));
    if (areVectors) {
      if (isLong)
        makeProgramLoop(kernel);
      return;
    }
    if (!llvm::all_of(others, [&](GlobalAccessOpInterface load) {
          return isShared(load, numbers);
        }))
      return;
    int64_t phases = others.empty() ? 1 : countPhases(rows, others.size());
    if (isLong)
      return void(makeProgramLoop(kernel, phases));
    if (!areNarrow(kernel, others, axes))
      return;
    if (areCopied(kernel, rows, others, axes))
      makeProgramLoop(kernel);
    else if (countElementsOfThread(kernel) >= kPhasedElements &&
             kernel.getNumWarpsOrDefault() >= kMinPhasedWarps)
      makeProgramLoop(kernel, phases);
  }
};
} // namespace
