//===- RowBlock.cpp - Where rows that begin anywhere lie ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowBlock.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value NumberBuilder::getGlobal(Value address) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
  return LLVM::IntToPtrOp::create(builder, pointer, address);
}

RowBlock::RowBlock(ImplicitLocOpBuilder &builder, tile::ViewType type,
                   ValueRange view, ValueRange offsets, ArrayRef<int64_t> shape)
    : NumberBuilder(builder),
      elementBytes(tile::getElementBytes(type.getElementType())),
      rowDim(*type.getContiguousDim()), dims(shape.size()) {
  size_t nextPart = 1;
  auto getPart = [&](int64_t known) {
    return ShapedType::isDynamic(known) ? fromIndex(view[nextPart++])
                                        : constant(known, 64);
  };
  SmallVector<Value> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(getPart(size));
  base = LLVM::PtrToIntOp::create(builder, builder.getI64Type(), view[0]);
  origin = base;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    int64_t extent = shape[index];
    dim.extent = extent;
    dim.stride = mul(getPart(type.getStrides()[index]), elementBytes);
    Value offset = dim.offset = fromIndex(offsets[index]);
    origin = add(origin, mul(offset, dim.stride));
    auto toElements = [&](Value number) {
      number = make<arith::MaxSIOp>(number, 0);
      return narrow(make<arith::MinSIOp>(number, extent));
    };
    std::optional<int64_t> known = getConstantIntValue(offset);
    dim.beginsInside = known && *known >= 0;
    dim.begin = dim.beginsInside ? constant(0)
                                 : toElements(sub(constant(0, 64), offset));
    dim.end = toElements(sub(sizes[index], offset));
    // An extent that stands for none is a large constant.
    std::optional<int64_t> size = getConstantIntValue(sizes[index]);
    dim.isOpen = size && *size > std::numeric_limits<int32_t>::max();
    dim.last =
        dim.isOpen ? add(offset, widen(sub(dim.end, 1))) : sub(sizes[index], 1);
  }
}

RowBlock RowBlock::permute(ArrayRef<int64_t> order) const {
  RowBlock block(*this);
  for (auto [dim, name] : llvm::enumerate(order))
    block.dims[name] = dims[dim];
  block.rowDim = order[rowDim];
  return block;
}

SmallVector<Value> RowBlock::getRow(Value number, ArrayRef<unsigned> order) {
  SmallVector<Value> row(dims.size());
  if (order.empty())
    return row;
  for (unsigned dim : order.drop_back()) {
    row[dim] = both(number, dims[dim].extent - 1);
    number = make<arith::ShRUIOp>(number, llvm::Log2_64(dims[dim].extent));
  }
  int64_t last = dims[order.back()].extent;
  row[order.back()] =
      llvm::isPowerOf2_64(last) ? both(number, last - 1) : number;
  return row;
}

Value RowBlock::isInside(ArrayRef<Value> row) {
  Value inside = constant(1, 1);
  for (auto [dim, coordinate] : llvm::zip_equal(dims, row)) {
    if (!coordinate)
      continue;
    inside = both(inside, isLess(coordinate, dim.end));
    if (!dim.beginsInside)
      inside = both(inside, isAtMost(dim.begin, coordinate));
  }
  return inside;
}

SmallVector<Value> RowBlock::clamp(ArrayRef<Value> row) {
  SmallVector<Value> nearest(row);
  for (auto [dim, coordinate] : llvm::zip_equal(dims, nearest)) {
    if (!coordinate)
      continue;
    coordinate = make<arith::MinSIOp>(coordinate, sub(dim.end, 1));
    if (!dim.beginsInside)
      coordinate = make<arith::MaxSIOp>(coordinate, dim.begin);
  }
  return nearest;
}

void RowBlock::cut(unsigned dim, Value isCut, int64_t extent) {
  Value end = dims[dim].end;
  setEnd(dim, select(isCut, make<arith::MinSIOp>(end, extent), end));
}

void RowBlock::cut(unsigned dim, Value extent) {
  setEnd(dim, make<arith::MinSIOp>(dims[dim].end, extent));
}

void RowBlock::confine(ValueRange reach) {
  if (reach.empty())
    return;
  for (auto [dim, count] : llvm::zip_equal(dims, reach))
    dim.last = make<arith::MinSIOp>(dim.last,
                                    add(dim.offset, sub(fromIndex(count), 1)));
}

void RowBlock::setEnd(unsigned dim, Value end) {
  Dim &along = dims[dim];
  if (along.isOpen)
    along.last = add(along.last, widen(sub(end, along.end)));
  along.end = end;
}

Value RowBlock::hasElements() {
  Value has = constant(1, 1);
  for (Dim &dim : dims)
    has = both(has, isLess(dim.begin, dim.end));
  return has;
}

Value RowBlock::getAddress(ArrayRef<Value> row) {
  Value address = origin;
  for (auto [dim, coordinate] : llvm::zip_equal(dims, row))
    if (coordinate)
      address = add(address, mul(widen(coordinate), dim.stride));
  return address;
}

std::pair<Value, Value> RowBlock::getBounds(Value array) {
  Value first = base, last = base;
  for (Dim &dim : dims) {
    Value far = mul(dim.last, dim.stride);
    first = add(first, make<arith::MinSIOp>(far, 0));
    last = add(last, make<arith::MaxSIOp>(far, 0));
  }
  last = add(last, elementBytes);
  if (array) {
    first = make<arith::MinUIOp>(first, array);
    last = make<arith::MaxUIOp>(last, array);
  }
  return {first, last};
}

Value RowBlock::getShift() { return both(narrow(origin), kPieceBytes - 1); }

Value RowBlock::isRun(const RowBuffer &buffer) {
  unsigned dim = buffer.order[1];
  Value is =
      both(isLess(constant(0, 64), dims[dim].stride),
           isAtMost(dims[dim].stride, constant(buffer.pitches[dim], 64)));
  for (Dim &each : dims)
    if (!each.beginsInside)
      is = both(is, isAtMost(each.begin, constant(0)));
  return is;
}

Value RowBlock::getPitch(const RowBuffer &buffer, unsigned dim) {
  if (dim == rowDim)
    return constant(elementBytes);
  if (buffer.hasShortRows() && dim == buffer.order[1])
    return select(isRun(buffer), narrow(dims[dim].stride),
                  constant(buffer.pitches[dim]));
  Value more = both(narrow(dims[dim].stride), kPieceBytes - 1);
  return add(more, buffer.pitches[dim]);
}

Value RowBlock::getByte(const RowBuffer &buffer, ArrayRef<Value> row) {
  Value byte = getShift();
  for (auto [dim, coordinate] : llvm::enumerate(row))
    if (coordinate)
      byte = add(byte, mul(coordinate, getPitch(buffer, dim)));
  return byte;
}
