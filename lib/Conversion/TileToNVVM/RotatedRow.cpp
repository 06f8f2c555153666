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

SmallVector<SmallVector<Value>> RotatedRow::load(ArrayRef<Vector> vectors,
                                                 Value other) {
  // All that are whole are under way before anybody waits for what is not.
  SmallVector<Value> conditions;
  SmallVector<SmallVector<Value>> loaded;
  for (ArrayRef<unsigned> vector : vectors) {
    if (vector.size() == 1) {
      conditions.push_back(nullptr);
      loaded.push_back({loadElement(vector.front(), /*behind=*/0, other)});
      continue;
    }
    Value pointer = getPointer(getCoordinate(getElement(vector.front())));
    conditions.push_back(isVector(vector.front(), vector.size()));
    loaded.push_back(loadVector(builder, loc, pointer, elementType,
                                vector.size(), conditions.back()));
  }
  for (auto [vector, condition, elements] :
       llvm::zip_equal(vectors, conditions, loaded))
    if (condition)
      elements = loadRest(vector, condition, elements, other);
  return loaded;
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
