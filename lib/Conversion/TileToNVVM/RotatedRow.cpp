//===- RotatedRow.cpp - Vectors of a block that begins anywhere -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotatedRow.h"

#include "VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  numElements = ShapedType::isDynamic(type.getShape().front())
                    ? view[1]
                    : Value(arith::ConstantIndexOp::create(
                          builder, loc, type.getShape().front()));
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

Value RotatedRow::isInside(Value coordinate) {
  // Negative coordinates are large unsigned ones.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               coordinate, numElements);
}

Value RotatedRow::getPointer(Value coordinate) {
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            coordinate);
  auto type = IntegerType::get(builder.getContext(), 8 * bytes);
  return LLVM::GEPOp::create(builder, loc, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value RotatedRow::isVector(unsigned reg, unsigned count) {
  Value element = getElement(reg), coordinate = getCoordinate(element);
  Value last = arith::AddIOp::create(
      builder, loc, coordinate,
      arith::ConstantIndexOp::create(builder, loc, count - 1));
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                        element, constant(extent - count));
  Value isAligned = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(builder, loc, address,
                            constant(count * bytes - 1, 64)),
      constant(0, 64));
  Value all = combine(builder, loc, isInside(coordinate), isInside(last));
  return combine(builder, loc, combine(builder, loc, all, isWhole), isAligned);
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

/// The words of a vector that begins so many bytes behind the first of two that
/// follow each other: words are chosen by the bits of how many are passed over,
/// and what is less than a word is shifted.
static SmallVector<Value> shiftWords(OpBuilder &builder, Location loc,
                                     SmallVector<Value> words, Value bytes) {
  unsigned wordBits = words.front().getType().getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  size_t count = words.size() / 2;
  for (size_t step = count / 2; step != 0; step /= 2) {
    Value isFar = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(
            builder, loc, bytes,
            constant(static_cast<int64_t>(step) * wordBits / 8)),
        constant(0));
    SmallVector<Value> chosen;
    for (size_t index = 0; index + step < words.size(); ++index)
      chosen.push_back(arith::SelectOp::create(
          builder, loc, isFar, words[index + step], words[index]));
    words = chosen;
  }
  if (wordBits == 32) {
    Value bits = arith::ShLIOp::create(
        builder, loc, arith::AndIOp::create(builder, loc, bytes, constant(3)),
        constant(3));
    for (size_t index = 0; index < count; ++index)
      words[index] = emitPtx(builder, loc, words[index].getType(),
                             {words[index], words[index + 1], bits},
                             "shf.r.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r");
  }
  words.truncate(count);
  return words;
}

RotatedRow::Loaded RotatedRow::loadShifted(ArrayRef<unsigned> vector) {
  auto count = static_cast<int64_t>(vector.size());
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  Value element = getElement(vector.front());
  // All vectors of the tile are as far behind one of memory.
  Value behind = arith::TruncIOp::create(
      builder, loc, builder.getI32Type(),
      arith::AndIOp::create(builder, loc, address,
                            constant(count * bytes - 1, 64)));
  Value elementsBehind = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(),
      arith::ShRUIOp::create(builder, loc, behind,
                             constant(llvm::Log2_64(bytes))));
  Value first = arith::SubIOp::create(builder, loc, getCoordinate(element),
                                      elementsBehind);
  Value second = arith::AddIOp::create(builder, loc, first, index(count));
  Value end = arith::AddIOp::create(builder, loc, first, index(2 * count));
  Value condition =
      compare(arith::CmpIPredicate::ule, element, constant(extent - count));
  condition = combine(builder, loc, condition,
                      compare(arith::CmpIPredicate::sge, first, index(0)));
  condition = combine(builder, loc, condition,
                      compare(arith::CmpIPredicate::sle, end, numElements));
  SmallVector<Value> words;
  for (Value coordinate : {first, second})
    llvm::append_range(words,
                       pack(builder, loc,
                            loadVector(builder, loc, getPointer(coordinate),
                                       elementType, vector.size(), condition)));
  return {condition,
          unpack(builder, loc, shiftWords(builder, loc, words, behind),
                 elementType)};
}

Value RotatedRow::loadElement(unsigned reg, unsigned behind, Value other) {
  Value coordinate = getCoordinate(getElement(reg, behind));
  SmallVector<Value> outside;
  if (other)
    outside.push_back(other);
  return loadVector(builder, loc, getPointer(coordinate), elementType, 1,
                    isInside(coordinate), outside)
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
      Value coordinate = getCoordinate(getElement(first, index));
      storeVector(builder, loc, getPointer(coordinate), elements[index],
                  combine(builder, loc, isInside(coordinate), predicate));
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
