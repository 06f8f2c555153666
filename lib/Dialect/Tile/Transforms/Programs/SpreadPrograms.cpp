//===- SpreadPrograms.cpp - Several blocks run a program ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPREADPROGRAMS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of a row that one block takes, at the most.
static constexpr int64_t kMaxRowOfBlock = 16384;
/// Of a longer one each block takes so many for each thread that the kernel
/// asks for, and no fewer than kElementsPerBlock: more where a cluster would
/// have more than kFewBlocks, since each warp tells each block what it has. For
/// the same reason warps are few, and a thread has many elements
/// (docs/decisions/0038-rows-one-after-the-other.md).
static constexpr int64_t kElementsPerBlock = 8192;
static constexpr int64_t kMaxElementsPerBlock = 32768;
static constexpr int64_t kFewBlocks = 8;
static constexpr int64_t kElementsOfThread = 64;
/// Where a row leaves a part of its tile, a thread may have so many elements of
/// the row in place of half as many, if they have no more bytes than these.
static constexpr int64_t kMostElementsPerThread = 80;
static constexpr int64_t kHalfBytes = 2;

/// Blocks of so many warps with so many elements have a multiprocessor alone.
static constexpr int64_t kWarpsAlone = 16;
/// Warps of a block where the kernel does not say how many, and where it takes
/// its row in parts, one after the other.
static constexpr int64_t kFewWarps = 8;
static constexpr int64_t kWarpsOfParts = 16;

/// Elements of several sizes have layouts of their own, and what goes from one
/// to another changes threads by a shared tile of the whole row. The first
/// access of another size than one before, or null.
static Operation *findOtherSize(KernelOp kernel) {
  Operation *found = nullptr;
  unsigned bytes = 0;
  kernel.getBody().walk([&](GlobalAccessOpInterface access) {
    unsigned size = getElementBytes(access.getTileType().getElementType());
    if (bytes != 0 && size != bytes) {
      found = access;
      return WalkResult::interrupt();
    }
    bytes = size;
    return WalkResult::advance();
  });
  return found;
}

/// Whether elements have 2 bytes or less: of f32, registers that hold 80 as
/// they are, and the next ones, leave too few.
static bool haveHalves(KernelOp kernel) {
  return !anyOpIn(kernel, [](GlobalAccessOpInterface access) {
    RankedTensorType tile = access.getTileType();
    return isTileType(tile) &&
           getElementBytes(tile.getElementType()) > kHalfBytes;
  });
}

/// Warps that the kernel asks for. One that asks for all that a block has wants
/// a row to fit into it, and says nothing of blocks that share one. Parts of
/// f32 have no room beside the next ones but in so many.
static int64_t getAskedWarps(KernelOp kernel) {
  int64_t warps = kernel.getNumWarpsOrDefault();
  if (warps < KernelOp::kMaxWarpsPerBlock)
    return warps;
  bool hasParts = anyOpIn(kernel, [](LoopLikeOpInterface loop) {
    return anyOpIn<CombineOpInterface>(*loop);
  });
  if (!hasParts)
    return kFewWarps;
  return haveHalves(kernel) ? kWarpsOfParts : warps;
}

namespace {
struct SpreadPrograms
    : tilewright::tile::impl::TileSpreadProgramsBase<SpreadPrograms> {
  using TileSpreadProgramsBase::TileSpreadProgramsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t elements = countElementsOfRow(kernel);
    int64_t mostBlocks = getTargetOrDefault(kernel).maxClusterBlocks;
    if (mostBlocks == 1 || elements <= kMaxRowOfBlock ||
        !combinesRows(kernel) || isPlaced(kernel))
      return;
    if (!mayMeet(kernel))
      return;
    int64_t blocks = std::min(countBlocks(kernel, elements), mostBlocks);
    Cluster cluster{blocks, countWarps(kernel, elements, blocks)};
    if (getAskedWarps(kernel) < cluster.warps && haveHalves(kernel))
      cluster = takeHalfTheWarps(kernel, elements, cluster, mostBlocks);
    kernel.setNumWarps(static_cast<int32_t>(cluster.warps * cluster.blocks));
    kernel.setClusterBlocks(static_cast<int32_t>(cluster.blocks));
  }

private:
  /// Blocks that run a program, and the warps of each.
  struct Cluster {
    int64_t blocks, warps;
  };

  /// Whether several blocks may run a program of the kernel; says why not.
  static bool mayMeet(KernelOp kernel) {
    if (mayWaitForOthers(kernel)) {
      kernel.emitRemark("runs each program in one block: what it does is seen "
                        "by others while it runs");
      return false;
    }
    Operation *obstacle = findMixOfPlaces(kernel);
    if (!obstacle)
      obstacle = findOtherSize(kernel);
    if (obstacle)
      obstacle->emitRemark("keeps several blocks from running a program");
    return !obstacle;
  }

  /// Half the warps a block, where the kernel asks for no more and threads have
  /// registers for that; or twice the blocks of half the warps.
  static Cluster takeHalfTheWarps(KernelOp kernel, int64_t elements,
                                  Cluster cluster, int64_t mostBlocks) {
    auto [blocks, warps] = cluster;
    bool loadsAlone = loadsItsRowAlone(kernel);
    bool leavesRow =
        countColumnsOfRow(kernel) <=
        blocks * (warps / 2) * lanesPerWarp * kMostElementsPerThread;
    if (warps == kWarpsAlone && 2 * blocks <= mostBlocks && loadsAlone) {
      // Where threads have registers for what `tile-combine-rows-ahead`
      // carries, rows that begin anywhere are faster so.
      bool isCombinedAhead =
          leavesRow && storesRows(kernel) && beginsAnywhere(kernel);
      return isCombinedAhead ? cluster : Cluster{2 * blocks, warps / 2};
    }
    // Threads of a whole block have no registers for weights beside the row.
    bool isFull = warps == KernelOp::kMaxWarpsPerBlock && !loadsAlone &&
                  elements <= blocks * warps * lanesPerWarp * kElementsOfThread;
    return leavesRow || isFull ? Cluster{blocks, warps / 2} : cluster;
  }

  /// Whether somebody else has decided already.
  static bool isPlaced(KernelOp kernel) {
    return kernel.getClusterBlocks() || kernel.getBlockPrograms() ||
           kernel.getPersistent() || kernel.getCopyWarps();
  }

  static int64_t countBlocks(KernelOp kernel, int64_t elements) {
    int64_t ofBlock =
        std::clamp(getAskedWarps(kernel) * lanesPerWarp * kElementsOfThread,
                   kElementsPerBlock, kMaxElementsPerBlock);
    int64_t blocks = std::clamp<int64_t>(elements / ofBlock, 2, kFewBlocks);
    return std::max(blocks, elements / kMaxElementsPerBlock);
  }

  /// As many as a row of this length needs, and more only where the kernel asks
  /// for them.
  static int64_t countWarps(KernelOp kernel, int64_t elements, int64_t blocks) {
    int64_t needed = elements / (blocks * lanesPerWarp * kElementsOfThread);
    return std::clamp<int64_t>(needed, getAskedWarps(kernel),
                               KernelOp::kMaxWarpsPerBlock);
  }

  /// Whether a program loads one tile. Then it mostly waits for others, and a
  /// multiprocessor had better have parts of two rows. What weights cost is
  /// more with parts of two.
  static bool loadsItsRowAlone(KernelOp kernel) {
    int64_t loads = 0;
    kernel.getBody().walk([&](GlobalAccessOpInterface access) {
      loads += !access.isStore() && isTileType(access.getTileType());
    });
    return loads == 1;
  }

  /// Whether rows that are loaded may begin between vectors of memory.
  static bool beginsAnywhere(KernelOp kernel) {
    AxisInfoAnalysis axes(kernel);
    return anyOpIn(kernel, [&](GlobalAccessOpInterface access) {
      RankedTensorType tile = access.getTileType();
      return !access.isStore() && isTileType(tile) &&
             getAddressVector(access, axes).width.elements *
                     getElementBytes(tile.getElementType()) <
                 kMaxVectorBytes;
    });
  }
};
} // namespace
