//===- DivideProducts.cpp - Blocks that sum parts of K --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Products/BehindProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEDIVIDEPRODUCTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// One element for each register of each thread, so that a warp has 16 bytes of
/// each lane side by side.
static RankedTensorType getThreadOrder(RankedTensorType tile) {
  RegisterLayoutAttr layout = getRegisterLayout(tile);
  unsigned ofVector =
      llvm::Log2_64(maxBytesPerLane / getElementBytes(tile.getElementType()));
  unsigned bits = 0;
  auto take = [&](unsigned count) {
    std::vector<LinearLayout::Point> bases;
    bases.reserve(count);
    for (unsigned bit = 0; bit < count; ++bit)
      bases.push_back({1 << bits++});
    return bases;
  };
  unsigned ofRegisters = llvm::Log2_64(layout.getNumRegisters());
  unsigned inVector = std::min(ofVector, ofRegisters);
  std::vector<LinearLayout::Point> registers = take(inVector);
  std::vector<LinearLayout::Point> lanes = take(llvm::Log2_32(lanesPerWarp));
  std::vector<LinearLayout::Point> warps =
      take(llvm::Log2_64(layout.getNumWarps()));
  llvm::append_range(registers, take(ofRegisters - inVector));
  int64_t elements = int64_t(1) << bits;
  LinearLayout order = llvm::cantFail(LinearLayout::create(
      {{"register", registers}, {"lane", lanes}, {"warp", warps}}, {elements}));
  return RankedTensorType::get(
      {elements}, tile.getElementType(),
      RegisterLayoutAttr::get(tile.getContext(), order));
}

/// From so many parts on each block adds up a slice of the sums of all. The
/// first one alone would read all that the others have, which of two is faster.
static constexpr int64_t kLeastSlices = 3;

namespace {
/// Divides the trips of a loop, each block a run of them, and has the first one
/// add up the sums of all and do what is behind the loop.
class Divider {
public:
  Divider(KernelOp kernel, scf::ForOp loop, int64_t parts)
      : kernel(kernel), loop(loop), parts(parts), loc(loop.getLoc()),
        builder(loop) {}

  void run() {
    SmallVector<Operation *> behind = getOpsBehind(loop);
    Value part = PartIdOp::create(builder, loc);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, part, constant(0));
    Value isOther = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, part, constant(0));
    divideTrips(part);
    builder.setInsertionPointAfter(loop);
    bool inSlices = parts >= kLeastSlices;
    share(inSlices ? Value() : isOther);
    PartBarrierOp::create(builder, loc);
    if (inSlices)
      addUpSlices();
    auto first =
        scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
    // The shared memory of the others is there until it is read.
    if (!inSlices)
      PartBarrierOp::create(builder, loc);
    builder.setInsertionPointToStart(first.thenBlock());
    for (const Sum &sum : sums)
      inSlices ? readWhole(sum) : addUp(sum);
    for (Operation *op : behind)
      op->moveBefore(first.thenBlock()->getTerminator());
    kernel->setAttr(kProductPartsAttr,
                    builder.getI32IntegerAttr(static_cast<int32_t>(parts)));
  }

private:
  struct Sum {
    Value whole, mine, tile;
  };

  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value ofLoop(int64_t number) {
    Type type = loop.getInductionVar().getType();
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  }

  /// The number of the first trip of a part: where the trips are not as many
  /// each, the last parts have one more, as the first block has more to do
  /// behind the loop. None of the numbers is larger than the trips.
  Value getFirstTrip(Value part, Value each, Value longer) {
    Value shorter = arith::SubIOp::create(builder, loc, ofLoop(parts), longer);
    Value beyond = arith::SubIOp::create(builder, loc, part, shorter);
    Value more = arith::MaxSIOp::create(builder, loc, beyond, ofLoop(0));
    return arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, part, each), more);
  }

  /// A part without trips has number 0 for the first and for the end, so that
  /// no bound is larger than the counter was.
  void divideTrips(Value part) {
    Type type = loop.getInductionVar().getType();
    if (type != part.getType())
      part = arith::IndexCastOp::create(builder, loc, type, part);
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value span = arith::SubIOp::create(builder, loc, upper, lower);
    span = arith::MaxSIOp::create(builder, loc, span, ofLoop(0));
    Value trips =
        arith::CeilDivUIOp::create(builder, loc, span, loop.getStep());
    Value each = arith::DivUIOp::create(builder, loc, trips, ofLoop(parts));
    Value longer = arith::RemUIOp::create(builder, loc, trips, ofLoop(parts));
    Value first = getFirstTrip(part, each, longer);
    Value next = arith::AddIOp::create(builder, loc, part, ofLoop(1));
    Value end = getFirstTrip(next, each, longer);
    auto getBound = [&](Value trip) -> Value {
      return arith::AddIOp::create(
          builder, loc, lower,
          arith::MulIOp::create(builder, loc, trip, loop.getStep()));
    };
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         end, trips);
    loop.setLowerBound(getBound(first));
    loop.setUpperBound(
        arith::SelectOp::create(builder, loc, isLast, upper, getBound(end)));
  }

  /// Puts the sums of all blocks, or of all that are not the first, into their
  /// shared memory.
  void share(Value isOther) {
    for (Value whole : loop.getResults()) {
      auto type = cast<RankedTensorType>(whole.getType());
      RankedTensorType order = getThreadOrder(type);
      Value mine = RenameRegistersOp::create(builder, loc, order, whole);
      Value tile = AllocSharedOp::create(builder, loc, order.getShape(),
                                         order.getElementType());
      sums.push_back({whole, mine, tile});
    }
    OpBuilder::InsertionGuard guard(builder);
    if (isOther) {
      auto other =
          scf::IfOp::create(builder, loc, isOther, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(other.thenBlock());
    }
    for (const Sum &sum : sums)
      LocalStoreOp::create(builder, loc, sum.mine, sum.tile, IntegerAttr());
  }

  /// A slice by each block, into the shared memory of the first one.
  void addUpSlices() {
    auto warps = static_cast<int32_t>(kernel.getNumWarpsOrDefault());
    for (const Sum &sum : sums)
      AddPartsOp::create(builder, loc, sum.tile, warps);
    PartBarrierOp::create(builder, loc);
  }

  void readWhole(const Sum &sum) {
    Value total = LocalLoadOp::create(builder, loc, sum.mine.getType(),
                                      sum.tile, IntegerAttr());
    replaceWhole(sum, total);
  }

  void replaceWhole(const Sum &sum, Value total) {
    total = RenameRegistersOp::create(builder, loc, sum.whole.getType(), total);
    Value whole = sum.whole;
    whole.replaceAllUsesExcept(total, sum.mine.getDefiningOp());
  }

  void addUp(const Sum &sum) {
    Type type = sum.mine.getType();
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
    Value total = sum.mine;
    for (int64_t part = 1; part < parts; ++part) {
      Value other = LoadPartOp::create(builder, loc, type, sum.tile,
                                       constant(part), IntegerAttr());
      total = isFloat
                  ? Value(arith::AddFOp::create(builder, loc, total, other))
                  : Value(arith::AddIOp::create(builder, loc, total, other));
    }
    replaceWhole(sum, total);
  }

  KernelOp kernel;
  scf::ForOp loop;
  int64_t parts;
  Location loc;
  OpBuilder builder;
  SmallVector<Sum> sums;
};

struct DivideProducts
    : tilewright::tile::impl::TileDivideProductsBase<DivideProducts> {
  using TileDivideProductsBase::TileDivideProductsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (parts <= 1)
      return;
    std::string why = whyNot(kernel);
    if (!why.empty()) {
      kernel.emitRemark("its products are not divided among blocks: ") << why;
      return;
    }
    Divider(kernel, getLoop(kernel), parts).run();
  }

private:
  static scf::ForOp getLoop(KernelOp kernel) {
    LoopLikeOpInterface loop = findLoopOfProducts(kernel);
    return loop ? dyn_cast<scf::ForOp>(loop.getOperation()) : scf::ForOp();
  }

  std::string whyNot(KernelOp kernel) const {
    GpuTarget target = getTargetOrDefault(kernel);
    if (parts > kMostProductParts || parts > int64_t(target.maxClusterBlocks))
      return "the target has no clusters of " + std::to_string(parts) +
             " blocks";
    if (kernel.getPersistent() || kernel.getClusterBlocks() ||
        kernel.getBlockPrograms() ||
        kernel.hasRequirement(Requirement::Persistent))
      return "blocks are given to its programs otherwise";
    if (talksToOthers(kernel))
      return "programs print, check, or have atomic or volatile accesses";
    scf::ForOp loop = getLoop(kernel);
    if (!loop || loop.getUnsignedCmp() || !onlySumsProducts(loop))
      return "it has no one loop that only sums products";
    if (storesBeforeEnd(loop))
      return "it stores before the loop of products is over";
    return whyNotSums(kernel, loop);
  }

  /// What tensor cores multiply was only timed where they have wgmma.
  static std::string whyNotSums(KernelOp kernel, scf::ForOp loop) {
    GpuTarget target = getTargetOrDefault(kernel);
    bool isTimed = target.wgmma || !anyOpIn(*loop, [](ProductOpInterface op) {
                     return !isFullProduct(op);
                   });
    if (!isTimed)
      return "its products are not all of whole f32 or f64, and the target has "
             "no wgmma";
    int64_t bytes = 0;
    for (Type type : loop.getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (!element.isF32() && !element.isF64() && !element.isInteger(32))
        return "its sums are not of f32, f64 or i32";
      RankedTensorType order = getThreadOrder(cast<RankedTensorType>(type));
      bytes += order.getNumElements() * getElementBytes(order.getElementType());
    }
    return bytes + kMbarrierBytes > int64_t(target.maxSharedBytesPerBlock)
               ? "its sums have no room in shared memory"
               : "";
  }

  /// Enough for those of a few channels, which last.
  static constexpr int64_t kMbarrierBytes = 512;
};
} // namespace
