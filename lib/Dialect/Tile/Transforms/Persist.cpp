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

namespace {
/// What of a kernel's products speaks against a loop around it.
struct Products {
  /// Of the operands that their loops fetch ahead.
  int64_t bytesAhead = 0;
  /// Empty where nothing does.
  std::string whyNot;
};
} // namespace

/// Large products are those by `wgmma`, which others have no part in.
static bool hasWgmma(KernelOp kernel) {
  return kernel
      .walk([](DotOp product) {
        return product.getEngineOrDefault() == Engine::Wgmma
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static Products lookAtProducts(KernelOp kernel, int numStages) {
  AxisInfoAnalysis axes(kernel);
  Products products;
  kernel.walk([&](DotOp product) {
    auto loop = dyn_cast<LoopLikeOpInterface>(product->getParentOp());
    if (product.getEngineOrDefault() != Engine::Wgmma)
      products.whyNot = "one of its products is not made by wgmma";
    else if (!loop || loop->getParentOp() != kernel)
      products.whyNot = "a product stands in no loop, or in a loop in another "
                        "one or in a branch";
  });
  kernel.walk([&](ConvertLayoutOp convert) {
    if (!products.whyNot.empty() || !feedsProducts(convert))
      return;
    GlobalAccessOpInterface load = getLoadAhead(convert);
    if (!load || !mayHaveTensorMap(load, axes))
      products.whyNot = "bulk copies cannot fetch all that is multiplied";
    else
      products.bytesAhead += getStagedBytes(convert) *
                             getNumStages(convert->getParentOp(), numStages);
  });
  return products;
}

namespace {
/// Tiles that bulk copies may fetch, each of which may become the place of a
/// result of its type (tile-select-tma-loads).
class FetchedTiles {
public:
  explicit FetchedTiles(KernelOp kernel) : axes(kernel) {}

  void add(ConvertLayoutOp convert) {
    auto load = convert.getSource().getDefiningOp<GlobalAccessOpInterface>();
    if (load && mayHaveTensorMap(load, axes))
      types.push_back(getType(convert));
  }

  /// Whether the result has its place in one of those so far: each has one.
  bool takePlace(ConvertLayoutOp result) {
    auto *same = llvm::find(types, getType(result));
    if (same == types.end())
      return false;
    types.erase(same);
    return true;
  }

private:
  static Type getType(ConvertLayoutOp convert) {
    auto type = cast<RankedTensorType>(convert.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }

  AxisInfoAnalysis axes;
  SmallVector<Type> types;
};
} // namespace

/// Whether what else goes through shared memory has room beside the slots,
/// which the next program's copies fill meanwhile: each tile for itself, where
/// they follow one another, or else all of them.
static bool hasRoomBeside(KernelOp kernel, int64_t room) {
  int64_t most = 0, sum = 0, stores = 0;
  FetchedTiles fetched(kernel);
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
    bool isStored = llvm::any_of(convert->getUsers(), takesAnyLayout);
    most = std::max(most, bytes);
    sum += isStored && fetched.takePlace(convert) ? 0 : bytes;
    fetched.add(convert);
    isStraight &= convert->getParentOp() == kernel;
    stores += isStored;
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
    if (!getTargetOrDefault(kernel).tma || kernel.getPersistent() ||
        !hasWgmma(kernel))
      return;
    std::string why = whyNot(kernel);
    if (why.empty())
      return ProgramLoop(kernel).make();
    kernel.emitRemark("its blocks run one program each: ") << why;
    kernel->setAttr(kPersistReasonAttr,
                    StringAttr::get(kernel.getContext(), why));
  }

private:
  std::string whyNot(KernelOp kernel) {
    if (!enable)
      return "bulk copies are turned off (--tensor-maps=false)";
    if (talksToOthers(kernel))
      return "programs print, check, or have atomic or volatile accesses";
    bool isNumbered =
        kernel.walk([](ProgramIdOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!isNumbered)
      return "programs do not ask for their numbers (tile.program_id)";
    int stages =
        numStages != 0 ? numStages.getValue() : kernel.getNumStagesOrDefault();
    Products products = lookAtProducts(kernel, stages);
    if (!products.whyNot.empty())
      return products.whyNot;
    // With room for two blocks, one stores while the other computes.
    int64_t limit = getTargetOrDefault(kernel).maxSharedBytesPerBlock;
    if (2 * products.bytesAhead <= limit)
      return "two blocks have room on a multiprocessor, of which one stores "
             "while the other one computes; larger tiles or more stages leave "
             "room for one";
    if (!hasRoomBeside(kernel, limit - products.bytesAhead - kMbarrierBytes))
      return "what is stored has no room in shared memory beside the slots; "
             "use "
             "fewer stages or smaller tiles";
    return "";
  }
};
} // namespace
