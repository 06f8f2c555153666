//===- RowCopies.cpp - Rows that are copied ahead ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "TileOps.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.cpp.inc"

/// Whether the tile has room for one row of what the pointer points to.
static LogicalResult verifyRow(Operation *op, PtrType pointer, SharedType tile,
                               std::optional<int64_t> most) {
  Type type = tile.getElementType();
  if (pointer.getElementType() != type)
    return op->emitOpError("moves elements of one type, not between ")
           << pointer.getElementType() << " and " << type;
  if (getElementBytes(type) != 2)
    return op->emitOpError(
        "moves elements of 2 bytes, of which a word has two");
  ArrayRef<int64_t> shape = tile.getShape();
  if (tile.getNumElements() != shape.back())
    return op->emitOpError("moves one row, along the last dimension of its "
                           "shared tile");
  if (most && (*most < 1 || *most > shape.back()))
    return op->emitOpError("moves rows of 1 to ")
           << shape.back() << " elements, as its tile has them, not of at most "
           << *most;
  return verifyRoomForRows(op, tile, shape.size() - 1, "such a row");
}

SmallVector<MemoryAccess, 2> CopyRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Global, getSource());
  read.end = AccessEnd::WithGroup;
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.end = AccessEnd::WithGroup;
  return {read, write};
}

LogicalResult CopyRowOp::verify() {
  return verifyRow(*this, getSource().getType(), getDest().getType(),
                   getMost());
}

int32_t tilewright::tile::getColumnBitsOfThreads(const LinearLayout &row) {
  int32_t bits = 0;
  for (StringRef input : {"lane", "warp"})
    for (const LinearLayout::Point &basis : row.bases(input))
      bits |= basis.back();
  return bits;
}

RegisterLayoutAttr
tilewright::tile::getParityOfColumns(RegisterLayoutAttr row) {
  const LinearLayout &layout = row.getLayout();
  int32_t ofThreads = getColumnBitsOfThreads(layout);
  auto getParities = [&](StringRef input) {
    std::vector<LinearLayout::Point> parities;
    for (const LinearLayout::Point &basis : layout.bases(input))
      parities.push_back({basis.back() & 1});
    return parities;
  };
  std::vector<LinearLayout::Input> threads = {{"lane", getParities("lane")},
                                              {"warp", getParities("warp")}};
  auto isOfThreads = [&](const LinearLayout::Point &basis) {
    return (basis.back() & ofThreads) != 0;
  };
  if ((ofThreads & 1) == 0 || layout.zeroBasisMask("lane") != 0 ||
      layout.zeroBasisMask("warp") != 0 ||
      llvm::any_of(layout.bases("register"), isOfThreads))
    return nullptr;
  return RegisterLayoutAttr::get(
      row.getContext(), llvm::cantFail(LinearLayout::create(threads, {2})));
}

/// Of a tile with what is left out at both ends of a row.
static LogicalResult verifyEnds(Operation *op, Type tile, PtrType pointer) {
  auto ends = cast<RankedTensorType>(tile);
  if (ends.getShape() != ArrayRef<int64_t>(2) ||
      ends.getElementType() != pointer.getElementType() ||
      getElementBytes(pointer.getElementType()) != 2)
    return op->emitOpError("has the ends of a row of 2 bytes each, not ")
           << ends;
  RegisterLayoutAttr layout = getRegisterLayout(ends);
  if (layout && layout.getLayout().inputSize("register") != 1)
    return op->emitOpError("has one of both ends in each thread");
  return success();
}

SmallVector<MemoryAccess, 2> LoadEndsOp::getMemoryAccesses() {
  return {makeRead(MemorySpace::Global, getSource())};
}

/// An element a thread, side by side.
static RegisterLayoutAttr layOutRow(Operation *op, ArrayRef<int64_t> shape) {
  auto kernel = op->getParentOfType<KernelOp>();
  return RegisterLayoutAttr::get(
      op->getContext(),
      coalescedRows(shape, /*contiguousDim=*/shape.size() - 1,
                    /*vectorElements=*/1, kernel.getNumWarpsOrDefault()));
}

/// Where a row that is laid out so has its ends, if it has a column for each
/// thread.
static RegisterLayoutAttr layOutEnds(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t numThreads = kernel.getNumWarpsOrDefault() * lanesPerWarp;
  return getParityOfColumns(layOutRow(op, numThreads));
}

RegisterLayoutAttr LoadEndsOp::chooseLayout(const LayoutContext &) {
  return layOutEnds(*this);
}

LogicalResult LoadEndsOp::verify() {
  return verifyEnds(*this, getResult().getType(), getSource().getType());
}

SmallVector<MemoryAccess, 2> LoadRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  MemoryAccess write = makeWrite(MemorySpace::Shared, getSource());
  read.registers = getRegisterLayout(getResult().getType());
  write.registers = read.registers;
  return {read, write};
}

RegisterLayoutAttr LoadRowOp::chooseLayout(const LayoutContext &) {
  return layOutRow(*this,
                   cast<RankedTensorType>(getResult().getType()).getShape());
}

/// Of a row that has no such ends, the verifier says so.
RegisterLayoutAttr LoadRowOp::inferOperandLayout(unsigned,
                                                 RegisterLayoutAttr layout) {
  RegisterLayoutAttr parity = getParityOfColumns(layout);
  return parity ? parity : layOutEnds(*this);
}

LogicalResult LoadRowOp::verify() {
  SharedType tile = getSource().getType();
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getShape() != tile.getShape() ||
      result.getElementType() != tile.getElementType())
    return emitOpError("loads a tile as the shared one, not ") << result;
  if (failed(verifyEnds(*this, getEnds().getType(), getFrom().getType())))
    return failure();
  RegisterLayoutAttr layout = getRegisterLayout(result);
  RegisterLayoutAttr parity = layout ? getParityOfColumns(layout) : nullptr;
  if (layout && !parity)
    return emitOpError("loads a row of which each thread needs columns of its "
                       "own, all even or all odd, not ")
           << result;
  if (layout && parity != getRegisterLayout(getEnds().getType()))
    return emitOpError("has ends that are in other threads than columns that "
                       "are even, and odd, as they are");
  uint64_t most = getMost().value_or(tile.getNumElements());
  if (getLeast() && (*getLeast() < 1 || *getLeast() > most))
    return emitOpError("loads rows of 1 to ")
           << most << " elements, not of at least " << *getLeast();
  return verifyRow(*this, getFrom().getType(), tile, getMost());
}

SmallVector<MemoryAccess, 2> PlaceRowOp::getMemoryAccesses() {
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.registers = getRegisterLayout(getValue().getType());
  return {write};
}

/// Where the row is.
RegisterLayoutAttr PlaceRowOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(getValue());
  return home ? home
              : context.preferences.getDefault(
                    cast<RankedTensorType>(getValue().getType()));
}

LogicalResult PlaceRowOp::verify() {
  SharedType tile = getDest().getType();
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getShape() != tile.getShape() ||
      value.getElementType() != tile.getElementType())
    return emitOpError("places a tile as the shared one, not ") << value;
  return verifyRow(*this, getTo().getType(), tile, getMost());
}

SmallVector<MemoryAccess, 2> StoreRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  MemoryAccess write = makeWrite(MemorySpace::Global, getDest());
  return {read, write};
}

LogicalResult StoreRowOp::verify() {
  return verifyRow(*this, getDest().getType(), getSource().getType(),
                   getMost());
}

//===----------------------------------------------------------------------===//
// Rows of a warp that are one run of memory
//===----------------------------------------------------------------------===//

std::optional<RunsOfWarps> RunsOfWarps::find(RankedTensorType tile,
                                             int64_t numWarps) {
  RegisterLayoutAttr attr = getRegisterLayout(tile);
  if (!attr || tile.getRank() != 2 || tile.getDimSize(0) % numWarps != 0)
    return std::nullopt;
  const LinearLayout &layout = attr.getLayout();
  int64_t rows = tile.getDimSize(0) / numWarps;
  auto isOf = [&](StringRef input, auto mayHave) {
    return llvm::all_of(layout.bases(input), mayHave);
  };
  auto isOfWarp = [&](const LinearLayout::Point &basis) {
    return basis[0] < rows;
  };
  bool fits = isOf("register", isOfWarp) && isOf("lane", isOfWarp) &&
              isOf("warp", [&](const LinearLayout::Point &basis) {
                return basis[1] == 0 && basis[0] >= rows;
              });
  if (!fits || layout.zeroBasisMask("lane") != 0 ||
      layout.zeroBasisMask("warp") != 0)
    return std::nullopt;
  return RunsOfWarps{
      rows, tile.getDimSize(1),
      getElementBytes(
          isa<PtrType>(tile.getElementType())
              ? cast<PtrType>(tile.getElementType()).getElementType()
              : tile.getElementType()),
      llvm::any_of(layout.bases("lane"), [](const LinearLayout::Point &basis) {
        return basis[0] != 0;
      })};
}

int64_t RunsOfWarps::getBytesBeside(bool areApart) const {
  // A row that ends with a word, and begins within one, has one more.
  constexpr int64_t ofRow = 4;
  return areApart ? static_cast<int64_t>(
                        llvm::alignTo(rows * ofRow, RowBuffer::pieceBytes))
                  : 2 * RowBuffer::pieceBytes;
}

SharedType RunsOfWarps::getScratchType(RankedTensorType tile,
                                       bool areApart) const {
  Type element = cast<PtrType>(tile.getElementType()).getElementType();
  SharedLayout layout =
      SharedLayout::ordered(tile.getShape(), {1, 0})
          .withPadding(std::max<int64_t>(rows * columns / 2, 1),
                       getBytesBeside(areApart) / elementBytes);
  return SharedType::get(tile.getContext(), tile.getShape(), element,
                         SharedLayoutAttr::get(tile.getContext(), layout));
}

static LogicalResult verifyRun(Operation *op, RankedTensorType value,
                               RankedTensorType rows, SharedType scratch,
                               int64_t most, int64_t least, bool areApart) {
  Type element = cast<PtrType>(rows.getElementType()).getElementType();
  if (value.getElementType() != element || value.getShape() != rows.getShape())
    return op->emitOpError("moves what its pointers point to, and not ")
           << value;
  if (getElementBytes(element) > 4)
    return op->emitOpError("moves elements of 1, 2 or 4 bytes, not ")
           << element;
  if (!scratch.getLayout())
    return op->emitOpError("has a shared tile without a layout");
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || kernel.getCopyWarps())
    return op->emitOpError("moves rows of all warps of a kernel that has no "
                           "copy_warps");
  int64_t numWarps = kernel.getNumWarpsOrDefault();
  std::optional<RunsOfWarps> runs = RunsOfWarps::find(rows, numWarps);
  if (!runs)
    return op->emitOpError("has rows of which no warp has whole ones, side by "
                           "side");
  if (most < 1 || most > runs->columns)
    return op->emitOpError("has rows of at most 'most' columns, from 1 to ")
           << runs->columns << ", not " << most;
  if (least < 1 || least > most)
    return op->emitOpError("has rows of at least 'least' columns, from 1 to ")
           << most << ", not " << least;
  if (areApart && !runs->mayLieApart())
    return op->emitOpError("has rows apart, which have less than 8 bytes, or "
                           "elements of 1 byte");
  if (scratch.getSizeInBytes() < numWarps * runs->getBytesOfWarp(areApart))
    return op->emitOpError("has a shared tile of ")
           << scratch.getSizeInBytes() << " bytes, and needs "
           << numWarps * runs->getBytesOfWarp(areApart);
  return success();
}

/// What the warps of an op touch of its shared tile, each by itself.
template <typename Op> static MemoryAccess makeWriteOfWarps(Op op) {
  MemoryAccess write = makeWrite(MemorySpace::Shared, op.getScratch());
  auto kernel = op->template getParentOfType<KernelOp>();
  if (std::optional<RunsOfWarps> runs =
          RunsOfWarps::find(cast<RankedTensorType>(op.getRows().getType()),
                            kernel.getNumWarpsOrDefault()))
    write.warpBytes = runs->getBytesOfWarp(op.getApart());
  return write;
}

SmallVector<MemoryAccess, 2> LoadRunOp::getMemoryAccesses() {
  MemoryAccess write = makeWriteOfWarps(*this);
  return {makeRead(MemorySpace::Global, getRows()), write};
}

RegisterLayoutAttr LoadRunOp::chooseLayout(const LayoutContext &context) {
  return context.preferences.getDefault(
      cast<RankedTensorType>(getResult().getType()));
}

LogicalResult LoadRunOp::verify() {
  return verifyRun(*this, cast<RankedTensorType>(getResult().getType()),
                   cast<RankedTensorType>(getRows().getType()),
                   getScratch().getType(), getMost(), getLeast(), getApart());
}

SmallVector<MemoryAccess, 2> StoreRunOp::getMemoryAccesses() {
  MemoryAccess write = makeWriteOfWarps(*this);
  return {write, makeWrite(MemorySpace::Global, getRows())};
}

LogicalResult StoreRunOp::verify() {
  return verifyRun(*this, cast<RankedTensorType>(getValue().getType()),
                   cast<RankedTensorType>(getRows().getType()),
                   getScratch().getType(), getMost(), getLeast(), getApart());
}
