//===- PackMasks.cpp - Masks of copies as bits of a register --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/ProductBodies.h"
#include "Threads/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"
#include "tilewright/Dialect/Tile/IR/Conjunctions.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright {
#define GEN_PASS_DEF_PACKMASKS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Fewer are kept in predicates, of which a thread has seven.
static constexpr size_t leastMasks = 4;
static constexpr unsigned bitsOfWord = 32;

/// All of which have to be true.
using Conditions = SmallVector<Value, 2>;

namespace {
/// The masks of the copies of one body.
class MaskPacker {
public:
  MaskPacker(LoopLikeOpInterface loop, Block &body)
      : loop(loop), invariants(loop), body(body), loc(loop.getLoc()),
        isShort(llvm::any_of(body, isMatrixProduct)),
        isWorthIt(llvm::none_of(
            body, [](Operation &op) { return isa<LLVM::FMAOp>(op); })) {}
  void run();

private:
  /// A copy that writes zeros where a mask, or a condition that is not the same
  /// in all iterations, is false.
  struct Masked {
    AsyncCopy copy;
    arith::SelectOp bytes;
    size_t mask;
    Conditions variant;
  };

  void collect(AsyncCopy copy);
  Value combine(OpBuilder &builder, ArrayRef<Value> conditions);
  void packBefore();
  Value getWord(OpBuilder &builder, size_t number, const Conditions &variant);
  void testBit(Masked &masked);

  LoopLikeOpInterface loop;
  tile::LoopInvariants invariants;
  Block &body;
  Location loc;
  /// The loop of a product of f64: each instruction counts.
  bool isShort;
  /// A comparison takes a predicate along, so that among FMAs nothing is gained
  /// where all conditions of the iteration are of lanes. Those of a warp are
  /// uniform predicates, from which others have to be made first.
  bool isWorthIt;
  SmallVector<Masked> copies;
  SmallVector<Conditions> masks;
  /// Bits of masks, and what they are under conditions of the iteration.
  SmallVector<Value> words;
  SmallVector<std::tuple<size_t, Conditions, Value>> here;
};
} // namespace

/// Whether the lanes of a warp have the same values.
static bool areSameInWarp(ArrayRef<Value> values) {
  SmallVector<Value> open(values);
  DenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    APInt amount;
    bool isOfWarp = op && isa<arith::ShRUIOp>(op) &&
                    matchPattern(op->getOperand(1), m_ConstantInt(&amount)) &&
                    amount.uge(llvm::Log2_32(lanesPerWarp));
    if (!op || isOfWarp || !seen.insert(op).second)
      continue;
    if (isa<NVVM::ThreadIdXOp>(op) || !isPure(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

void MaskPacker::collect(AsyncCopy copy) {
  arith::SelectOp bytes = copy.getChoice();
  if (!bytes)
    return;
  Conditions mask, variant;
  for (Value condition : tile::takeApart(bytes.getCondition()))
    (invariants.contains(condition) ? mask : variant).push_back(condition);
  if (mask.empty())
    return;
  isWorthIt |= areSameInWarp(variant);
  if (!llvm::is_contained(masks, mask))
    masks.push_back(mask);
  size_t number = llvm::find(masks, mask) - masks.begin();
  copies.push_back({copy, bytes, number, variant});
}

Value MaskPacker::combine(OpBuilder &builder, ArrayRef<Value> conditions) {
  Value all = conditions.front();
  for (Value condition : conditions.drop_front())
    all = arith::AndIOp::create(builder, loc, all, condition);
  return all;
}

static Value wordConstant(OpBuilder &builder, Location loc, uint32_t value) {
  return arith::ConstantIntOp::create(builder, loc, static_cast<int32_t>(value),
                                      bitsOfWord);
}

/// The words in front of the loop. LLVM would see through them, and take the
/// masks out again.
void MaskPacker::packBefore() {
  OpBuilder builder(loop);
  for (auto [number, mask] : llvm::enumerate(masks)) {
    for (Value condition : mask)
      invariants.hoist(condition);
    Value bit = arith::SelectOp::create(
        builder, loc, combine(builder, mask),
        wordConstant(builder, loc, 1u << number % bitsOfWord),
        wordConstant(builder, loc, 0));
    if (number % bitsOfWord == 0)
      words.push_back(bit);
    else
      words.back() = arith::OrIOp::create(builder, loc, words.back(), bit);
  }
  for (Value &word : words)
    word = emitPurePtx(builder, loc, word.getType(), word, "mov.b32 $0, $1;",
                       "=r,r");
}

/// A word where the conditions of this iteration are true too; else zeros.
Value MaskPacker::getWord(OpBuilder &builder, size_t number,
                          const Conditions &variant) {
  if (variant.empty())
    return words[number];
  for (const auto &[ofWord, conditions, word] : here)
    if (ofWord == number && conditions == variant)
      return word;
  Value word =
      arith::SelectOp::create(builder, loc, combine(builder, variant),
                              words[number], wordConstant(builder, loc, 0));
  here.emplace_back(number, variant, word);
  return word;
}

void MaskPacker::testBit(Masked &masked) {
  OpBuilder builder(masked.copy.getOp());
  Value word = getWord(builder, masked.mask / bitsOfWord, masked.variant);
  Value bit = arith::AndIOp::create(
      builder, loc, word,
      wordConstant(builder, loc, 1u << masked.mask % bitsOfWord));
  Value isSet = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      bit, wordConstant(builder, loc, 0));
  masked.copy.setChoice(arith::SelectOp::create(builder, loc, isSet,
                                                masked.bytes.getTrueValue(),
                                                masked.bytes.getFalseValue()));
}

void MaskPacker::run() {
  // Copies of 16 bytes are few.
  for (Operation &op : body)
    if (std::optional<AsyncCopy> copy = AsyncCopy::get(&op);
        copy && (isShort || !copy->isWide()))
      collect(*copy);
  if (!isWorthIt || masks.size() < leastMasks)
    return;
  packBefore();
  for (Masked &masked : copies)
    testBit(masked);
}

namespace {
struct PackMasks : tilewright::impl::PackMasksBase<PackMasks> {
  void runOnOperation() override {
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions())
        if (region->hasOneBlock())
          MaskPacker(loop, region->front()).run();
    });
  }
};
} // namespace
