//===- BatchPrograms.cpp - Blocks that run several programs at once -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Rows/ProgramBatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEBATCHPROGRAMS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of a row that one warp takes, at the most.
static constexpr int64_t kMaxRowOfWarp = 1024;
/// The same of a part of a row that programs go along in a loop: wide parts are
/// those of long rows (docs/decisions/0030-rows.md).
static constexpr int64_t kMaxPart = 512;
/// Elements of the row that a thread has, at the least: with 1024
/// threads of them, of 2 bytes, a multiprocessor waits for 64 KiB.
static constexpr int64_t kFewestElements = 32;
/// By a part of so many it may have more, where rows fill little more than half
/// of their tile.
static constexpr int64_t kMoreElements = 8;
/// Instructions of a thread for all programs of a block, about, at the most: a
/// multiprocessor fetches more of them again and again
/// (docs/decisions/0138-numbers-ahead.md).
static constexpr int64_t kMostInstructions = 3000;
/// Programs of a warp at the most, whose rows have a few elements then; and of
/// the shortest rows, as many as have so many elements for a thread: what a
/// warp does once is half of its instructions otherwise
/// (docs/decisions/0136-gradients-of-odd-rows.md).
static constexpr int64_t kMaxProgramsPerWarp = 16;
static constexpr int64_t kElementsOfShortest = 16;
/// Elements of rows of single elements that a lane has, at the most: what a
/// warp does for each row once is shared by more of them; where one or two
/// lanes have a row, and little that all rows share; and where a warp has two
/// (docs/decisions/0088-lanes-of-short-rows.md).
static constexpr int64_t kMaxOfLane = 56;
static constexpr int64_t kMaxOfFewLanes = 72;
static constexpr int64_t kMaxOfTwoRows = 64;
/// Elements of such rows have less than a word, and vectors of two are taken
/// apart where rows are short.
static constexpr int64_t kMaxSingleBytes = 2;
static constexpr int64_t kShortRow = 96;

/// The elements of the largest tile, or those that a program loads from one
/// array in several parts, but for what it finds there by what it loaded.
static int64_t getRow(KernelOp kernel) {
  int64_t most = countElementsOfRow(kernel);
  llvm::SmallDenseMap<Value, int64_t> loaded;
  kernel.getBody().walk([&](GlobalAccessOpInterface load) {
    if (load.isStore())
      return;
    MemoryAccess access = *findMemoryAccess(load, MemorySpace::Global);
    if (hangsOnLoads(access.base))
      return;
    int64_t &elements = loaded[getRoot(access.base)];
    elements += load.getTileType().getNumElements();
    most = std::max(most, elements);
  });
  return most;
}

static bool loadsInLoops(KernelOp kernel) {
  return anyOpIn(kernel, [](GlobalAccessOpInterface access) {
    return access->getParentOfType<LoopLikeOpInterface>() != nullptr;
  });
}

namespace {
/// A row of a tile of so many columns, as far as bounds of arguments tell.
struct KnownRow {
  /// Elements that it has at the most, of those of its tile.
  int64_t elements;
  /// Whether lanes move them one by one.
  bool isSingle = false;
};
} // namespace

/// `mayBeTaken`: whether vectors of four may be taken apart, where rows leave
/// much of a short tile.
static KnownRow findRow(KernelOp kernel, int64_t columns, bool mayBeTaken) {
  KnownRow row{columns};
  for (auto [index, extent] : llvm::enumerate(findRowColumns(kernel))) {
    std::optional<ArgumentBounds> bounds = getArgBounds(kernel, index);
    if (!bounds || extent != columns)
      continue;
    int64_t vector = kernel.getArgDivisibility(index);
    bool isLeft = mayBeTaken && leavesTile(bounds->most, columns);
    if (vector == kVectorOfFour && columns < kMaxRowOfWarp && !isLeft)
      continue;
    row.elements = std::max<int64_t>(std::min(row.elements, bounds->most), 1);
    row.isSingle = vector == 1 || (vector == 2 && bounds->most <= kShortRow) ||
                   (vector == kVectorOfFour && isLeft);
  }
  return row;
}

/// How many rows of so many elements of less than a word each program loads of
/// its own, or all programs have in common.
static int64_t countRowLoads(KernelOp kernel, int64_t elements, bool areOwn,
                             const ProgramDifferences &differences) {
  int64_t count = 0;
  kernel.getBody().walk([&](GlobalAccessOpInterface load) {
    RankedTensorType tile = load.getTileType();
    count += !load.isStore() && differences.differs(load) == areOwn &&
             llvm::PowerOf2Ceil(tile.getNumElements()) == uint64_t(elements) &&
             getElementBytes(tile.getElementType()) <= kMaxSingleBytes;
  });
  return count;
}

/// Rows of a warp of so many single elements each, in tiles of so many columns.
static int64_t countRowsOfWarp(int64_t elements, int64_t columns,
                               int64_t shared) {
  for (int64_t rows = lanesPerWarp; rows > 1; rows /= 2) {
    bool areFewLanes = rows * (2 - shared) >= lanesPerWarp;
    int64_t most = rows == 2     ? kMaxOfTwoRows
                   : areFewLanes ? kMaxOfFewLanes
                                 : kMaxOfLane;
    // A row may leave a part of its tile, which takes registers and shared
    // memory even so: half, where blocks are the next power of two.
    if (elements * rows <= most * lanesPerWarp &&
        columns * rows <= 2 * kMaxOfFewLanes * lanesPerWarp)
      return rows;
  }
  return 1;
}

/// How many programs' rows of so many columns have room in shared memory, by
/// which rows are moved that begin anywhere (tile-move-runs).
static int64_t countProgramsWithRoom(KernelOp kernel, int64_t columns) {
  // For gaps between rows of warps, and what is combined by several.
  constexpr int64_t ofOthers = 8192;
  int64_t bytes = 1;
  kernel.getBody().walk([&](GlobalAccessOpInterface access) {
    bytes = std::max<int64_t>(
        bytes, getElementBytes(access.getTileType().getElementType()));
  });
  int64_t ofBlock = getTargetOrDefault(kernel).maxSharedBytesPerBlock;
  return std::max<int64_t>(1, (ofBlock - ofOthers) / (columns * bytes));
}

/// Whether programs are busy with what they scan, rather than waiting for
/// memory: threads have a vector of the row anyway, which those of rows that
/// begin anywhere have of several rows only
/// (docs/decisions/0131-kernels-of-repositories.md).
static bool isBusy(KernelOp kernel, int64_t row, const KnownRow &known) {
  constexpr int64_t kElementsOfVector = 8;
  return !known.isSingle && row >= kernel.getNumThreads() * kElementsOfVector &&
         anyOpIn(kernel, [](CombineOpInterface op) {
           return !op.combinesInAnyOrder();
         });
}

/// About as many instructions as a thread has for so many programs: what does
/// not hang on what is loaded is known beforehand, or the same for many
/// elements.
static int64_t countInstructions(KernelOp kernel, int64_t programs) {
  // Of an axis a thread has about a vector.
  constexpr int64_t kElementsOfVector = 4;
  int64_t threads = kernel.getNumThreads(), instructions = 0;
  llvm::DenseSet<Operation *> loaded;
  auto hangsOnLoads = [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return maker ? loaded.contains(maker) : isTile(operand);
  };
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto combine = dyn_cast<CombineOpInterface>(op);
    if (isa<GlobalAccessOpInterface>(op) ||
        (op->getNumRegions() != 0 && !combine) ||
        llvm::any_of(op->getOperands(), hangsOnLoads))
      loaded.insert(op);
    if (!loaded.contains(op) ||
        (!combine && !op->hasTrait<OpTrait::Elementwise>()))
      return;
    auto tile = dyn_cast<RankedTensorType>(
        (combine ? op->getOperand(0) : op->getResult(0)).getType());
    if (!tile)
      return;
    int64_t elements =
        llvm::divideCeil(programs * tile.getNumElements(), threads);
    instructions += elements;
    if (!combine)
      return;
    // An exchange with another lane, and what is made of it.
    int64_t axis = tile.getDimSize(combine.getAxis());
    int64_t lanes =
        std::clamp<int64_t>(axis / kElementsOfVector, 1, lanesPerWarp);
    instructions += int64_t(2 * llvm::Log2_64(lanes)) *
                    llvm::divideCeil(elements * lanes, axis);
  });
  return instructions;
}

/// Whether code of several programs is too long. Rows in any order are in few
/// threads; alone, a program would have a warp's lanes exchange what it
/// compares, at each step (docs/decisions/0143-what-sorts-lost.md).
static bool hasMuchCode(KernelOp kernel, int64_t programs) {
  return !anyOpIn<AnyOrderOp>(kernel) &&
         countInstructions(kernel, programs) > kMostInstructions;
}

/// 1 where a block had better run one program.
static int64_t countPrograms(KernelOp kernel,
                             const ProgramDifferences &differences) {
  auto row = static_cast<int64_t>(llvm::PowerOf2Ceil(getRow(kernel)));
  bool isInLoops = loadsInLoops(kernel);
  int64_t loaded = countRowLoads(kernel, row, /*areOwn=*/true, differences);
  KnownRow known = findRow(kernel, row, loaded > 0 && combinesRows(kernel));
  if (row > (isInLoops ? kMaxPart : kMaxRowOfWarp) ||
      isBusy(kernel, row, known))
    return 1;
  int64_t warps = kernel.getNumWarpsOrDefault();
  int64_t elements = kernel.getNumThreads() * kFewestElements;
  int64_t programs = elements / row;
  int64_t shared = countRowLoads(kernel, row, /*areOwn=*/false, differences);
  // Without weights, a warp has fewer instructions for each of its rows, and
  // waits for several.
  int64_t rowsAtOnce = known.isSingle && shared == 0 && loaded > 0 ? loaded : 1;
  if (!isInLoops && row <= kMaxPart &&
      2 * programs * known.elements * rowsAtOnce <=
          elements + elements / kMoreElements)
    programs *= 2;
  programs = std::min(
      programs, warps * std::max(kMaxProgramsPerWarp,
                                 kElementsOfShortest * lanesPerWarp / row));
  if (isInLoops || !known.isSingle)
    return programs;
  if (loaded > 0)
    programs =
        std::max(programs,
                 warps * countRowsOfWarp(known.elements * loaded, row, shared));
  for (int64_t most = countProgramsWithRoom(kernel, row); programs > most;)
    programs /= 2;
  return programs;
}

/// Whether a loop computes, and neither loads nor stores: programs then do not
/// wait for memory together, and more warps do as much at once.
static bool computesInLoops(KernelOp kernel) {
  return anyOpIn(kernel, [](LoopLikeOpInterface loop) {
    return !anyOpIn(loop, [](GlobalAccessOpInterface) { return true; });
  });
}

/// Whether all programs store to the same places.
static bool storesWhereOthersDo(KernelOp kernel,
                                const ProgramDifferences &differences) {
  return anyOpIn(kernel, [&](GlobalAccessOpInterface access) {
    return access.isStore() &&
           !differences.differs(
               findMemoryAccess(access, MemorySpace::Global)->base);
  });
}

/// The first along which programs have numbers.
static std::optional<unsigned> findAxis(KernelOp kernel) {
  std::optional<unsigned> axis;
  kernel.getBody().walk([&](ProgramIdOp id) {
    axis = std::min(axis.value_or(id.getAxis()), id.getAxis());
  });
  return axis;
}

namespace {
struct BatchPrograms
    : tilewright::tile::impl::TileBatchProgramsBase<BatchPrograms> {
  using TileBatchProgramsBase::TileBatchProgramsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getBlockPrograms() || kernel.getPersistent() ||
        kernel.getClusterBlocks() || !kernel.getBody().hasOneBlock())
      return;
    std::optional<unsigned> axis = findAxis(kernel);
    bool combines = combinesRows(kernel);
    if (!axis ||
        !(combines || (movesFewBytes(kernel) && !computesInLoops(kernel))))
      return;
    ProgramDifferences differences(kernel, *axis);
    int64_t numPrograms = countPrograms(kernel, differences);
    numPrograms =
        std::min(numPrograms, getMostPrograms(kernel).value_or(numPrograms));
    if (numPrograms <= 1 || hasMuchCode(kernel, numPrograms))
      return;
    // Who combines nothing does not ask for it, and is told nothing.
    if (mayWaitForOthers(kernel)) {
      if (combines)
        kernel.emitRemark("runs one program a block: what it does is seen by "
                          "others while it runs");
      return;
    }
    if (Operation *obstacle = differences.findObstacle(kernel)) {
      if (combines)
        obstacle->emitRemark("keeps a block from running several programs");
      return;
    }
    // Who meets others, where all store, is to be told of it when it runs.
    if (!combines && storesWhereOthersDo(kernel, differences))
      return;
    batchPrograms(kernel, *axis, numPrograms, differences);
  }
};
} // namespace
