//===- LoadRowsAhead.cpp - The next program's row -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/Instructions.h"
#include "Loads/KeptTiles.h"
#include "Loads/ProgramLoop.h"
#include "Loads/RowsAhead.h"
#include "Rows/BranchedLoads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/Assertions.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADROWSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Registers of a thread for addresses, masks and what is counted, where ptxas
/// is asked to do with few.
static constexpr int64_t kFewOtherRegisters = 16;
/// As many of a thread for next rows are worth while in a block that runs
/// beside others.
static constexpr int64_t kFewNextRegisters = 16;
/// So many threads on a multiprocessor hide what each row waits for; more would
/// take the first-level cache from loads.
static constexpr int64_t kEnoughThreads = 512;
/// What warps tell each other, for each block.
static constexpr int64_t kSharedBytesOfSums = 512;

namespace {
class RowsAhead {
public:
  RowsAhead(scf::ForOp loop, KernelOp kernel) : loop(loop), kernel(kernel) {}

  void loadAhead() {
    SmallVector<RowLoad> loads =
        chooseRowLoads(kernel, *loop.getBody(), loop.getInductionVar());
    // A program's own loop, not one over programs.
    bool storesInOrder = !isOverPrograms(loop) && mayWriteGlobalMemory(loop);
    if (loads.empty() || (storesInOrder && !mayGoAhead(loads)))
      return;
    if (!storesInOrder)
      askForRegisters(loads);
    if (isOverPrograms(loop))
      for (const RowLoad &load : loads)
        if (isStoredInPlace(load.op))
          load.op->setAttr(kInPlaceAttr, UnitAttr::get(loop.getContext()));
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Value hasFirst =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    SmallVector<Value> first =
        loadOf(builder, loads, loop.getLowerBound(), hasFirst);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                       loop.getStep());
    SmallVector<Value> ahead =
        loadOf(builder, loads, next, isThere(builder, next));
    // The carried tiles stand for the loads.
    IRRewriter rewriter(kernel.getContext());
    FailureOr<LoopLikeOpInterface> carrying = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return ahead; });
    if (failed(carrying))
      return;
    (*carrying)->setAttr(kLoadsAheadAttr, builder.getUnitAttr());
    auto carried = cast<scf::ForOp>(carrying->getOperation())
                       .getRegionIterArgs()
                       .take_back(loads.size());
    for (auto [load, tile] : llvm::zip_equal(loads, carried)) {
      load.op->getResult(0).replaceAllUsesWith(tile);
      load.op->erase();
    }
    if (storesInOrder)
      for (scf::IfOp branch : branches)
        loadWithoutBranch(branch, [](GlobalAccessOpInterface) { return true; });
  }

private:
  /// Whether the kernel stores to the array, and only in the places of this
  /// load. What is rotated has others.
  bool isStoredInPlace(Operation *load) {
    MemoryAccess loaded = getMemoryAccesses(load)[0];
    auto isInPlace = [&](Operation *op) {
      SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
      return accesses.size() == 1 && !accesses[0].isRotated &&
             accesses[0].base == loaded.base &&
             accesses[0].indices == loaded.indices &&
             accesses[0].extents == loaded.extents;
    };
    bool isStored = false;
    WalkResult walked = kernel.getBody().walk([&](Operation *op) {
      if (op->getNumRegions() > 0 || !mayWriteThrough(op, getRoot(loaded.base)))
        return WalkResult::advance();
      isStored = true;
      return isInPlace(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return isStored && !loaded.isRotated && !walked.wasInterrupted();
  }

  /// Of a program's own loop that stores: whether nothing that it stores may be
  /// loaded, nothing is ahead yet, and registers hold all next rows beside all
  /// rows as f32. (What the loop carries may be in shared memory.) Rows that
  /// are rotated gain nothing.
  bool mayGoAhead(ArrayRef<RowLoad> loads) {
    int64_t ofNext = 0, ofRows = 0;
    for (const RowLoad &load : loads) {
      MemoryAccess access = getMemoryAccesses(load.op)[0];
      bool isAhead = llvm::all_of(load.op->getUsers(), [&](Operation *user) {
        return user == loop.getBody()->getTerminator();
      });
      if (isAhead || access.isRotated ||
          mayWriteThrough(loop, getRoot(access.base)))
        return false;
      if (auto tile =
              dyn_cast<RankedTensorType>(load.op->getResult(0).getType())) {
        ofNext += getByteSize(tile);
        ofRows += kRegisterBytes * tile.getNumElements();
      }
    }
    tilewright::GpuTarget target = getTargetOrDefault(kernel);
    int64_t threads = kernel.getNumThreads() / kernel.getClusterBlocksOrOne();
    auto ofThread = [&](int64_t bytes) {
      return bytes / (kRegisterBytes * kernel.getNumThreads());
    };
    int64_t registers = kOtherRegisters + ofThread(ofNext + ofRows);
    if (registers > target.registersPerThread(threads))
      return false;
    // Blocks that run beside others load while these compute.
    bool isAlone = 2 * registers * threads > int64_t(target.registersPerSM);
    return isAlone || areLoadedAlone(loads) ||
           ofThread(ofNext) <= kFewNextRegisters;
  }

  /// Whether threads load single elements of less than a word, which are copied
  /// to shared memory instead (`tile-copy-rows-ahead`).
  bool areLoadedAlone(ArrayRef<RowLoad> loads) {
    AxisInfoAnalysis &known = getAxes();
    return llvm::any_of(loads, [&](const RowLoad &load) {
      auto access = dyn_cast<GlobalAccessOpInterface>(load.op);
      return access && isTileType(load.op->getResult(0).getType()) &&
             getElementBytes(access.getTileType().getElementType()) <
                 kRegisterBytes &&
             getAddressVector(access, known).width.elements == 1;
    });
  }

  /// Asks for as many blocks on a multiprocessor, of which some compute while
  /// others wait, as registers hold what they load and their rows as f32. (What
  /// stays from one program to the next may be in shared memory.)
  void askForRegisters(ArrayRef<RowLoad> ahead) {
    bool inPhases = isOverPrograms(loop->getParentOp());
    int64_t threads = kernel.getNumThreads();
    int64_t bytes = kRegisterBytes * threads *
                    (inPhases ? kRegistersInPhases : kFewOtherRegisters);
    // A row may come in several tiles.
    llvm::SmallMapVector<Value, int64_t, 4> elements;
    for (const RowLoad &load : ahead) {
      bytes += getKeptBytes(load.op);
      if (auto tile =
              dyn_cast<RankedTensorType>(load.op->getResult(0).getType()))
        elements[getRoot(getMemoryAccesses(load.op)[0].base)] +=
            getKeptBytes(load.op) / getElementBytes(tile.getElementType());
    }
    int64_t most = 0;
    for (auto [array, number] : elements)
      most = std::max(most, number);
    bytes += kRegisterBytes * most;
    for (Operation &op : *loop.getBody())
      if (isPlainLoad(&op) && llvm::none_of(ahead, [&](const RowLoad &load) {
            return load.op == &op;
          }))
        bytes += getKeptBytes(&op);
    int64_t ofAll = kRegisterBytes *
                    int64_t(getTargetOrDefault(kernel).registersPerSM) *
                    kernel.getClusterBlocksOrOne();
    int64_t blocks = ofAll / bytes;
    if (inPhases)
      blocks = std::max(blocks, countBlocksOfSlots(ahead, ofAll, bytes));
    if (blocks == 2 || (blocks > 2 && (inPhases || haveEdges(ahead))))
      askForBlocks(kernel, blocks);
  }

  /// In phases the next rows are copied to shared memory with what is rotated
  /// as they are, if that has room (`keep-in-slots`), and then take no
  /// registers: as many blocks as their threads hide latencies by, or as there
  /// is room for.
  int64_t countBlocksOfSlots(ArrayRef<RowLoad> ahead, int64_t bytesOfAll,
                             int64_t bytes) {
    int64_t next = 0, kept = 0;
    for (const RowLoad &load : ahead)
      next += getKeptBytes(load.op);
    for (Operation &op : *loop->getBlock())
      if (isPlainLoad(&op))
        kept += getKeptBytes(&op);
    if (kept == 0)
      return 0;
    tilewright::GpuTarget target = getTargetOrDefault(kernel);
    int64_t cluster = kernel.getClusterBlocksOrOne();
    int64_t ofBlock = (next + kept) / cluster +
                      target.reservedSharedBytesPerBlock + kSharedBytesOfSums;
    return std::min({bytesOfAll / (bytes - next),
                     int64_t(target.sharedBytesPerSM) / ofBlock,
                     kEnoughThreads * cluster / kernel.getNumThreads()});
  }

  /// Where more than two blocks find room, ptxas does better unasked as a rule,
  /// but for programs whose rows may begin or end anywhere.
  bool haveEdges(ArrayRef<RowLoad> rows) {
    return isOverPrograms(loop) && llvm::any_of(rows, [](const RowLoad &load) {
             return getMemoryAccesses(load.op)[0].isRotated;
           });
  }

  /// Of what is loaded: threads have no registers of vectors that are behind
  /// the row's end in all of them.
  int64_t getKeptBytes(Operation *load) {
    int64_t bytes = getLoadedBytes(load);
    auto access = dyn_cast<GlobalAccessOpInterface>(load);
    if (!access || bytes == 0)
      return bytes;
    RankedTensorType tile = access.getTileType();
    int64_t perElement = getElementBytes(tile.getElementType());
    int64_t ofVectors = kernel.getNumThreads() * getVectorBytes(access);
    return std::min<int64_t>(
        bytes,
        llvm::alignTo(perElement * countColumnsAtMost(access), ofVectors));
  }

  /// Of a rotated row, those that it will be moved in: narrower ones may leave
  /// fewer registers behind its end.
  /// (In phases more blocks lost: docs/decisions/0061-slots-in-turns.md.)
  int64_t getVectorBytes(GlobalAccessOpInterface access) {
    if (!getMemoryAccesses(access).front().isRotated ||
        isOverPrograms(loop->getParentOp()))
      return kMaxVectorBytes;
    AddressVector vector = getAddressVector(access, getAxes());
    return vector.width.elements *
           getElementBytes(access.getTileType().getElementType());
  }

  AxisInfoAnalysis &getAxes() {
    if (!axes)
      axes.emplace(kernel);
    return *axes;
  }

  /// Whether there is an iteration behind this one, whose number is `next`. A
  /// row may end where numbers of 32 bits do, and `next` be none.
  Value isThere(OpBuilder &builder, Value next) {
    Location loc = loop.getLoc();
    if (next.getType().isIndex())
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                   next, loop.getUpperBound());
    Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                       loop.getInductionVar());
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left,
                                 loop.getStep());
  }

  /// What iteration `number` loads, if there is one; else zeros, at which
  /// nobody looks.
  SmallVector<Value> loadOf(OpBuilder &builder, ArrayRef<RowLoad> loads,
                            Value number, Value exists) {
    Location loc = loop.getLoc();
    auto loadAll = [&](OpBuilder &inner, Location) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), number);
      SmallVector<Value> loaded;
      for (const RowLoad &load : loads) {
        for (Operation *op : load.slice)
          if (!mapping.contains(op))
            mapping.map(op, inner.clone(*op, mapping));
        loaded.push_back(inner.clone(*load.op, mapping)->getResult(0));
      }
      scf::YieldOp::create(inner, loc, loaded);
    };
    auto loadNothing = [&](OpBuilder &inner, Location) {
      SmallVector<Value> zeros;
      for (const RowLoad &load : loads)
        zeros.push_back(arith::ConstantOp::create(
            inner, loc, inner.getZeroAttr(load.op->getResult(0).getType())));
      scf::YieldOp::create(inner, loc, zeros);
    };
    branches.push_back(
        scf::IfOp::create(builder, loc, exists, loadAll, loadNothing));
    return llvm::to_vector_of<Value>(branches.back().getResults());
  }

  scf::ForOp loop;
  KernelOp kernel;
  /// Those in which rows are loaded, before the loop and in it.
  SmallVector<scf::IfOp> branches;
  /// Of the kernel as it was, once it is asked for.
  std::optional<AxisInfoAnalysis> axes;
};

/// Whether the loop combines what it loads, a part of a row or a row: its warps
/// wait for each other, with nothing under way. Or stores of each what it adds
/// to a tile. (Where it only adds, others load while one computes.)
static bool waitsForLoads(scf::ForOp loop) {
  bool combines = mayWriteGlobalMemory(loop) &&
                  llvm::any_of(loop.getInitArgs().getTypes(),
                               llvm::IsaPred<RankedTensorType>);
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    combines |= isa<CombineOpInterface>(op);
    if (isa<LoopLikeOpInterface, ProductOpInterface, MemoryOrderOpInterface>(
            op) ||
        !tellsMemoryAccesses(op) || mayEndLaunch(op))
      return WalkResult::interrupt();
    return talksByMemory(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return combines && !result.wasInterrupted();
}

/// Threads that compute for at least such a part of the time that their loads
/// take leave little to wait for, and compute more where several blocks have
/// room.
static constexpr double kMuchOfMemory = 0.75;

/// Whether threads are busy with what the loop computes of what it loads, where
/// it stores nothing.
static bool computesMuch(scf::ForOp loop) {
  if (mayWriteGlobalMemory(loop))
    return false;
  int64_t bytes = 0;
  for (Operation &op : *loop.getBody())
    if (isPlainLoad(&op))
      bytes += getLoadedBytes(&op);
  if (bytes == 0)
    return false;
  tilewright::GpuTarget target =
      getTargetOrDefault(loop->getParentOfType<KernelOp>());
  // A warp instruction of each of four schedulers a clock.
  double computing = double(countAllInstructions(loop)) / (4 * target.warpSize);
  return computing >= kMuchOfMemory * bytes / target.memoryBytesPerClock;
}

/// Whether the next part of a row is to come while one is combined.
static bool gainsByLoadsAhead(scf::ForOp loop) {
  return waitsForLoads(loop) && !computesMuch(loop);
}

struct LoadRowsAhead
    : tilewright::tile::impl::TileLoadRowsAheadBase<LoadRowsAhead> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel))
      return;
    SmallVector<scf::ForOp> loops = findProgramLoops(kernel);
    for (auto loop : kernel.getBody().getOps<scf::ForOp>())
      if (!isOverPrograms(loop) && gainsByLoadsAhead(loop))
        loops.push_back(loop);
    for (scf::ForOp loop : loops)
      RowsAhead(loop, kernel).loadAhead();
  }
};
} // namespace
