//===- Persist.cpp - Blocks that run several programs ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "TensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPERSIST
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Whether it serves
//===----------------------------------------------------------------------===//

/// Bytes of the operands that a loop of the kernel fetches ahead for products;
/// 0 where bulk copies cannot fetch them all.
static int64_t countBytesAhead(KernelOp kernel, int numStages) {
  AxisInfoAnalysis axes(kernel);
  int64_t bytes = 0;
  bool isPossible = true;
  kernel.walk([&](DotOp product) {
    auto loop = dyn_cast<LoopLikeOpInterface>(product->getParentOp());
    isPossible &= product.getEngineOrDefault() == Engine::Wgmma && loop &&
                  loop->getParentOp() == kernel;
  });
  kernel.walk([&](ConvertLayoutOp convert) {
    if (!isPossible || !feedsProducts(convert))
      return;
    GlobalAccessOpInterface load = getLoadAhead(convert);
    isPossible = load && mayHaveTensorMap(load, axes);
    if (isPossible)
      bytes += getStagedBytes(convert) *
               getNumStages(convert->getParentOp(), numStages);
  });
  return isPossible ? bytes : 0;
}

/// Whether what else goes through shared memory has room beside the slots,
/// which the next program's copies fill meanwhile: each tile for itself, where
/// they follow one another, or else all of them.
static bool hasRoomBeside(KernelOp kernel, int64_t room) {
  int64_t most = 0, sum = 0, stores = 0;
  bool isStraight = true, isPossible = true;
  for (const SharedRequest &request : getSharedRequests(kernel))
    room -= request.bytes; // Of reductions.
  kernel.walk([&](ConvertLayoutOp convert) {
    if (feedsProducts(convert) ||
        chooseConversion(convert).way == ConversionWay::Registers)
      return;
    int64_t bytes = getStagedBytes(convert);
    if (bytes > room) {
      SmallVector<Cut> cuts = chooseCuts(convert, room);
      isPossible &= !cuts.empty();
      bytes >>= cuts.size();
    }
    most = std::max(most, bytes);
    sum += bytes;
    isStraight &= convert->getParentOp() == kernel;
    stores += llvm::any_of(convert->getUsers(), takesAnyLayout);
  });
  return isPossible && (isStraight && stores <= 1 ? most : sum) <= room;
}

//===----------------------------------------------------------------------===//
// The loop over programs
//===----------------------------------------------------------------------===//

namespace {
class ProgramLoop {
public:
  explicit ProgramLoop(KernelOp kernel)
      : kernel(kernel), loc(kernel.getLoc()),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  void make() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    kernel.walk([&](ProgramIdOp id) {
      ids.push_back(id);
      isNumbered[id.getAxis()] = true;
    });
    for (unsigned axis = 0; axis < 3; ++axis)
      if (isNumbered[axis])
        extents[axis] = NumProgramsOp::create(builder, loc, axis);
    Value plane = count(extents[0], extents[1]);
    Value first = BlockIdOp::create(builder, loc);
    auto loop =
        scf::ForOp::create(builder, loc, first, count(plane, extents[2]),
                           NumBlocksOp::create(builder, loc));
    loop->setAttr(TileDialect::kProgramsAttr, builder.getUnitAttr());
    // What a program loads once is no loop's to load ahead.
    loop->setAttr(TileDialect::kNumStagesAttr, builder.getI32IntegerAttr(1));
    for (Operation *op : ops)
      op->moveBefore(loop.getBody()->getTerminator());
    builder.setInsertionPointToStart(loop.getBody());
    number(loop.getInductionVar(), plane);
    kernel.setPersistent(true);
    moveOut(loop);
  }

private:
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value remainder(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }

  /// Of the programs along two axes. Those that differ along an axis that no
  /// program asks for do the same: one of them does it.
  Value count(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return multiply(a, b);
  }

  /// Gives the program of the loop its numbers along the axes.
  void number(Value program, Value plane) {
    std::array<Value, 3> numbers;
    Value inPlane = program;
    numbers[2] = program;
    if (isNumbered[2] && plane) {
      inPlane = remainder(program, plane);
      numbers[2] = divide(program, plane);
    }
    if (isNumbered[0] && isNumbered[1])
      std::tie(numbers[0], numbers[1]) = walkInGroups(inPlane);
    else
      numbers[0] = numbers[1] = inPlane;
    for (ProgramIdOp id : ids) {
      id.replaceAllUsesWith(numbers[id.getAxis()]);
      id.erase();
    }
  }

  /// Down groups of rows, column after column.
  std::pair<Value, Value> walkInGroups(Value inPlane) {
    Value height = arith::ConstantIndexOp::create(builder, loc, kGroupHeight);
    Value size = multiply(height, extents[1]);
    Value first = multiply(divide(inPlane, size), height);
    Value left = arith::SubIOp::create(builder, loc, extents[0], first);
    Value rows = arith::MinUIOp::create(builder, loc, left, height);
    Value inGroup = remainder(inPlane, size);
    return {
        arith::AddIOp::create(builder, loc, first, remainder(inGroup, rows)),
        divide(inGroup, rows)};
  }

  /// What all programs compute alike is computed once, but for tiles, which
  /// would keep their registers all the time.
  static void moveOut(scf::ForOp loop) {
    moveLoopInvariantCode(
        {&loop.getRegion()},
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [](Operation *op, Region *) {
          bool hasTile =
              llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
          return isPure(op) &&
                 (!hasTile || op->hasTrait<OpTrait::ConstantLike>());
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  }

  /// Rows of a group: on an H200 no slower than 8 (docs/decisions/0025).
  static constexpr int64_t kGroupHeight = 16;

  KernelOp kernel;
  Location loc;
  OpBuilder builder;
  SmallVector<ProgramIdOp> ids;
  std::array<bool, 3> isNumbered = {};
  /// Of the axes along which programs are numbered.
  std::array<Value, 3> extents;
};

struct Persist : tilewright::tile::impl::TilePersistBase<Persist> {
  using TilePersistBase::TilePersistBase;

  /// Enough for those of a few channels.
  static constexpr int64_t kMbarrierBytes = 512;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GpuTarget target = getTargetOrDefault(kernel);
    if (!enable || !target.tma || kernel.getPersistent() ||
        !kernel.getBody().hasOneBlock() || talksToOthers(kernel))
      return;
    int stages =
        numStages != 0 ? numStages.getValue() : kernel.getNumStagesOrDefault();
    bool isNumbered =
        kernel.walk([](ProgramIdOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!isNumbered)
      return;
    // With room for two blocks, one stores while the other computes.
    int64_t ahead = countBytesAhead(kernel, stages);
    int64_t limit = target.maxSharedBytesPerBlock;
    if (2 * ahead > limit &&
        hasRoomBeside(kernel, limit - ahead - kMbarrierBytes))
      ProgramLoop(kernel).make();
  }
};
} // namespace
