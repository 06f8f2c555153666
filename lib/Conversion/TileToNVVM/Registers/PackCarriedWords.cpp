//===- PackCarriedWords.cpp - Words that loops and branches carry ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright {
#define GEN_PASS_DEF_PACKCARRIEDWORDS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The vector of two that the value is this element of, where that is a word
/// taken apart; or null.
static LLVM::BitcastOp getWord(Value element, uint64_t index) {
  auto extract = element.getDefiningOp<LLVM::ExtractElementOp>();
  APInt position;
  if (!extract ||
      !matchPattern(extract.getPosition(), m_ConstantInt(&position)) ||
      position != index)
    return nullptr;
  auto word = extract.getVector().getDefiningOp<LLVM::BitcastOp>();
  return word && word.getArg().getType().isInteger(32) ? word : nullptr;
}

static bool areOfWord(Value low, Value high) {
  LLVM::BitcastOp word = getWord(low, 0);
  return word && word == getWord(high, 1);
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// Both side by side in a word: the one that they were taken out of, if there
/// is one.
static Value getPacked(OpBuilder &builder, Location loc, Value low,
                       Value high) {
  if (areOfWord(low, high))
    return getWord(low, 0).getArg();
  return tonvvm::pack(builder, loc, {low, high}).front();
}

namespace {
/// Which of some values become words: the first of each two.
class Pairs {
public:
  /// `areWords`: whether what is carried at two places is a word.
  Pairs(TypeRange types, function_ref<bool(unsigned, unsigned)> areWords) {
    for (unsigned index = 0; index < types.size(); ++index) {
      Type type = types[index];
      bool isHalf = type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 16;
      bool isPair = isHalf && index + 1 < types.size() &&
                    types[index + 1] == type && areWords(index, index + 1);
      places.push_back({index, isPair});
      index += isPair;
    }
  }

  bool empty() const {
    return llvm::none_of(places, [](Place place) { return place.isPair; });
  }

  SmallVector<Value> pack(OpBuilder &builder, Location loc,
                          ValueRange values) const {
    SmallVector<Value> packed;
    for (Place place : places)
      packed.push_back(place.isPair
                           ? getPacked(builder, loc, values[place.index],
                                       values[place.index + 1])
                           : values[place.index]);
    return packed;
  }

  /// The values of these types that were packed.
  SmallVector<Value> unpack(OpBuilder &builder, Location loc, ValueRange packed,
                            TypeRange types) const {
    SmallVector<Value> values;
    for (auto [place, value] : llvm::zip_equal(places, packed)) {
      if (place.isPair)
        llvm::append_range(
            values, tonvvm::unpack(builder, loc, value, types[place.index]));
      else
        values.push_back(value);
    }
    return values;
  }

private:
  struct Place {
    unsigned index;
    bool isPair;
  };
  SmallVector<Place> places;
};
} // namespace

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

static void packYield(OpBuilder &builder, const Pairs &pairs,
                      Operation *yield) {
  builder.setInsertionPoint(yield);
  yield->setOperands(
      pairs.pack(builder, yield->getLoc(), yield->getOperands()));
}

static void packBranch(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return;
  ValueRange thenValues = branch.thenYield().getOperands(),
             elseValues = branch.elseYield().getOperands();
  auto isWordOrConstant = [](Value low, Value high) {
    return areOfWord(low, high) || (isConstant(low) && isConstant(high));
  };
  Pairs pairs(branch.getResultTypes(), [&](unsigned low, unsigned high) {
    return (areOfWord(thenValues[low], thenValues[high]) ||
            areOfWord(elseValues[low], elseValues[high])) &&
           isWordOrConstant(thenValues[low], thenValues[high]) &&
           isWordOrConstant(elseValues[low], elseValues[high]);
  });
  if (pairs.empty())
    return;
  IRRewriter builder(branch.getContext());
  packYield(builder, pairs, branch.thenYield());
  packYield(builder, pairs, branch.elseYield());
  builder.setInsertionPoint(branch);
  auto packed = scf::IfOp::create(
      builder, branch.getLoc(), branch.thenYield().getOperandTypes(),
      branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  packed.getThenRegion().takeBody(branch.getThenRegion());
  packed.getElseRegion().takeBody(branch.getElseRegion());
  builder.replaceOp(branch,
                    pairs.unpack(builder, branch.getLoc(), packed.getResults(),
                                 branch.getResultTypes()));
}

static void packLoop(scf::ForOp loop) {
  OperandRange yielded = loop.getBody()->getTerminator()->getOperands();
  Pairs pairs(loop.getResultTypes(), [&](unsigned low, unsigned high) {
    return areOfWord(yielded[low], yielded[high]) &&
           getWord(yielded[low], 0).getArg().getDefiningOp<scf::IfOp>();
  });
  if (pairs.empty())
    return;
  IRRewriter builder(loop.getContext());
  Location loc = loop.getLoc();
  packYield(builder, pairs, loop.getBody()->getTerminator());
  builder.setInsertionPoint(loop);
  auto packed = scf::ForOp::create(
      builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
      pairs.pack(builder, loc, loop.getInitArgs()));
  packed->setAttrs(loop->getAttrs());
  builder.setInsertionPointToStart(packed.getBody());
  SmallVector<Value> arguments = {packed.getInductionVar()};
  llvm::append_range(arguments,
                     pairs.unpack(builder, loc, packed.getRegionIterArgs(),
                                  loop.getResultTypes()));
  builder.mergeBlocks(loop.getBody(), packed.getBody(), arguments);
  builder.setInsertionPointAfter(packed);
  builder.replaceOp(loop, pairs.unpack(builder, loc, packed.getResults(),
                                       loop.getResultTypes()));
}

namespace {
struct PackCarriedWords
    : tilewright::impl::PackCarriedWordsBase<PackCarriedWords> {
  void runOnOperation() override {
    // What is in a branch or a loop before what is around it, and branches
    // before what takes their results.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<scf::IfOp, scf::ForOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto branch = dyn_cast<scf::IfOp>(op))
        packBranch(branch);
      else
        packLoop(cast<scf::ForOp>(op));
    }
  }
};
} // namespace
