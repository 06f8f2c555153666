//===- SlotCandidates.cpp - What slots of threads can have ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots/SlotCandidates.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// A loop that loads fewer for its next iteration has no row ahead.
static constexpr int64_t kLeastElements = 16;

//===----------------------------------------------------------------------===//
// Words of memory
//===----------------------------------------------------------------------===//

Value tonvvm::getWord(Value value) {
  if (auto extract = value.getDefiningOp<LLVM::ExtractElementOp>())
    if (auto cast = extract.getVector().getDefiningOp<LLVM::BitcastOp>())
      value = cast.getArg();
  if (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  return value.getType().isIntOrFloat() &&
                 value.getType().getIntOrFloatBitWidth() == 8 * bytesPerWord
             ? value
             : nullptr;
}

bool tonvvm::isLoaded(Value word) {
  return findLoad(word).op || word.getDefiningOp<scf::IfOp>();
}

//===----------------------------------------------------------------------===//
// What is live
//===----------------------------------------------------------------------===//

/// Bits of registers that the value takes as long as it is live: numbers, and
/// words of memory. Masks, places and addresses are made again.
static int64_t countLiveBits(Value value) {
  Type type = value.getType();
  bool isNumber =
      isa<FloatType>(type) || (type.isIntOrFloat() && !type.isInteger(1) &&
                               (isa<BlockArgument>(value) || isLoaded(value)));
  if (!isNumber)
    return 0;
  int64_t bits = type.getIntOrFloatBitWidth();
  return isLoadedAlone(value) ? std::max(bits, 8 * bytesPerWord) : bits;
}

bool tonvvm::loadsElementsAhead(scf::ForOp loop) {
  auto isAhead = [&](Value next) {
    return isLoadedAlone(next) && next.getParentBlock() == loop.getBody() &&
           next.getType().getIntOrFloatBitWidth() < 8 * bytesPerWord;
  };
  return llvm::count_if(loop.getYieldedValues(), isAhead) >= kLeastElements;
}

int64_t tonvvm::countLiveWords(LoopLikeOpInterface loop) {
  Block &body = loop.getLoopRegions().front()->front();
  DenseMap<Operation *, int64_t> numbers;
  SmallVector<int64_t> meetings;
  for (auto [number, op] : llvm::enumerate(body)) {
    numbers[&op] = number;
    if (isa<NVVM::ShflOp>(op))
      meetings.push_back(number);
  }
  SmallVector<int64_t> bits(meetings.size(), 0);
  auto count = [&](Value value, int64_t from, int64_t to) {
    for (auto [index, meeting] : llvm::enumerate(meetings))
      if (from < meeting && meeting < to)
        bits[index] += countLiveBits(value);
  };
  auto getLastUse = [&](Value value) {
    int64_t last = -1;
    for (Operation *user : value.getUsers())
      if (Operation *op = body.findAncestorOpInBlock(*user))
        last = std::max(last, numbers.lookup(op));
    return last;
  };
  for (BlockArgument carried : loop.getRegionIterArgs())
    count(carried, -1, getLastUse(carried));
  for (auto [number, op] : llvm::enumerate(body))
    for (Value result : op.getResults())
      count(result, number, getLastUse(result));
  SetVector<Value> outer;
  body.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (loop.isDefinedOutsideOfLoop(operand) &&
          !matchPattern(operand, m_Constant()))
        outer.insert(operand);
  });
  for (Value value : outer)
    count(value, -1, body.getOperations().size());
  int64_t most = 0;
  for (int64_t each : bits)
    most = std::max(most, each);
  return most / (8 * bytesPerWord);
}

//===----------------------------------------------------------------------===//
// What can be kept
//===----------------------------------------------------------------------===//

/// What is loaded for the next iteration is no sum: to store it would wait for
/// memory.
static bool isLoadedWord(Value value) {
  Value word = getWord(value);
  return word && isLoaded(word);
}

std::optional<CarriedSums> tonvvm::matchSums(scf::ForOp loop, unsigned first) {
  CarriedSums sums = {first};
  if (first + kSlotWords > loop.getNumRegionIterArgs())
    return std::nullopt;
  for (unsigned index = first; index < first + kSlotWords; ++index) {
    BlockArgument carried = loop.getRegionIterArg(index);
    Value next = loop.getYieldedValues()[index];
    Operation *writer = next.getDefiningOp();
    if (!carried.getType().isF32() || !carried.hasOneUse() ||
        !next.hasOneUse() || !writer || writer->getBlock() != loop.getBody() ||
        isLoadedWord(next))
      return std::nullopt;
    Operation *reader = *carried.user_begin();
    if (reader->getBlock() != loop.getBody() || writer->isBeforeInBlock(reader))
      return std::nullopt;
    if (!sums.reader || reader->isBeforeInBlock(sums.reader))
      sums.reader = reader;
    if (!sums.writer || sums.writer->isBeforeInBlock(writer))
      sums.writer = writer;
  }
  return sums;
}

/// How many words the op loads from an array that the kernel does not write, or
/// what it is given where its predicate is false; 0 if that is no copy. Only of
/// rows that begin anywhere that may be something else than zeros.
static unsigned countCopiedWords(Operation *load) {
  if (!load || !load->hasAttr(kReadOnlyAttr))
    return 0;
  unsigned words = 0;
  auto isWord = [](Type type) { return type.isInteger(8 * bytesPerWord); };
  if (isWord(load->getResult(0).getType()))
    return load->getNumOperands() <= kFirstOtherWord ? 1 : 0;
  if (auto plain = dyn_cast<LLVM::LoadOp>(load)) {
    if (auto type = dyn_cast<VectorType>(plain.getType());
        type && isWord(type.getElementType()))
      words = type.getNumElements();
  } else if (auto type =
                 dyn_cast<LLVM::LLVMStructType>(load->getResult(0).getType());
             type && llvm::all_of(type.getBody(), isWord)) {
    unsigned others = load->getNumOperands() - kFirstOtherWord;
    if (others == 0 ||
        (load->hasAttr(kVectorOfRowAttr) && others == type.getBody().size()))
      words = type.getBody().size();
  }
  bool isHalf = words == kSlotWords / 2 && load->hasAttr(kVectorOfRowAttr);
  return isHalf || words == kSlotWords ? words : 0;
}

void tonvvm::collectUsers(Operation *op, SetVector<Operation *> &users) {
  for (Operation *user : op->getUsers())
    collectUsers(user, users);
  users.insert(op);
}

/// Whether nothing is taken of the load but what `yield` hands on.
static bool isHandedOn(Operation *yield, const LoadedAhead &ahead) {
  SetVector<Operation *> users;
  collectUsers(ahead.load, users);
  users.remove(ahead.load);
  users.remove(yield);
  return llvm::all_of(users,
                      llvm::IsaPred<LLVM::ExtractValueOp,
                                    LLVM::ExtractElementOp, LLVM::BitcastOp>) &&
         llvm::count_if(yield->getOperands(), [&](Value next) {
           Operation *maker = next.getDefiningOp();
           return maker && (maker == ahead.load || users.contains(maker));
         }) == ahead.count;
}

/// The branch of the loop's body that hands out the value, or null.
static scf::IfOp getBranch(scf::ForOp loop, Value value) {
  auto branch = value.getDefiningOp<scf::IfOp>();
  return branch && branch->getBlock() == loop.getBody() ? branch : scf::IfOp();
}

static std::optional<LoadedAhead> matchAhead(scf::ForOp loop, unsigned first) {
  LoadedAhead ahead = {first};
  ahead.branch = getBranch(loop, loop.getYieldedValues()[first]);
  Operation *yield = loop.getBody()->getTerminator();
  if (ahead.branch)
    yield = ahead.branch.thenYield();
  int64_t bits = 0;
  for (unsigned index = first; index < loop.getNumRegionIterArgs(); ++index) {
    Value next = loop.getYieldedValues()[index];
    if (!next.hasOneUse() || getBranch(loop, next) != ahead.branch)
      return std::nullopt;
    if (ahead.branch)
      next = yield->getOperand(cast<OpResult>(next).getResultNumber());
    Value word = getWord(next);
    if (!word || !next.hasOneUse() || !next.getType().isIntOrFloat())
      return std::nullopt;
    auto [load, position] = findLoad(word);
    unsigned words = countCopiedWords(load);
    if (words == 0 || (ahead.branch && !load->hasAttr(kVectorOfRowAttr)) ||
        load->getBlock() != yield->getBlock() ||
        (ahead.load && load != ahead.load) ||
        position != bits / (8 * bytesPerWord))
      return std::nullopt;
    ahead.load = load;
    ahead.bytes = words * bytesPerWord;
    ++ahead.count;
    bits += next.getType().getIntOrFloatBitWidth();
    if (bits == 8 * ahead.bytes)
      return isHandedOn(yield, ahead) ? std::optional(ahead) : std::nullopt;
  }
  return std::nullopt;
}

/// What a slot has: one load, two of half as many bytes, or up to four words,
/// of one type.
static SlotLoads matchSlot(scf::ForOp loop, unsigned first) {
  SlotLoads loads;
  int64_t bytes = 0;
  Type type = loop.getRegionIterArg(first).getType();
  while (bytes < kSlotBytes && first < loop.getNumRegionIterArgs() &&
         loop.getRegionIterArg(first).getType() == type) {
    std::optional<LoadedAhead> load = matchAhead(loop, first);
    if (!load || bytes + load->bytes > kSlotBytes ||
        (!loads.empty() && load->bytes != loads.front().bytes))
      break;
    loads.push_back(*load);
    bytes += load->bytes;
    first += load->count;
  }
  // An access moves one, two or four words.
  if (loads.size() == 3)
    loads.pop_back();
  return loads;
}

SmallVector<SlotLoads> tonvvm::findSlotLoads(scf::ForOp loop, bool mayBranch) {
  SmallVector<SlotLoads> found;
  for (unsigned first = 0; first < loop.getNumRegionIterArgs();) {
    SlotLoads loads = matchSlot(loop, first);
    if (loads.empty() || (loads.front().branch && !mayBranch)) {
      ++first;
      continue;
    }
    first = getEnd(loads);
    found.push_back(std::move(loads));
  }
  return found;
}
