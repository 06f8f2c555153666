//===- BulkCopies.cpp - Boxes of views, copied by the hardware ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/AsyncCopy.h"
#include "Threads/Clusters.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "tilewright/Spec/TensorMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// A coordinate of a box, 32 bits with a sign: where it does not fit, the box
/// is outside of any view all the same.
static Value toCoordinate(OpBuilder &builder, Location loc, Value offset) {
  auto limit = [&](int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  // Far enough from the ends of 32 bits for what later boxes of a tile add.
  constexpr int64_t most = int64_t(1) << 30;
  offset = arith::MinSIOp::create(builder, loc, offset,
                                  limit(spec::TensorMap::maxExtent));
  offset = arith::MaxSIOp::create(builder, loc, offset, limit(-most));
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), offset);
}

static Value multiply(OpBuilder &builder, Location loc, Value number,
                      int64_t by) {
  return arith::MulIOp::create(
      builder, loc, number, arith::ConstantIntOp::create(builder, loc, by, 32));
}

/// "{$3, $4}", of `rank` operands from `first` on.
static std::string listCoordinates(unsigned first, size_t rank) {
  std::string list = listOperands(first, rank);
  // Of a vector of one PTX wants the braces, too.
  return rank == 1 ? "{" + list + "}" : list;
}

namespace {
/// The coordinates of a block as instructions have them: the dimension of rows
/// first, and last those by which a map is moved.
class Coordinates {
public:
  Coordinates(OpBuilder &builder, Location loc, const TensorBoxes &boxes,
              ValueRange offsets)
      : builder(builder), loc(loc), boxes(boxes) {
    for (Value offset : offsets)
      starts.push_back(toCoordinate(builder, loc, offset));
  }

  /// Moves on by a number of elements, or, where it is null, by nothing.
  void move(Value elements, int64_t elementBytes) {
    using spec::TensorMap;
    if (!elements)
      return;
    Value bytes =
        arith::MulIOp::create(builder, loc, elements, constant(elementBytes));
    for (unsigned dim = 0; dim < TensorMap::moveDims; ++dim) {
      int64_t shift = TensorMap::moveStepBits + dim * TensorMap::moveDimBits;
      Value part = arith::ShRUIOp::create(builder, loc, bytes, constant(shift));
      part = arith::AndIOp::create(
          builder, loc, part,
          constant((int64_t(1) << TensorMap::moveDimBits) - 1));
      moves.push_back(
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), part));
    }
  }

  /// Lets the block begin `distance` (i32) further on.
  void add(unsigned dim, Value distance) {
    starts[dim] = arith::AddIOp::create(builder, loc, starts[dim], distance);
  }

  /// Adds those of a box of the block.
  void addTo(SmallVector<Value> &operands, const TensorBoxes::Box &box) {
    for (unsigned dim : TensorBoxes::getOrder(starts.size(), boxes.rowDim))
      operands.push_back(arith::AddIOp::create(
          builder, loc, starts[dim],
          arith::ConstantIntOp::create(builder, loc, box.start[dim], 32)));
    llvm::append_range(operands, moves);
  }

private:
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }

  OpBuilder &builder;
  Location loc;
  const TensorBoxes &boxes;
  SmallVector<Value> starts, moves;
};
} // namespace

/// The coordinates of the block of a bulk copy, from or to a shared tile.
template <typename Adaptor>
static Coordinates getCoordinates(OpBuilder &builder, Location loc,
                                  Adaptor adaptor, SharedType tile,
                                  const TensorBoxes &boxes) {
  Coordinates coordinates(builder, loc, boxes, adaptor.getOffsets());
  coordinates.move(adaptor.getMoved(), getElementBytes(tile.getElementType()));
  return coordinates;
}

void tonvvm::prefetchTensorMaps(OpBuilder &builder, Location loc,
                                ValueRange maps) {
  if (maps.empty())
    return;
  Value isFirst = isFirstOfBlock(builder, loc);
  scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &, Location) {
    for (Value map : maps)
      emitPtx(builder, loc, nullptr, map, "prefetch.tensormap [$0];",
              "l,~{memory}");
    scf::YieldOp::create(builder, loc);
  });
}

/// The instruction for a box, whose coordinates are the operands behind those
/// of `constraints`. `format` takes how many they are, and their list.
static void emitForBox(OpBuilder &builder, Location loc, const char *format,
                       StringRef constraints, ValueRange operands) {
  unsigned first = constraints.count(',') + 1;
  size_t rank = operands.size() - first;
  std::string all = constraints.str();
  for (size_t dim = 0; dim < rank; ++dim)
    all += ",r";
  emitPtx(builder, loc, nullptr, operands,
          llvm::formatv(format, rank, listCoordinates(first, rank)).str(),
          all + ",~{memory}");
}

namespace {

struct TensorMapPattern : ContextPattern<TensorMapOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(TensorMapOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    unsigned number = context.tensorMaps.lookup(op);
    Attribute name = function.getSymNameAttr();
    unsigned first = function.getNumArguments() -
                     context.numGridParameters.lookup(name) -
                     context.numTensorMaps.lookup(name);
    rewriter.replaceOp(op, function.getArgument(first + number));
    return success();
  }
};

struct CopyTmaPattern : ContextPattern<CopyTmaOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(CopyTmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrier())
      return op.emitOpError("has no mbarrier to arrive at: run "
                            "tile-lower-mbarriers first");
    OpBuilder::InsertionGuard guard(rewriter);
    Value map = op.getRows() ? goOnWhereRowsAre(rewriter, op, adaptor)
                             : adaptor.getMap();
    if (op.getSharedAlong())
      copyShared(rewriter, op, adaptor, map);
    else
      copyAlone(rewriter, op, adaptor, map);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Goes on in a branch for the case that this block copies some of the rows.
  /// Gives the map for as many.
  Value goOnWhereRowsAre(OpBuilder &builder, CopyTmaOp op,
                         OpAdaptor adaptor) const {
    Location loc = op.getLoc();
    TensorBoxes boxes = *op.getDest().getType().getTensorBoxes();
    auto constant = [&](int64_t number) {
      return arith::ConstantIntOp::create(builder, loc, number, 32);
    };
    Value rows = adaptor.getRows();
    std::optional<int64_t> axis = op.getSharedAlong();
    if (axis)
      boxes = *boxes.getPart(context.getLaunchedPrograms(op)[*axis]);
    Value all = constant(boxes.extents[op.getDimAcross()]);
    if (axis) {
      Value place = getPlaceInCluster(builder, loc,
                                      context.getLaunchedPrograms(op), *axis);
      Value before = arith::MulIOp::create(builder, loc, place, all);
      rows = arith::SubIOp::create(builder, loc, rows, before);
      rows = arith::MinSIOp::create(builder, loc, rows, all);
    }
    Value isWhole = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::eq, rows, all);
    Value map = arith::SelectOp::create(builder, loc, isWhole, adaptor.getMap(),
                                        adaptor.getLast());
    Value areThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sgt, rows, constant(0));
    auto branch = scf::IfOp::create(builder, loc, areThere,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    return map;
  }

  static void copyAlone(OpBuilder &builder, CopyTmaOp op, OpAdaptor adaptor,
                        Value map) {
    Location loc = op.getLoc();
    SharedType tile = op.getDest().getType();
    TensorBoxes boxes = *tile.getTensorBoxes();
    Coordinates coordinates =
        getCoordinates(builder, loc, adaptor, tile, boxes);
    for (const TensorBoxes::Box &box : boxes.boxes) {
      SmallVector<Value> operands = {
          addBytes(builder, loc, adaptor.getDest(), box.byte), map,
          adaptor.getBarrier()};
      coordinates.addTo(operands, box);
      emitForBox(builder, loc,
                 "cp.async.bulk.tensor.{0}d.shared::cluster.global.tile."
                 "mbarrier::complete_tx::bytes [$0], [$1, {1}], [$2];",
                 "r,l,r", operands);
    }
  }

  /// This block's part, to those that share the tile.
  void copyShared(OpBuilder &builder, CopyTmaOp op, OpAdaptor adaptor,
                  Value map) const {
    Location loc = op.getLoc();
    std::array<int32_t, 3> programs = context.getLaunchedPrograms(op);
    auto axis = static_cast<unsigned>(*op.getSharedAlong());
    SharedType tile = op.getDest().getType();
    TensorBoxes boxes = *tile.getTensorBoxes()->getPart(programs[axis]);
    Coordinates coordinates =
        getCoordinates(builder, loc, adaptor, tile, boxes);
    Value place = getPlaceInCluster(builder, loc, programs, axis);
    Value dest = addBytes(builder, loc, adaptor.getDest(),
                          multiply(builder, loc, place, boxes.partBytes));
    coordinates.add(1 - boxes.rowDim,
                    multiply(builder, loc, place, boxes.partRows));
    Value blocks = getBlocksAlong(builder, loc, programs, axis);
    for (const TensorBoxes::Box &box : boxes.boxes) {
      SmallVector<Value> operands = {addBytes(builder, loc, dest, box.byte),
                                     map, adaptor.getBarrier(), blocks};
      coordinates.addTo(operands, box);
      emitForBox(builder, loc,
                 "cp.async.bulk.tensor.{0}d.shared::cluster.global.tile."
                 "mbarrier::complete_tx::bytes.multicast::cluster [$0], "
                 "[$1, {1}], [$2], $3;",
                 "r,l,r,h", operands);
    }
  }
};

struct PrefetchTmaPattern : OpConversionPattern<PrefetchTmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PrefetchTmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ViewType view = op.getTensorMap().getView().getType();
    TensorBoxes::Box box = {SmallVector<int64_t>(view.getShape().size(), 0), 0};
    TensorBoxes boxes;
    boxes.rowDim = *view.getContiguousDim();
    Coordinates coordinates(rewriter, loc, boxes, adaptor.getOffsets());
    coordinates.move(adaptor.getMoved(),
                     getElementBytes(view.getElementType()));
    SmallVector<Value> operands = {adaptor.getMap()};
    coordinates.addTo(operands, box);
    emitForBox(rewriter, loc,
               "cp.async.bulk.prefetch.tensor.{0}d.L2.global.tile [$0, {1}];",
               "l", operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreTmaPattern : OpConversionPattern<StoreTmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreTmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedType tile = op.getSource().getType();
    TensorBoxes boxes = *op.getBoxes();
    ThreadIndex thread(rewriter, loc);
    Value isFirst =
        op.getWarpgroups() ? thread.isFirstOfWarpgroup() : thread.isFirst();
    Value source = adaptor.getSource();
    Coordinates coordinates =
        getCoordinates(rewriter, loc, adaptor, tile, boxes);
    if (op.getWarpgroups()) {
      Value group = thread.getWarpgroup();
      source = addBytes(rewriter, loc, source,
                        multiply(rewriter, loc, group, boxes.partBytes));
      coordinates.add(1 - boxes.rowDim,
                      multiply(rewriter, loc, group, boxes.partRows));
    }
    for (const TensorBoxes::Box &box : boxes.boxes) {
      SmallVector<Value> operands = {isFirst, adaptor.getMap(),
                                     addBytes(rewriter, loc, source, box.byte)};
      coordinates.addTo(operands, box);
      emitForBox(rewriter, loc,
                 "@$0 cp.async.bulk.tensor.{0}d.global.shared::cta.tile."
                 "bulk_group [$1, {1}], [$2];",
                 "b,l,r", operands);
    }
    emitPtx(rewriter, loc, nullptr, isFirst, "@$0 cp.async.bulk.commit_group;",
            "b,~{memory}");
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreTmaWaitPattern : OpConversionPattern<StoreTmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreTmaWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitWaitForStores(rewriter, op.getLoc(), op.getRead());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateBulkCopyPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const LoweringContext &context) {
  patterns.add<TensorMapPattern, CopyTmaPattern>(
      converter, patterns.getContext(), context);
  patterns.add<PrefetchTmaPattern, StoreTmaPattern, StoreTmaWaitPattern>(
      converter, patterns.getContext());
}
