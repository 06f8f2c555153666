//===- SlotTurns.cpp - Rows ahead in slots that take turns ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots/SlotTurns.h"

#include "Threads/AsyncCopy.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Whether the op takes what the loop carries of these loads.
static bool takesRow(Operation *op, scf::ForOp loop,
                     ArrayRef<SlotLoads> ahead) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != loop.getBody() ||
        argument.getArgNumber() < loop.getNumInductionVars())
      return false;
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    return llvm::any_of(ahead, [&](const SlotLoads &loads) {
      return index >= loads.front().first && index < getEnd(loads);
    });
  });
}

Operation *tonvvm::loadFirst(scf::ForOp loop, ArrayRef<SlotLoads> ahead) {
  Block &body = *loop.getBody();
  SetVector<Operation *> first;
  for (const SlotLoads &loads : ahead)
    for (const LoadedAhead &load : loads) {
      SetVector<Operation *> slice;
      if (load.branch || failed(tile::addSlice(load.load, slice)) ||
          !llvm::all_of(slice, tile::isComputation))
        return nullptr;
      slice.insert(load.load);
      first.insert_range(slice);
    }
  if (llvm::any_of(first,
                   [&](Operation *op) { return takesRow(op, loop, ahead); }))
    return nullptr;
  for (Operation *op : llvm::reverse(first))
    op->moveBefore(&body, body.begin());
  return first.back();
}

void tonvvm::carryTurn(scf::ForOp &loop, int64_t bytes) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  Value first = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  auto makeNext = [&](OpBuilder &, Location,
                      ArrayRef<BlockArgument> turns) -> SmallVector<Value> {
    OpBuilder builder = OpBuilder::atBlockBegin(turns.front().getOwner());
    Value both = arith::ConstantIntOp::create(builder, loc, bytes, 32);
    return {arith::SubIOp::create(builder, loc, both, turns.front())};
  };
  FailureOr<LoopLikeOpInterface> turning = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, makeNext);
  loop = cast<scf::ForOp>(turning->getOperation());
}

/// Adds what the value is made of, as far as threads may differ in it; false
/// where it tells them apart, or that is not known.
static bool addSources(Value value, SetVector<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return isa<FunctionOpInterface>(parent);
    bool isCounter = argument == loop.getInductionVar();
    sources.insert(isCounter ? loop.getLowerBound()
                             : loop.getTiedLoopInit(argument)->get());
    sources.insert(isCounter ? loop.getStep()
                             : loop.getTiedLoopYieldedValue(argument)->get());
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp,
          NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp,
          LLVM::AddressOfOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return true;
  // Other registers tell threads and warps apart, and loads may read what they
  // wrote.
  if (op->getNumOperands() == 0 || op->getNumRegions() > 0 || !isPure(op))
    return false;
  sources.insert(op->operand_begin(), op->operand_end());
  return true;
}

bool tonvvm::isOfThread(Operation *load) {
  SetVector<Value> sources(load->operand_begin(), load->operand_end());
  for (size_t index = 0; index < sources.size(); ++index)
    if (!addSources(sources[index], sources))
      return true;
  return false;
}

bool tonvvm::loadsOfThreads(scf::ForOp loop, ArrayRef<SlotLoads> ahead) {
  DenseSet<Operation *> copied;
  for (const SlotLoads &loads : ahead)
    for (const LoadedAhead &load : loads)
      copied.insert(load.load);
  return llvm::any_of(loop.getYieldedValues(), [&](Value next) {
    Value word = getWord(next);
    Operation *load = word ? findLoad(word).op : nullptr;
    return load && !copied.contains(load) && isOfThread(load);
  });
}

bool tonvvm::hasAsyncCopies(LLVM::LLVMFuncOp function) {
  return tile::anyOpIn(function, [](Operation *op) {
    return isa<NVVM::CpAsyncCommitGroupOp>(op) ||
           AsyncCopy::get(op).has_value();
  });
}
