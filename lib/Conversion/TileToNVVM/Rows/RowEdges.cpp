//===- RowEdges.cpp - What of a row is in no vector of memory -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowEdges.h"

#include "Threads/SharedAddresses.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Layout/Banks/BankModel.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

bool RowEdges::mayBeEdge(ArrayRef<unsigned> vector, size_t edge) const {
  auto [first, last] = getCoordinates(registers, vector.front(), 0);
  last += static_cast<int64_t>(vector.size()) - 1;
  int64_t least = edge == 0 ? 0 : ends.smin().getSExtValue();
  int64_t most = (edge == 0 ? 0 : ends.smax().getSExtValue()) + mostRotation;
  // Of where the view begins nothing is known; places go round.
  return edge > 1 || (least <= last && first <= most) ||
         (least <= last + extent && first + extent <= most);
}

bool RowEdges::canMove(ArrayRef<Vector> vectors) const {
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
  return count > 1 && bytes <= bytesPerWord && count * bytes >= bytesPerWord &&
         llvm::all_of(vectors, [&](const Vector &vector) {
           return vector.size() == count;
         });
}

Value RowEdges::isInWarp(Value place) {
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
class RowEdges::HereOnly {
public:
  explicit HereOnly(RowEdges &row) : row(row), rotation(row.rotation) {
    row.rotation = emitPtx(row.builder, row.loc, row.rotation.getType(),
                           {rotation}, "mov.b32 $0, $1;", "=r,r");
  }
  ~HereOnly() { row.rotation = rotation; }

private:
  RowEdges &row;
  Value rotation;
};

Value RowEdges::areVectors(unsigned count) {
  if (mostRotation < count ||
      ends.smax().getSExtValue() + mostRotation <= extent)
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

Value RowEdges::hasEdges(unsigned count, ArrayRef<Value> places) {
  Value found = arith::XOrIOp::create(builder, loc, areVectors(count),
                                      constant(1, /*bits=*/1));
  for (Value place : places)
    found = arith::OrIOp::create(builder, loc, found, isInWarp(place));
  // The same for all lanes, which ptxas then knows.
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  constant(-1), found, NVVM::VoteSyncKind::any);
}

SmallVector<Value, 3> RowEdges::getEdgePlaces(unsigned count) {
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

SmallVector<RowEdges::Whole>
RowEdges::getWholeVectors(ArrayRef<Vector> vectors) {
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
    bool isKnown = isKnownInside(vector).value_or(false);
    Value isInside =
        isKnown ? areVectors(count)
                : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        add(behind, constant(part)), places);
    whole.push_back(
        {isInside, addBytes(builder, loc, origin, part * bytes), isKnown});
  }
  return whole;
}

RowEdges::EdgeElement RowEdges::getEdgeElement(ArrayRef<Value> places,
                                               unsigned count, unsigned first) {
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

RowEdges::Edges RowEdges::loadEdges(unsigned count, Value other) {
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

Value RowEdges::hasPlace(ArrayRef<unsigned> vector, Value place) {
  Value here = thread.get(builder, loc,
                          registers.apply({{"register", vector.front()}})[0]);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, here,
                               place);
}

SmallVector<Value> RowEdges::gatherWords(Value loaded, unsigned first,
                                         unsigned count) {
  int64_t perWord = bytesPerWord / bytes;
  Value lane = ThreadIndex(builder, loc).getLane();
  Value word = resizeInteger(builder, loc, toBits(builder, loc, loaded),
                             8 * bytesPerWord);
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

SmallVector<Value> RowEdges::insertEdges(ArrayRef<Vector> vectors,
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

SmallVector<Value> RowEdges::joinEdges(ArrayRef<Vector> vectors,
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

SmallVector<SmallVector<Value>> RowEdges::load(ArrayRef<Vector> vectors,
                                               Value other) {
  unsigned count = vectors.front().size();
  SmallVector<Value> words, outside;
  if (other)
    outside.assign(count, other);
  for (const Whole &vector : getWholeVectors(vectors)) {
    SmallVector<Value> loaded =
        loadVector(builder, loc, vector.pointer, elementType, count,
                   vector.condition, outside);
    if (Operation *load = findLoadOfElements(loaded, vector.condition);
        load && isReadOnly) {
      load->setAttr(kReadOnlyAttr, builder.getUnitAttr());
      load->setAttr(kVectorOfRowAttr, builder.getBoolAttr(vector.isInside));
    }
    llvm::append_range(words, pack(builder, loc, loaded));
  }
  words = joinEdges(vectors, loadEdges(count, other), words, other);
  size_t size = words.size() / vectors.size();
  SmallVector<SmallVector<Value>> elements;
  for (size_t index = 0; index < vectors.size(); ++index)
    elements.push_back(unpack(
        builder, loc, ArrayRef(words).slice(index * size, size), elementType));
  return elements;
}

Value RowEdges::getLaneOf(Value place) {
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

void RowEdges::storeEdges(ArrayRef<Vector> vectors, ArrayRef<Value> words) {
  unsigned count = vectors.front().size();
  size_t size = words.size() / vectors.size();
  int64_t perWord = bytesPerWord / bytes;
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

void RowEdges::store(ArrayRef<Vector> vectors, ArrayRef<Value> values) {
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
