//===- RowPlaces.cpp - Where a block lies that begins anywhere ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowPlaces.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static ConstantIntRanges makeRange(int64_t least, int64_t most) {
  return ConstantIntRanges::fromSigned(APInt(64, least, /*isSigned=*/true),
                                       APInt(64, most, /*isSigned=*/true));
}

RowPlaces::RowPlaces(OpBuilder &builder, Location loc, ThreadIndex &thread,
                     tile::ViewType type, ValueRange view, Value start,
                     Value rotation, int64_t extent,
                     const LinearLayout &registers, const BlockRanges *ranges)
    : builder(builder), loc(loc), elementType(type.getElementType()),
      registers(registers), extent(extent),
      bytes(tile::getElementBytes(elementType)), base(view.front()),
      start(start), ends(makeRange(0, extent)), mostRotation(extent - 1),
      thread(thread.getCoordinate(registers, 0)) {
  if (ranges)
    setRanges(*ranges);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // How many elements of the block that is; 32 bits count these.
  auto toElements = [&](Value number) {
    number = arith::MaxSIOp::create(builder, loc, number, index(0));
    number = arith::MinSIOp::create(builder, loc, number, index(extent));
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      number);
  };
  int64_t size = type.getShape().front();
  Value numElements = ShapedType::isDynamic(size) ? view[1] : index(size);
  end = toElements(arith::SubIOp::create(builder, loc, numElements, start));
  APInt known;
  if (!matchPattern(start, m_ConstantInt(&known)) || known.isNegative())
    begin = toElements(arith::SubIOp::create(builder, loc, index(0), start));
  this->rotation =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), rotation);
  Value first = arith::SubIOp::create(builder, loc, start, rotation);
  address = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(),
                                     getPointer(first));
}

void RowPlaces::setRanges(const BlockRanges &ranges) {
  const auto &[starts, extents] = ranges.dims.front();
  if (std::optional<APInt> known = starts.getConstantValue();
      !known || !known->isZero())
    return;
  ends =
      makeRange(std::clamp<int64_t>(extents.smin().getSExtValue(), 0, extent),
                std::clamp<int64_t>(extents.smax().getSExtValue(), 0, extent));
  if (ranges.rotation && !ranges.rotation->smin().isNegative())
    mostRotation =
        std::min(mostRotation, ranges.rotation->smax().getSExtValue());
}

std::optional<bool> RowPlaces::isKnownInside(ArrayRef<unsigned> vector,
                                             int64_t more) const {
  auto [first, last] = getCoordinates(registers, vector.front(), 0);
  first -= mostRotation + more;
  last += static_cast<int64_t>(vector.size()) - 1 + more;
  // Where the row is joined, elements follow the last one.
  if (first < 0)
    return std::nullopt;
  return areKnownInside(makeRange(first, last), ends);
}

Value RowPlaces::constant(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(builder, loc, value, bits);
}

Value RowPlaces::getElement(unsigned reg, unsigned behind) {
  int32_t part = registers.apply({{"register", reg}})[0];
  Value place = thread.get(builder, loc, part);
  place = arith::SubIOp::create(builder, loc, place, rotation);
  if (behind != 0)
    place = arith::AddIOp::create(builder, loc, place, constant(behind));
  return arith::AndIOp::create(builder, loc, place, constant(extent - 1));
}

Value RowPlaces::getCoordinate(Value element) {
  Value inBlock = arith::IndexCastUIOp::create(builder, loc,
                                               builder.getIndexType(), element);
  return arith::AddIOp::create(builder, loc, start, inBlock);
}

Value RowPlaces::isInside(Value element) {
  Value isBeforeEnd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, element, end);
  return combine(builder, loc, isBeforeEnd, isBehindBegin(element));
}

Value RowPlaces::isBehindBegin(Value element) {
  if (!begin)
    return nullptr;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, element,
                               begin);
}

Value RowPlaces::getPointer(Value coordinate) {
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            coordinate);
  auto type = IntegerType::get(builder.getContext(), 8 * bytes);
  return LLVM::GEPOp::create(builder, loc, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value RowPlaces::isAligned(unsigned count) {
  Value behind = arith::AndIOp::create(builder, loc, address,
                                       constant(count * bytes - 1, 64));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, behind,
                               constant(0, 64));
}

Value RowPlaces::loadElement(unsigned reg, unsigned behind, Value other) {
  Value element = getElement(reg, behind);
  SmallVector<Value> outside;
  if (other)
    outside.push_back(other);
  return loadVector(builder, loc, getPointer(getCoordinate(element)),
                    elementType, 1, isInside(element), outside)
      .front();
}

SmallVector<Value> RowPlaces::loadEach(ArrayRef<unsigned> vector, Value other) {
  SmallVector<Value> each;
  for (unsigned index = 0; index < vector.size(); ++index)
    each.push_back(loadElement(vector.front(), index, other));
  return pack(builder, loc, each);
}

void RowPlaces::storeEach(ArrayRef<unsigned> vector, ArrayRef<Value> values,
                          Value predicate) {
  for (auto [index, reg] : llvm::enumerate(vector)) {
    Value element = getElement(vector.front(), index);
    storeVector(builder, loc, getPointer(getCoordinate(element)), values[reg],
                combine(builder, loc, isInside(element), predicate));
  }
}
