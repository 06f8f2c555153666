//===- AssignRegisterLayouts.cpp - Who holds which element ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First every tile that is expensive to make gets a home (RegisterHomes.h),
// then the program is rewritten: each op gets its operands in the layouts it
// needs (RegisterRewriter.h).
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Registers/RegisterRewriter.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/OrderVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEASSIGNREGISTERLAYOUTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What an elementwise op that takes one tile is computed from, or an op
/// before.
static Operation *findFirstMaker(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && op->hasTrait<OpTrait::Elementwise>() &&
         llvm::count_if(op->getOperands(), isTile) == 1)
    op = (*llvm::find_if(op->getOperands(), isTile)).getDefiningOp();
  return op;
}

/// Rows that go to any order are loaded in vectors where they may be.
static void nameVectors(KernelOp kernel, const LayoutWishes &wishes) {
  kernel.walk([&](AnyOrderOp op) {
    auto load = dyn_cast_or_null<GlobalAccessOpInterface>(
        findFirstMaker(op.getSource()));
    if (!load || load.getTileType().getShape() != op.getType().getShape())
      return;
    int64_t width = wishes.getWidth(load, op.getType().getRank() - 1);
    if (width > 1)
      op->setAttr(kOrderVectorAttr,
                  Builder(kernel.getContext()).getI64IntegerAttr(width));
  });
}

static bool hasTile(ValueRange values) { return llvm::any_of(values, isTile); }

/// Whether the op says where its tiles are.
static LogicalResult checkSaysLayouts(Operation *op) {
  if ((!hasTile(op->getOperands()) && !hasTile(op->getResults())) ||
      isa<RegisterLayoutOpInterface, RegionBranchOpInterface,
          RegionBranchTerminatorOpInterface>(op))
    return success();
  return op->emitOpError("does not say in which register layout it takes or "
                         "makes tiles: it needs RegisterLayoutOpInterface");
}

namespace {
struct AssignRegisterLayouts
    : tilewright::tile::impl::TileAssignRegisterLayoutsBase<
          AssignRegisterLayouts> {
  using TileAssignRegisterLayoutsBase::TileAssignRegisterLayoutsBase;

  void runOnOperation() override {
    Operation *placed = nullptr, *unplaced = nullptr;
    if (failed(check(placed, unplaced)))
      return signalPassFailure();
    if (placed || !unplaced)
      return;
    if (failed(assignEngines(getOperation(), warpgroupDots)))
      return signalPassFailure();
    int64_t maxBytes = getGlobalVectorBytes(getOperation());
    if (maxBytes > kMaxVectorBytes &&
        (movesBetweenThreads(kMaxVectorBytes) || movesBetweenThreads(maxBytes)))
      maxBytes = kMaxVectorBytes;
    assign(getOperation(), maxBytes);
  }

private:
  /// Finds an op with register layouts and one without, of which a program has
  /// one kind only.
  LogicalResult check(Operation *&placed, Operation *&unplaced) {
    int numWarps = getOperation().getNumWarpsOrDefault();
    WalkResult result = getOperation().walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (isTile(value))
          (getRegisterLayout(value.getType()) ? placed : unplaced) = op;
      auto dot = dyn_cast<DotOp>(op);
      if (failed(checkInLanguage(op, numWarps)) ||
          (dot && failed(checkProduct(dot, numWarps))))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (placed && unplaced) {
      InFlightDiagnostic error = unplaced->emitOpError(
          "has no register layout, while other tiles of the kernel have one: "
          "either all are written or none");
      error.attachNote(placed->getLoc()) << "this one has";
      return error;
    }
    if (!unplaced)
      return success();
    result = getOperation().walk(
        [](Operation *op) -> WalkResult { return checkSaysLayouts(op); });
    return failure(result.wasInterrupted());
  }

  void assign(KernelOp kernel, int64_t maxBytes) {
    LayoutWishes wishes(kernel, maxBytes, turnOperands);
    nameVectors(kernel, wishes);
    writeRegisterLayouts(kernel, RegisterHomes(kernel, wishes));
  }

  /// Whether a tile would have to go from threads to others. What it then costs
  /// in shared memory is made for runs of 16 bytes in a thread: longer ones
  /// leave it fewer of them to make vectors of.
  bool movesBetweenThreads(int64_t maxBytes) {
    OwningOpRef<KernelOp> trial = getOperation().clone();
    assign(*trial, maxBytes);
    return anyOpIn(
        *trial, [](ConvertLayoutOp convert) { return !mapRegisters(convert); });
  }
};
} // namespace
