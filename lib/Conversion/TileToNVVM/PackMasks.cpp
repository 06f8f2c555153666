//===- PackMasks.cpp - Masks of copies as bits of a register --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "ProductBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"

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

namespace {
/// The masks of the copies of one body.
class MaskPacker {
public:
  MaskPacker(LoopLikeOpInterface loop, Block &body) : loop(loop), body(body) {}
  void run();

private:
  /// A copy that writes zeros where one of its conditions is false.
  struct Masked {
    LLVM::InlineAsmOp copy;
    arith::SelectOp bytes;
    /// The same in all iterations, and those that are not.
    Value invariant, variant;
  };

  void collect(LLVM::InlineAsmOp copy);
  bool isInvariant(Value value);
  void hoist(Value value);
  Value combine(OpBuilder &builder, ArrayRef<Value> conditions);
  SmallVector<Value> packBefore();
  Value getWord(OpBuilder &builder, unsigned number, Value variant);

  LoopLikeOpInterface loop;
  Block &body;
  SmallVector<Masked> copies;
  SetVector<Value> masks;
  SmallVector<Value> words;
  /// Words of masks, and what they are in this iteration.
  DenseMap<std::pair<unsigned, Value>, Value> here;
  DenseMap<Value, bool> known;
};
} // namespace

/// The conditions that all have to be true.
static void split(Value condition, SmallVectorImpl<Value> &conditions) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    split(both.getLhs(), conditions);
    split(both.getRhs(), conditions);
  } else {
    conditions.push_back(condition);
  }
}

bool MaskPacker::isInvariant(Value value) {
  Operation *op = value.getDefiningOp();
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  if (!op || op->getBlock() != &body || !isPure(op) || op->getNumRegions() != 0)
    return false;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  bool isSame = llvm::all_of(
      op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  return known[value] = isSame;
}

void MaskPacker::hoist(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    hoist(operand);
  op->moveBefore(loop);
}

void MaskPacker::collect(LLVM::InlineAsmOp copy) {
  constexpr unsigned count = 2;
  if (copy.getNumOperands() <= count)
    return;
  auto bytes = copy.getOperand(count).getDefiningOp<arith::SelectOp>();
  if (!bytes || !matchPattern(bytes.getFalseValue(), m_Zero()))
    return;
  SmallVector<Value> conditions, invariant, variant;
  split(bytes.getCondition(), conditions);
  for (Value condition : conditions)
    (isInvariant(condition) ? invariant : variant).push_back(condition);
  if (invariant.empty())
    return;
  for (Value condition : invariant)
    hoist(condition);
  OpBuilder before(loop), inside(bytes);
  copies.push_back({copy, bytes, combine(before, invariant),
                    variant.empty() ? Value() : combine(inside, variant)});
  masks.insert(copies.back().invariant);
}

Value MaskPacker::combine(OpBuilder &builder, ArrayRef<Value> conditions) {
  Value all = conditions.front();
  for (Value condition : conditions.drop_front())
    all = arith::AndIOp::create(builder, loop.getLoc(), all, condition);
  return all;
}

/// The words in front of the loop. LLVM would see through them, and take the
/// masks out again.
SmallVector<Value> MaskPacker::packBefore() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type type = builder.getI32Type();
  SmallVector<Value> packed;
  for (auto [number, mask] : llvm::enumerate(masks)) {
    Value bit = arith::SelectOp::create(
        builder, loc, mask,
        arith::ConstantIntOp::create(
            builder, loc, static_cast<int32_t>(1u << number % bitsOfWord), 32),
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    if (number % bitsOfWord == 0)
      packed.push_back(bit);
    else
      packed.back() = arith::OrIOp::create(builder, loc, packed.back(), bit);
  }
  return llvm::map_to_vector(packed, [&](Value word) {
    return emitPurePtx(builder, loc, type, word, "mov.b32 $0, $1;", "=r,r");
  });
}

/// A word where the conditions of this iteration are true too; else zeros.
Value MaskPacker::getWord(OpBuilder &builder, unsigned number, Value variant) {
  if (!variant)
    return words[number];
  Value &word = here[{number, variant}];
  if (!word)
    word = arith::SelectOp::create(
        builder, loop.getLoc(), variant, words[number],
        arith::ConstantIntOp::create(builder, loop.getLoc(), 0, 32));
  return word;
}

void MaskPacker::run() {
  // Copies of 16 bytes are few, and only the loop of a product of f64 is short.
  bool isShort = llvm::any_of(body, isMatrixProduct);
  for (auto copy : body.getOps<LLVM::InlineAsmOp>())
    if (isCopy(*copy) &&
        (isShort || !copy.getAsmString().contains("cp.async.cg")))
      collect(copy);
  if (masks.size() < leastMasks)
    return;
  words = packBefore();
  for (Masked &masked : copies) {
    OpBuilder builder(masked.copy);
    Location loc = masked.copy.getLoc();
    auto number = static_cast<unsigned>(llvm::find(masks, masked.invariant) -
                                        masks.begin());
    Value word = getWord(builder, number / bitsOfWord, masked.variant);
    Value bit = arith::ConstantIntOp::create(
        builder, loc, static_cast<int32_t>(1u << number % bitsOfWord), 32);
    Value set = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, loc, word, bit),
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    Value bytes =
        arith::SelectOp::create(builder, loc, set, masked.bytes.getTrueValue(),
                                masked.bytes.getFalseValue());
    masked.copy->setOperand(2, bytes);
  }
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
