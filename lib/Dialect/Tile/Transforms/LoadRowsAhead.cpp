//===- LoadRowsAhead.cpp - The next program's row -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "KeptTiles.h"
#include "ProgramLoop.h"
#include "RowsAhead.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADROWSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

static constexpr int64_t kRegisterBytes = 4;
/// Registers of a thread for addresses, masks and what is counted, about.
static constexpr int64_t kOtherRegisters = 24;
static constexpr int64_t kRegistersInPhases = 40;

//===----------------------------------------------------------------------===//
// What can be loaded ahead
//===----------------------------------------------------------------------===//

bool tilewright::tile::isLoad(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         accesses.size() == 1 && accesses[0].space == MemorySpace::Global &&
         !accesses[0].isWrite && !accesses[0].talksToOthers() &&
         accesses[0].end == AccessEnd::WithOp;
}

/// Adds the arrays that the op, or one in it, writes.
static void addWritten(SmallVectorImpl<Value> &arrays, Operation *op) {
  op->walk([&](Operation *nested) {
    for (const MemoryAccess &access : getMemoryAccesses(nested))
      if (access.space == MemorySpace::Global && access.isWrite)
        arrays.push_back(getRoot(access.base));
  });
}

/// Loads of the block that none of its stores before them may change, with what
/// only computes their operands.
static SmallVector<RowLoad> findFreeLoads(Block &block) {
  SmallVector<RowLoad> found;
  SmallVector<Value> written;
  for (Operation &op : block) {
    addWritten(written, &op);
    // What the program itself has written it reads in its order.
    if (!isLoad(&op) || llvm::any_of(written, [&](Value array) {
          return mayOverlap(array, getRoot(getMemoryAccesses(&op)[0].base));
        }))
      continue;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *each) {
      return each->getBlock() == &block;
    };
    RowLoad load = {&op, {}};
    if (succeeded(getBackwardSlice(&op, &load.slice, options)) &&
        llvm::all_of(load.slice, [](Operation *each) {
          return isPure(each) && each->getNumRegions() == 0;
        }))
      found.push_back(std::move(load));
  }
  return found;
}

/// Whether the load, or what computes its operands, takes such a value.
static bool takes(const RowLoad &load, function_ref<bool(Value)> isOne) {
  auto takesOne = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), isOne);
  };
  return takesOne(load.op) || llvm::any_of(load.slice, takesOne);
}

static SmallVector<RowLoad> findRowLoads(Block &block,
                                         ArrayRef<Value> numbers) {
  SmallVector<RowLoad> found = findFreeLoads(block);
  llvm::erase_if(found, [&](const RowLoad &load) {
    return !takes(
        load, [&](Value value) { return llvm::is_contained(numbers, value); });
  });
  return found;
}

SmallVector<RowLoad> tilewright::tile::findSharedLoads(Block &block) {
  SmallVector<Value> written;
  addWritten(written, block.getParentOp());
  SmallVector<RowLoad> found = findFreeLoads(block);
  llvm::erase_if(found, [&](const RowLoad &load) {
    Value array = getRoot(getMemoryAccesses(load.op)[0].base);
    return !isa<RankedTensorType>(load.op->getResult(0).getType()) ||
           takes(load,
                 [&](Value value) {
                   return llvm::is_contained(block.getArguments(), value);
                 }) ||
           llvm::any_of(written,
                        [&](Value other) { return mayOverlap(other, array); });
  });
  return found;
}

/// Of a tile.
static int64_t getLoadedBytes(Operation *load) {
  auto tile = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  return tile ? getByteSize(tile) : 0;
}

SmallVector<RowLoad> tilewright::tile::chooseRowLoads(KernelOp kernel,
                                                      Block &block,
                                                      ArrayRef<Value> numbers) {
  int64_t threads =
      int64_t(kernel.getNumWarpsOrDefault()) * tilewright::lanesPerWarp;
  int64_t registers = getTargetOrDefault(kernel).registersPerThread(
      threads / kernel.getClusterBlocksOrOne());
  // A row as f32, too.
  int64_t room = kRegisterBytes * ((registers - kOtherRegisters) * threads -
                                   countElementsOfRow(kernel));
  SmallVector<RowLoad> chosen;
  for (RowLoad &load : findRowLoads(block, numbers)) {
    int64_t bytes = getLoadedBytes(load.op);
    if (bytes > room)
      continue;
    room -= bytes;
    chosen.push_back(std::move(load));
  }
  if (llvm::all_of(chosen, [](const RowLoad &load) {
        return getLoadedBytes(load.op) == 0;
      }))
    chosen.clear();
  return chosen;
}

//===----------------------------------------------------------------------===//
// Loading it ahead
//===----------------------------------------------------------------------===//

namespace {
class RowsAhead {
public:
  RowsAhead(scf::ForOp loop, KernelOp kernel) : loop(loop), kernel(kernel) {}

  void loadAhead() {
    SmallVector<RowLoad> loads =
        chooseRowLoads(kernel, *loop.getBody(), loop.getInductionVar());
    if (loads.empty())
      return;
    askForRegisters(loads);
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
    auto carried = cast<scf::ForOp>(carrying->getOperation())
                       .getRegionIterArgs()
                       .take_back(loads.size());
    for (auto [load, tile] : llvm::zip_equal(loads, carried)) {
      load.op->getResult(0).replaceAllUsesWith(tile);
      load.op->erase();
    }
  }

private:
  /// Asks for as many blocks on a multiprocessor, of which some compute while
  /// others wait, as registers hold what they load and their rows as f32.
  void askForRegisters(ArrayRef<RowLoad> ahead) {
    int64_t bytes = kRegisterBytes * countElementsOfRow(kernel);
    for (const RowLoad &load : ahead)
      bytes += getLoadedBytes(load.op);
    for (Operation &op : *loop.getBody())
      if (isLoad(&op) && llvm::none_of(ahead, [&](const RowLoad &load) {
            return load.op == &op;
          }))
        bytes += getLoadedBytes(&op);
    // Rows that begin anywhere, in phases, have conditions for each vector.
    bool inPhases = isa<scf::ForOp>(loop->getParentOp());
    int64_t threads =
        int64_t(kernel.getNumWarpsOrDefault()) * tilewright::lanesPerWarp;
    if (inPhases)
      bytes += kRegisterBytes * kRegistersInPhases * threads;
    int64_t ofAll = kRegisterBytes *
                    int64_t(getTargetOrDefault(kernel).registersPerSM) *
                    kernel.getClusterBlocksOrOne();
    int64_t blocks = ofAll / bytes;
    // Where more than two find room, ptxas does better unasked as a rule.
    if (blocks == 2 || (inPhases && blocks > 2))
      kernel->setAttr(TileDialect::kBlocksPerSMAttr,
                      Builder(kernel.getContext()).getI32IntegerAttr(blocks));
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
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, left,
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
    return llvm::to_vector_of<Value>(
        scf::IfOp::create(builder, loc, exists, loadAll, loadNothing)
            .getResults());
  }

  scf::ForOp loop;
  KernelOp kernel;
};

/// Whether the loop goes along a row that it only reads, and combines each
/// part: its warps wait for each other, with nothing under way.
static bool combinesParts(scf::ForOp loop) {
  bool combines = false;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    combines |= isa<CombineOpInterface>(op);
    if (isa<LoopLikeOpInterface, ProductOpInterface, MemoryOrderOpInterface>(
            op) ||
        !tellsMemoryAccesses(op))
      return WalkResult::interrupt();
    return llvm::any_of(getMemoryAccesses(op),
                        [](const MemoryAccess &access) {
                          return access.isWrite || access.talksToOthers();
                        })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return combines && !result.wasInterrupted();
}

struct LoadRowsAhead
    : tilewright::tile::impl::TileLoadRowsAheadBase<LoadRowsAhead> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel))
      return;
    SmallVector<scf::ForOp> loops = findProgramLoops(kernel);
    for (auto loop : kernel.getBody().getOps<scf::ForOp>())
      if (!loop->hasAttr(TileDialect::kProgramsAttr) && combinesParts(loop))
        loops.push_back(loop);
    for (scf::ForOp loop : loops)
      RowsAhead(loop, kernel).loadAhead();
  }
};
} // namespace
