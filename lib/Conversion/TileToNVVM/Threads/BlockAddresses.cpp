//===- BlockAddresses.cpp - Where a block of a view lies --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/BlockAddresses.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

BlockAddresses::BlockAddresses(OpBuilder &builder, Location loc,
                               ThreadIndex &thread, tile::ViewType type,
                               ValueRange view, ValueRange starts,
                               const LinearLayout &registers,
                               const BlockRanges *ranges)
    : builder(builder), loc(loc), base(view.front()), registers(registers),
      ranges(ranges) {
  // Addresses only need the size of an element.
  elementType = IntegerType::get(
      builder.getContext(), 8 * tile::getElementBytes(type.getElementType()));
  dims.resize(starts.size());
  size_t nextPart = 1;
  auto getPart = [&](int64_t constantPart) {
    return ShapedType::isDynamic(constantPart) ? view[nextPart++]
                                               : constant(constantPart);
  };
  for (auto [dim, extent] : llvm::zip_equal(dims, type.getShape()))
    dim.extent = getPart(extent);
  for (auto [dim, stride] : llvm::zip_equal(dims, type.getStrides()))
    dim.stride = getPart(stride);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    dim.start = starts[index];
    dim.thread = thread.getCoordinate(registers, index);
  }
}

Value BlockAddresses::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value BlockAddresses::getCoordinate(Dim &dim, int32_t part) {
  Value &coordinate = dim.coordinates[part];
  if (coordinate)
    return coordinate;
  if (part != 0 && dim.thread.isDisjoint(part)) {
    Value first = getCoordinate(dim, 0);
    return coordinate =
               arith::AddIOp::create(builder, loc, first, constant(part));
  }
  Value inBlock = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(), dim.thread.get(builder, loc, part));
  return coordinate = arith::AddIOp::create(builder, loc, dim.start, inBlock);
}

/// Whether a number has 32 bits, widened with a sign, or without one.
static bool isNarrow(Value value, bool isSigned) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return isSigned ? llvm::isInt<32>(*constant) : llvm::isUInt<32>(*constant);
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isNarrow(select.getTrueValue(), isSigned) &&
           isNarrow(select.getFalseValue(), isSigned);
  Operation *op = value.getDefiningOp();
  bool isWidened = isSigned
                       ? isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op)
                       : isa_and_nonnull<arith::IndexCastUIOp>(op);
  if (!isWidened || op->getOperand(0).getType().isIndex())
    return false;
  Value from = op->getOperand(0);
  return from.getType().getIntOrFloatBitWidth() <= 32 ||
         isNarrow(from, isSigned);
}

/// Whether coordinates can be compared in 32 bits. Those from the start of a
/// view have 31; others wrap where they are negative or pass 2^31, and are
/// then past an end that has 31.
static bool isComparedNarrow(Value start, Value extent) {
  if (getConstantIntValue(start) == 0 && isNarrow(extent, /*isSigned=*/false))
    return true;
  return isNarrow(start, /*isSigned=*/true) &&
         isNarrow(extent, /*isSigned=*/true);
}

Value BlockAddresses::isInside(Dim &dim, int32_t part) {
  Value coordinate, extent = dim.extent;
  if (isComparedNarrow(dim.start, dim.extent)) {
    Type narrow = builder.getI32Type();
    coordinate = builder.createOrFold<arith::AddIOp>(
        loc, dim.thread.get(builder, loc, part),
        builder.createOrFold<arith::IndexCastOp>(loc, narrow, dim.start));
    extent = builder.createOrFold<arith::IndexCastOp>(loc, narrow, extent);
  } else {
    coordinate = getCoordinate(dim, part);
  }
  // Negative coordinates are large unsigned ones.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               coordinate, extent);
}

Value BlockAddresses::addElements(Value pointer, Value elements) {
  Value offset = builder.createOrFold<arith::IndexCastOp>(
      loc, builder.getI64Type(), elements);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), elementType,
                             pointer, ArrayRef<LLVM::GEPArg>{offset});
}

Value BlockAddresses::getThreadPointer(const LinearLayout::Point &parts) {
  Value &pointer = threadPointers[parts];
  if (pointer)
    return pointer;
  Value sum = constant(0);
  for (auto [dim, part] : llvm::zip_equal(dims, parts)) {
    Value term = arith::MulIOp::create(builder, loc, getCoordinate(dim, part),
                                       dim.stride);
    sum = arith::AddIOp::create(builder, loc, sum, term);
  }
  return pointer = addElements(base, sum);
}

Value BlockAddresses::getPointer(unsigned reg) {
  LinearLayout::Point point = registers.apply({{"register", reg}});
  LinearLayout::Point entangled = point;
  for (auto [dim, part] : llvm::zip_equal(dims, entangled))
    if (dim.thread.isDisjoint(part))
      part = 0;
  Value pointer = getThreadPointer(entangled);
  for (auto [dim, part, inThread] : llvm::zip_equal(dims, point, entangled)) {
    if (part == inThread)
      continue;
    // A stride of 1 makes a constant of it, which the instruction takes.
    Value elements =
        builder.createOrFold<arith::MulIOp>(loc, constant(part), dim.stride);
    pointer = addElements(pointer, elements);
  }
  return pointer;
}

std::optional<bool> BlockAddresses::isKnownInside(unsigned reg,
                                                  unsigned dim) const {
  if (!ranges)
    return std::nullopt;
  const auto &[start, extent] = ranges->dims[dim];
  auto [least, most] = getCoordinates(registers, reg, dim);
  bool overflows = false;
  APInt first = start.smin().sadd_ov(APInt(64, least), overflows);
  bool lastOverflows = false;
  APInt last = start.smax().sadd_ov(APInt(64, most), lastOverflows);
  // Negative coordinates are large unsigned ones.
  if (overflows || lastOverflows || first.isNegative())
    return std::nullopt;
  return areKnownInside(ConstantIntRanges::fromSigned(first, last), extent);
}

Value BlockAddresses::isInside(unsigned reg) {
  LinearLayout::Point point = registers.apply({{"register", reg}});
  Value all;
  for (auto [index, dim, part] : llvm::enumerate(dims, point)) {
    Value &inside = dim.inside[part];
    if (std::optional<bool> known = isKnownInside(reg, index))
      inside = arith::ConstantIntOp::create(builder, loc, *known, /*width=*/1);
    if (!inside)
      inside = isInside(dim, part);
    all = combine(builder, loc, all, inside);
  }
  return all;
}
