//===- UnrollRows.cpp - Writes out loops along rows of few parts ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/Instructions.h"
#include "Loads/KeptTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEUNROLLROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// How many trips
//===----------------------------------------------------------------------===//

namespace {
/// What an argument may be, both ends included.
struct Lengths {
  int64_t least, most;
};
} // namespace

/// The argument and the lengths of NAME:STEP:TRIPS.
static FailureOr<std::pair<unsigned, Lengths>> parse(KernelOp kernel,
                                                     StringRef text) {
  auto [name, numbers] = text.split(':');
  auto [first, second] = numbers.split(':');
  int64_t step = 0, trips = 0;
  if (first.getAsInteger(10, step) || second.getAsInteger(10, trips) ||
      step <= 0 || trips <= 0 || step > INT32_MAX || trips > INT32_MAX)
    return kernel.emitError("trips are NAME:STEP:TRIPS with numbers from 1 "
                            "on, not '")
           << text << "'";
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
    if (kernel.getArgName(index) == name)
      return std::pair(index, Lengths{step * (trips - 1) + 1, step * trips});
  return kernel.emitError("'")
         << name << "', which loops end at, is no argument of '"
         << kernel.getSymName() << "'";
}

/// Nothing where launches differ, or may have none.
static std::optional<int64_t>
countTrips(const RowLoops &loops, ArrayRef<std::optional<Lengths>> ends) {
  std::optional<Lengths> end = Lengths{loops.constantEnd, loops.constantEnd};
  if (loops.end)
    end = ends[loops.end.getArgNumber()];
  if (!end || end->least <= 0)
    return std::nullopt;
  int64_t trips = llvm::divideCeilSigned(end->most, loops.step);
  return trips == llvm::divideCeilSigned(end->least, loops.step)
             ? std::optional(trips)
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing them out
//===----------------------------------------------------------------------===//

static bool isLoad(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return !accesses.empty() && op->getNumRegions() == 0 &&
         llvm::all_of(accesses, [](const MemoryAccess &access) {
           return access.space == MemorySpace::Global && !access.isWrite &&
                  !access.isVolatile;
         });
}

static Value getArray(Operation *load) {
  return getRoot(getMemoryAccesses(load).front().base);
}

/// Whether registers hold all that these load at once.
static bool mayLoadAll(KernelOp kernel, ArrayRef<Operation *> ops) {
  int64_t bytes = 0;
  for (Operation *op : ops)
    if (auto load = dyn_cast<GlobalAccessOpInterface>(op); load && isLoad(op))
      bytes += getByteSize(load.getTileType());
  return mayBeKept(kernel, bytes);
}

/// Moves loads of these neighbours, and what they need, in front of the others,
/// as far as nothing in between may write what they read. Where there are too
/// many, only loads of what is kept.
static void loadFirst(const RowLoops &loops, ArrayRef<Operation *> ops) {
  bool all = mayLoadAll(ops.front()->getParentOfType<KernelOp>(), ops);
  auto isWanted = [&](Operation *op) {
    return isLoad(op) &&
           (all || llvm::is_contained(loops.sharedArrays, getArray(op)));
  };
  // Those that stay.
  llvm::SmallSetVector<Operation *, 32> late;
  SmallVector<Operation *> movable;
  for (Operation *op : ops) {
    bool hangsOnLate = llvm::any_of(op->getOperands(), [&](Value operand) {
      return late.contains(operand.getDefiningOp());
    });
    bool conflicts = isLoad(op) && llvm::any_of(late, [&](Operation *other) {
                       return keepsBehind(other, getArray(op));
                     });
    if (!hangsOnLate && !conflicts && (isLoad(op) || isComputation(op))) {
      movable.push_back(op);
      continue;
    }
    late.insert(op);
  }
  // What only computes stays where it is, unless a load needs it.
  SmallPtrSet<Operation *, 32> needed;
  for (Operation *op : llvm::reverse(movable)) {
    if (!isWanted(op) && !needed.contains(op))
      continue;
    needed.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        needed.insert(source);
  }
  auto *first = llvm::find_if_not(
      ops, [&](Operation *op) { return needed.contains(op); });
  for (Operation *op : ArrayRef(first, ops.end()))
    if (needed.contains(op))
      op->moveBefore(*first);
}

/// Instructions of a thread that are written out at the most. Code that runs
/// once has few warps beside it, for the registers that it takes: past this,
/// loops that load again are faster (docs/decisions/0111-kernels-of-users.md).
static constexpr int64_t kMaxInstructions = 2048;

/// What a thread computes in a trip of each of the loops.
static int64_t countInstructionsOfTrips(const RowLoops &loops) {
  int64_t instructions = 0;
  for (LoopLikeOpInterface loop : loops.loops)
    instructions += countFloatInstructions(loop);
  return instructions;
}

/// Puts so many trips in the place of the loop.
static void unroll(const RowLoops &loops, LoopLikeOpInterface loop,
                   int64_t trips) {
  Block &body = loop.getLoopRegions().front()->front();
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop.getInits().begin(), loop.getInits().end());
  Value counter = *loop.getSingleInductionVar();
  SmallVector<Value> counters;
  for (int64_t trip = 0; trip < trips; ++trip)
    counters.push_back(arith::ConstantOp::create(
        builder, loop.getLoc(),
        builder.getIntegerAttr(counter.getType(), trip * loops.step)));
  SmallVector<Operation *> ops;
  for (Value number : counters) {
    IRMapping mapping;
    mapping.map(counter, number);
    for (auto [argument, value] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      mapping.map(argument, value);
    for (Operation &op : body.without_terminator())
      ops.push_back(builder.clone(op, mapping));
    for (auto [value, yielded] :
         llvm::zip_equal(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop->replaceAllUsesWith(carried);
  if (trips > 1)
    loadFirst(loops, ops);
  loop->erase();
}

namespace {
struct UnrollRows : tilewright::tile::impl::TileUnrollRowsBase<UnrollRows> {
  using TileUnrollRowsBase::TileUnrollRowsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<std::optional<Lengths>> ends(kernel.getNumArguments());
    for (const std::string &text : trips) {
      FailureOr<std::pair<unsigned, Lengths>> known = parse(kernel, text);
      if (failed(known))
        return signalPassFailure();
      ends[known->first] = known->second;
    }
    for (const RowLoops &loops : findRowLoops(kernel)) {
      std::optional<int64_t> count = countTrips(loops, ends);
      if (!count || (*count > 1 && !mayKeep(loops, *count)))
        continue;
      for (LoopLikeOpInterface loop : loops.loops)
        unroll(loops, loop, *count);
    }
  }

private:
  /// Whether registers can hold what is read again, and the code is not long.
  bool mayKeep(const RowLoops &loops, int64_t count) {
    return loops.sharedBytes > 0 && count <= RowLoops::kMaxTrips &&
           mayBeKept(getOperation(), loops.sharedBytes * count) &&
           countInstructionsOfTrips(loops) * count <= kMaxInstructions;
  }
};
} // namespace
