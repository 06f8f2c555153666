//===- LoadRowsAhead.cpp - The next program's row -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "KeptTiles.h"
#include "RowsAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
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

namespace {
class ProgramRows {
public:
  ProgramRows(scf::ForOp loop, KernelOp kernel) : loop(loop), kernel(kernel) {}

  void loadAhead() {
    SmallVector<RowLoad> loads =
        chooseRowLoads(kernel, *loop.getBody(), loop.getInductionVar());
    if (loads.empty())
      return;
    askForRegisters(loads);
    OpBuilder builder(loop);
    SmallVector<Value> first = loadOf(builder, loads, loop.getLowerBound());
    builder.setInsertionPointToStart(loop.getBody());
    Value next = arith::AddIOp::create(builder, loop.getLoc(),
                                       loop.getInductionVar(), loop.getStep());
    SmallVector<Value> ahead = loadOf(builder, loads, next);
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
  /// Asks for two blocks on a multiprocessor, of which one computes while the
  /// other one waits, where registers hold what both load and their rows as
  /// f32. (What stays from one program to the next may be in shared memory.)
  void askForRegisters(ArrayRef<RowLoad> ahead) {
    constexpr int64_t blocks = 2;
    int64_t threads =
        int64_t(kernel.getNumWarpsOrDefault()) * tilewright::lanesPerWarp;
    int64_t bytes = kRegisterBytes * kFewOtherRegisters * threads;
    // A row may come in several tiles.
    llvm::SmallMapVector<Value, int64_t, 4> elements;
    for (const RowLoad &load : ahead) {
      bytes += getLoadedBytes(load.op);
      if (auto tile =
              dyn_cast<RankedTensorType>(load.op->getResult(0).getType()))
        elements[getRoot(getMemoryAccesses(load.op)[0].base)] +=
            tile.getNumElements();
    }
    int64_t most = 0;
    for (auto [array, number] : elements)
      most = std::max(most, number);
    bytes += kRegisterBytes * most;
    for (Operation &op : *loop.getBody())
      if (isPlainLoad(&op) && llvm::none_of(ahead, [&](const RowLoad &load) {
            return load.op == &op;
          }))
        bytes += getLoadedBytes(&op);
    int64_t ofAll = kRegisterBytes *
                    int64_t(getTargetOrDefault(kernel).registersPerSM) *
                    kernel.getClusterBlocksOrOne();
    // Where more find room, ptxas does better unasked.
    if (ofAll / bytes == blocks)
      kernel->setAttr(TileDialect::kBlocksPerSMAttr,
                      Builder(kernel.getContext()).getI32IntegerAttr(blocks));
  }

  /// What program `number` loads, if there is such a program; else zeros, at
  /// which nobody looks.
  SmallVector<Value> loadOf(OpBuilder &builder, ArrayRef<RowLoad> loads,
                            Value number) {
    Location loc = loop.getLoc();
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, number, loop.getUpperBound());
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

struct LoadRowsAhead
    : tilewright::tile::impl::TileLoadRowsAheadBase<LoadRowsAhead> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel))
      return;
    for (auto loop :
         llvm::make_early_inc_range(kernel.getBody().getOps<scf::ForOp>()))
      if (loop->hasAttr(TileDialect::kProgramsAttr))
        ProgramRows(loop, kernel).loadAhead();
  }
};
} // namespace
