//===- PackKeptHalves.cpp - Two halves that loops keep in a register ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Slots/SlotCandidates.h"
#include "Threads/Patterns.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright {
#define GEN_PASS_DEF_PACKKEPTHALVES
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static constexpr unsigned kBitsOfHalf = 16;
/// To save fewer registers than half of these is not worth the instructions in
/// front of the loop.
static constexpr size_t kLeastHalves = 8;
/// What ptxas takes beside what is live.
static constexpr int64_t kRegistersBeside = 40;
/// One warp more for each scheduler gained from four to five; from three to
/// four it lost (docs/decisions/0122-halves-that-loops-keep.md).
static constexpr unsigned kManyWarps = 20;

/// Loaded by an instruction in front of the loop, and taken by its body alone.
static bool isKeptHalf(LoopLikeOpInterface loop, Value value) {
  return value.getType().isIntOrFloat() &&
         value.getType().getIntOrFloatBitWidth() == kBitsOfHalf &&
         loop.isDefinedOutsideOfLoop(value) && isLoadedAlone(value) &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return loop->isProperAncestor(user);
         });
}

/// In the order in which the body takes them.
static SetVector<Value> findKeptHalves(LoopLikeOpInterface loop) {
  SetVector<Value> halves;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isKeptHalf(loop, operand))
        halves.insert(operand);
  });
  return halves;
}

/// Both in a word, in front of the loop. Not by a move, which ptxas would see
/// through: it would keep the halves.
static Value packBefore(LoopLikeOpInterface loop, Value low, Value high) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> words;
  for (Value half : {low, high}) {
    Value bits =
        builder.createOrFold<LLVM::BitcastOp>(loc, builder.getI16Type(), half);
    words.push_back(
        LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), bits));
  }
  return emitPurePtx(builder, loc, builder.getI32Type(), words,
                     "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r");
}

/// Takes the word apart wherever the loop takes one of both.
static void takeFromWord(LoopLikeOpInterface loop, Value word, Value low,
                         Value high) {
  for (auto [number, half] : llvm::enumerate(std::array{low, high}))
    for (OpOperand &use : llvm::make_early_inc_range(half.getUses())) {
      Operation *user = use.getOwner();
      if (!loop->isAncestor(user))
        continue;
      OpBuilder builder(user);
      use.set(unpack(builder, user->getLoc(), word, half.getType())[number]);
    }
}

//===----------------------------------------------------------------------===//
// Where it is worth while
//===----------------------------------------------------------------------===//

namespace {
/// The registers of a loop, and how many warps have as many.
class LoopRegisters {
public:
  explicit LoopRegisters(LoopLikeOpInterface loop)
      : function(loop->getParentOfType<LLVM::LLVMFuncOp>()),
        target(tile::getTargetOrDefault(function)), live(countLiveWords(loop)) {
  }

  /// Whether threads have no more than these.
  bool areShort() const {
    int64_t threads = *getNumThreads(function);
    int64_t blocks = getAskedBlocks(function);
    int64_t all =
        blocks > 1 ? blocks * threads : std::max(kThreadsPerSM, threads);
    return live + tile::kOtherRegisters >= target.registersPerThread(all);
  }

  bool makesRoom(int64_t numHalves) const {
    int64_t halves = live + kRegistersBeside;
    return countWarps(halves) < kManyWarps &&
           countWarps(halves - numHalves / 2) >= kManyWarps;
  }

private:
  /// Threads of one warp for each scheduler.
  unsigned getOneWarpEach() const {
    return target.partitionsPerSM * target.warpSize;
  }

  unsigned countWarps(int64_t registers) const {
    return target.occupancy(getOneWarpEach(), registers, /*sharedBytes=*/0)
        .warpsPerSM;
  }

  LLVM::LLVMFuncOp function;
  GpuTarget target;
  int64_t live;
};
} // namespace

static void packHalvesOf(LoopLikeOpInterface loop) {
  SetVector<Value> halves = findKeptHalves(loop);
  if (halves.size() < kLeastHalves ||
      !getNumThreads(loop->getParentOfType<LLVM::LLVMFuncOp>()))
    return;
  LoopRegisters registers(loop);
  if (!registers.areShort() && !registers.makesRoom(halves.size()))
    return;
  // Two neighbours of one type; one without stays.
  DenseMap<Type, Value> open;
  for (Value high : halves) {
    Value &low = open[high.getType()];
    if (low)
      takeFromWord(loop, packBefore(loop, low, high), low, high);
    low = low ? Value() : high;
  }
}

namespace {
struct PackKeptHalves : tilewright::impl::PackKeptHalvesBase<PackKeptHalves> {
  void runOnOperation() override { getOperation()->walk(packHalvesOf); }
};
} // namespace
