//===- KeepInSlots.cpp - What threads keep in shared memory ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Slots/SlotCandidates.h"
#include "Slots/SlotCopies.h"
#include "Slots/SlotMemory.h"
#include "Slots/SlotTurns.h"
#include "Threads/Patterns.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_KEEPINSLOTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Copies cost next to nothing: they are there before registers are short.
static constexpr int64_t kSpareRegisters = 16;
/// The most slots that single words of the next rows take.
static constexpr size_t kMostSlotsOfNumbers = 2;
/// Fewer words from outside of a loop are no matter.
static constexpr size_t kLeastWords = 16;

namespace {
class SlotKeeper {
public:
  explicit SlotKeeper(LLVM::LLVMFuncOp function)
      : function(function), target(getTargetOrDefault(function)),
        slots(function) {}

  void run() {
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) {
      if (loop.getOps<scf::ForOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      keep(loop);
    slots.writeBytes();
  }

private:
  void keep(scf::ForOp loop) {
    int64_t threads = slots.getNumThreads();
    int64_t blocks =
        std::max<int64_t>(kThreadsPerSM / threads, getAskedBlocks(function));
    int64_t registers =
        std::min<int64_t>(target.registersPerSM / (blocks * threads),
                          target.maxRegistersPerThread);
    // What registers do not hold, and shared memory has room for.
    excess = countLiveWords(loop) - (registers - kOtherRegisters);
    slots.makeRoom(blocks);
    keepWords(loop);
    keepAhead(loop);
    keepSums(loop);
    askForBlocks(loop, blocks);
    dropCarried(loop);
  }

  /// Tells ptxas how many blocks are to have room, where it would take a few
  /// registers more for rows that are loaded ahead by elements, so that one
  /// block waits for each row alone. Others are better off unasked.
  void askForBlocks(scf::ForOp loop, int64_t blocks) {
    StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
    if (blocks > 1 && excess <= 0 && !function->hasAttr(name) &&
        loadsElementsAhead(loop))
      function->setAttr(
          name, Builder(function.getContext()).getI32IntegerAttr(blocks));
  }

  /// Whether there is one more slot.
  bool takeSlot() {
    if (!slots.take())
      return false;
    excess -= kSlotWords;
    return true;
  }

  /// Words that the loop reads and does not change: registers are for more
  /// blocks.
  void keepWords(scf::ForOp loop) {
    llvm::MapVector<Value, SmallVector<Value>> users;
    SetVector<Value> seen;
    loop.getBody()->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (loop.isDefinedOutsideOfLoop(operand) && seen.insert(operand))
          if (Value word = getWord(operand); word && isLoaded(word))
            users[word].push_back(operand);
    });
    if (users.size() < kLeastWords)
      return;
    auto words = users.takeVector();
    for (size_t first = 0; first < words.size() && excess > 0 && takeSlot();
         first += kSlotWords) {
      size_t count = std::min<size_t>(kSlotWords, words.size() - first);
      keepGroup(loop, ArrayRef(words).slice(first, count));
    }
  }

  void keepGroup(scf::ForOp loop,
                 ArrayRef<std::pair<Value, SmallVector<Value>>> group) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> words;
    for (const auto &[word, values] : group)
      words.push_back(toWord(builder, loc, word));
    words.resize(kSlotWords, words.front());
    Value slot = slots.makeAddress(builder, loc);
    storeVector(builder, loc, slot, words, /*predicate=*/nullptr);
    // Where the first of them is used.
    Block &body = *loop.getBody();
    Operation *first = body.getTerminator();
    for (const auto &[word, values] : group)
      for (Value value : values)
        for (Operation *user : value.getUsers())
          if (Operation *op = body.findAncestorOpInBlock(*user);
              op && op->isBeforeInBlock(first))
            first = op;
    builder.setInsertionPoint(first);
    SmallVector<Value> read =
        loadVector(builder, loc, slot, builder.getI32Type(), kSlotWords,
                   /*predicate=*/nullptr);
    for (auto [part, word] : llvm::zip(group, read))
      for (Value value : part.second) {
        Value again = takeAgain(builder, value, part.first, word);
        value.replaceUsesWithIf(again, [&](OpOperand &use) {
          return use.getOwner() != again.getDefiningOp() &&
                 loop->isProperAncestor(use.getOwner());
        });
      }
  }

  static Value toWord(OpBuilder &builder, Location loc, Value value) {
    return value.getType().isInteger(32)
               ? value
               : LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                         value);
  }

  /// What was made of the old word, made of the new one.
  static Value takeAgain(OpBuilder &builder, Value value, Value old,
                         Value word) {
    Location loc = value.getLoc();
    if (old.getType() != word.getType())
      word = LLVM::BitcastOp::create(builder, loc, old.getType(), word);
    if (value == old)
      return word;
    if (auto extract = value.getDefiningOp<LLVM::ExtractElementOp>())
      return LLVM::ExtractElementOp::create(
          builder, loc,
          LLVM::BitcastOp::create(builder, loc, extract.getVector().getType(),
                                  word),
          extract.getPosition());
    return LLVM::BitcastOp::create(builder, loc, value.getType(), word);
  }

  /// What the loop carries in slots: values from `first` on.
  struct Carried {
    unsigned first;
    Value slot;
    SmallVector<Value> inits;
    /// Of two slots that take turns: how far behind the first one it is.
    Value turn = nullptr;
  };

  /// One more, if there is room for it: of each thread, or of each warp, whose
  /// first thread writes it.
  bool carry(scf::ForOp loop, unsigned first, unsigned count,
             bool isOfWarp = false) {
    if (!takeSlot())
      return false;
    OpBuilder builder(loop);
    SmallVector<Value> inits(loop.getInitArgs().slice(first, count));
    Value slot = slots.makeAddress(builder, loop.getLoc(), isOfWarp);
    storeVector(builder, loop.getLoc(), slot, inits,
                isOfWarp ? ThreadIndex(builder, loop.getLoc()).isFirstOfWarp()
                         : Value());
    carried.push_back({first, slot, inits});
    return true;
  }

  static SmallVector<Value> read(OpBuilder &builder, Location loc,
                                 const Carried &slot) {
    Value place = slot.slot;
    if (slot.turn)
      place = addBytes(builder, loc, place, slot.turn);
    return loadVector(builder, loc, place, slot.inits.front().getType(),
                      slot.inits.size(), /*predicate=*/nullptr);
  }

  /// Reads the last one there, for what the loop's arguments were.
  void readInBody(OpBuilder &builder, scf::ForOp loop) {
    const Carried &slot = carried.back();
    for (auto [index, value] :
         llvm::enumerate(read(builder, loop.getLoc(), slot)))
      loop.getRegionIterArg(slot.first + index).replaceAllUsesWith(value);
  }

  /// What the loop loads for its next iteration: copies bring it, all or none.
  /// With rows come single words, as means of rows: ptxas has registers that
  /// are loaded and shuffles share a scoreboard, so that these wait for memory
  /// (docs/decisions/0067-numbers-of-the-next-row.md).
  /// What branches load is left to registers, if they hold the words that the
  /// loop reads.
  void keepAhead(scf::ForOp &loop) {
    if (excess + kSpareRegisters <= 0)
      return;
    SmallVector<SlotLoads> ahead, numbers;
    for (SlotLoads &loads : findSlotLoads(loop, /*mayBranch=*/!slots.isEmpty()))
      (areSingleWords(loads) ? numbers : ahead).push_back(std::move(loads));
    if (ahead.empty())
      return;
    int64_t numRows = ahead.size(), count = numRows + numbers.size();
    if (numbers.size() <= kMostSlotsOfNumbers && slots.hasRoom(count))
      llvm::append_range(ahead, numbers);
    if (haveTurns(ahead, numRows) && !loadsOfThreads(loop, ahead))
      if (Operation *last = loadFirst(loop, ahead))
        return keepInTurns(loop, ahead, last);
    OpBuilder builder(&loop.getBody()->front());
    for (const SlotLoads &loads : ahead) {
      if (!carry(loop, loads.front().first, countValues(loads)))
        return;
      if (copied.empty())
        awaitCopies(builder, loop.getLoc());
      readInBody(builder, loop);
      for (auto [index, load] : llvm::enumerate(loads)) {
        Value place = getPart(loop, carried.back().slot, index, load);
        copyAhead(load, place);
        if (load.branch)
          storeElse(loop, load, place);
      }
    }
  }

  void copyAhead(const LoadedAhead &ahead, Value place, Value mask = nullptr) {
    copyToSlot(ahead, place, mask);
    copied.push_back(ahead.load);
  }

  /// Where in its slot a load goes.
  static Value getPart(scf::ForOp loop, Value slot, int64_t index,
                       const LoadedAhead &load) {
    if (index == 0)
      return slot;
    OpBuilder builder(loop);
    builder.setInsertionPointAfterValue(slot);
    return addBytes(builder, loop.getLoc(), slot, index * load.bytes);
  }

  /// Whether slots can take turns: where there is room for twice as many beside
  /// sums, and no other copies are waited for. Not of copies that go through
  /// the first-level cache, which has what slots leave.
  bool haveTurns(ArrayRef<SlotLoads> ahead, size_t numRows) {
    if (llvm::any_of(ahead.take_front(numRows), [](const SlotLoads &loads) {
          return loads.front().bytes < kSlotBytes;
        }))
      return false;
    int64_t count = ahead.size();
    int64_t left = std::max<int64_t>(excess - kSlotWords * count, 0);
    int64_t ofSums = llvm::divideCeil(left, kSlotWords);
    return slots.hasRoom(2 * count + ofSums) && !hasAsyncCopies(function);
  }

  /// Copies of the next row go to other slots than this one has, and so begin
  /// before anything of this one is read. In one slot they come behind its
  /// reads, and ptxas puts them off until most of what is read has been used.
  void keepInTurns(scf::ForOp &loop, ArrayRef<SlotLoads> ahead,
                   Operation *last) {
    Location loc = loop.getLoc();
    int64_t bytes = ahead.size() * slots.getStride();
    carryTurn(loop, bytes);
    Value turn = loop.getRegionIterArgs().back();
    OpBuilder early(&loop.getBody()->front());
    Value other = loop.getYieldedValues().back();
    OpBuilder late(loop.getContext());
    late.setInsertionPointAfter(last);
    NVVM::CpAsyncCommitGroupOp::create(late, loc);
    NVVM::CpAsyncWaitGroupOp::create(late, loc, 1);
    early.setInsertionPointAfterValue(other);
    Value isFirst;
    for (const SlotLoads &loads : ahead) {
      // What all threads have each warp copies once: copies of a word by each
      // thread take long.
      bool isOfWarp =
          areSingleWords(loads) && llvm::none_of(loads, [](const auto &load) {
            return isOfThread(load.load);
          });
      if (isOfWarp && !isFirst) {
        isFirst = ThreadIndex(early, loc).isFirstOfWarp();
        syncBeforeLoop(loop);
        syncWarp(early, loc);
        syncWarp(late, loc);
      }
      carry(loop, loads.front().first, countValues(loads), isOfWarp);
      carried.back().turn = turn;
      readInBody(late, loop);
      Value place = addBytes(early, loc, carried.back().slot, other);
      for (auto [index, load] : llvm::enumerate(loads))
        copyAhead(load,
                  addBytes(early, loc, place, int64_t(index * load.bytes)),
                  isOfWarp ? isFirst : Value());
      carried.back().turn = loop.getResults().back();
    }
    slots.take(ahead.size());
  }

  /// Has warps wait in front of a loop: behind it lanes read what its last
  /// iteration has left, which a loop around it may have written anew.
  static void syncBeforeLoop(scf::ForOp loop) {
    OpBuilder builder(loop);
    if (loop->getParentOfType<LoopLikeOpInterface>())
      syncWarp(builder, loop.getLoc());
  }

  /// Sums that the loop carries.
  void keepSums(scf::ForOp loop) {
    OpBuilder builder(loop);
    for (unsigned first = 0; first < loop.getNumRegionIterArgs();) {
      std::optional<CarriedSums> sums = matchSums(loop, first);
      if (!sums) {
        ++first;
        continue;
      }
      if (excess <= 0 || !carry(loop, first, kSlotWords))
        return;
      builder.setInsertionPoint(sums->reader);
      readInBody(builder, loop);
      builder.setInsertionPointAfter(sums->writer);
      storeVector(
          builder, loop.getLoc(), carried.back().slot,
          SmallVector<Value>(loop.getYieldedValues().slice(first, kSlotWords)),
          /*predicate=*/nullptr);
      first += kSlotWords;
    }
  }

  /// Reads behind the loop what it does not carry any more.
  void dropCarried(scf::ForOp loop) {
    if (carried.empty())
      return;
    IRRewriter builder(loop);
    Location loc = loop.getLoc();
    Operation *last = loop;
    if (!copied.empty()) {
      builder.setInsertionPointAfter(loop);
      awaitCopies(builder, loc);
      last = syncWarp(builder, loc);
    }
    llvm::BitVector dropped(loop.getNumRegionIterArgs());
    for (const Carried &slot : carried) {
      builder.setInsertionPointAfter(last);
      SmallVector<Value> values = read(builder, loc, slot);
      for (auto [index, value] : llvm::enumerate(values)) {
        loop.getResult(slot.first + index).replaceAllUsesWith(value);
        dropped.set(slot.first + index);
      }
    }
    dropResults(builder, loop, dropped);
    SetVector<Operation *> dead;
    for (Operation *load : copied)
      collectUsers(load, dead);
    for (Operation *op : dead)
      op->erase();
    carried.clear();
    copied.clear();
  }

  static void dropResults(IRRewriter &builder, scf::ForOp loop,
                          const llvm::BitVector &dropped) {
    SmallVector<Value> inits, yields, arguments, results;
    for (unsigned index = 0; index < dropped.size(); ++index)
      if (!dropped[index]) {
        inits.push_back(loop.getInitArgs()[index]);
        yields.push_back(loop.getYieldedValues()[index]);
      }
    builder.setInsertionPoint(loop);
    auto fewer =
        scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    fewer->setAttrs(loop->getAttrs());
    loop.getBody()->getTerminator()->setOperands(yields);
    arguments.push_back(fewer.getInductionVar());
    for (unsigned index = 0, next = 0; index < dropped.size(); ++index) {
      bool isDropped = dropped[index];
      arguments.push_back(isDropped ? loop.getInitArgs()[index]
                                    : Value(fewer.getRegionIterArg(next)));
      results.push_back(isDropped ? loop.getInitArgs()[index]
                                  : Value(fewer.getResult(next)));
      next += !isDropped;
    }
    // A loop that carries nothing is made with its terminator.
    if (inits.empty())
      builder.eraseOp(fewer.getBody()->getTerminator());
    builder.mergeBlocks(loop.getBody(), fewer.getBody(), arguments);
    builder.replaceOp(loop, results);
  }

  LLVM::LLVMFuncOp function;
  GpuTarget target;
  SlotMemory slots;
  /// Words that registers do not hold.
  int64_t excess = 0;
  /// What the loop at hand carries, and loads that became copies.
  SmallVector<Carried> carried;
  SmallVector<Operation *> copied;
};

struct KeepInSlots : tilewright::impl::KeepInSlotsBase<KeepInSlots> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kSharedBytesAttr) && getNumThreads(function))
        SlotKeeper(function).run();
  }
};
} // namespace
