//===- TensorMaps.cpp - Maps for what bulk copies move --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// What a launch knows
//===----------------------------------------------------------------------===//

static bool isArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
}

/// What a value is, for a reason.
static std::string nameOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? llvm::formatv("what '{0}' gives", op->getName().getStringRef())
            : std::string("carried by a loop");
}

template <typename... Args>
static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

llvm::Error MappedBlock::findBase() {
  Value base = view.getBase();
  while (auto add = base.getDefiningOp<AddPtrOp>()) {
    steps.push_back(add.getOffset());
    base = add.getPtr();
  }
  if (!isArgument(base))
    return fail("the base of a view is {0}, and no argument plus offsets",
                nameOf(base));
  argument = cast<BlockArgument>(base);
  return llvm::Error::success();
}

/// Whether no map has as many places: what is loaded without a mask has no end.
static bool isEndless(OpFoldResult extent) {
  std::optional<int64_t> places = getConstantIntValue(extent);
  return places && *places > spec::TensorMap::maxExtent;
}

llvm::Error MappedBlock::checkDim(unsigned dim, Value offset) {
  OpFoldResult stride = view.getMixedStrides()[dim];
  if (!describeNumber(stride))
    return fail("the stride of dimension {0} is {1}, which a launch does not "
                "know",
                dim, nameOf(cast<Value>(stride)));
  OpFoldResult extent = view.getMixedShape()[dim];
  if (isEndless(extent)) {
    endlessDims.push_back(dim);
    return llvm::Error::success();
  }
  if (describeNumber(extent))
    return llvm::Error::success();
  openDims.push_back(dim);
  if (getConstantIntValue(offset) == 0)
    return llvm::Error::success();
  return fail("the extent of dimension {0} is {1}, which a launch does not "
              "know, and the block does not begin at 0",
              dim, nameOf(cast<Value>(extent)));
}

bool MappedBlock::moves() {
  return !steps.empty() || !openDims.empty() || !endlessDims.empty();
}

llvm::Expected<MappedBlock> MappedBlock::of(Value view, ValueRange offsets,
                                            ArrayRef<int64_t> extents) {
  auto made = view.getDefiningOp<ViewOp>();
  if (!made)
    return fail("a view is {0}", nameOf(view));
  MappedBlock block(made);
  block.offsets = llvm::to_vector(offsets);
  block.extents = llvm::to_vector(extents);
  if (!describeArgument("", made.getType().getElementType()))
    return fail("a launch has no numbers of this type");
  if (llvm::Error error = block.findBase())
    return error;
  for (auto [dim, offset] : llvm::enumerate(offsets))
    if (llvm::Error error = block.checkDim(dim, offset))
      return error;
  int64_t most = TensorMapOp::kMaxRank;
  if (block.moves())
    most -= spec::TensorMap::moveDims;
  if (static_cast<int64_t>(extents.size()) > most)
    return fail("a view has {0} dimensions, and a map of it up to {1}",
                extents.size(), most);
  return block;
}

bool tilewright::tile::mayHaveTensorMap(GlobalAccessOpInterface access,
                                        const AxisInfoAnalysis &axes) {
  MemoryAccess memory = *findMemoryAccess(access, MemorySpace::Global);
  auto view = dyn_cast<ViewType>(memory.base.getType());
  // A thread of a small tile has no vector of 16 bytes, whatever its addresses
  // are.
  if (!view || !view.getContiguousDim() ||
      getAddressVector(access, axes).width.elements *
              getElementBytes(view.getElementType()) <
          kMapBytes)
    return false;
  auto block = MappedBlock::of(memory.base, memory.indices,
                               access.getTileType().getShape());
  if (block)
    return true;
  llvm::consumeError(block.takeError());
  return false;
}

//===----------------------------------------------------------------------===//
// The map, and a block of it
//===----------------------------------------------------------------------===//

/// A number of the launch where a kernel begins.
static Value write(OpBuilder &builder, KernelOp kernel,
                   const spec::LaunchNumber &number) {
  Location loc = kernel.getLoc();
  Value product;
  if (number.constant != 1 || number.arguments.empty())
    product = arith::ConstantIndexOp::create(builder, loc, number.constant);
  for (unsigned index : number.arguments) {
    Value factor = kernel.getArgument(index);
    if (!factor.getType().isIndex())
      factor = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          factor);
    product =
        product ? arith::MulIOp::create(builder, loc, product, factor) : factor;
  }
  return product;
}

/// The view without what the program adds, where the kernel begins.
ViewOp MappedBlock::makeView() {
  auto kernel = view->getParentOfType<KernelOp>();
  auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto writeAll = [&](ArrayRef<OpFoldResult> numbers) {
    return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
      return isa<Attribute>(number)
                 ? number
                 : OpFoldResult(
                       write(builder, kernel, *describeNumber(number)));
    });
  };
  SmallVector<OpFoldResult> shape = view.getMixedShape();
  for (unsigned dim : llvm::concat<unsigned>(openDims, endlessDims))
    shape[dim] = builder.getIndexAttr(extents[dim]);
  shape = writeAll(shape);
  SmallVector<OpFoldResult> strides = writeAll(view.getMixedStrides());
  SmallVector<int64_t> staticShape, staticStrides;
  SmallVector<Value> dynamicShape, dynamicStrides;
  dispatchIndexOpFoldResults(shape, dynamicShape, staticShape);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  auto type = ViewType::get(builder.getContext(), staticShape,
                            view.getType().getElementType(), staticStrides);
  return ViewOp::create(builder, view.getLoc(), type, argument, dynamicShape,
                        dynamicStrides, staticShape, staticStrides);
}

static bool areOneMap(TensorMapOp a, TensorMapOp b) {
  auto describe = [](TensorMapOp map) {
    return describeTensorMap(map.getView(), map.getBox(), map.getRowBytes(),
                             map.getMoves(), map.getLast());
  };
  return a.getView().getType() == b.getView().getType() &&
         describe(a) == describe(b);
}

static void eraseWithScalars(Operation *op) {
  llvm::SetVector<Operation *> scalars;
  for (Value operand : op->getOperands())
    if (Operation *scalar = operand.getDefiningOp())
      scalars.insert(scalar);
  op->erase();
  for (Operation *scalar : scalars)
    if (isOpTriviallyDead(scalar))
      eraseWithScalars(scalar);
}

TensorMapOp MappedBlock::getMap(const TensorBoxes &boxes) {
  ViewOp viewed = moves() ? makeView() : view;
  OpBuilder builder(viewed.getContext());
  builder.setInsertionPointAfter(viewed);
  auto made = TensorMapOp::create(
      builder, view.getLoc(), TensorMapType::get(builder.getContext()), viewed,
      boxes.extents, boxes.rowBytes, moves(), /*last=*/false);
  TensorMapOp found = made;
  view->getParentOfType<KernelOp>().walk([&](TensorMapOp other) {
    // One that stays where it is must be there already.
    bool isThere = moves() || other.getView() == view.getResult();
    if (other == made || !isThere || !areOneMap(other, made))
      return WalkResult::advance();
    found = other;
    return WalkResult::interrupt();
  });
  if (found == made)
    return made;
  made.erase();
  if (moves())
    eraseWithScalars(viewed);
  return found;
}

/// How many of the tile's places along an open dimension are not inside.
Value MappedBlock::getOverhang(OpBuilder &builder, unsigned dim) {
  Location loc = view.getLoc();
  Value places = arith::ConstantIndexOp::create(builder, loc, extents[dim]);
  Value extent =
      getValueOrCreateConstantIndexOp(builder, loc, view.getMixedShape()[dim]);
  Value inside = arith::MinUIOp::create(builder, loc, extent, places);
  return arith::SubIOp::create(builder, loc, places, inside);
}

Value MappedBlock::getZero(OpBuilder &builder) {
  return arith::ConstantIndexOp::create(builder, view.getLoc(), 0);
}

SmallVector<Value> MappedBlock::getOffsets(OpBuilder &builder) {
  SmallVector<Value> result = offsets;
  for (unsigned dim : openDims)
    result[dim] = getOverhang(builder, dim);
  for (unsigned dim : endlessDims)
    result[dim] = arith::MinSIOp::create(builder, view.getLoc(), offsets[dim],
                                         getZero(builder));
  return result;
}

Value MappedBlock::getMoved(OpBuilder &builder) {
  if (!moves())
    return nullptr;
  Location loc = view.getLoc();
  Value moved = getZero(builder);
  for (Value step : steps)
    moved =
        arith::AddIOp::create(builder, loc, moved,
                              getValueOrCreateCastToIndexLike(
                                  builder, loc, builder.getIndexType(), step));
  for (unsigned dim : openDims) {
    Value stride = getValueOrCreateConstantIndexOp(builder, loc,
                                                   view.getMixedStrides()[dim]);
    Value back =
        arith::MulIOp::create(builder, loc, getOverhang(builder, dim), stride);
    moved = arith::SubIOp::create(builder, loc, moved, back);
  }
  for (unsigned dim : endlessDims) {
    if (getConstantIntValue(offsets[dim]) == 0)
      continue;
    Value stride = getValueOrCreateConstantIndexOp(builder, loc,
                                                   view.getMixedStrides()[dim]);
    Value inside =
        arith::MaxSIOp::create(builder, loc, offsets[dim], getZero(builder));
    Value step = arith::MulIOp::create(builder, loc, inside, stride);
    moved = arith::AddIOp::create(builder, loc, moved, step);
  }
  return moved;
}
