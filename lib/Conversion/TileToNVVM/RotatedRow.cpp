//===- RotatedRow.cpp - Vectors of a block that begins anywhere -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotatedRow.h"

#include "SharedAddresses.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/InlinePtx.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

RotatedRow::RotatedRow(OpBuilder &builder, Location loc, ThreadIndex &thread,
                       tile::ViewType type, ValueRange view, Value start,
                       Value rotation, int64_t extent,
                       const LinearLayout &registers)
    : builder(builder), loc(loc), elementType(type.getElementType()),
      registers(registers), extent(extent),
      bytes(tile::getElementBytes(elementType)), base(view.front()),
      start(start), thread(thread.getCoordinate(registers, 0)) {
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

Value RotatedRow::constant(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(builder, loc, value, bits);
}

Value RotatedRow::getElement(unsigned reg, unsigned behind) {
  int32_t part = registers.apply({{"register", reg}})[0];
  Value place = thread.get(builder, loc, part);
  place = arith::SubIOp::create(builder, loc, place, rotation);
  if (behind != 0)
    place = arith::AddIOp::create(builder, loc, place, constant(behind));
  return arith::AndIOp::create(builder, loc, place, constant(extent - 1));
}

Value RotatedRow::getCoordinate(Value element) {
  Value inBlock = arith::IndexCastUIOp::create(builder, loc,
                                               builder.getIndexType(), element);
  return arith::AddIOp::create(builder, loc, start, inBlock);
}

Value RotatedRow::isInside(Value element) {
  Value isBeforeEnd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, element, end);
  return combine(builder, loc, isBeforeEnd, isBehindBegin(element));
}

Value RotatedRow::isBehindBegin(Value element) {
  if (!begin)
    return nullptr;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, element,
                               begin);
}

Value RotatedRow::getPointer(Value coordinate) {
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            coordinate);
  auto type = IntegerType::get(builder.getContext(), 8 * bytes);
  return LLVM::GEPOp::create(builder, loc, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value RotatedRow::isVector(unsigned reg, unsigned count) {
  Value element = getElement(reg);
  Value isAligned = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(builder, loc, address,
                            constant(count * bytes - 1, 64)),
      constant(0, 64));
  // The same for all vectors, so that each compares once.
  Value last = arith::SelectOp::create(
      builder, loc, isAligned,
      arith::SubIOp::create(builder, loc, end, constant(count)), constant(-1));
  Value isBeforeEnd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, element, last);
  return combine(builder, loc, isBeforeEnd, isBehindBegin(element));
}

/// What can be shifted.
static constexpr int64_t kWordBytes = 4;

SmallVector<SmallVector<Value>> RotatedRow::load(ArrayRef<Vector> vectors,
                                                 Value other, bool isShifted) {
  // All that are whole are under way before anybody waits for what is not.
  SmallVector<Loaded> loaded;
  for (ArrayRef<unsigned> vector : vectors) {
    if (vector.size() == 1)
      loaded.push_back(
          {nullptr, {loadElement(vector.front(), /*behind=*/0, other)}});
    else if (isShifted && vector.size() * bytes >= kWordBytes)
      loaded.push_back(loadShifted(vector));
    else
      loaded.push_back(loadAligned(vector));
  }
  SmallVector<SmallVector<Value>> elements;
  for (auto [vector, part] : llvm::zip_equal(vectors, loaded))
    elements.push_back(
        part.condition ? loadRest(vector, part.condition, part.elements, other)
                       : part.elements);
  return elements;
}

RotatedRow::Loaded RotatedRow::loadAligned(ArrayRef<unsigned> vector) {
  Value pointer = getPointer(getCoordinate(getElement(vector.front())));
  Value condition = isVector(vector.front(), vector.size());
  return {condition, loadVector(builder, loc, pointer, elementType,
                                vector.size(), condition)};
}

RotatedRow::Loaded RotatedRow::loadShifted(ArrayRef<unsigned> vector) {
  int64_t wordBytes = std::max(bytes, kWordBytes), perWord = wordBytes / bytes;
  int64_t numWords =
      static_cast<int64_t>(vector.size()) / perWord + (perWord > 1);
  // All vectors of the tile are as far behind a word of memory.
  Value behind = arith::TruncIOp::create(
      builder, loc, builder.getI32Type(),
      arith::AndIOp::create(builder, loc, address,
                            constant(wordBytes - 1, 64)));
  Value element = getElement(vector.front());
  Value first = arith::SubIOp::create(
      builder, loc, element,
      arith::ShRUIOp::create(builder, loc, behind,
                             constant(llvm::Log2_64(bytes))));
  // How many places words may begin at; the first may be a negative number.
  Value count = arith::MaxSIOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, end,
                            constant(numWords * perWord - 1)),
      constant(0));
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, first, count);
  condition = combine(builder, loc, condition, isBehindBegin(first));
  Type word = builder.getIntegerType(8 * wordBytes);
  Value pointer = getPointer(getCoordinate(first));
  SmallVector<Value> words;
  for (int64_t index = 0; index < numWords; ++index)
    words.push_back(
        loadVector(builder, loc,
                   addBytes(builder, loc, pointer, index * wordBytes), word, 1,
                   condition)
            .front());
  return {condition,
          unpack(builder, loc, shiftWords(words, behind), elementType)};
}

SmallVector<Value> RotatedRow::shiftWords(SmallVector<Value> words,
                                          Value behind) {
  if (bytes >= kWordBytes)
    return words;
  Value bits = arith::ShLIOp::create(builder, loc, behind, constant(3));
  for (size_t index = 0; index + 1 < words.size(); ++index)
    words[index] = emitPtx(builder, loc, words[index].getType(),
                           {words[index], words[index + 1], bits},
                           "shf.r.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r");
  words.pop_back();
  return words;
}

Value RotatedRow::loadElement(unsigned reg, unsigned behind, Value other) {
  Value element = getElement(reg, behind);
  SmallVector<Value> outside;
  if (other)
    outside.push_back(other);
  return loadVector(builder, loc, getPointer(getCoordinate(element)),
                    elementType, 1, isInside(element), outside)
      .front();
}

SmallVector<Value> RotatedRow::loadRest(ArrayRef<unsigned> vector,
                                        Value condition,
                                        ArrayRef<Value> elements, Value other) {
  // Branches have the words of a vector as their results: LLVM has no elements
  // of 8 bits. They are built at the insertion point of this builder.
  SmallVector<Value> words = pack(builder, loc, elements);
  auto isThere = [&](OpBuilder &, Location) {
    scf::YieldOp::create(builder, loc, words);
  };
  auto loadEach = [&](OpBuilder &, Location) {
    SmallVector<Value> each;
    for (unsigned index = 0; index < vector.size(); ++index)
      each.push_back(loadElement(vector.front(), index, other));
    scf::YieldOp::create(builder, loc, pack(builder, loc, each));
  };
  auto branch = scf::IfOp::create(builder, loc, condition, isThere, loadEach);
  return unpack(builder, loc, llvm::to_vector_of<Value>(branch.getResults()),
                elementType);
}

void RotatedRow::store(ArrayRef<unsigned> places, ArrayRef<Value> elements,
                       Value predicate) {
  unsigned count = places.size(), first = places.front();
  auto storeEach = [&] {
    for (unsigned index = 0; index < count; ++index) {
      Value element = getElement(first, index);
      storeVector(builder, loc, getPointer(getCoordinate(element)),
                  elements[index],
                  combine(builder, loc, isInside(element), predicate));
    }
  };
  if (count == 1)
    return storeEach();
  Value pointer = getPointer(getCoordinate(getElement(first)));
  Value condition = combine(builder, loc, isVector(first, count), predicate);
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeVector(builder, loc, pointer, elements, /*predicate=*/nullptr);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeEach();
}
