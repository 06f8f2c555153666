//===- CombineRowsAhead.cpp - What the next row is combined to ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/KeptTiles.h"
#include "Loads/ProgramLoop.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOMBINEROWSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// This row, the next one, and the one behind it.
static constexpr int64_t kRowsCarried = 3;
/// Of fewer threads a multiprocessor has several blocks, which compute while
/// others wait.
static constexpr int64_t kThreadsAlone = 512;
/// Blocks of larger clusters send for their warps, which first meet.
static constexpr int64_t kMostBlocks = 8;

namespace {
/// A loop over programs that carries the rows which each loads for the next
/// one, and nothing else.
class CombinedRows {
public:
  explicit CombinedRows(scf::ForOp loop)
      : loop(loop), body(*loop.getBody()), loc(loop.getLoc()) {}

  /// Whether all that it carries is loaded by one branch, by the number of the
  /// program alone, and what it combines first is made of that alone.
  bool match() {
    ValueRange next = loop.getYieldedValues();
    Operation *branch = next.empty() ? nullptr : next[0].getDefiningOp();
    if (!branch || branch->getBlock() != &body ||
        !llvm::equal(branch->getResults(), next))
      return false;
    auto combine = llvm::find_if(body, llvm::IsaPred<CombineOpInterface>);
    return combine != body.end() &&
           addSlice(branch, loads,
                    [&](BlockArgument taken) { return isNumber(taken); }) &&
           addSlice(&*combine, combined,
                    [&](BlockArgument taken) { return !isNumber(taken); });
  }

  /// Loads one program further ahead, and combines the next row behind all that
  /// is done for this one.
  void combineAhead() {
    unsigned numRows = loop.getNumRegionIterArgs();
    SmallVector<Value> inits = makeInits();
    SmallVector<Value> further = loadFurther();
    IRRewriter rewriter(loop.getContext());
    auto makeNext = [&](OpBuilder &, Location,
                        ArrayRef<BlockArgument> carried) {
      OpBuilder builder(body.getTerminator());
      SmallVector<Value> next(further);
      llvm::append_range(next, combine(builder, carried.take_front(numRows)));
      return next;
    };
    FailureOr<LoopLikeOpInterface> carrying = loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, makeNext);
    if (failed(carrying))
      return;
    auto carried = cast<scf::ForOp>(carrying->getOperation())
                       .getRegionIterArgs()
                       .drop_front(numRows);
    carrying->getLoopRegions().front()->front().getTerminator()->setOperands(
        0, numRows, SmallVector<Value>(carried.take_front(numRows)));
    combined.back()->replaceAllUsesWith(carried.drop_front(numRows));
    eraseUnused(combined);
    eraseUnused(loads);
  }

private:
  using Ops = SetVector<Operation *>;

  bool isNumber(BlockArgument argument) {
    return argument == loop.getInductionVar();
  }

  /// The op with what it is made of in the body, in order; false where that is
  /// made of other arguments, or does anything else.
  bool addSlice(Operation *op, Ops &slice,
                function_ref<bool(BlockArgument)> mayTake) {
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *each) { return each->getBlock() == &body; };
    if (failed(getBackwardSlice(op, &slice, options)) ||
        !llvm::all_of(slice, [](Operation *each) { return isPure(each); }))
      return false;
    slice.insert(op);
    auto takesOther = [&](Operation *each) {
      return llvm::any_of(each->getOperands(), [&](Value operand) {
        auto argument = dyn_cast<BlockArgument>(operand);
        return argument && argument.getOwner() == &body && !mayTake(argument);
      });
    };
    return llvm::none_of(
        slice, [&](Operation *each) { return anyOpIn(*each, takesOther); });
  }

  static void eraseUnused(const Ops &ops) {
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

  static SmallVector<Value> clone(OpBuilder &builder, const Ops &ops,
                                  IRMapping &mapping) {
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    return llvm::map_to_vector(ops.back()->getResults(), [&](Value result) {
      return mapping.lookup(result);
    });
  }

  /// What the rows of the program behind `number` are.
  SmallVector<Value> load(OpBuilder &builder, Value number) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), number);
    return clone(builder, loads, mapping);
  }

  SmallVector<Value> combine(OpBuilder &builder, ValueRange rows) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs(), rows);
    return clone(builder, combined, mapping);
  }

  /// The rows of the second program, and what those of the first one are
  /// combined to.
  SmallVector<Value> makeInits() {
    OpBuilder builder(loop);
    SmallVector<Value> inits = load(builder, loop.getLowerBound());
    llvm::append_range(inits, combine(builder, loop.getInitArgs()));
    return inits;
  }

  SmallVector<Value> loadFurther() {
    OpBuilder builder(loads.back());
    Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                       loop.getStep());
    return load(builder, next);
  }

  scf::ForOp loop;
  Block &body;
  Location loc;
  Ops loads, combined;
};

struct CombineRowsAhead
    : tilewright::tile::impl::TileCombineRowsAheadBase<CombineRowsAhead> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t blocks = kernel.getClusterBlocksOrOne();
    if (blocks == 1 || blocks > kMostBlocks || !loadsRowsAlone(kernel))
      return;
    for (scf::ForOp loop : findProgramLoops(kernel)) {
      CombinedRows rows(loop);
      if (!loop->hasAttr(kLoadsAheadAttr) ||
          isOverPrograms(loop->getParentOp()) || !rows.match() ||
          !isWorthwhile(kernel, loop))
        continue;
      rows.combineAhead();
      // Of registers for more blocks there are too few.
      kernel->removeAttr(TileDialect::kBlocksPerSMAttr);
    }
  }

private:
  /// Where a block has a multiprocessor alone, nobody computes while its warps
  /// wait for those of other blocks. Threads must have registers for this row
  /// as f32, the next one, and the one behind it.
  static bool isWorthwhile(KernelOp kernel, scf::ForOp loop) {
    int64_t threads = kernel.getNumThreads();
    int64_t ofBlock = threads / kernel.getClusterBlocksOrOne();
    int64_t elements = llvm::divideCeil(countColumnsOfRow(kernel), threads);
    int64_t bytes = kRegisterBytes * elements;
    for (Value row : loop.getInitArgs())
      if (auto tile = dyn_cast<RankedTensorType>(row.getType()))
        bytes +=
            kRowsCarried * elements * getElementBytes(tile.getElementType());
    int64_t registers = kOtherRegisters + bytes / kRegisterBytes;
    tilewright::GpuTarget target = getTargetOrDefault(kernel);
    return ofBlock >= kThreadsAlone &&
           2 * registers * ofBlock > int64_t(target.registersPerSM) &&
           registers <= target.registersPerThread(ofBlock);
  }

  /// Whether the kernel loads no tiles but these rows. In phases it gains
  /// nothing beside weights (docs/decisions/0128-rows-combined-ahead.md).
  static bool loadsRowsAlone(KernelOp kernel) {
    DenseSet<Value> arrays;
    kernel.walk([&](GlobalAccessOpInterface access) {
      if (!access.isStore() && isTileType(access.getTileType()))
        arrays.insert(
            getRoot(findMemoryAccess(access, MemorySpace::Global)->base));
    });
    return arrays.size() == 1;
  }
};
} // namespace
