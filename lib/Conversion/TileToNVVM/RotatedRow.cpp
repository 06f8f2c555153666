//===- RotatedRow.cpp - Vectors of a block that begins anywhere -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotatedRow.h"

#include "SharedAddresses.h"
#include "VectorAccess.h"
#include "WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Banks/BankModel.h"

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

Value RotatedRow::isAligned(unsigned count) {
  Value behind = arith::AndIOp::create(builder, loc, address,
                                       constant(count * bytes - 1, 64));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, behind,
                               constant(0, 64));
}

Value RotatedRow::isVector(unsigned reg, unsigned count) {
  Value element = getElement(reg);
  // The same for all vectors, so that each compares once.
  Value last = arith::SelectOp::create(
      builder, loc, isAligned(count),
      arith::SubIOp::create(builder, loc, end, constant(count)), constant(-1));
  Value isBeforeEnd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, element, last);
  return combine(builder, loc, isBeforeEnd, isBehindBegin(element));
}

/// What can be shifted.
static constexpr int64_t kWordBytes = 4;

SmallVector<SmallVector<Value>> RotatedRow::load(ArrayRef<Vector> vectors,
                                                 Value other, bool isShifted) {
  if (!isShifted && canLoadEdges(vectors))
    return loadWithEdges(vectors, other);
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

RotatedRow::Loaded RotatedRow::loadAligned(ArrayRef<unsigned> vector,
                                           Value other) {
  Value pointer = getPointer(getCoordinate(getElement(vector.front())));
  Value condition = isVector(vector.front(), vector.size());
  SmallVector<Value> outside;
  if (other)
    outside.assign(vector.size(), other);
  return {condition, loadVector(builder, loc, pointer, elementType,
                                vector.size(), condition, outside)};
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
  auto loadAll = [&](OpBuilder &, Location) {
    scf::YieldOp::create(builder, loc, loadEach(vector, other));
  };
  auto branch = scf::IfOp::create(builder, loc, condition, isThere, loadAll);
  return unpack(builder, loc, llvm::to_vector_of<Value>(branch.getResults()),
                elementType);
}

SmallVector<Value> RotatedRow::loadEach(ArrayRef<unsigned> vector,
                                        Value other) {
  SmallVector<Value> each;
  for (unsigned index = 0; index < vector.size(); ++index)
    each.push_back(loadElement(vector.front(), index, other));
  return pack(builder, loc, each);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

bool RotatedRow::canLoadEdges(ArrayRef<Vector> vectors) const {
  size_t count = vectors.front().size();
  int32_t found = 0;
  for (StringRef input : {"register", "lane", "warp"})
    for (const LinearLayout::Point &basis : registers.bases(input)) {
      bool isBit = basis[0] == 0 || llvm::isPowerOf2_32(basis[0]);
      if (!isBit || (found & basis[0]) != 0)
        return false;
      found |= basis[0];
    }
  return count > 1 && llvm::all_of(vectors, [&](const Vector &vector) {
           return vector.size() == count;
         });
}

Value RotatedRow::isInWarp(Value place) {
  int32_t ofOthers = 0;
  for (const LinearLayout::Point &basis : registers.bases("warp"))
    ofOthers |= basis[0];
  Value differs =
      arith::XOrIOp::create(builder, loc, place, thread.getThreadPart());
  differs = arith::AndIOp::create(builder, loc, differs, constant(ofOthers));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, differs,
                               constant(0));
}

Value RotatedRow::hasEdges(unsigned count, ArrayRef<Value> places) {
  Value found = arith::XOrIOp::create(builder, loc, isAligned(count),
                                      constant(1, /*bits=*/1));
  for (Value place : places)
    found = arith::OrIOp::create(builder, loc, found, isInWarp(place));
  // The same for all lanes, which ptxas then knows.
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  constant(-1), found,
                                  NVVM::VoteSyncKind::any);
}

SmallVector<Value, 3> RotatedRow::getEdgePlaces(unsigned count) {
  // Where the row is joined, and where the view ends and begins.
  SmallVector<Value, 3> places = {
      rotation, arith::AddIOp::create(builder, loc, end, rotation)};
  if (begin)
    places.push_back(arith::AddIOp::create(builder, loc, begin, rotation));
  int64_t ofVectors = (extent - 1) & -static_cast<int64_t>(count);
  for (Value &place : places)
    place = arith::AndIOp::create(builder, loc, place, constant(ofVectors));
  return places;
}

RotatedRow::Edges RotatedRow::loadEdges(unsigned count, Value other) {
  Edges edges;
  edges.places = getEdgePlaces(count);
  unsigned numElements = edges.places.size() * count;
  SmallVector<Value> outside;
  if (other)
    outside.push_back(other);
  Value lane = ThreadIndex(builder, loc).getLane();
  for (unsigned first = 0; first < numElements; first += lanesPerWarp) {
    Value number = arith::AddIOp::create(builder, loc, lane, constant(first));
    auto isBefore = [&](unsigned last) {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                   number, constant(last));
    };
    Value vector = edges.places.back();
    for (size_t edge = edges.places.size() - 1; edge-- > 0;)
      vector =
          arith::SelectOp::create(builder, loc, isBefore((edge + 1) * count),
                                  edges.places[edge], vector);
    Value place = arith::AddIOp::create(
        builder, loc, vector,
        arith::AndIOp::create(builder, loc, number, constant(count - 1)));
    Value element = arith::AndIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, place, rotation),
        constant(extent - 1));
    Value condition =
        combine(builder, loc, isInside(element),
                combine(builder, loc, isInWarp(vector), isBefore(numElements)));
    llvm::append_range(edges.loaded,
                       loadVector(builder, loc,
                                  getPointer(getCoordinate(element)),
                                  elementType, 1, condition, outside));
  }
  return edges;
}

SmallVector<Value> RotatedRow::insertEdges(ArrayRef<Vector> vectors,
                                           const Edges &edges,
                                           ArrayRef<Value> words) {
  size_t count = vectors.front().size(), size = words.size() / vectors.size();
  SmallVector<Value> joined(words);
  for (auto [edge, place] : llvm::enumerate(edges.places)) {
    SmallVector<Value> elements;
    for (size_t number = edge * count; number < (edge + 1) * count; ++number)
      elements.push_back(shuffleFromLane(builder, loc,
                                         edges.loaded[number / lanesPerWarp],
                                         constant(number % lanesPerWarp)));
    SmallVector<Value> ofEdge = pack(builder, loc, elements);
    for (auto [index, vector] : llvm::enumerate(vectors)) {
      Value here = thread.get(
          builder, loc, registers.apply({{"register", vector.front()}})[0]);
      Value isEdge = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, here, place);
      for (size_t word = 0; word < size; ++word) {
        Value &old = joined[index * size + word];
        old = arith::SelectOp::create(builder, loc, isEdge, ofEdge[word], old);
      }
    }
  }
  return joined;
}

SmallVector<Value> RotatedRow::joinEdges(ArrayRef<Vector> vectors,
                                         const Edges &edges,
                                         ArrayRef<Value> words, Value other) {
  unsigned count = vectors.front().size();
  Value areVectors = isAligned(count);
  // Branches are built at the insertion point of this builder.
  auto yield = [&](ArrayRef<Value> values) {
    scf::YieldOp::create(builder, loc, values);
  };
  auto insert = [&](OpBuilder &, Location) {
    yield(insertEdges(vectors, edges, words));
  };
  auto loadAll = [&](OpBuilder &, Location) {
    SmallVector<Value> all;
    for (ArrayRef<unsigned> vector : vectors)
      llvm::append_range(all, loadEach(vector, other));
    yield(all);
  };
  auto join = [&](OpBuilder &, Location) {
    yield(llvm::to_vector_of<Value>(
        scf::IfOp::create(builder, loc, areVectors, insert, loadAll)
            .getResults()));
  };
  auto keep = [&](OpBuilder &, Location) { yield(words); };
  auto branch = scf::IfOp::create(builder, loc, hasEdges(count, edges.places),
                                  join, keep);
  branch->setAttr(kJoinsEdgesAttr, builder.getUnitAttr());
  return llvm::to_vector_of<Value>(branch.getResults());
}

SmallVector<SmallVector<Value>>
RotatedRow::loadWithEdges(ArrayRef<Vector> vectors, Value other) {
  SmallVector<Value> words;
  for (ArrayRef<unsigned> vector : vectors)
    llvm::append_range(words,
                       pack(builder, loc, loadAligned(vector, other).elements));
  Edges edges = loadEdges(vectors.front().size(), other);
  words = joinEdges(vectors, edges, words, other);
  size_t size = words.size() / vectors.size();
  SmallVector<SmallVector<Value>> elements;
  for (size_t index = 0; index < vectors.size(); ++index)
    elements.push_back(unpack(
        builder, loc, ArrayRef(words).slice(index * size, size), elementType));
  return elements;
}

void RotatedRow::store(ArrayRef<Vector> vectors, ArrayRef<Value> values,
                       Value predicate) {
  // Whole vectors have no branches, and all others are behind one, where it is
  // known who has them.
  SmallVector<Value> conditions;
  for (ArrayRef<unsigned> vector : vectors) {
    if (vector.size() == 1) {
      conditions.push_back(nullptr);
      storeEach(vector, values, predicate);
      continue;
    }
    conditions.push_back(isVector(vector.front(), vector.size()));
    SmallVector<Value> elements = llvm::map_to_vector(
        vector, [&](unsigned reg) -> Value { return values[reg]; });
    storeVector(builder, loc,
                getPointer(getCoordinate(getElement(vector.front()))), elements,
                combine(builder, loc, conditions.back(), predicate));
  }
  OpBuilder::InsertionGuard guard(builder);
  if (canLoadEdges(vectors)) {
    unsigned count = vectors.front().size();
    auto branch =
        scf::IfOp::create(builder, loc, hasEdges(count, getEdgePlaces(count)),
                          /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  for (auto [vector, condition] : llvm::zip_equal(vectors, conditions)) {
    if (!condition)
      continue;
    OpBuilder::InsertionGuard inner(builder);
    Value isRest =
        arith::XOrIOp::create(builder, loc, condition, constant(1, /*bits=*/1));
    auto branch =
        scf::IfOp::create(builder, loc, isRest, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeEach(vector, values, predicate);
  }
}

void RotatedRow::storeEach(ArrayRef<unsigned> vector, ArrayRef<Value> values,
                           Value predicate) {
  for (auto [index, reg] : llvm::enumerate(vector)) {
    Value element = getElement(vector.front(), index);
    storeVector(builder, loc, getPointer(getCoordinate(element)), values[reg],
                combine(builder, loc, isInside(element), predicate));
  }
}
