//===- NarrowRows.cpp - Rows that begin anywhere, in loops ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/NarrowRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of which a word has two. Those of a word or more are moved in whole
/// lines of a warp.
static constexpr int64_t kElementBytes = 2;
/// Most threads would copy nothing of a row with fewer bytes.
static constexpr int64_t kMinCopiedRowBytes = 1024;
/// Threads that are to have room on a multiprocessor, as for keep-in-slots.
static constexpr int64_t kThreadsPerSM = 512;
/// Registers for addresses, sums of warps and what is computed.
static constexpr int64_t kRegistersBesideTiles = 40;

//===----------------------------------------------------------------------===//
// Rows in memory
//===----------------------------------------------------------------------===//

bool tilewright::tile::isNarrowRow(GlobalAccessOpInterface op) {
  MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
  auto view = access.base.getDefiningOp<ViewOp>();
  RankedTensorType tile = op.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  return view && view.getType().getContiguousDim() == tile.getRank() - 1 &&
         tile.getNumElements() == tile.getShape().back() &&
         tile.getNumElements() * bytes >= kMinCopiedRowBytes &&
         bytes == kElementBytes && op.getVectorWidth() == 1 &&
         isConstantIntValue(OpFoldResult(access.indices.back()), 0);
}

SharedType tilewright::tile::getRowBufferType(RankedTensorType tile) {
  Type type = tile.getElementType();
  RowBuffer buffer(tile.getShape(), tile.getRank() - 1, getElementBytes(type));
  return SharedType::get(
      tile.getContext(), tile.getShape(), type,
      SharedLayoutAttr::get(tile.getContext(), *buffer.getLayout()));
}

/// The number where it is not replaced by none.
static OpFoldResult getWhereThere(OpFoldResult number) {
  while (auto value = dyn_cast<Value>(number)) {
    auto choice = value.getDefiningOp<arith::SelectOp>();
    if (!choice || !isConstantIntValue(choice.getFalseValue(), 0))
      break;
    number = getAsOpFoldResult(choice.getTrueValue());
  }
  return number;
}

OpFoldResult
tilewright::tile::getColumnsOfRows(GlobalAccessOpInterface access) {
  Value view = findMemoryAccess(access, MemorySpace::Global)->base;
  return getWhereThere(view.getDefiningOp<ViewOp>().getMixedShape().back());
}

static Value clampColumns(OpBuilder &builder, Location loc,
                          OpFoldResult columns, int64_t most) {
  Value count = arith::MaxSIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, columns),
      arith::ConstantIndexOp::create(builder, loc, 0));
  return arith::MinSIOp::create(
      builder, loc, count, arith::ConstantIndexOp::create(builder, loc, most));
}

Value tilewright::tile::findLengthOfRows(OpBuilder &builder, Location loc,
                                         GlobalAccessOpInterface access) {
  return clampColumns(builder, loc, getColumnsOfRows(access),
                      access.getTileType().getNumElements());
}

namespace {
class RowFinder {
public:
  RowFinder(OpBuilder &builder, Location loc, MemoryAccess access,
            int64_t rowElements)
      : builder(builder), loc(loc), access(std::move(access)),
        view(this->access.base.getDefiningOp<ViewOp>()),
        rowElements(rowElements) {}

  /// The row in memory; without elements where `exists` is given and false.
  RowInMemory find(Value exists) { return {getPointer(), getCount(exists)}; }

  TypedValue<PtrType> getPointer() {
    SmallVector<OpFoldResult> strides = view.getMixedStrides();
    Value pointer = view.getBase();
    for (auto [index, stride] : llvm::zip_equal(access.indices, strides)) {
      if (isConstantIntValue(OpFoldResult(index), 0))
        continue;
      Value elements =
          arith::MulIOp::create(builder, loc, index, getIndex(stride));
      Value wide = arith::IndexCastOp::create(builder, loc,
                                              builder.getI64Type(), elements);
      pointer =
          AddPtrOp::create(builder, loc, pointer.getType(), pointer, wide);
    }
    return cast<TypedValue<PtrType>>(pointer);
  }

private:
  Value getCount(Value exists) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value count =
        clampColumns(builder, loc, view.getMixedShape().back(), rowElements);
    for (auto [index, extent] : llvm::drop_end(
             llvm::zip_equal(access.indices, view.getMixedShape()))) {
      // Negative coordinates are large ones.
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, index, getIndex(extent));
      Value isThere = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sgt, getIndex(extent), zero);
      inside = arith::AndIOp::create(builder, loc, inside, isThere);
      count = arith::SelectOp::create(builder, loc, inside, count, zero);
    }
    if (exists)
      count = arith::SelectOp::create(builder, loc, exists, count, zero);
    return count;
  }

  Value getIndex(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }

  OpBuilder &builder;
  Location loc;
  MemoryAccess access;
  ViewOp view;
  int64_t rowElements;
};
} // namespace

RowInMemory tilewright::tile::findRow(OpBuilder &builder, Location loc,
                                      const MemoryAccess &access,
                                      int64_t rowElements, Value exists) {
  return RowFinder(builder, loc, access, rowElements).find(exists);
}

/// The least and the most that getColumnsOfRows() may be.
static std::pair<int64_t, int64_t> getColumns(GlobalAccessOpInterface row) {
  OpFoldResult columns = getColumnsOfRows(row);
  if (std::optional<int64_t> count = getConstantIntValue(columns))
    return {*count, *count};
  const ConstantIntRanges range = NumberRanges().get(cast<Value>(columns));
  return {range.smin().getSExtValue(), range.smax().getSExtValue()};
}

IntegerAttr
tilewright::tile::getMostOfRows(ArrayRef<GlobalAccessOpInterface> rows) {
  GlobalAccessOpInterface first = rows.front();
  int64_t elements = first.getTileType().getNumElements(), most = 1;
  for (GlobalAccessOpInterface row : rows)
    most = std::clamp(getColumns(row).second, most, elements);
  // Of a register all threads have an element, or none has.
  most =
      llvm::alignTo(most, first->getParentOfType<KernelOp>().getNumThreads());
  return most < elements ? Builder(first.getContext()).getI64IntegerAttr(most)
                         : IntegerAttr();
}

IntegerAttr
tilewright::tile::getLeastOfRows(ArrayRef<GlobalAccessOpInterface> rows) {
  GlobalAccessOpInterface first = rows.front();
  int64_t least = first.getTileType().getNumElements();
  for (GlobalAccessOpInterface row : rows)
    least = std::min(getColumns(row).first, least);
  return least > 1 ? Builder(first.getContext()).getI64IntegerAttr(least)
                   : IntegerAttr();
}

//===----------------------------------------------------------------------===//
// Order in loops
//===----------------------------------------------------------------------===//

Operation *tilewright::tile::findMeeting(Block &body, Operation *after) {
  DenseSet<Operation *> stored;
  auto begin = after ? std::next(after->getIterator()) : body.begin();
  for (Operation &op : llvm::make_range(begin, body.end()))
    for (const MemoryAccess &access : getMemoryAccesses(&op)) {
      if (access.space != MemorySpace::Shared)
        continue;
      AllocSharedOp tile = getAllocation(access.base);
      if (access.isRead && stored.contains(tile))
        return &op;
      if (access.isWrite)
        stored.insert(tile);
    }
  return nullptr;
}

bool tilewright::tile::isDoneByThreads(KernelOp kernel) {
  return kernel.getClusterBlocksOrOne() == 1 &&
         !anyOpIn<ProductOpInterface, RolesOp, ChannelOp>(kernel);
}

int64_t tilewright::tile::countBlocksOfRows(KernelOp kernel, int64_t numTiles) {
  int64_t threads = int64_t(kernel.getNumWarpsOrDefault()) * lanesPerWarp;
  int64_t blocks = std::max<int64_t>(kThreadsPerSM / threads, 1);
  int64_t registers =
      kRegistersBesideTiles + numTiles * countElementsOfRow(kernel) / threads;
  int64_t held =
      getTargetOrDefault(kernel).registersPerSM / (registers * threads);
  return std::min(blocks, std::max<int64_t>(held, 2));
}

int64_t tilewright::tile::getSharedBytesOfBlock(KernelOp kernel,
                                                int64_t blocks) {
  GpuTarget target = getTargetOrDefault(kernel);
  return std::min<int64_t>(target.sharedBytesPerSM / blocks -
                               target.reservedSharedBytesPerBlock,
                           target.maxSharedBytesPerBlock);
}

int64_t tilewright::tile::countSharedBytes(KernelOp kernel) {
  return planSharedMemory(getSharedRequests(kernel), /*freeBytes=*/0).total;
}

int64_t tilewright::tile::getRoomForRows(KernelOp kernel, int64_t blocks) {
  int64_t ofBlock = getSharedBytesOfBlock(kernel, blocks);
  return std::min(2 * ofBlock / 3, ofBlock - countSharedBytes(kernel));
}
