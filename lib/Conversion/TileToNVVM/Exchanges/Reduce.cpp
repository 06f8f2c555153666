//===- Reduce.cpp - Reductions inside of a warp ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/AxisReduction.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

struct ReducePattern : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  /// One element of each tile.
  using Elements = SmallVector<Value>;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The verifier has made sure that there are steps.
    AxisReduction steps = *AxisReduction::create(
        getRegisterLayout(op.getTileType()).getLayout(), op.getAxis());
    CombineRegion region(op);
    bool inOrder = compares(op);
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (ArrayRef<unsigned> group : steps.registerGroups()) {
      SmallVector<Elements> elements =
          llvm::map_to_vector(group, [&](unsigned reg) {
            return llvm::map_to_vector(
                adaptor.getSources(),
                [&](ValueRange registers) { return Value(registers[reg]); });
          });
      if (sitsInWords(op, group)) {
        results[0].push_back(choosePairs(*region.getChoice(), elements,
                                         steps.laneMasks(), rewriter));
        continue;
      }
      if (inOrder)
        putKnownFirst(elements);
      Elements result = combineRegisters(region, elements, inOrder, rewriter);
      if (steps.laneMasks().size() == llvm::Log2_32(lanesPerWarp))
        if (std::optional<NVVM::ReduxKind> kind = findWarpReduction(op)) {
          results[0].push_back(
              reduceWarp(*kind, result.front(), op.getLoc(), rewriter));
          continue;
        }
      result = combineLanes(region, std::move(result), steps.laneMasks(),
                            op.getLoc(), rewriter);
      for (auto [values, value] : llvm::zip_equal(results, result))
        values.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// Whether the value hangs on constants alone.
  static bool isKnown(Value value, unsigned depth = 0) {
    constexpr unsigned kMaxDepth = 6;
    auto isOperandKnown = [&](Value operand) {
      return isKnown(operand, depth + 1);
    };
    Operation *op = value.getDefiningOp();
    return op && depth < kMaxDepth && isComputation(op) &&
           llvm::all_of(op->getOperands(), isOperandKnown);
  }

  /// Of several tiles, what is known of one, such as how many numbers an
  /// element stands for, stays known as long as elements are met of which it
  /// is. Of one tile, code that knows less has the same bits.
  static void putKnownFirst(SmallVectorImpl<Elements> &elements) {
    size_t most = elements.front().size();
    if (most == 1)
      return;
    SmallVector<SmallVector<Elements>> byKnown(most + 1);
    for (Elements &element : elements) {
      auto known = [](Value value) { return isKnown(value); };
      byKnown[llvm::count_if(element, known)].push_back(std::move(element));
    }
    elements.clear();
    for (SmallVector<Elements> &group : llvm::reverse(byKnown))
      llvm::append_range(elements, group);
  }

  /// From so many steps on one lane had better tell its result than all choose
  /// the order of both.
  static constexpr size_t kManySteps = 4;

  static Elements combineLanes(const CombineRegion &region, Elements result,
                               ArrayRef<unsigned> laneMasks, Location loc,
                               OpBuilder &builder) {
    bool isTold = !region.isCommutative() && laneMasks.size() >= kManySteps;
    for (unsigned mask : laneMasks) {
      Elements others = llvm::map_to_vector(result, [&](Value value) {
        return shuffleButterfly(builder, loc, value, mask);
      });
      if (!region.isCommutative() && !isTold)
        putInOrder(result, others, mask, loc, builder);
      result = region.inlineFor(builder, result, others);
    }
    return isTold ? tellFirst(result, laneMasks, loc, builder) : result;
  }

  /// The result of the first lane of each group, which was the first one of two
  /// at each step: others may have combined in another order.
  static Elements tellFirst(ArrayRef<Value> result,
                            ArrayRef<unsigned> laneMasks, Location loc,
                            OpBuilder &builder) {
    unsigned others = 0;
    for (unsigned mask : laneMasks)
      others |= mask;
    Value first = arith::AndIOp::create(
        builder, loc, ThreadIndex(builder, loc).getLane(),
        arith::ConstantIntOp::create(builder, loc, ~others & (lanesPerWarp - 1),
                                     32));
    return llvm::map_to_vector(result, [&](Value value) {
      return shuffleFromLane(builder, loc, value, first);
    });
  }

  /// Lets both lanes combine in one order, so that they have one result: of
  /// equal numbers, say, the place of the same one.
  static void putInOrder(Elements &own, Elements &others, unsigned mask,
                         Location loc, OpBuilder &builder) {
    Value bit = arith::AndIOp::create(
        builder, loc, ThreadIndex(builder, loc).getLane(),
        arith::ConstantIntOp::create(builder, loc, mask, 32));
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, bit,
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    for (auto [mine, other] : llvm::zip_equal(own, others)) {
      Value first = arith::SelectOp::create(builder, loc, isFirst, mine, other);
      other = arith::SelectOp::create(builder, loc, isFirst, other, mine);
      mine = first;
    }
  }

  /// Whether elements are compared to combine them.
  static bool compares(ReduceOp op) {
    return anyOpIn(op.getCombiner(), [](Operation *inner) {
      return llvm::any_of(inner->getResultTypes(),
                          [](Type type) { return type.isInteger(1); });
    });
  }

  /// What one instruction makes of the integers of all lanes of a warp, if it
  /// can: five exchanges and steps otherwise.
  static std::optional<NVVM::ReduxKind> findWarpReduction(ReduceOp op) {
    Type type = op.getTileType().getElementType();
    constexpr unsigned kMostBits = 32;
    if (op.getNumResults() != 1 || !type.isInteger() ||
        type.getIntOrFloatBitWidth() > kMostBits ||
        !CombineRegion(op).isCommutative())
      return std::nullopt;
    Operation *yield = op.getCombiner().front().getTerminator();
    using Kind = std::optional<NVVM::ReduxKind>;
    return llvm::TypeSwitch<Operation *, Kind>(
               yield->getOperand(0).getDefiningOp())
        .Case([](arith::AddIOp) { return NVVM::ReduxKind::ADD; })
        .Case([](arith::AndIOp) { return NVVM::ReduxKind::AND; })
        .Case([](arith::OrIOp) { return NVVM::ReduxKind::OR; })
        .Case([](arith::XOrIOp) { return NVVM::ReduxKind::XOR; })
        .Case([](arith::MaxSIOp) { return NVVM::ReduxKind::MAX; })
        .Case([](arith::MinSIOp) { return NVVM::ReduxKind::MIN; })
        .Case([](arith::MaxUIOp) { return NVVM::ReduxKind::UMAX; })
        .Case([](arith::MinUIOp) { return NVVM::ReduxKind::UMIN; })
        .Default([](Operation *) { return std::nullopt; });
  }

  static Value reduceWarp(NVVM::ReduxKind kind, Value value, Location loc,
                          OpBuilder &builder) {
    Type type = value.getType();
    Type word = builder.getI32Type();
    bool hasSign = kind == NVVM::ReduxKind::MAX || kind == NVVM::ReduxKind::MIN;
    if (type != word)
      value = hasSign
                  ? Value(arith::ExtSIOp::create(builder, loc, word, value))
                  : Value(arith::ExtUIOp::create(builder, loc, word, value));
    Value all = arith::ConstantIntOp::create(builder, loc, word, -1);
    Value result = NVVM::ReduxOp::create(builder, loc, word, value, kind, all);
    return resizeInteger(builder, loc, result, type.getIntOrFloatBitWidth());
  }

  /// Whether two elements after the other are the halves of a word, as loads
  /// and stores have them, and one instruction chooses of both.
  static bool sitsInWords(ReduceOp op, ArrayRef<unsigned> group) {
    Type element = op.getTileType().getElementType();
    if (!(element.isF16() || element.isBF16()) || group.size() % 2 != 0 ||
        !CombineRegion(op).getChoice())
      return false;
    for (size_t index = 0; index < group.size(); index += 2)
      if (group[index] % 2 != 0 || group[index + 1] != group[index] + 1)
        return false;
    return true;
  }

  static Value choose(Operation &choice, Value left, Value right,
                      OpBuilder &builder) {
    OperationState state(choice.getLoc(), choice.getName(), {left, right},
                         left.getType(), choice.getAttrs());
    return builder.create(state)->getResult(0);
  }

  /// Halves with halves, of registers and then of lanes, and at last the two
  /// that are left.
  static Value choosePairs(Operation &choice, ArrayRef<Elements> elements,
                           ArrayRef<unsigned> laneMasks, OpBuilder &builder) {
    Location loc = choice.getLoc();
    Type half = elements[0][0].getType();
    auto toPair = [&](Value word) -> Value {
      return LLVM::BitcastOp::create(builder, loc, VectorType::get(2, half),
                                     word);
    };
    auto toWord = [&](Value pair) -> Value {
      return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair);
    };
    SmallVector<Value> pairs;
    for (size_t index = 0; index < elements.size(); index += 2)
      pairs.push_back(toPair(
          pack(builder, loc, {elements[index][0], elements[index + 1][0]})[0]));
    Value pair = chooseOf(choice, pairs, builder);
    for (unsigned mask : laneMasks)
      pair = choose(choice, pair,
                    toPair(shuffleButterfly(builder, loc, toWord(pair), mask)),
                    builder);
    SmallVector<Value> halves = unpack(builder, loc, toWord(pair), half);
    return choose(choice, halves[0], halves[1], builder);
  }

  static Value chooseOf(Operation &choice, ArrayRef<Value> values,
                        OpBuilder &builder) {
    if (values.size() == 1)
      return values.front();
    size_t half = values.size() / 2;
    return choose(choice, chooseOf(choice, values.take_front(half), builder),
                  chooseOf(choice, values.drop_front(half), builder), builder);
  }

  /// Neighbours first: the ways are short, and so is what rounding adds up to.
  /// One after the other, `inOrder`, fewer are under way: a thread has seven
  /// predicates, and moves those that are more to registers and back.
  static Elements combineRegisters(const CombineRegion &region,
                                   ArrayRef<Elements> elements, bool inOrder,
                                   OpBuilder &builder) {
    if (elements.size() == 1)
      return elements.front();
    if (inOrder) {
      Elements result = elements.front();
      for (const Elements &element : elements.drop_front())
        result = region.inlineFor(builder, result, element);
      return result;
    }
    size_t half = elements.size() / 2;
    Elements left =
        combineRegisters(region, elements.take_front(half), inOrder, builder);
    Elements right =
        combineRegisters(region, elements.drop_front(half), inOrder, builder);
    return region.inlineFor(builder, left, right);
  }
};

} // namespace

LogicalResult tonvvm::checkReduce(ReduceOp reduce) {
  auto steps = AxisReduction::create(
      getRegisterLayout(reduce.getTileType()).getLayout(), reduce.getAxis());
  if (!steps->spansWarps() || reduce.getPerWarp())
    return success();
  return reduce.emitOpError("several warps have parts of one result: run "
                            "tile-split-reductions first");
}

void tonvvm::populateReducePatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter) {
  patterns.add<ReducePattern>(converter, patterns.getContext());
}
