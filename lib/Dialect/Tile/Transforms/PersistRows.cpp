//===- PersistRows.cpp - Blocks that take several rows --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "ProgramLoop.h"
#include "RowsAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPERSISTROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Elements of a row from which on blocks stay: of shorter ones a
/// multiprocessor has so many blocks that one loads while others compute.
static constexpr int64_t kMinRow = 16384;

/// What is cast to this, or null.
static Value getCastSource(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<CastOpInterface>(op) ? op->getOperand(0) : nullptr;
}

static Value skipCasts(Value value) {
  while (Value source = getCastSource(value))
    value = source;
  return value;
}

//===----------------------------------------------------------------------===//
// Programs that go along rows themselves
//===----------------------------------------------------------------------===//

static bool isInvariant(Value value, scf::ForOp loop) {
  Operation *op = value.getDefiningOp();
  return loop.isDefinedOutsideOfLoop(value) ||
         (op && isPure(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return isInvariant(operand, loop);
          }));
}

/// Whether the value is so many more in each iteration, or the same.
static bool growsEvenly(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar() || isInvariant(value, loop))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::MulIOp>(op)) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    return (isInvariant(a, loop) && growsEvenly(b, loop)) ||
           (isInvariant(b, loop) && growsEvenly(a, loop));
  }
  return isa<CastOpInterface, arith::AddIOp, arith::SubIOp, AddPtrOp, SplatOp,
             IotaOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return growsEvenly(operand, loop);
         });
}

namespace {
/// The accesses to global memory of a loop over rows.
struct RowAccesses {
  SmallVector<MemoryAccess> reads, writes;

  explicit RowAccesses(scf::ForOp loop) {
    loop.getBody()->walk([&](Operation *op) {
      for (const MemoryAccess &access : getMemoryAccesses(op))
        if (access.space == MemorySpace::Global)
          (access.isWrite ? writes : reads).push_back(access);
    });
  }
};
} // namespace

/// Whether rows may be shared out to blocks in any way. Two rows of one program
/// that meet in memory would be in order there; where each access goes on by as
/// much from row to row, so do neighbouring rows, of two programs, and nobody
/// can rely on an order.
static bool areApart(scf::ForOp loop) {
  RowAccesses accesses(loop);
  size_t numWrites = 0;
  return llvm::all_of(accesses.writes, [&](const MemoryAccess &write) {
    auto meets = [&](const MemoryAccess &other) {
      return mayOverlap(getRoot(write.base), getRoot(other.base));
    };
    return growsEvenly(write.base, loop) &&
           llvm::none_of(accesses.reads, meets) &&
           llvm::none_of(llvm::drop_begin(accesses.writes, ++numWrites), meets);
  });
}

/// Whether the op asserts that there are programs, as loops do whose step they
/// are.
static bool holdsAlways(Operation *op) {
  auto assertion = dyn_cast<AssertOp>(op);
  auto compare = assertion
                     ? assertion->getOperand(0).getDefiningOp<arith::CmpIOp>()
                     : nullptr;
  return compare && compare.getPredicate() == arith::CmpIPredicate::sgt &&
         skipCasts(compare.getLhs()).getDefiningOp<NumProgramsOp>() &&
         matchPattern(compare.getRhs(), m_Zero());
}

/// The loop of `range(program_id, n, num_programs)`, where a program is nothing
/// else; null if it is.
static scf::ForOp findRowLoop(KernelOp kernel) {
  scf::ForOp found;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (found || loop.getNumResults() != 0)
        return nullptr;
      found = loop;
      continue;
    }
    if (!isPure(&op) && !holdsAlways(&op))
      return nullptr;
  }
  if (!found || !found.getInductionVar().getType().isIndex())
    return nullptr;
  Value start = found.getLowerBound();
  auto id = skipCasts(start).getDefiningOp<ProgramIdOp>();
  auto count = skipCasts(found.getStep()).getDefiningOp<NumProgramsOp>();
  if (!id || !count || id.getAxis() != count.getAxis())
    return nullptr;
  // Nobody else asks for a number; along other axes programs do the same.
  for (Value value = start; value; value = getCastSource(value))
    if (!value.hasOneUse())
      return nullptr;
  WalkResult others = kernel.walk([&](ProgramIdOp other) {
    return other == id ? WalkResult::advance() : WalkResult::interrupt();
  });
  return others.wasInterrupted() ? nullptr : found;
}

/// Of a kernel that only reads rows, more blocks with one row each have more
/// under way (docs/decisions/0038-rows-one-after-the-other.md).
static bool storesRows(KernelOp kernel) {
  int64_t elements = countElementsOfRow(kernel);
  return kernel.getBody()
      .walk([&](GlobalAccessOpInterface access) {
        return access.isStore() && isTileType(access.getTileType()) &&
                       access.getTileType().getNumElements() == elements
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether rows that are loaded begin with a vector of memory and have nothing
/// else. Of one that begins anywhere a few warps wait for single elements
/// before they go on, and all others for them: that is the same in a loop.
static bool haveVectors(KernelOp kernel, ArrayRef<RowLoad> loads) {
  AxisInfoAnalysis axes(kernel);
  int64_t threads = kernel.getNumWarpsOrDefault() * tilewright::lanesPerWarp;
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

namespace {
struct PersistRows : tilewright::tile::impl::TilePersistRowsBase<PersistRows> {
  using TilePersistRowsBase::TilePersistRowsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!enable || kernel.getPersistent() || kernel.getBlockPrograms() ||
        kernel.getCopyWarps() || countElementsOfRow(kernel) < kMinRow ||
        !combinesRows(kernel) || !storesRows(kernel) ||
        findMixOfPlaces(kernel) || mayWaitForOthers(kernel))
      return;
    if (scf::ForOp loop = findRowLoop(kernel)) {
      if (areApart(loop) &&
          isBetterInLoop(kernel, *loop.getBody(), loop.getInductionVar()))
        shareRows(kernel, loop);
      return;
    }
    SmallVector<Value> numbers;
    kernel.walk([&](ProgramIdOp id) { numbers.push_back(id); });
    if (isBetterInLoop(kernel, kernel.getBody().front(), numbers))
      makeProgramLoop(kernel);
  }

private:
  static bool isBetterInLoop(KernelOp kernel, Block &block,
                             ArrayRef<Value> numbers) {
    SmallVector<RowLoad> loads = chooseRowLoads(kernel, block, numbers);
    return !loads.empty() && haveVectors(kernel, loads);
  }

  /// Blocks go on with the rows of others, in place of programs with theirs.
  static void shareRows(KernelOp kernel, scf::ForOp loop) {
    OpBuilder builder(loop);
    Value start = loop.getLowerBound();
    loop.setLowerBound(BlockIdOp::create(builder, loop.getLoc()));
    loop.setStep(NumBlocksOp::create(builder, loop.getLoc()));
    while (start && start.use_empty()) {
      Operation *op = start.getDefiningOp();
      start = getCastSource(start);
      op->erase();
    }
    for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
      if (holdsAlways(&op))
        op.erase();
    kernel.setPersistent(true);
    markProgramLoop(loop);
  }
};
} // namespace
