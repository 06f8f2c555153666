//===- StageOperands.cpp - What operands are computed from, ahead ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/CopyEmission.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/OperandMaking.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"
#include "tilewright/Dialect/Tile/IR/MadeAgain.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESTAGEOPERANDS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether tile-lower-conversions sends what is loaded through shared memory,
/// as it is.
static bool isConverted(GlobalAccessOpInterface load) {
  Operation *op = load;
  while (op->hasOneUse()) {
    op = *op->user_begin();
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      return getLoadAhead(convert) == load;
    if (!isa<DimensionMapOpInterface>(op))
      return false;
  }
  return false;
}

/// What belongs to rows or columns is loaded by few threads, which may as well
/// have more of it each: then copies are wide enough.
static bool mayLoadWide(GlobalAccessOpInterface load) {
  return load.getTileType().getRank() == 1 &&
         llvm::none_of(load->getOperands(), isTile);
}

static void loadWide(GlobalAccessOpInterface load,
                     const AxisInfoAnalysis &axes) {
  AddressVector vector = getAddressVector(load, axes);
  int numWarps = load->getParentOfType<KernelOp>().getNumWarpsOrDefault();
  cast<RegisterLayoutOpInterface>(load.getOperation())
      .setLayout(RegisterLayoutAttr::get(
          load.getContext(),
          coalescedRows(load.getTileType().getShape(), vector.dim,
                        vector.width.elements, numWarps)));
}

/// Whether its threads, or those that may have more of it each, can copy it.
static bool isWide(GlobalAccessOpInterface load, const AxisInfoAnalysis &axes) {
  if (!mayLoadWide(load))
    return getCopyShape(load, axes).has_value();
  return getAddressVector(load, axes).width.elements *
             getElementBytes(load.getTileType().getElementType()) >=
         kMinCopyBytes;
}

static RegisterLayoutAttr getLayout(Value tile) {
  return getRegisterLayout(tile.getType());
}

namespace {
/// Makes tiles in other layouts, of what is read from shared memory and of
/// nothing.
class ReadMaker {
public:
  /// `narrowest`: the bytes of elements that may be read; `most`: of a tile.
  ReadMaker(SetVector<Operation *> &reads, int64_t narrowest, int64_t most)
      : reads(reads), narrowest(narrowest), most(most) {}

  bool canMake(Value tile) {
    if (!isTile(tile))
      return true;
    auto [known, isNew] = able.try_emplace(tile, false);
    if (!isNew)
      return known->second;
    auto op = dyn_cast_or_null<RegisterLayoutOpInterface>(tile.getDefiningOp());
    bool isAble =
        op && (reads.contains(op)
                   ? mayRead(cast<RankedTensorType>(tile.getType()))
                   : op.isCheap() &&
                         llvm::all_of(op->getOperands(), [&](Value operand) {
                           return canMake(operand);
                         }));
    return able[tile] = isAble;
  }

  Value make(Value tile, RegisterLayoutAttr layout) {
    if (Value made = found.lookup({tile, layout}))
      return made;
    auto op = cast<RegisterLayoutOpInterface>(tile.getDefiningOp());
    OpBuilder builder(op);
    Value made = makeAgain(builder, op, layout,
                           [&](Value operand, RegisterLayoutAttr needed) {
                             return make(operand, needed);
                           });
    if (auto read = made.getDefiningOp<LocalLoadOp>()) {
      reads.insert(read);
      read.setMatrix(canLoadMatrices(read.getType()));
    }
    return found[{tile, layout}] = made;
  }

private:
  bool mayRead(RankedTensorType tile) const {
    int64_t bytes = getElementBytes(tile.getElementType());
    return tile.getRank() == 1 ||
           (bytes >= narrowest && bytes * tile.getNumElements() <= most);
  }

  SetVector<Operation *> &reads;
  int64_t narrowest, most;
  DenseMap<Value, bool> able;
  DenseMap<std::pair<Value, Attribute>, Value> found;
};
} // namespace

/// Whether what is read is only given other names and types, for which nothing
/// is computed.
static bool isReadAsItIs(Value tile, const SetVector<Operation *> &reads) {
  Operation *op = tile.getDefiningOp();
  return reads.contains(op) ||
         (isa_and_nonnull<DimensionMapOpInterface, arith::BitcastOp>(op) &&
          isReadAsItIs(op->getOperand(0), reads));
}

/// Few enough to be computed rather than sent to others, by as many threads as
/// need them.
static constexpr int64_t kFewCarriedRegisters = 8;

/// What is computed from what is read, only to be converted, is read and
/// computed by the threads that need it, where that is no more for each: a
/// conversion is a way through shared memory with a barrier. Fragments are read
/// by few bytes a thread: of what is narrower, or has more bytes, than what
/// products take, runs are rather read, and converted.
static void computeWhereNeeded(ConvertLayoutOp convert,
                               SetVector<Operation *> &reads) {
  Value source = convert.getSource();
  int64_t before = getLayout(source).getNumRegisters();
  int64_t after = getLayout(convert).getNumRegisters();
  int64_t bytes = getElementBytes(convert.getType().getElementType());
  ReadMaker maker(reads, feedsProducts(convert) ? bytes : 1,
                  bytes * convert.getType().getNumElements());
  bool pays = (after <= before || after <= kFewCarriedRegisters) &&
              maker.canMake(source);
  if (!pays && !isReadAsItIs(source, reads))
    return;
  convert.replaceAllUsesWith(maker.make(source, getLayout(convert)));
  convert.erase();
}

/// Through a shared tile and back to the same threads. Returns what reads it.
static Operation *stage(GlobalAccessOpInterface load,
                        const AxisInfoAnalysis &axes) {
  Value loaded = load->getResult(0);
  RankedTensorType type = load.getTileType();
  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  Location loc = load.getLoc();
  if (mayLoadWide(load))
    loadWide(load, axes);
  auto tile = AllocSharedOp::create(builder, loc, type.getShape(),
                                    type.getElementType());
  auto store = LocalStoreOp::create(builder, loc, loaded, tile, IntegerAttr());
  auto back = LocalLoadOp::create(builder, loc, type, tile, IntegerAttr(),
                                  /*matrix=*/false);
  loaded.replaceAllUsesExcept(back, store);
  return back;
}

namespace {
struct StageOperands
    : tilewright::tile::impl::TileStageOperandsBase<StageOperands> {
  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    SmallVector<GlobalAccessOpInterface> loads;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (loop.getSingleInductionVar() && getNumStages(loop) > 1)
        collect(&loop.getLoopRegions().front()->front(), axes, loads);
    });
    SetVector<Operation *> reads;
    if (loads.empty())
      return;
    for (GlobalAccessOpInterface load : loads)
      reads.insert(stage(load, axes));
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk(
        [&](ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (ConvertLayoutOp convert : conversions)
      computeWhereNeeded(convert, reads);
    // What is left of them would be read for nobody.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  /// Loads that operands are computed from, and with them those of rows and
  /// columns, whatever is made of these.
  static void collect(Block *body, const AxisInfoAnalysis &axes,
                      SmallVectorImpl<GlobalAccessOpInterface> &loads) {
    SetVector<Operation *> making = findOperandMaking(body);
    SmallVector<GlobalAccessOpInterface> found;
    bool computes = false;
    for (auto load : body->getOps<GlobalAccessOpInterface>()) {
      bool isMaking = making.contains(load);
      if ((!isMaking && load.getTileType().getRank() > 1) ||
          !mayBeStaged(load, axes))
        continue;
      found.push_back(load);
      computes |= isMaking;
    }
    if (computes)
      loads.append(found);
  }

  static bool mayBeStaged(GlobalAccessOpInterface load,
                          const AxisInfoAnalysis &axes) {
    return isPlainLoad(load) && isTile(load->getResult(0)) &&
           getLayout(load->getResult(0)) &&
           isMemoryElementType(load.getTileType().getElementType()) &&
           !isConverted(load) && findCoordinatesAhead(load) &&
           isWide(load, axes);
  }
};
} // namespace
