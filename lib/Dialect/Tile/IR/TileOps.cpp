//===- TileOps.cpp - Verifiers and folders of tile ops ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "TileOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Checks that several ops share
//===----------------------------------------------------------------------===//

LogicalResult tile::verifyVectorWidth(Operation *op,
                                      std::optional<int64_t> width,
                                      int64_t most) {
  if (width && (*width <= 0 || *width > most || !llvm::isPowerOf2_64(*width)))
    return op->emitOpError("vector_width is a power of two from 1 to ")
           << most << ", not " << *width;
  return success();
}

static LogicalResult verifyBlockAccess(Operation *op, ViewType view,
                                       size_t numOffsets,
                                       RankedTensorType tile) {
  auto rank = static_cast<int64_t>(view.getShape().size());
  if (static_cast<int64_t>(numOffsets) != rank || tile.getRank() != rank)
    return op->emitOpError("view, coordinates and tile have one rank: the view "
                           "has ")
           << rank << ", the coordinates " << numOffsets << ", the tile "
           << tile.getRank();
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError("a view of ")
           << view.getElementType() << " holds no elements of type "
           << tile.getElementType();
  return success();
}

static LogicalResult verifySharedAccess(Operation *op, RankedTensorType tile,
                                        SharedType shared) {
  if (tile.getShape() != shared.getShape())
    return op->emitOpError("tile and shared tile have one shape");
  if (SharedLayoutAttr layout = shared.getLayout();
      layout && layout.getShape() != shared.getShape())
    return op->emitOpError("a shared tile with stages is accessed one stage at "
                           "a time: tile.subview takes one");
  if (tile.getElementType() != shared.getElementType())
    return op->emitOpError("a shared tile of ")
           << shared.getElementType() << " holds no elements of type "
           << tile.getElementType();
  return success();
}

/// Element types agree, and in a placed program the layout of the source is
/// what the result's asks for. Comes after the shapes: a layout of the wrong
/// shape says nothing.
static LogicalResult verifyLayouts(RegisterLayoutOpInterface op) {
  Operation *operation = op.getOperation();
  if (getElementTypeOrSelf(operation->getOperand(0)) !=
      getElementTypeOrSelf(operation->getResult(0)))
    return operation->emitOpError("source and result have one element type");
  RegisterLayoutAttr source =
      getRegisterLayout(operation->getOperand(0).getType());
  RegisterLayoutAttr result =
      getRegisterLayout(operation->getResult(0).getType());
  if (!source && !result)
    return success();
  if (!source || !result)
    return operation->emitOpError(
        "source and result both have a layout, or neither has");
  RegisterLayoutAttr expected = op.inferOperandLayout(0, result);
  if (expected == source)
    return success();
  return operation->emitOpError("the result's layout needs the source in ")
         << expected;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ViewOp::getMixedShape() {
  return getMixedValues(getStaticShape(), getShape(), getContext());
}

SmallVector<OpFoldResult> ViewOp::getMixedStrides() {
  return getMixedValues(getStaticStrides(), getStrides(), getContext());
}

LogicalResult ViewOp::verify() {
  ViewType type = getType();
  if (getBase().getType().getElementType() != type.getElementType())
    return emitOpError("pointer and view have one element type");
  size_t rank = type.getShape().size();
  if (getStaticShape().size() != rank || getStaticStrides().size() != rank)
    return emitOpError("a view of rank ")
           << rank << " needs " << rank << " extents and " << rank
           << " strides, not " << getStaticShape().size() << " and "
           << getStaticStrides().size();
  if (getStaticShape() != type.getShape())
    return emitOpError("constant extents stand in the type too, values as ?");
  if (getStaticStrides() != type.getStrides())
    return emitOpError("constant strides stand in the type too, values as ?");
  auto countDynamic = [](ArrayRef<int64_t> list) {
    return llvm::count(list, ShapedType::kDynamic);
  };
  if (countDynamic(getStaticShape()) !=
          static_cast<int64_t>(getShape().size()) ||
      countDynamic(getStaticStrides()) !=
          static_cast<int64_t>(getStrides().size()))
    return emitOpError("each ? of a list has its value");
  return success();
}

/// Whether all that is done with a view is to load tiles with rows along a
/// dimension.
static bool isReadAlong(ViewOp view, unsigned dim) {
  return llvm::all_of(view->getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LoadViewOp>(user);
    return load && load.getType().getDimSize(dim) > 1;
  });
}

/// The dimension along which elements follow one another, of several the last
/// one of more than one place.
static std::optional<unsigned> findRowDim(ViewOp view) {
  SmallVector<OpFoldResult> shape = view.getMixedShape();
  SmallVector<OpFoldResult> strides = view.getMixedStrides();
  std::optional<unsigned> found = view.getType().getContiguousDim();
  if (found && !isOneInteger(shape[*found]))
    return found;
  for (unsigned dim : llvm::seq<unsigned>(shape.size()))
    if (isOneInteger(strides[dim]) && !isOneInteger(shape[dim]) &&
        isReadAlong(view, dim))
      found = dim;
  if (!found)
    for (unsigned dim : llvm::seq<unsigned>(shape.size()))
      if (isOneInteger(strides[dim]))
        found = dim;
  return found;
}

// The contiguous dimension is one of the type, where it can be. The stride of a
// dimension of one place does not matter, so that it keeps vectors aligned.
LogicalResult ViewOp::canonicalize(ViewOp view, PatternRewriter &rewriter) {
  constexpr int64_t alignedStride = 32;
  std::optional<unsigned> rowDim = findRowDim(view);
  // Regions carry views of one type.
  auto isAccess = [](Operation *user) {
    return isa<MemoryAccessOpInterface>(user);
  };
  if (!rowDim || !llvm::all_of(view->getUsers(), isAccess))
    return failure();
  SmallVector<OpFoldResult> mixed = view.getMixedStrides();
  mixed[*rowDim] = rewriter.getIndexAttr(1);
  for (auto [dim, extent] : llvm::enumerate(view.getMixedShape()))
    if (dim != *rowDim && isOneInteger(extent) && isOneInteger(mixed[dim]) &&
        isReadAlong(view, *rowDim))
      mixed[dim] = rewriter.getIndexAttr(alignedStride);
  SmallVector<int64_t> strides;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(mixed, values, strides);
  if (ArrayRef(strides) == view.getStaticStrides())
    return failure();
  ViewType type = view.getType();
  rewriter.replaceOpWithNewOp<ViewOp>(
      view,
      ViewType::get(type.getContext(), type.getShape(), type.getElementType(),
                    strides),
      view.getBase(), view.getShape(), values, view.getStaticShape(), strides);
  return success();
}

static MemoryAccess describeView(GlobalAccessOpInterface op, Value view,
                                 ValueRange indices, Value rotation) {
  MemoryAccess access;
  access.space = MemorySpace::Global;
  access.isRead = !op.isStore();
  access.isWrite = op.isStore();
  access.base = view;
  access.indices = llvm::to_vector<3>(indices);
  access.extents = llvm::to_vector<3>(op.getTileType().getShape());
  access.isRotated = bool(rotation);
  if (!rotation && !op->hasAttr(kByWordsAttr))
    access.registers = getRegisterLayout(op.getTileType());
  return access;
}

SmallVector<MemoryAccess, 2> LoadViewOp::getMemoryAccesses() {
  return {describeView(*this, getView(), getOffsets(), getRotation())};
}

SmallVector<MemoryAccess, 2> StoreViewOp::getMemoryAccesses() {
  return {describeView(*this, getView(), getOffsets(), getRotation())};
}

/// Whether it is a row of elements side by side.
static bool isRow(ViewType view) {
  return view.getShape().size() == 1 && view.getContiguousDim() == 0u;
}

bool LoadViewOp::mayRotate() {
  return !getRotation() && isRow(getView().getType());
}

bool StoreViewOp::mayRotate() {
  return !getRotation() && isRow(getView().getType());
}

static LogicalResult verifyRotation(Operation *op, Value rotation,
                                    ViewType view) {
  if (!rotation || isRow(view))
    return success();
  return op->emitOpError("rotates the block of a view of one dimension, whose "
                         "stride is 1, and not of ")
         << view;
}

LogicalResult LoadViewOp::verify() {
  if (getOther() &&
      getOther().getType() != getView().getType().getElementType())
    return emitOpError("the value for elements outside has the element type ")
           << getView().getType().getElementType();
  if (failed(verifyBlockAccess(*this, getView().getType(), getOffsets().size(),
                               getTileType())) ||
      failed(verifyRotation(*this, getRotation(), getView().getType())))
    return failure();
  return verifyVectorWidth(*this, getVectorWidth(), maxGlobalBytesPerLane);
}

LogicalResult StoreViewOp::verify() {
  if (failed(verifyBlockAccess(*this, getView().getType(), getOffsets().size(),
                               getTileType())) ||
      failed(verifyRotation(*this, getRotation(), getView().getType())))
    return failure();
  return verifyVectorWidth(*this, getVectorWidth(), maxGlobalBytesPerLane);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1)
    return emitOpError("makes a tile of one dimension, not ")
           << type.getRank() << "; tile.expand_dims adds dimensions";
  unsigned bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  auto start = static_cast<int64_t>(getStart());
  int64_t last = 0;
  if (llvm::AddOverflow(start, type.getNumElements() - 1, last) ||
      !llvm::isIntN(bits, start) || !llvm::isIntN(bits, last))
    return emitOpError("numbers from ")
           << start << " to " << start << " + " << type.getNumElements() - 1
           << " do not fit " << type.getElementType();
  return success();
}

LogicalResult SplatOp::verify() {
  if (cast<RankedTensorType>(getType()).getElementType() !=
      getSource().getType())
    return emitOpError("a tile of a scalar has elements of its type, ")
           << getSource().getType();
  return success();
}

static RankedTensorType getSourceTile(Operation *op) {
  return cast<RankedTensorType>(op->getOperand(0).getType());
}
static RankedTensorType getResultTile(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> shape(getSourceTile(*this).getShape());
  if (getAxis() > shape.size())
    return emitOpError("axis ")
           << getAxis() << " is outside of a result of rank "
           << shape.size() + 1;
  shape.insert(shape.begin() + getAxis(), 1);
  if (getResultTile(*this).getShape() != ArrayRef(shape))
    return emitOpError("the result has the source's shape with a 1 at axis ")
           << getAxis();
  return verifyLayouts(*this);
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> source = getSourceTile(*this).getShape();
  ArrayRef<int64_t> result = getResultTile(*this).getShape();
  bool isBroadcast =
      source.size() == result.size() &&
      llvm::all_of(llvm::zip_equal(source, result), [](auto extents) {
        auto [from, to] = extents;
        return from == to || from == 1;
      });
  if (!isBroadcast)
    return emitOpError("keeps the rank, and repeats only dimensions of extent "
                       "1");
  return verifyLayouts(*this);
}

LogicalResult ReshapeOp::verify() {
  if (getSourceTile(*this).getNumElements() !=
      getResultTile(*this).getNumElements())
    return emitOpError("source and result have as many elements, not ")
           << getSourceTile(*this).getNumElements() << " and "
           << getResultTile(*this).getNumElements();
  return verifyLayouts(*this);
}

std::optional<SmallVector<int64_t>> DimensionMapOpInterface::findPermutation() {
  auto source = dyn_cast<RankedTensorType>((*this)->getOperand(0).getType());
  auto result = cast<RankedTensorType>((*this)->getResult(0).getType());
  if (!source || source.getRank() != result.getRank())
    return std::nullopt;
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    std::optional<unsigned> from = getSourceDim(dim);
    if (!from || source.getDimSize(*from) != result.getDimSize(dim))
      return std::nullopt;
    permutation.push_back(*from);
  }
  return permutation;
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> source = getSourceTile(*this).getShape();
  ArrayRef<int64_t> permutation = getPermutation();
  if (permutation.size() != source.size() || !isPermutationVector(permutation))
    return emitOpError("needs a permutation of the dimensions, each of 0 to ")
           << source.size() - 1 << " once";
  if (getResultTile(*this).getShape() !=
      ArrayRef(applyPermutation(source, permutation)))
    return emitOpError("the result has the permuted shape of the source");
  return verifyLayouts(*this);
}

OpFoldResult TransOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() &&
                 isIdentityPermutation(getPermutation())
             ? OpFoldResult(getSource())
             : OpFoldResult();
}

LogicalResult ConvertLayoutOp::verify() {
  if (!getRegisterLayout(getSource().getType()) ||
      !getRegisterLayout(getType()))
    return emitOpError("source and result both have a layout");
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource())
                                            : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult AllocSharedOp::verify() {
  if (std::optional<int64_t> offset = getOffset())
    if (*offset < 0 || *offset % 16 != 0 || *offset > INT32_MAX)
      return emitOpError("offset counts bytes in multiples of 16 below 2^31, "
                         "not ")
             << *offset;
  if (std::optional<StringRef> layout = getLayout()) {
    llvm::Expected<SharedLayoutPolicy> policy =
        SharedLayoutPolicy::parse(*layout);
    if (!policy)
      return emitOpError(llvm::toString(policy.takeError()));
  }
  return success();
}

LogicalResult SubviewOp::verify() {
  SharedType source = getSource().getType();
  if (getSource().getDefiningOp<SubviewOp>())
    return emitOpError("takes a stage of all stages, not of one stage");
  SharedType expected;
  if (source.getShape().size() > 1 &&
      (!source.getLayout() ||
       source.getLayout().getShape() == source.getShape().drop_front()))
    expected = SharedType::get(getContext(), source.getShape().drop_front(),
                               source.getElementType(), source.getLayout());
  if (!expected)
    return emitOpError("the source has no leading dimension of stages");
  if (expected != getType())
    return emitOpError("one stage is ") << expected;
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getEachWarp() && (getWarps() || getEachWarpgroup() || getAsyncProxy()))
    return emitOpError("is of each warp, and says nothing else");
  if (!getEachWarpgroup())
    return success();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getWarps())
    return emitOpError("is of each warpgroup, or of some warps, not both");
  if (kernel && kernel.getNumWarpsOrDefault() % WarpgroupMma::warps != 0)
    return emitOpError("is of warpgroups, of 4 warps each; the kernel has ")
           << kernel.getNumWarpsOrDefault() << " warps";
  return success();
}

SmallVector<MemoryAccess, 2> LocalStoreOp::getMemoryAccesses() {
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.registers = getRegisterLayout(getTileType());
  return {write};
}

SmallVector<MemoryAccess, 2> LocalLoadOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  // ldmatrix hands what a lane reads to other lanes.
  if (!getMatrix())
    read.registers = getRegisterLayout(getTileType());
  return {read};
}

SmallVector<MemoryAccess, 2> LocalGatherOp::getMemoryAccesses() {
  return {makeRead(MemorySpace::Shared, getSource())};
}

SmallVector<MemoryAccess, 2> LocalCountOp::getMemoryAccesses() {
  MemoryAccess access = makeRead(MemorySpace::Shared, getCounts());
  access.isWrite = true;
  return {access};
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifySharedAccess(*this, getTileType(), getDest().getType())))
    return failure();
  return verifyVectorWidth(*this, getVectorWidth(), maxBytesPerLane);
}

LogicalResult LocalLoadOp::verify() {
  if (failed(verifySharedAccess(*this, getTileType(), getSource().getType())))
    return failure();
  return verifyVectorWidth(*this, getVectorWidth(), maxBytesPerLane);
}

/// Whether elements lie in order, padded or not, or may still come to.
static bool isInOrder(SharedType tile) {
  return !tile.getLayout() ||
         tile.getLayout().getLayout().pointToOffset() ==
             SharedLayout::rowMajor(tile.getShape()).pointToOffset();
}

LogicalResult LocalGatherOp::verify() {
  SharedType source = getSource().getType();
  ArrayRef<int64_t> shape = source.getShape();
  if (shape.size() != 1)
    return emitOpError("takes elements of a shared tile of one dimension, not "
                       "of ")
           << source;
  if (source.getElementType() != getElementTypeOrSelf(getType()))
    return emitOpError("gives elements of ")
           << source << " as " << getElementTypeOrSelf(getType());
  if (!isInOrder(source))
    return emitOpError("finds no elements by their numbers in ")
           << source << ", where they are in another order";
  return success();
}

LogicalResult LocalCountOp::verify() {
  SharedType counts = getCounts().getType();
  if (counts.getShape().size() != 2)
    return emitOpError("counts in rows of a shared tile of two dimensions, not "
                       "of ")
           << counts;
  if (!counts.getElementType().isInteger(32))
    return emitOpError("has counters of i32, not those of ") << counts;
  if (!isInOrder(counts))
    return emitOpError("finds no rows by their numbers in ")
           << counts << ", where they are in another order";
  return success();
}
