//===- LoadAtOnce.cpp - Registers for what an iteration loads -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/Instructions.h"
#include "Loads/KeptTiles.h"
#include "Loads/TripsTogether.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADATONCE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// For each element that is loaded, at the most. Threads that compute more are
/// busy while others wait, and more of them have room in fewer registers.
static constexpr int64_t kFewInstructions = 6;

/// Whether few blocks have to do: what is loaded is hardly computed with, or
/// each program goes through a loop of loops, and so is one of few.
static bool needsFewBlocks(LoopLikeOpInterface loop, int64_t elements) {
  auto around = loop->getParentOfType<LoopLikeOpInterface>();
  return (around && !isOverPrograms(around)) ||
         countFloatInstructions(loop) <= kFewInstructions * elements;
}

/// Whether it only adds up: has no loop in it, combines and stores nothing.
static bool onlyAdds(LoopLikeOpInterface loop) {
  return !mayWriteGlobalMemory(loop) && !anyOpIn<CombineOpInterface>(*loop) &&
         !anyOpIn(*loop,
                  [&](LoopLikeOpInterface inner) { return inner != loop; });
}

namespace {
/// Of a loop that only adds up what it loads by vectors, what a thread has in a
/// trip.
struct Added {
  /// Registers that are carried, that are loaded, and those of one vector.
  int64_t carried = 0, loaded = 0, ofVector = 0;
  int64_t elements = 0;
};
} // namespace

/// Nothing where a loop does more, or loads single elements, of which many are
/// in front anyway.
static std::optional<Added> findAdded(LoopLikeOpInterface loop) {
  if (isOverPrograms(loop) || !onlyAdds(loop))
    return std::nullopt;
  Added added;
  added.carried = countRegisters(loop.getRegionIterArgs());
  WalkResult walked = loop->walk([&](GlobalAccessOpInterface load) {
    if (!isPlainLoad(load) || !isTile(load->getResult(0)))
      return WalkResult::advance();
    RegisterLayoutAttr layout = getRegisterLayout(load.getTileType());
    if (!layout)
      return WalkResult::interrupt();
    int64_t registers = countRegisters(load->getResults());
    int64_t elements = layout.getNumRegisters();
    int64_t width = load.getVectorWidth().value_or(elements);
    added.loaded += registers;
    added.elements += elements;
    added.ofVector = std::max<int64_t>(
        added.ofVector, llvm::divideCeil(registers * width, elements));
    return load.getVectorWidth() == 1 ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  return added.elements > 0 && !walked.wasInterrupted() ? std::optional(added)
                                                        : std::nullopt;
}

/// Registers of a thread for what the loop carries and loads, where few blocks
/// have to do; else 0.
static int64_t countRegistersOf(LoopLikeOpInterface loop) {
  std::optional<Added> added = findAdded(loop);
  return added && needsFewBlocks(loop, added->elements)
             ? added->carried + added->loaded
             : 0;
}

/// Registers that a thread gets which needs so many.
static int64_t roundUpRegisters(KernelOp kernel, int64_t registers) {
  tilewright::GpuTarget target = getTargetOrDefault(kernel);
  return llvm::alignTo(registers,
                       target.registerAllocationUnit / target.warpSize);
}

/// Blocks that have room where threads need so many registers.
static int64_t countBlocksOfThreads(KernelOp kernel, int64_t registers) {
  return countBlocksOf(kernel, roundUpRegisters(kernel, registers));
}

/// Elements that a thread loads in a trip, of which ptxas takes more registers
/// than it needs.
static constexpr int64_t kManyElements = 32;

/// Registers of a thread for what a loop carries, and for each element that it
/// loads, where it computes of these what it stores; else 0.
static int64_t countStreamed(LoopLikeOpInterface loop) {
  if (isOverPrograms(loop) || !mayWriteGlobalMemory(loop) ||
      anyOpIn(*loop, [&](LoopLikeOpInterface inner) { return inner != loop; }))
    return 0;
  int64_t elements = 0;
  WalkResult walked = loop->walk([&](GlobalAccessOpInterface access) {
    RegisterLayoutAttr layout = getRegisterLayout(access.getTileType());
    if (!layout || access.getVectorWidth().value_or(1) == 1)
      return WalkResult::interrupt();
    if (isPlainLoad(access))
      elements += layout.getNumRegisters();
    return WalkResult::advance();
  });
  return walked.wasInterrupted() || elements < kManyElements
             ? 0
             : countRegisters(loop.getRegionIterArgs()) + elements;
}

/// Elements of a tile that a thread loads; 0 for other ops.
static int64_t countElements(Operation *op) {
  if (!isPlainLoad(op) || !isTile(op->getResult(0)))
    return 0;
  RegisterLayoutAttr layout = getRegisterLayout(op->getResult(0).getType());
  return layout ? layout.getNumRegisters() : 0;
}

/// Registers of a thread for what a loop that computes much carries, and for
/// each element that it loads; 0 of others.
static int64_t countComputed(LoopLikeOpInterface loop) {
  if (isOverPrograms(loop))
    return 0;
  int64_t elements = 0;
  for (Operation &op : loop.getLoopRegions().front()->getOps())
    elements += countElements(&op);
  return elements == 0 || needsFewBlocks(loop, elements)
             ? 0
             : countRegisters(loop.getRegionIterArgs()) + elements;
}

/// Registers of a thread beside what it carries and a vector that it loads,
/// where ptxas does with few.
static constexpr int64_t kFewOtherRegisters = 16;

static int64_t countElementsOutsideOfLoops(KernelOp kernel) {
  int64_t elements = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op))
      return WalkResult::skip();
    elements += countElements(op);
    return WalkResult::advance();
  });
  return elements;
}

/// Registers of a thread for what a loop carries, and for all elements that it
/// loads, wherever it does.
static int64_t countCarriedAndLoaded(LoopLikeOpInterface loop) {
  int64_t registers = countRegisters(loop.getRegionIterArgs());
  loop->walk([&](Operation *op) { registers += countElements(op); });
  return registers;
}

/// As many blocks as have room where threads have registers for what they carry
/// and one vector, if all that a trip loads has room in as many; else 0.
static int64_t countBlocksAnyway(KernelOp kernel) {
  int64_t ofVectors = 0, ofTrips = countElementsOutsideOfLoops(kernel);
  kernel.walk([&](LoopLikeOpInterface loop) {
    std::optional<Added> added = findAdded(loop);
    if (added && added->loaded > added->ofVector) {
      ofVectors = std::max(ofVectors, added->carried + added->ofVector);
      ofTrips = std::max(ofTrips, added->carried + added->loaded);
    } else if (!added) {
      ofTrips = std::max(ofTrips, countCarriedAndLoaded(loop));
    }
  });
  if (ofVectors == 0)
    return 0;
  int64_t blocks = countBlocksOfThreads(kernel, kOtherRegisters + ofTrips);
  return blocks == countBlocksOfThreads(kernel, kFewOtherRegisters + ofVectors)
             ? blocks
             : 0;
}

/// Trips of a short loop that ptxas has in one.
static constexpr int64_t kTripsInOne = 4;

/// Whether something that an op takes hangs on a load of the same trip.
static bool hangsOnLoad(Operation *op, LoopLikeOpInterface loop,
                        llvm::SmallPtrSetImpl<Operation *> &seen) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    if (!source || !loop->isProperAncestor(source) ||
        !seen.insert(source).second)
      return false;
    return isPlainLoad(source) || hangsOnLoad(source, loop, seen);
  });
}

/// Registers of a thread for what a loop carries, and for what trips that are
/// in one load, where one load of a trip names the tile that another one loads,
/// as a row by its number: with fewer, ptxas has the number of the next trip
/// come behind the row of this one. Else 0. Two rows a trip have both numbers
/// in front of them; more registers would cost them blocks for nothing.
static int64_t countGathered(LoopLikeOpInterface loop) {
  if (isOverPrograms(loop) || !onlyAdds(loop))
    return 0;
  int64_t loaded = 0, numRows = 0;
  WalkResult walked = loop->walk([&](Operation *op) {
    if (!tellsMemoryAccesses(op) || getMemoryAccesses(op).empty())
      return WalkResult::advance();
    if (!isPlainLoad(op))
      return WalkResult::interrupt();
    llvm::SmallPtrSet<Operation *, 8> seen;
    if (isTile(op->getResult(0)) && hangsOnLoad(op, loop, seen))
      ++numRows;
    loaded += std::max<int64_t>(countRegisters(op->getResults()), 1);
    return WalkResult::advance();
  });
  return numRows == 1 && !walked.wasInterrupted()
             ? countRegisters(loop.getRegionIterArgs()) + kTripsInOne * loaded
             : 0;
}

/// What a block is to have under way, so that few of them keep memory busy, and
/// what a thread may, in registers.
static constexpr int64_t kBytesOfBlock = 32768, kRegistersUnderWay = 64;

/// Whether the elements of a tile of several rows that a thread loads at once
/// are of other columns, and columns are all that the kernel combines.
static bool loadsColumns(Operation *load, KernelOp kernel) {
  auto tile = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  if (!tile || tile.getRank() != 2 || llvm::is_contained(tile.getShape(), 1))
    return false;
  const tilewright::LinearLayout layout = getRegisterLayout(tile).getLayout();
  const auto *registers = llvm::find_if(layout.inputs(), [](const auto &input) {
    return input.name == "register";
  });
  if (registers == layout.inputs().end() || registers->bases.empty())
    return false;
  return !anyOpIn(kernel, [&](Operation *op) {
    auto combine = dyn_cast<CombineOpInterface>(op);
    return combine &&
           registers->bases.front()[combine.getAxis() == 0 ? 0 : 1] != 0;
  });
}

/// How many trips of a loop down columns go together: so many that a block has
/// enough under way, or as many as threads have registers for. Along rows
/// blocks are many, and ptxas has several trips in one by itself.
static int64_t countTogether(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<KernelOp>();
  if (countRegistersOf(loop) == 0 || !mayGoTogether(loop) ||
      anyOpIn(*loop, [&](Operation *op) {
        return isPlainLoad(op) && !loadsColumns(op, kernel);
      }))
    return 1;
  int64_t threads = kernel.getNumThreads();
  int64_t registers = 0;
  loop->walk([&](Operation *op) {
    if (isPlainLoad(op))
      registers += countRegisters(op->getResults());
  });
  int64_t trips = 1;
  while (2 * trips * registers <= kRegistersUnderWay &&
         trips * registers * tilewright::bytesPerWord * threads < kBytesOfBlock)
    trips *= 2;
  return trips;
}

/// Does trips of loops together, and loads first what they take.
static void loadTripsTogether(KernelOp kernel) {
  SmallVector<std::pair<scf::ForOp, int64_t>> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (int64_t trips = countTogether(loop); trips > 1)
      loops.push_back({loop, trips});
  });
  for (auto [loop, trips] : loops)
    goTogether(loop, trips);
}

namespace {
struct LoadAtOnce : tilewright::tile::impl::TileLoadAtOnceBase<LoadAtOnce> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (getAskedBlocks(kernel) || anyOpIn<ProductOpInterface>(kernel))
      return;
    bool combines = anyOpIn<CombineOpInterface>(kernel);
    bool areRows = combines && combinesRows(kernel);
    if (areRows)
      loadTripsTogether(kernel);
    int64_t registers = 0, gathered = 0;
    kernel.walk([&](LoopLikeOpInterface loop) {
      gathered = std::max(gathered, countGathered(loop));
      if (!combines)
        registers = std::max(registers, countStreamed(loop));
      else if (areRows)
        registers = std::max(registers, countRegistersOf(loop));
    });
    // Another loop that computes more has no other registers.
    if (registers > 0)
      kernel.walk([&](LoopLikeOpInterface loop) {
        registers = std::max(registers, countComputed(loop));
      });
    int64_t blocks = 0;
    if (gathered > registers)
      blocks = countBlocksOfGathered(kernel, gathered);
    else if (registers > 0)
      blocks = countBlocksOfThreads(kernel, kOtherRegisters + registers);
    else if (areRows)
      blocks = countBlocksAnyway(kernel);
    if (blocks > 0)
      askForBlocks(kernel, blocks);
  }

private:
  /// Blocks of few warps fill the parts of a multiprocessor, each of which has
  /// registers of its own, to the last ones.
  static int64_t countBlocksOfGathered(KernelOp kernel, int64_t registers) {
    return getTargetOrDefault(kernel)
        .occupancy(kernel.getNumThreads(),
                   roundUpRegisters(kernel, kOtherRegisters + registers), 0)
        .blocksPerSM;
  }
};
} // namespace
