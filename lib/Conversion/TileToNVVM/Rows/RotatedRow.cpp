//===- RotatedRow.cpp - Vectors of a block that begins anywhere -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RotatedRow.h"

#include "Rows/RowEdges.h"
#include "Threads/SharedAddresses.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

Value RotatedRow::isVector(ArrayRef<unsigned> vector) {
  unsigned count = vector.size();
  if (isKnownInside(vector).value_or(false))
    return isAligned(count);
  Value element = getElement(vector.front());
  // The same for all vectors, so that each compares once.
  Value last = arith::SelectOp::create(
      builder, loc, isAligned(count),
      arith::SubIOp::create(builder, loc, end, constant(count)), constant(-1));
  Value isBeforeEnd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, element, last);
  return combine(builder, loc, isBeforeEnd, isBehindBegin(element));
}

SmallVector<RotatedRow::Vector>
RotatedRow::dropOutside(ArrayRef<Vector> vectors) const {
  return llvm::to_vector(
      llvm::make_filter_range(vectors, [&](const Vector &vector) {
        return isKnownInside(vector) != false;
      }));
}

SmallVector<SmallVector<Value>> RotatedRow::load(ArrayRef<Vector> vectors,
                                                 Value other, bool isShifted) {
  SmallVector<Vector> inside = dropOutside(vectors);
  SmallVector<SmallVector<Value>> loaded;
  if (!inside.empty())
    loaded = loadInside(inside, other, isShifted);
  if (inside.size() == vectors.size())
    return loaded;
  if (!other)
    other =
        loadVector(builder, loc, base, elementType, 1, constant(0, /*bits=*/1))
            .front();
  SmallVector<SmallVector<Value>> elements;
  auto *next = loaded.begin();
  for (ArrayRef<unsigned> vector : vectors)
    elements.push_back(isKnownInside(vector) == false
                           ? SmallVector<Value>(vector.size(), other)
                           : std::move(*next++));
  return elements;
}

SmallVector<SmallVector<Value>>
RotatedRow::loadInside(ArrayRef<Vector> vectors, Value other, bool isShifted) {
  if (RowEdges edges(*this); !isShifted && edges.canMove(vectors))
    return edges.load(vectors, other);
  // All that are whole are under way before anybody waits for what is not.
  SmallVector<Loaded> loaded;
  for (ArrayRef<unsigned> vector : vectors) {
    if (vector.size() == 1)
      loaded.push_back(
          {nullptr, {loadElement(vector.front(), /*behind=*/0, other)}});
    else if (isShifted && vector.size() * bytes >= bytesPerWord)
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
  Value condition = isVector(vector);
  return {condition, loadVector(builder, loc, pointer, elementType,
                                vector.size(), condition)};
}

RotatedRow::Loaded RotatedRow::loadShifted(ArrayRef<unsigned> vector) {
  int64_t wordBytes = std::max(bytes, bytesPerWord),
          perWord = wordBytes / bytes;
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
  if (isKnownInside(vector, perWord).value_or(false))
    condition = constant(1, /*bits=*/1);
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
  if (bytes >= bytesPerWord)
    return words;
  Value bits = arith::ShLIOp::create(builder, loc, behind, constant(3));
  for (size_t index = 0; index + 1 < words.size(); ++index)
    words[index] = emitPtx(builder, loc, words[index].getType(),
                           {words[index], words[index + 1], bits},
                           "shf.r.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r");
  words.pop_back();
  return words;
}

SmallVector<Value> RotatedRow::loadRest(ArrayRef<unsigned> vector,
                                        Value condition,
                                        ArrayRef<Value> elements, Value other) {
  if (getKnown(condition) == true)
    return llvm::to_vector(elements);
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

void RotatedRow::store(ArrayRef<Vector> all, ArrayRef<Value> values,
                       Value predicate) {
  SmallVector<Vector> vectors = dropOutside(all);
  if (vectors.empty())
    return;
  if (RowEdges edges(*this); !predicate && edges.canMove(vectors))
    return edges.store(vectors, values);
  for (ArrayRef<unsigned> vector : vectors) {
    if (vector.size() == 1) {
      storeEach(vector, values, predicate);
      continue;
    }
    Value pointer = getPointer(getCoordinate(getElement(vector.front())));
    Value condition = combine(builder, loc, isVector(vector), predicate);
    SmallVector<Value> elements = llvm::map_to_vector(
        vector, [&](unsigned reg) -> Value { return values[reg]; });
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeVector(builder, loc, pointer, elements, /*predicate=*/nullptr);
    builder.setInsertionPointToStart(branch.elseBlock());
    storeEach(vector, values, predicate);
  }
}
