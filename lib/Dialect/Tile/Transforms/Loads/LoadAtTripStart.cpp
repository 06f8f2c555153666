//===- LoadAtTripStart.cpp - Loads in front of what others wait for -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/KeptTiles.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADATTRIPSTART
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Registers of a thread for all that waits in them from there on.
static constexpr int64_t kMostRegisters = 16;

namespace {
/// The loads of a loop's body by which products, and what threads exchange for
/// them, need not be waited for.
class TripLoads {
public:
  explicit TripLoads(Block &body) : body(body) {}

  void moveToStart() {
    Operation *start = nullptr;
    for (Operation &op :
         llvm::make_early_inc_range(body.without_terminator())) {
      if (isPlainLoad(&op) && start && !isOnlySent(&op) && mayMove(&op))
        move(&op, start);
      else if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0) {
        start = start ? start : &op;
        passed.push_back(&op);
      }
    }
  }

private:
  /// Whether threads only send what is loaded to others.
  static bool isOnlySent(Operation *load) {
    return llvm::all_of(load->getUsers(),
                        llvm::IsaPred<SharedAccessOpInterface>);
  }

  bool mayMove(Operation *load) {
    slice.clear();
    if (failed(addSlice(load, slice)) ||
        !llvm::all_of(slice, [](Operation *op) {
          return isComputation(op) && !isa<ProductOpInterface>(op);
        }))
      return false;
    Value root = getRoot(getMemoryAccesses(load)[0].base);
    return registers + countRegisters(load->getResult(0)) <= kMostRegisters &&
           llvm::none_of(passed,
                         [&](Operation *op) { return keepsBehind(op, root); });
  }

  void move(Operation *load, Operation *start) {
    registers += countRegisters(load->getResult(0));
    slice.insert(load);
    for (Operation *op : slice)
      if (start->isBeforeInBlock(op))
        op->moveBefore(start);
  }

  Block &body;
  SetVector<Operation *> slice;
  /// What touches memory in front of the load that is looked at.
  SmallVector<Operation *> passed;
  int64_t registers = 0;
};

struct LoadAtTripStart
    : tilewright::tile::impl::TileLoadAtTripStartBase<LoadAtTripStart> {
  void runOnOperation() override {
    getOperation().walk([](LoopLikeOpInterface loop) {
      Block &body = loop.getLoopRegions().front()->front();
      if (loop.getSingleInductionVar() &&
          !body.getOps<ProductOpInterface>().empty())
        TripLoads(body).moveToStart();
    });
  }
};
} // namespace
