//===- RowWords.cpp - Rows that begin anywhere, word by word --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RowWords.h"

#include "Threads/SharedAddresses.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

static constexpr unsigned kWordBits = 8 * bytesPerWord;
static constexpr int64_t kBytesOfLanes = bytesPerWord * lanesPerWarp;

RowWords::RowWords(ImplicitLocOpBuilder &builder, Type elementType,
                   const WordsOfRows::Piece &piece, const Elements &elements)
    : NumberBuilder(builder), elementType(elementType),
      bytes(tile::getElementBytes(elementType)), perWord(bytesPerWord / bytes),
      words(piece) {
  constexpr int64_t last = lanesPerWarp - 1;
  place = ThreadIndex(builder, builder.getLoc()).getLane();
  before = both(add(place, last), last);
  behind = both(add(place, 1), last);
  if (elements.step < 0) {
    for (WordsOfRows::Word &word : words)
      std::reverse(word.begin(), word.end());
    std::reverse(words.begin(), words.end());
    place = sub(constant(last), place);
    std::swap(before, behind);
  }
  firstLane = elements.step < 0 ? last : 0;
  lastLane = last - firstLane;
  isFirst = isEqual(place, constant(0));
  isLast = isEqual(place, constant(last));
  inside = elements.inside(words.front().front());
  for (const WordsOfRows::Word &word : words)
    pointers.push_back(llvm::map_to_vector(
        word, [&](unsigned reg) { return elements.pointer(reg); }));
  findWords(elements);
}

void RowWords::findWords(const Elements &elements) {
  auto getAddress = [&](Value pointer) {
    return toBits(builder, builder.getLoc(), pointer);
  };
  Value ofPlace = mul(widen(place), bytesPerWord);
  Value own = getAddress(pointers.front().front());
  begin = sub(own, ofPlace);
  if (elements.mayWrap) {
    Value first =
        shuffleFromLane(builder, builder.getLoc(), begin, constant(firstLane));
    // Of numbers that wrap around once, the last one tells.
    int64_t distance = getBytes() - kBytesOfLanes + (perWord - 1) * bytes;
    Value last = sub(getAddress(pointers.back().back()), distance);
    Value isInOrder =
        both(isEqual(begin, first), isEqual(last, add(first, ofPlace)));
    isPiece =
        NVVM::VoteSyncOp::create(builder, builder.getI1Type(), constant(-1),
                                 isInOrder, NVVM::VoteSyncKind::all);
    begin = first;
  }
  Value behindWord = both(narrow(begin), bytesPerWord - 1);
  shifted = mul(behindWord, 8);
  address = sub(own, widen(behindWord));
}

RowWords::Single RowWords::getSingle() {
  // As many elements are behind the last word of memory as the piece begins
  // behind one.
  Value numBehind = make<arith::DivUIOp>(shifted, 8 * bytes);
  Single single;
  Value isInFront = isLess(place, sub(constant(perWord), numBehind));
  single.isBehind = isAtMost(sub(constant(lanesPerWarp), numBehind), place);
  single.exists = both(make<arith::OrIOp>(isInFront, single.isBehind),
                       isLess(constant(0), numBehind));
  single.exists = combine(builder, builder.getLoc(), single.exists, inside);
  // The last lane has the last one.
  single.bits = both(mul(place, 8 * bytes), kWordBits - 1);
  Value toEnd =
      select(single.isBehind, constant(getBytes() - lanesPerWarp * bytes),
             constant(0));
  single.pointer = getGlobal(add(begin, widen(add(mul(place, bytes), toEnd))));
  return single;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value RowWords::hasWord(size_t word) {
  if (word > 0)
    return inside;
  Value isWhole = make<arith::OrIOp>(isEqual(shifted, constant(0)),
                                     make<arith::XOrIOp>(isFirst, 1));
  return combine(builder, builder.getLoc(), isWhole, inside);
}

Value RowWords::getWordPointer(size_t word) {
  return addBytes(builder, builder.getLoc(), getGlobal(address),
                  static_cast<int64_t>(word) * kBytesOfLanes);
}

Value RowWords::getBefore(ArrayRef<Value> values, size_t word) {
  Value value = values[word];
  if (word > 0)
    value = select(isLast, values[word - 1], value);
  return shuffleFromLane(builder, builder.getLoc(), value, before);
}

Value RowWords::getBehind(ArrayRef<Value> values, size_t word) {
  Value next = word + 1 < values.size() ? values[word + 1] : constant(0);
  return shuffleFromLane(builder, builder.getLoc(),
                         select(isFirst, next, values[word]), behind);
}

Value RowWords::shift(Value low, Value high, bool isLeft) {
  return emitPurePtx(builder, builder.getLoc(), builder.getI32Type(),
                     {low, high, shifted},
                     isLeft ? "shf.l.wrap.b32 $0, $1, $2, $3;"
                            : "shf.r.wrap.b32 $0, $1, $2, $3;",
                     "=r,r,r,r");
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Value RowWords::loadOne(Value pointer, unsigned bits, Value predicate,
                        bool isReadOnly) {
  SmallVector<Value> loaded =
      loadVector(builder, builder.getLoc(), pointer,
                 builder.getIntegerType(bits), 1, predicate);
  if (Operation *load = findLoadOfElements(loaded, predicate);
      load && isReadOnly)
    load->setAttr(kReadOnlyAttr, builder.getUnitAttr());
  return resizeInteger(builder, builder.getLoc(), loaded.front(), kWordBits);
}

// All loads are under way before anybody waits for one.
RowWords::Values RowWords::loadPiece(bool isReadOnly) {
  Values loaded;
  for (size_t word = 0; word < words.size(); ++word)
    loaded.push_back(
        loadOne(getWordPointer(word), kWordBits, hasWord(word), isReadOnly));
  Single single = getSingle();
  Value ends = make<arith::ShLIOp>(
      loadOne(single.pointer, 8 * bytes, single.exists, isReadOnly),
      single.bits);
  Values ofLanes;
  for (size_t word = 0; word < words.size(); ++word)
    ofLanes.push_back(
        shift(loaded[word], getBehind(loaded, word), /*isLeft=*/false));
  // Those in front are the low bits of a word, those behind the others.
  ends = NVVM::ReduxOp::create(builder, builder.getI32Type(), ends,
                               NVVM::ReduxKind::OR, constant(-1));
  Value inFront = make<arith::ShRUIOp>(constant(-1), shifted);
  auto addTo = [&](Value &word, Value isOf, Value bits) {
    word =
        make<arith::OrIOp>(word, select(isOf, both(ends, bits), constant(0)));
  };
  addTo(ofLanes.front(), isFirst, inFront);
  addTo(ofLanes.back(), isLast, make<arith::XOrIOp>(inFront, -1));
  return ofLanes;
}

RowWords::Values RowWords::loadEach(bool isReadOnly) {
  Values loaded;
  for (ArrayRef<Value> ofWord : pointers) {
    Value joined = constant(0);
    for (auto [element, pointer] : llvm::enumerate(ofWord))
      joined = make<arith::OrIOp>(
          joined,
          make<arith::ShLIOp>(loadOne(pointer, 8 * bytes, inside, isReadOnly),
                              8 * bytes * static_cast<int64_t>(element)));
    loaded.push_back(joined);
  }
  return loaded;
}

void RowWords::load(bool isReadOnly,
                    llvm::function_ref<void(unsigned, Value)> set) {
  Values loaded;
  if (isPiece) {
    auto yieldPiece = [&](OpBuilder &, Location) {
      scf::YieldOp::create(builder, loadPiece(isReadOnly));
    };
    auto yieldEach = [&](OpBuilder &, Location) {
      scf::YieldOp::create(builder, loadEach(isReadOnly));
    };
    loaded =
        scf::IfOp::create(builder, isPiece, yieldPiece, yieldEach).getResults();
  } else {
    loaded = loadPiece(isReadOnly);
  }
  for (auto [word, value] : llvm::zip_equal(words, loaded))
    for (auto [reg, element] : llvm::zip_equal(
             word, unpack(builder, builder.getLoc(), value, elementType)))
      set(reg, element);
}

void RowWords::storePiece(ArrayRef<Value> values) {
  for (size_t word = 0; word < words.size(); ++word)
    storeVector(builder, builder.getLoc(), getWordPointer(word),
                shift(getBefore(values, word), values[word], /*isLeft=*/true),
                hasWord(word));
  Single single = getSingle();
  Value ends = shuffleFromLane(
      builder, builder.getLoc(), select(isFirst, values.front(), values.back()),
      select(single.isBehind, constant(lastLane), constant(firstLane)));
  Value element =
      resizeInteger(builder, builder.getLoc(),
                    make<arith::ShRUIOp>(ends, single.bits), 8 * bytes);
  storeVector(builder, builder.getLoc(), single.pointer, element,
              single.exists);
}

void RowWords::storeEach(ArrayRef<Value> values) {
  for (auto [value, ofWord] : llvm::zip_equal(values, pointers))
    for (auto [element, pointer] : llvm::enumerate(ofWord)) {
      Value bits = make<arith::ShRUIOp>(
          value, 8 * bytes * static_cast<int64_t>(element));
      storeVector(builder, builder.getLoc(), pointer,
                  resizeInteger(builder, builder.getLoc(), bits, 8 * bytes),
                  inside);
    }
}

void RowWords::store(llvm::function_ref<Value(unsigned)> get) {
  Values values;
  for (const WordsOfRows::Word &word : words)
    values.push_back(
        packWords(
            builder, builder.getLoc(),
            llvm::map_to_vector(word, [&](unsigned reg) { return get(reg); }))
            .front());
  if (!isPiece)
    return storePiece(values);
  auto branch = scf::IfOp::create(builder, isPiece, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storePiece(values);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeEach(values);
}
