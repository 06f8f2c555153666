//===- ShareResults.cpp - What one thread found, for all that hold it -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESHARERESULTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// One element, of which each thread of the program holds a copy.
static LinearLayout makeLayoutOfOne(unsigned numWarps) {
  LinearLayout::Point same = {0};
  return llvm::cantFail(
      LinearLayout::create({{"lane", {llvm::Log2_32(lanesPerWarp), same}},
                            {"warp", {llvm::Log2_32(numWarps), same}}},
                           {1}));
}

namespace {
/// Takes the results of an op through shared memory.
class Sharer {
public:
  explicit Sharer(OnceOpInterface op)
      : builder(op->getContext()), loc(op.getLoc()), op(op) {
    builder.setInsertionPointAfter(op);
  }

  void run() {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      SmallVector<OpOperand *> uses = llvm::map_to_vector(
          result.getUses(), [](OpOperand &use) { return &use; });
      Value shared = shareAny(result);
      for (OpOperand *use : uses)
        use->set(shared);
    }
    op.setUnshared(true);
  }

private:
  /// Addresses and indices are numbers in shared memory.
  Value shareAny(Value value) {
    Type element = getElementTypeOrSelf(value);
    if (isa<PtrType>(element)) {
      Value number = PtrToIntOp::create(
          builder, loc, withElements(value, builder.getI64Type()), value);
      return IntToPtrOp::create(builder, loc, value.getType(),
                                shareAny(number));
    }
    if (element.isIndex()) {
      Value number = arith::IndexCastOp::create(
          builder, loc, withElements(value, builder.getI64Type()), value);
      return arith::IndexCastOp::create(builder, loc, value.getType(),
                                        shareAny(number));
    }
    return isTile(value) ? share(value) : shareScalar(value);
  }

  static Type withElements(Value value, Type element) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? Type(tile.clone(element)) : element;
  }

  Value share(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto place = AllocSharedOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
    LocalStoreOp::create(builder, loc, tile, place, IntegerAttr());
    return LocalLoadOp::create(builder, loc, type, place, IntegerAttr(),
                               /*matrix=*/false);
  }

  /// As a tile of one element.
  Value shareScalar(Value scalar) {
    unsigned numWarps = op->getParentOfType<KernelOp>().getNumWarpsOrDefault();
    auto type = RankedTensorType::get(
        {1}, scalar.getType(),
        RegisterLayoutAttr::get(builder.getContext(),
                                makeLayoutOfOne(numWarps)));
    Value all = share(SplatOp::create(builder, loc, type, scalar));
    auto element = ReduceOp::create(builder, loc, scalar.getType(), all,
                                    /*axis=*/0, /*per_warp=*/false);
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        builder.createBlock(&element.getCombiner(), {},
                            {scalar.getType(), scalar.getType()}, {loc, loc});
    YieldOp::create(builder, loc, ValueRange(body->getArgument(0)));
    return element.getResult(0);
  }

  OpBuilder builder;
  Location loc;
  OnceOpInterface op;
};

struct ShareResults
    : tilewright::tile::impl::TileShareResultsBase<ShareResults> {
  void runOnOperation() override {
    SmallVector<OnceOpInterface> ops;
    getOperation().walk([&](OnceOpInterface op) {
      if (isHeldByOthers(op))
        ops.push_back(op);
    });
    for (OnceOpInterface op : ops)
      Sharer(op).run();
  }
};
} // namespace
