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

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// What can be shifted, and goes from lane to lane.
static constexpr int64_t kWordBytes = 4;

RotatedRow::RotatedRow(OpBuilder &builder, Location loc, ThreadIndex &thread,
                       tile::ViewType type, ValueRange view, Value start,
                       Value rotation, int64_t extent,
                       const LinearLayout &registers, const BlockRanges *ranges)
    : builder(builder), loc(loc), elementType(type.getElementType()),
      registers(registers), extent(extent),
      bytes(tile::getElementBytes(elementType)), base(view.front()),
      start(start), mostEnd(extent), mostRotation(extent - 1),
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

void RotatedRow::setRanges(const BlockRanges &ranges) {
  const auto &[starts, extents] = ranges.dims.front();
  if (std::optional<APInt> known = starts.getConstantValue();
      !known || !known->isZero())
    return;
  leastEnd = std::clamp<int64_t>(extents.smin().getSExtValue(), 0, extent);
  mostEnd = std::clamp<int64_t>(extents.smax().getSExtValue(), 0, extent);
  if (ranges.rotation && !ranges.rotation->smin().isNegative())
    mostRotation =
        std::min(mostRotation, ranges.rotation->smax().getSExtValue());
}

std::optional<bool> RotatedRow::isKnownInside(ArrayRef<unsigned> vector,
                                              int64_t more) const {
  auto [first, last] = getCoordinates(registers, vector.front(), 0);
  first -= mostRotation + more;
  last += more;
  // Where the row is joined, elements follow the last one.
  if (first < 0)
    return std::nullopt;
  if (first >= mostEnd)
    return false;
  if (last + static_cast<int64_t>(vector.size()) <= leastEnd)
    return true;
  return std::nullopt;
}

bool RotatedRow::mayBeEdge(ArrayRef<unsigned> vector, size_t edge) const {
  auto [first, last] = getCoordinates(registers, vector.front(), 0);
  last += static_cast<int64_t>(vector.size()) - 1;
  int64_t least = edge == 0 ? 0 : leastEnd;
  int64_t most = (edge == 0 ? 0 : mostEnd) + mostRotation;
  // Of where the view begins nothing is known; places go round.
  return edge > 1 || (least <= last && first <= most) ||
         (least <= last + extent && first + extent <= most);
}

SmallVector<RotatedRow::Vector>
RotatedRow::dropOutside(ArrayRef<Vector> vectors) const {
  return llvm::to_vector(
      llvm::make_filter_range(vectors, [&](const Vector &vector) {
        return isKnownInside(vector) != false;
      }));
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

RotatedRow::Loaded RotatedRow::loadAligned(ArrayRef<unsigned> vector) {
  Value pointer = getPointer(getCoordinate(getElement(vector.front())));
  Value condition = isVector(vector);
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
  if (matchPattern(condition, m_One()))
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
  // Lanes put words together of elements.
  return count > 1 && bytes <= kWordBytes && count * bytes >= kWordBytes &&
         llvm::all_of(vectors, [&](const Vector &vector) {
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

/// While it lives, nothing that is computed of the rotation is moved out of the
/// branch that the builder is in: the number of each element would take a
/// register throughout a loop, for a branch that is hardly taken.
class RotatedRow::HereOnly {
public:
  explicit HereOnly(RotatedRow &row) : row(row), rotation(row.rotation) {
    row.rotation = emitPtx(row.builder, row.loc, row.rotation.getType(),
                           {rotation}, "mov.b32 $0, $1;", "=r,r");
  }
  ~HereOnly() { row.rotation = rotation; }

private:
  RotatedRow &row;
  Value rotation;
};

Value RotatedRow::areVectors(unsigned count) {
  if (mostRotation < count || mostEnd + mostRotation <= extent)
    return isAligned(count);
  // Or what stands in front of the first element is none of the row.
  Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      rotation, constant(count));
  Value isEarly = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule,
      arith::AddIOp::create(builder, loc, end, rotation), constant(extent));
  return arith::AndIOp::create(
      builder, loc, isAligned(count),
      arith::OrIOp::create(builder, loc, isFew, isEarly));
}

Value RotatedRow::hasEdges(unsigned count, ArrayRef<Value> places) {
  Value found = arith::XOrIOp::create(builder, loc, areVectors(count),
                                      constant(1, /*bits=*/1));
  for (Value place : places)
    found = arith::OrIOp::create(builder, loc, found, isInWarp(place));
  // The same for all lanes, which ptxas then knows.
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  constant(-1), found, NVVM::VoteSyncKind::any);
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

SmallVector<RotatedRow::Whole>
RotatedRow::getWholeVectors(ArrayRef<Vector> vectors) {
  unsigned count = vectors.front().size();
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto subtract = [&](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  // They begin at places from here on, so many of them.
  Value first = begin ? add(rotation, begin) : rotation;
  Value places = subtract(add(end, rotation), add(first, constant(count - 1)));
  places = arith::MaxSIOp::create(builder, loc, places, constant(0));
  places = arith::SelectOp::create(builder, loc, areVectors(count), places,
                                   constant(0));
  Value behind = subtract(thread.getThreadPart(), first);
  Value origin = getPointer(
      subtract(add(start, arith::IndexCastUIOp::create(builder, loc,
                                                       builder.getIndexType(),
                                                       thread.getThreadPart())),
               arith::IndexCastUIOp::create(builder, loc,
                                            builder.getIndexType(), rotation)));
  SmallVector<Whole> whole;
  for (ArrayRef<unsigned> vector : vectors) {
    int32_t part = registers.apply({{"register", vector.front()}})[0];
    Value isInside =
        isKnownInside(vector).value_or(false)
            ? areVectors(count)
            : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    add(behind, constant(part)), places);
    whole.push_back({isInside, addBytes(builder, loc, origin, part * bytes)});
  }
  return whole;
}

RotatedRow::EdgeElement RotatedRow::getEdgeElement(ArrayRef<Value> places,
                                                   unsigned count,
                                                   unsigned first) {
  unsigned numElements = places.size() * count;
  EdgeElement edge;
  edge.number = arith::AddIOp::create(
      builder, loc, ThreadIndex(builder, loc).getLane(), constant(first));
  auto isBefore = [&](unsigned last) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 edge.number, constant(last));
  };
  Value vector = places.back();
  for (size_t index = places.size() - 1; index-- > 0;)
    vector = arith::SelectOp::create(
        builder, loc, isBefore((index + 1) * count), places[index], vector);
  Value place = arith::AddIOp::create(
      builder, loc, vector,
      arith::AndIOp::create(builder, loc, edge.number, constant(count - 1)));
  Value element = arith::AndIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, place, rotation),
      constant(extent - 1));
  edge.condition =
      combine(builder, loc, isInside(element),
              combine(builder, loc, isInWarp(vector), isBefore(numElements)));
  edge.pointer = getPointer(getCoordinate(element));
  return edge;
}

RotatedRow::Edges RotatedRow::loadEdges(unsigned count, Value other) {
  Edges edges;
  edges.places = getEdgePlaces(count);
  SmallVector<Value> outside;
  if (other)
    outside.push_back(other);
  for (unsigned first = 0; first < edges.places.size() * count;
       first += lanesPerWarp) {
    EdgeElement edge = getEdgeElement(edges.places, count, first);
    llvm::append_range(edges.loaded,
                       loadVector(builder, loc, edge.pointer, elementType, 1,
                                  edge.condition, outside));
  }
  return edges;
}

Value RotatedRow::hasPlace(ArrayRef<unsigned> vector, Value place) {
  Value here = thread.get(builder, loc,
                          registers.apply({{"register", vector.front()}})[0]);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, here,
                               place);
}

SmallVector<Value> RotatedRow::gatherWords(Value loaded, unsigned first,
                                           unsigned count) {
  int64_t perWord = kWordBytes / bytes;
  Value lane = ThreadIndex(builder, loc).getLane();
  Value word =
      resizeInteger(builder, loc, toBits(builder, loc, loaded), 8 * kWordBytes);
  // Each lane has what is in the next ones, too.
  for (int64_t step = 1; step < perWord; step *= 2) {
    Value next = shuffleFromLane(
        builder, loc, word,
        arith::AddIOp::create(builder, loc, lane, constant(step)));
    next =
        arith::ShLIOp::create(builder, loc, next, constant(8 * bytes * step));
    word = arith::OrIOp::create(builder, loc, word, next);
  }
  SmallVector<Value> words;
  for (unsigned element = first; element < first + count; element += perWord)
    words.push_back(
        shuffleFromLane(builder, loc, word, constant(element % lanesPerWarp)));
  return words;
}

SmallVector<Value> RotatedRow::insertEdges(ArrayRef<Vector> vectors,
                                           const Edges &edges,
                                           ArrayRef<Value> words) {
  size_t count = vectors.front().size(), size = words.size() / vectors.size();
  SmallVector<Value> joined(words);
  for (auto [edge, place] : llvm::enumerate(edges.places)) {
    SmallVector<Value> ofEdge = gatherWords(
        edges.loaded[edge * count / lanesPerWarp], edge * count, count);
    for (auto [index, vector] : llvm::enumerate(vectors)) {
      if (!mayBeEdge(vector, edge))
        continue;
      Value isEdge = hasPlace(vector, place);
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
  // Branches are built at the insertion point of this builder.
  auto yield = [&](ArrayRef<Value> values) {
    scf::YieldOp::create(builder, loc, values);
  };
  auto insert = [&](OpBuilder &, Location) {
    yield(insertEdges(vectors, edges, words));
  };
  auto loadAll = [&](OpBuilder &, Location) {
    HereOnly here(*this);
    SmallVector<Value> all;
    for (ArrayRef<unsigned> vector : vectors)
      llvm::append_range(all, loadEach(vector, other));
    yield(all);
  };
  auto join = [&](OpBuilder &, Location) {
    yield(llvm::to_vector_of<Value>(
        scf::IfOp::create(builder, loc, areVectors(count), insert, loadAll)
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
  unsigned count = vectors.front().size();
  SmallVector<Value> words, outside;
  if (other)
    outside.assign(count, other);
  for (const Whole &vector : getWholeVectors(vectors))
    llvm::append_range(
        words, pack(builder, loc,
                    loadVector(builder, loc, vector.pointer, elementType, count,
                               vector.condition, outside)));
  words = joinEdges(vectors, loadEdges(count, other), words, other);
  size_t size = words.size() / vectors.size();
  SmallVector<SmallVector<Value>> elements;
  for (size_t index = 0; index < vectors.size(); ++index)
    elements.push_back(unpack(
        builder, loc, ArrayRef(words).slice(index * size, size), elementType));
  return elements;
}

Value RotatedRow::getLaneOf(Value place) {
  // Bits of a lane that are as far from those of the place move together.
  std::map<int, int32_t> maskOfShift;
  for (auto [bit, basis] : llvm::enumerate(registers.bases("lane")))
    if (basis[0] != 0)
      maskOfShift[int(llvm::Log2_32(basis[0])) - int(bit)] |= basis[0];
  Value lane = constant(0);
  for (auto [shift, mask] : maskOfShift) {
    Value bits = arith::AndIOp::create(builder, loc, place, constant(mask));
    if (shift > 0)
      bits = arith::ShRUIOp::create(builder, loc, bits, constant(shift));
    if (shift < 0)
      bits = arith::ShLIOp::create(builder, loc, bits, constant(-shift));
    lane = arith::OrIOp::create(builder, loc, lane, bits);
  }
  return lane;
}

void RotatedRow::storeEdges(ArrayRef<Vector> vectors, ArrayRef<Value> words) {
  unsigned count = vectors.front().size();
  size_t size = words.size() / vectors.size();
  int64_t perWord = kWordBytes / bytes;
  SmallVector<Value, 3> places = getEdgePlaces(count);
  // The words of all edges, which all lanes get from who has them.
  SmallVector<Value> ofEdges;
  for (auto [edge, place] : llvm::enumerate(places)) {
    SmallVector<Value> mine(words.take_front(size));
    for (auto [index, vector] : llvm::drop_begin(llvm::enumerate(vectors))) {
      if (!mayBeEdge(vector, edge))
        continue;
      Value isEdge = hasPlace(vector, place);
      for (size_t word = 0; word < size; ++word)
        mine[word] = arith::SelectOp::create(
            builder, loc, isEdge, words[index * size + word], mine[word]);
    }
    Value lane = getLaneOf(place);
    for (Value word : mine)
      ofEdges.push_back(shuffleFromLane(builder, loc, word, lane));
  }
  for (unsigned first = 0; first < places.size() * count;
       first += lanesPerWarp) {
    EdgeElement edge = getEdgeElement(places, count, first);
    Value number = arith::ShRUIOp::create(builder, loc, edge.number,
                                          constant(llvm::Log2_64(perWord)));
    Value word = ofEdges.front();
    for (auto [index, other] : llvm::drop_begin(llvm::enumerate(ofEdges)))
      word = arith::SelectOp::create(
          builder, loc,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                                constant(index)),
          other, word);
    Value inWord =
        arith::AndIOp::create(builder, loc, edge.number, constant(perWord - 1));
    word = arith::ShRUIOp::create(
        builder, loc, word,
        arith::MulIOp::create(builder, loc, inWord, constant(8 * bytes)));
    word = resizeInteger(builder, loc, word, 8 * bytes);
    storeVector(builder, loc, edge.pointer,
                fromBits(builder, loc, word, elementType), edge.condition);
  }
}

void RotatedRow::storeWithEdges(ArrayRef<Vector> vectors,
                                ArrayRef<Value> values) {
  unsigned count = vectors.front().size();
  SmallVector<Value> words;
  for (auto [vector, whole] :
       llvm::zip_equal(vectors, getWholeVectors(vectors))) {
    SmallVector<Value> elements = llvm::map_to_vector(
        vector, [&](unsigned reg) -> Value { return values[reg]; });
    storeVector(builder, loc, whole.pointer, elements, whole.condition);
    llvm::append_range(words, pack(builder, loc, elements));
  }
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      scf::IfOp::create(builder, loc, hasEdges(count, getEdgePlaces(count)),
                        /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto kind = scf::IfOp::create(builder, loc, areVectors(count),
                                /*withElseRegion=*/true);
  builder.setInsertionPointToStart(kind.thenBlock());
  storeEdges(vectors, words);
  builder.setInsertionPointToStart(kind.elseBlock());
  HereOnly here(*this);
  for (ArrayRef<unsigned> vector : vectors)
    storeEach(vector, values, /*predicate=*/nullptr);
}

void RotatedRow::store(ArrayRef<Vector> all, ArrayRef<Value> values,
                       Value predicate) {
  SmallVector<Vector> vectors = dropOutside(all);
  if (vectors.empty())
    return;
  if (!predicate && canLoadEdges(vectors))
    return storeWithEdges(vectors, values);
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

void RotatedRow::storeEach(ArrayRef<unsigned> vector, ArrayRef<Value> values,
                           Value predicate) {
  for (auto [index, reg] : llvm::enumerate(vector)) {
    Value element = getElement(vector.front(), index);
    storeVector(builder, loc, getPointer(getCoordinate(element)), values[reg],
                combine(builder, loc, isInside(element), predicate));
  }
}
