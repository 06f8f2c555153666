//===- AllocateShared.cpp - Bytes of the shared tiles -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Shared/SpareSlots.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/ShortageDiagnostic.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Where two tiles that live at the same time have bytes in common, written so
/// by the program.
static LogicalResult checkFixed(ArrayRef<SharedRequest> requests) {
  for (auto [index, request] : llvm::enumerate(requests)) {
    AllocSharedOp tile = request.live.tile;
    if (!request.offset)
      continue;
    if (failed(checkAlignment(tile)))
      return failure();
    for (const SharedRequest &other : requests.take_front(index)) {
      AllocSharedOp otherTile = other.live.tile;
      if (!other.offset || !other.live.overlaps(request.live) ||
          !SharedBytes::of(otherTile.getType(), *other.offset)
               .overlaps(SharedBytes::of(tile.getType(), *request.offset)))
        continue;
      InFlightDiagnostic error =
          tile.emitOpError("overlaps the bytes of another tile that is in use");
      error.attachNote(otherTile.getLoc()) << "the other tile";
      return error;
    }
  }
  return success();
}

/// The most stages that any tile has.
static int64_t countMostStages(ArrayRef<SharedRequest> requests) {
  int64_t most = 1;
  for (const SharedRequest &request : requests) {
    AllocSharedOp tile = request.live.tile;
    most = std::max(most, tile.getType().getNumStages());
  }
  return most;
}

/// How many stages there would be room for, if nothing else changed: fewer than
/// there are.
static int64_t findStagesThatFit(ArrayRef<SharedRequest> requests, int64_t free,
                                 int64_t most) {
  auto fits = [&](int64_t stages) {
    SmallVector<SharedRequest> fewer(requests);
    for (SharedRequest &request : fewer) {
      AllocSharedOp tile = request.live.tile;
      int64_t before = tile.getType().getNumStages();
      request.bytes = request.bytes * std::min(stages, before) / before;
    }
    return planSharedMemory(fewer, free).total <= most;
  };
  // More of them take more bytes. A tile may say that it has millions.
  auto more =
      llvm::seq<int64_t>(2, std::max<int64_t>(countMostStages(requests), 2));
  return 1 + std::distance(more.begin(), llvm::partition_point(more, fits));
}

/// The requests with one slot more for the tiles of a channel.
static SmallVector<SharedRequest> addSlot(ArrayRef<SharedRequest> requests,
                                          ChannelOp channel) {
  SmallVector<SharedRequest> more(requests);
  for (SharedRequest &request : more)
    if (llvm::is_contained(channel.getTiles(), request.live.tile->getResult(0)))
      request.bytes += request.live.tile.getType().getStageStride();
  return more;
}

namespace {
struct AllocateShared
    : tilewright::tile::impl::TileAllocateSharedBase<AllocateShared> {
  using TileAllocateSharedBase::TileAllocateSharedBase;

  void runOnOperation() override {
    if (failed(checkSharedTiles(getOperation())) || failed(checkLayouts()))
      return signalPassFailure();
    SmallVector<SharedRequest> requests = getSharedRequests(getOperation());
    if (failed(checkFixed(requests)))
      return signalPassFailure();
    std::optional<GpuTarget> gpu = getTarget(getOperation());
    int64_t free = freeBytes || !gpu ? freeBytes : getFreeBytes(*gpu);
    int64_t most = maxBytes;
    if (most == 0)
      most = getTargetOrDefault(getOperation()).maxSharedBytesPerBlock;
    SharedPlan plan = planSharedMemory(requests, free);
    if (gpu && isAlone(*gpu, plan.total) &&
        addSpareSlots(requests, free, most)) {
      requests = getSharedRequests(getOperation());
      plan = planSharedMemory(requests, free);
    }
    if (plan.total > most) {
      reportTooMuch(plan.total, most, requests);
      if (!askForFewerPrograms(plan.total, most))
        askForFewerStages(plan.total, most, requests, free);
      return signalPassFailure();
    }
    for (auto [request, offset] : llvm::zip_equal(requests, plan.offsets))
      request.live.tile.setOffset(offset);
    getOperation().setSharedBytes(plan.total);
  }

private:
  /// Gives channels a spare slot, where there is room. Returns whether one has.
  bool addSpareSlots(ArrayRef<SharedRequest> requests, int64_t free,
                     int64_t most) {
    SmallVector<ChannelOp> channels;
    getOperation().walk(
        [&](ChannelOp channel) { channels.push_back(channel); });
    for (ChannelOp channel : channels) {
      std::optional<SpareSlot> spare = SpareSlot::find(channel);
      if (!spare ||
          planSharedMemory(addSlot(requests, channel), free).total > most)
        continue;
      spare->give();
      // For one: the others would have to fit beside it.
      return true;
    }
    return false;
  }

  /// Bytes that keep no block from being resident that could be: where the
  /// kernel asks for so many blocks, there are no more.
  int64_t getFreeBytes(const GpuTarget &gpu) {
    int64_t ofMost = gpu.freeSharedBytesPerBlock();
    std::optional<int64_t> blocks = getAskedBlocks(getOperation());
    return blocks
               ? std::max<int64_t>(ofMost, gpu.sharedBytesPerSM / *blocks -
                                               gpu.reservedSharedBytesPerBlock)
               : ofMost;
  }

  LogicalResult checkLayouts() {
    WalkResult result = getOperation().walk([](AllocSharedOp tile) {
      if (tile.getType().getLayout())
        return WalkResult::advance();
      tile.emitOpError("needs a shared layout before it gets bytes: run "
                       "tile-assign-shared-layouts");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Whether the op moves a tile between registers and shared memory.
  static bool isLoadOrStore(Operation *op) {
    return isa<SharedAccessOpInterface>(op) &&
           !findMemoryAccess(op, MemorySpace::Global);
  }

  static bool isLoad(Operation *op) {
    return isLoadOrStore(op) && !cast<SharedAccessOpInterface>(op).isStore();
  }

  /// Where a tile comes from; or, if it only carries elements to other threads,
  /// the op that wants them there.
  static Location getPlace(AllocSharedOp tile, bool &isOnTheWay) {
    Operation *wanting = nullptr;
    isOnTheWay = llvm::all_of(tile->getUsers(), isLoadOrStore);
    for (Operation *user : tile->getUsers())
      if (isLoad(user))
        wanting = user;
    while (wanting && wanting->hasOneUse() &&
           (isLoad(wanting) || wanting->hasTrait<MovesElements>() ||
            isa<JoinOp>(wanting)))
      wanting = *wanting->user_begin();
    isOnTheWay &=
        wanting && !isLoad(wanting) && !isa<ProductOpInterface>(wanting);
    return isOnTheWay ? wanting->getLoc() : tile.getLoc();
  }

  /// Who compiles a kernel whose blocks run several programs may try again with
  /// as many as stand on it now. False where a block runs one.
  bool askForFewerPrograms(int64_t total, int64_t most) {
    KernelOp kernel = getOperation();
    int64_t programs = countBlockPrograms(kernel);
    if (programs == 1)
      return false;
    int64_t fit = llvm::bit_floor(
        static_cast<uint64_t>(std::max<int64_t>(1, programs * most / total)));
    Builder builder(&getContext());
    kernel->setAttr(kMostProgramsAttr, builder.getI64IntegerAttr(fit));
    return true;
  }

  /// With as many stages as stand on the kernel now, who compiles it may try
  /// again. One at the most leaves loops no slots, not even one.
  void askForFewerStages(int64_t total, int64_t most,
                         ArrayRef<SharedRequest> requests, int64_t free) {
    KernelOp kernel = getOperation();
    int64_t stages = countMostStages(requests);
    int64_t before = getMostStages(kernel).value_or(stages + 1);
    if (before == 1 || (stages == 1 && !anyOpIn<ChannelOp>(kernel)))
      return;
    int64_t fit = findStagesThatFit(requests, free, most);
    Builder builder(&getContext());
    kernel->setAttr(kMostStagesAttr,
                    builder.getI32IntegerAttr(std::min(fit, before - 1)));
    if (stages == 1 || kernel->hasAttr(kStagesReasonAttr))
      return;
    std::string why = llvm::formatv(
        "with {0} it needs {1} bytes of shared memory, and a block on {2} may "
        "have {3}",
        stages, total, getTargetOrDefault(kernel).name, most);
    kernel->setAttr(kStagesReasonAttr, builder.getStringAttr(why));
  }

  void reportTooMuch(int64_t total, int64_t most,
                     ArrayRef<SharedRequest> requests) {
    std::optional<GpuTarget> gpu = getTarget(getOperation());
    bool hasStages = llvm::any_of(requests, [](const SharedRequest &request) {
      return isUsedByStages(request.live.tile);
    });
    InFlightDiagnostic error = getOperation().emitOpError("needs ");
    error << total << " bytes of shared memory; a block on "
          << (gpu ? gpu->name : "the target") << " may have " << most
          << ": use smaller tiles" << (hasStages ? " or fewer stages" : "");
    tellShortage(error, {"shared memory", total, most});
    for (const SharedRequest &request : requests) {
      AllocSharedOp op = request.live.tile;
      std::string what;
      llvm::raw_string_ostream os(what);
      llvm::interleave(op.getType().getShape(), os, "x");
      os << "x" << op.getType().getElementType();
      bool isOnTheWay = false;
      Location place = getPlace(op, isOnTheWay);
      error.attachNote(place)
          << "a tile of " << what
          << (isOnTheWay ? ", on its way to the threads that do this," : "")
          << " takes " << request.bytes << " bytes";
    }
  }
};
} // namespace
