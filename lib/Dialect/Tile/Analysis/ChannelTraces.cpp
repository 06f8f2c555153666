//===- ChannelTraces.cpp - What roles do to channels ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ChannelTraces.h"

#include "ValueTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include <map>
#include <set>

using namespace mlir;
using namespace tilewright::tile;

/// Ways beyond these are not looked at: a kernel with so many has many loops
/// beside each other, and all of few of them were seen.
static constexpr unsigned kMostWays = 1024;
/// Hand-overs of a role beyond which a way is not followed.
static constexpr size_t kMostHandOvers = 1 << 14;
/// The most trips of a loop around loops.
static constexpr int64_t kMostOuterTrips = 2;

namespace {
//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// What is chosen of a way, in the order in which it was asked for.
class Choices {
public:
  using Key = SmallVector<int64_t, 4>;

  /// One of `count` numbers from 0 on: the same for the same key.
  int64_t choose(const Key &key, int64_t count) {
    auto [entry, isNew] = made.try_emplace(key, 0);
    if (!isNew)
      return entry->second;
    if (next == path.size())
      path.push_back({0, count});
    return entry->second = path[next++].chosen;
  }

  /// Goes on to the next way; false where that was the last one.
  bool advance() {
    made.clear();
    next = 0;
    while (!path.empty() && path.back().chosen + 1 == path.back().count)
      path.pop_back();
    if (path.empty())
      return false;
    ++path.back().chosen;
    return true;
  }

private:
  struct Choice {
    int64_t chosen, count;
  };
  SmallVector<Choice> path;
  size_t next = 0;
  std::map<Key, int64_t> made;
};

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// Goes through the roles of a kernel, one way after the other.
class Walk {
public:
  Walk(KernelOp kernel, ArrayRef<ChannelOp> channels, int64_t mostTrips)
      : kernel(kernel), mostTrips(mostTrips) {
    for (ChannelOp channel : channels)
      for (Operation *user : channel->getUsers())
        addRelevant(user);
    kernel.walk([&](Operation *op) {
      if (isa<TeamEnterOp, TeamLeaveOp>(op))
        addRelevant(op);
    });
    kernel.walk([&](LoopLikeOpInterface loop) {
      auto bound = loop.getSingleUpperBound();
      if (auto value = relevant.contains(loop) && bound
                           ? dyn_cast<Value>(*bound)
                           : Value())
        bounded.try_emplace(terms.get(value).number, loop);
      auto begin = loop.getSingleLowerBound();
      if (auto value = relevant.contains(loop) && begin
                           ? dyn_cast<Value>(*begin)
                           : Value())
        begins.insert(terms.get(value).number);
    });
  }

  Way go() {
    way = Way();
    fixed.clear();
    asked.clear();
    fixedTerms.clear();
    team = 0;
    if (getNumTeams(kernel) == 1) {
      goThrough("main", kernel.getBody().front());
    } else {
      goThrough("team 0", kernel.getBody().front());
      team = 1;
      goThrough("team 1", kernel.getBody().front());
      team = 0;
    }
    if (roles)
      goThrough("copy", roles.getCopy().front());
    return std::move(way);
  }

  bool advance() { return choices.advance(); }
  Operation *getObstacle() const { return obstacle; }

private:
  /// Adds an op with those around it; but for these, a role does nothing to
  /// channels.
  void addRelevant(Operation *op) {
    if (op == kernel || !relevant.insert(op).second)
      return;
    if (auto of = dyn_cast<RolesOp>(op))
      roles = of;
    if (isa<LoopLikeOpInterface>(op))
      for (auto around = op->getParentOfType<LoopLikeOpInterface>(); around;
           around = around->getParentOfType<LoopLikeOpInterface>())
        outer.insert(around);
    addRelevant(op->getParentOp());
    inBlock[op->getBlock()].push_back(op);
  }

  void goThrough(StringRef name, Block &block) {
    values.clear();
    counters.clear();
    turns.clear();
    way.roles.push_back({name, team, {}});
    go(block);
  }

  void go(Block &block) {
    SmallVector<Operation *> &ops = inBlock[&block];
    if (!llvm::is_sorted(ops, isBefore))
      llvm::sort(ops, isBefore);
    for (Operation *op : ops) {
      if (obstacle)
        return;
      if (auto handOver = dyn_cast<HandOverOpInterface>(op))
        go(handOver);
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        go(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        go(branch);
      else if (auto of = dyn_cast<RolesOp>(op))
        go(of.getMain().front());
      else if (isa<TeamEnterOp, TeamLeaveOp>(op))
        way.roles.back().handOvers.push_back({op, turns[op]++});
      else
        obstacle = op;
    }
  }

  static bool isBefore(Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  }

  void go(HandOverOpInterface op) {
    std::optional<int64_t> count = evaluate(op.getCount());
    auto &list = way.roles.back().handOvers;
    if (!count || list.size() == kMostHandOvers)
      obstacle = op;
    else
      list.push_back({op, *count});
  }

  void go(scf::IfOp branch) {
    bool isTaken = decide(branch.getCondition());
    Block *block = isTaken ? branch.thenBlock() : branch.elseBlock();
    if (block)
      go(*block);
  }

  void go(LoopLikeOpInterface loop) {
    std::optional<Value> counter = loop.getSingleInductionVar();
    if (!counter) {
      obstacle = loop;
      return;
    }
    int64_t lower = getOr(*loop.getSingleLowerBound(), 0);
    int64_t step = std::max<int64_t>(getOr(*loop.getSingleStep(), 1), 1);
    // Of a bound that is computed from others, it is chosen here at last.
    int64_t upper = getOr(*loop.getSingleUpperBound(), lower);
    set(loop.getRegionIterArgs(), evaluateAll(loop.getInits()));
    unsigned term = terms.get(*counter).number;
    for (int64_t at = lower; at < upper && !obstacle; at += step) {
      values[*counter] = counters[term] = at;
      go(*counter->getParentBlock());
      set(loop.getRegionIterArgs(), evaluateAll(loop.getYieldedValues()));
    }
    if (std::optional<ResultRange> results = loop.getLoopResults())
      set(*results, evaluateAll(loop.getRegionIterArgs()));
  }

  /// Numbers only.
  SmallVector<std::optional<int64_t>> evaluateAll(ValueRange all) {
    return llvm::map_to_vector(all, [&](Value value) {
      return value.getType().isIntOrIndex() ? evaluate(value) : std::nullopt;
    });
  }

  void set(ValueRange all, ArrayRef<std::optional<int64_t>> numbers) {
    for (auto [value, number] : llvm::zip_equal(all, numbers)) {
      if (number)
        values[value] = *number;
      else
        values.erase(value);
    }
  }

  //===--------------------------------------------------------------------===//
  // Numbers
  //===--------------------------------------------------------------------===//

  Choices::Key getKey(Value value) {
    const ValueTerm &term = terms.get(value);
    Choices::Key key = {term.number};
    for (unsigned counter : term.counters)
      key.push_back(counters.lookup(counter));
    return key;
  }

  int64_t getOr(OpFoldResult bound, int64_t otherwise) {
    if (std::optional<int64_t> constant = getConstantIntValue(bound))
      return *constant;
    auto value = cast<Value>(bound);
    if (std::optional<int64_t> number = evaluate(value))
      return *number;
    return fix(value, otherwise);
  }

  bool decide(Value condition) {
    if (std::optional<int64_t> known = evaluate(condition))
      return *known;
    return choices.choose(getKey(condition), 2);
  }

  std::optional<int64_t> evaluate(Value value) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                         : constant.getSExtValue();
    unsigned term = terms.get(value).number;
    if (fixedTerms.contains(term))
      if (auto found = fixed.find(getKey(value)); found != fixed.end())
        return found->second;
    if (Operation *op = value.getDefiningOp())
      if (std::optional<int64_t> computed = compute(op, value))
        return computed;
    if (auto loop = bounded.find(term); loop != bounded.end())
      return chooseBound(value, loop->second);
    // Copies ahead of a loop ask where it begins before it does: at 0 or 1, so
    // that a condition on it may be answered either way.
    if (begins.contains(term))
      return fix(value, choices.choose(getKey(value), 2));
    return std::nullopt;
  }

  int64_t fix(Value value, int64_t number) {
    fixedTerms.insert(terms.get(value).number);
    return fixed[getKey(value)] = number;
  }

  /// Where a loop ends of which only the choice says how often it runs.
  int64_t chooseBound(Value bound, LoopLikeOpInterface loop) {
    Choices::Key key = getKey(bound);
    int64_t lower = 0, step = 1;
    // Where a loop begins may hang on where it ends: that is chosen without it.
    if (asked.insert(key).second) {
      lower = getOr(*loop.getSingleLowerBound(), 0);
      step = getOr(*loop.getSingleStep(), 1);
      if (auto found = fixed.find(key); found != fixed.end())
        return found->second;
    } else if (auto constant = getConstantIntValue(*loop.getSingleStep())) {
      step = *constant;
    }
    int64_t most = outer.contains(loop) ? kMostOuterTrips : mostTrips;
    // Of programs, which teams do in turn, an odd number too.
    if (getNumTeams(kernel) > 1 && isOverPrograms(loop)) {
      most *= kMostTeams;
      step = 1;
      lower = 0;
    }
    int64_t trips = choices.choose(key, most + 1);
    way.trips.push_back({loop, trips});
    return fix(bound, lower + trips * std::max<int64_t>(step, 1));
  }

  std::optional<int64_t> compute(Operation *op, Value result) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Block *block = decide(branch.getCondition()) ? branch.thenBlock()
                                                   : branch.elseBlock();
      unsigned number = cast<OpResult>(result).getResultNumber();
      return evaluate(block->getTerminator()->getOperand(number));
    }
    // Any block does its programs as one that is alone.
    if (isa<TeamOp>(op))
      return team;
    if (getNumTeams(kernel) > 1 && isa<BlockIdOp, NumBlocksOp>(op))
      return isa<NumBlocksOp>(op);
    if (op->getNumRegions() != 0 || op->getNumOperands() == 0 ||
        op->getNumOperands() > 3 || !result.getType().isIntOrIndex())
      return std::nullopt;
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
      return evaluate(op->getOperand(0));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return evaluate(decide(select.getCondition()) ? select.getTrueValue()
                                                    : select.getFalseValue());
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
             arith::CeilDivSIOp>(op))
      return std::nullopt;
    std::optional<int64_t> a = evaluate(op->getOperand(0));
    std::optional<int64_t> b = evaluate(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return compute(op, *a, *b);
  }

  /// Numbers are small: none of them wraps.
  static int64_t compute(Operation *op, int64_t a, int64_t b) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return arith::applyCmpPredicate(compare.getPredicate(),
                                      APInt(64, a, true), APInt(64, b, true));
    if (isa<arith::AddIOp>(op))
      return a + b;
    if (isa<arith::SubIOp>(op))
      return a - b;
    if (isa<arith::MulIOp>(op))
      return a * b;
    if (isa<arith::AndIOp>(op))
      return a & b;
    if (isa<arith::MaxSIOp>(op))
      return std::max(a, b);
    if (isa<arith::CeilDivSIOp>(op))
      return llvm::divideCeilSigned(a, std::max<int64_t>(b, 1));
    return isa<arith::OrIOp>(op) ? a | b : a ^ b;
  }

  KernelOp kernel;
  int64_t mostTrips;
  RolesOp roles;
  ValueTerms terms;
  Choices choices;
  llvm::SmallPtrSet<Operation *, 16> relevant, outer;
  /// What is relevant of a block, in its order once it was gone through.
  DenseMap<Block *, SmallVector<Operation *>> inBlock;
  /// Loops by the terms of their upper bounds.
  DenseMap<unsigned, LoopLikeOpInterface> bounded;
  /// The terms of their lower bounds.
  llvm::SmallDenseSet<unsigned> begins;

  // Of one way.
  Way way;
  /// What was chosen for bounds.
  std::map<Choices::Key, int64_t> fixed;
  /// Bounds for which a number was asked.
  std::set<Choices::Key> asked;
  llvm::SmallDenseSet<unsigned> fixedTerms;
  // Of one role.
  DenseMap<Value, int64_t> values;
  DenseMap<unsigned, int64_t> counters;
  int team = 0;
  /// How often it entered and left parts of programs.
  DenseMap<Operation *, int64_t> turns;
  Operation *obstacle = nullptr;
};
} // namespace

Operation *
tilewright::tile::forEachWay(KernelOp kernel, ArrayRef<ChannelOp> channels,
                             int64_t mostTrips,
                             function_ref<LogicalResult(const Way &)> check) {
  Walk walk(kernel, channels, mostTrips);
  for (unsigned count = 0; count < kMostWays; ++count) {
    Way way = walk.go();
    if (Operation *obstacle = walk.getObstacle())
      return obstacle;
    if (failed(check(way)) || !walk.advance())
      break;
  }
  return nullptr;
}
