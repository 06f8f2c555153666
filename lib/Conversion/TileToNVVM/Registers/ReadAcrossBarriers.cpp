//===- ReadAcrossBarriers.cpp - First reads in front of last products ----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/ProductBodies.h"
#include "Threads/AsyncCopy.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright {
#define GEN_PASS_DEF_READACROSSBARRIERS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// From so many sums on a thread has no register left beside narrow copies; of
/// so few steps along K the one that a branch costs is much
/// (docs/decisions/0059-last-iterations-without-copies.md).
static constexpr size_t leastSumsOfFullThreads = 128,
                        mostStepsOfShortBodies = 16;

/// Of so many sums on ptxas lets each step's reads go to the registers of the
/// step before, or gives up the order of FMAs, unless it is told how many
/// registers there are: those of the sums and so many beside, or more where as
/// many blocks have room then. With less sums it needs no limit, with more all
/// are taken (docs/decisions/0066-registers-of-products.md).
static constexpr size_t leastLimitedSums = 64;
static constexpr int64_t leastBesideSums = 104, mostBesideSums = 136;

namespace {
/// A loop whose iterations begin with a wait, a barrier and what the first
/// products read. This head moves to the end of the iteration before, in front
/// of the last products. What touches memory keeps its order.
class Rotation {
public:
  Rotation(LoopLikeOpInterface loop, Block &body) : loop(loop), body(body) {}

  /// Whether the loop is such a one.
  bool collect(bool overFmas);
  void apply();

private:
  bool collectHead(ArrayRef<Operation *> first);
  bool collectTail(ArrayRef<Operation *> last);
  /// The ops of the body that compute what `users` take, and `users`.
  DenseSet<Operation *> findSources(ArrayRef<Operation *> users);
  Value toValue(OpBuilder &builder, OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loop.getLoc(), bound);
  }
  SmallVector<Value> cloneHead(OpBuilder &builder, Value counter,
                               ValueRange carried);
  SmallVector<Value> readOf(OpBuilder &builder, Value counter,
                            ValueRange carried);
  bool isForLaterIteration(Operation &op);
  SmallVector<Value> cloneBody(OpBuilder &builder, Value counter,
                               ValueRange carried, ValueRange read, Value next);
  void branchInLoop();
  void leaveLastBehind();
  void setLimit();

  LoopLikeOpInterface loop;
  Block &body;
  /// The wait and the barrier; then the reads, behind what they are of.
  SmallVector<Operation *> order, head, reads;
  /// The products of the last step, and what is made of them.
  DenseSet<Operation *> tail;
  /// Whether the last iteration stands behind the loop.
  bool leavesLast = false;
  /// Beside which ptxas is told of a limit; 0: it takes what it likes.
  int64_t limitedSums = 0;
};
} // namespace

static bool isOfFmas(const Products &products) {
  return !products.isEmpty() && !isMatrixProduct(*products.get().front());
}

static bool hasWideCopies(ArrayRef<Operation *> all) {
  return llvm::any_of(all, [](Operation *op) {
    std::optional<AsyncCopy> copy = AsyncCopy::get(op);
    return copy && copy->isWide();
  });
}

/// Beside narrow copies alone, whether the last iteration of FMAs is better
/// behind the loop than the reads behind a branch: FMAs beside many copies take
/// all registers, so that a branch leaves none of them behind the reads, or
/// there are few steps for what it costs. Else it would only be more code.
static bool hasLastBehind(const Products &products) {
  return products.getFirst().size() >= leastSumsOfFullThreads ||
         products.getNumSteps() <= mostStepsOfShortBodies;
}

/// Beside wide copies, the sums of a thread for which ptxas is told how many
/// registers there are. Narrow ones take more of them: there it does best as it
/// likes.
static int64_t countLimitedSums(const Products &products) {
  size_t sums = products.getFirst().size();
  return sums >= leastLimitedSums && sums < leastSumsOfFullThreads ? sums : 0;
}

/// Registers of a thread; 0 where the least are more than a block can have.
static int64_t chooseLimit(Operation *function, int64_t sums) {
  int64_t least = sums + leastBesideSums, most = sums + mostBesideSums;
  std::optional<int64_t> threads = getNumThreads(function);
  if (!threads)
    return most;
  GpuTarget target = tile::getTargetOrDefault(function);
  unsigned blocks =
      target.occupancy(*threads, least, /*sharedBytes=*/0).blocksPerSM;
  return blocks == 0 ? 0
                     : std::min<int64_t>(
                           most, target.registersPerThread(blocks * *threads));
}

/// Whether its counter is compared as one without a sign.
static bool isUnsigned(LoopLikeOpInterface loop) {
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  return counted && counted.getUnsignedCmp();
}

bool Rotation::collect(bool overFmas) {
  if (isUnsigned(loop))
    return false;
  SmallVector<Operation *> all;
  bool isAhead = false;
  for (Operation &op : body.without_terminator()) {
    all.push_back(&op);
    if (isCopy(op) || isSharedRead(op) || isa<NVVM::CpAsyncCommitGroupOp>(op))
      isAhead = true;
    else if (!isAhead &&
             isa<NVVM::CpAsyncWaitGroupOp, NVVM::BarrierOp, NVVM::Barrier0Op>(
                 op))
      order.push_back(&op);
    // PTX is pure for nobody, what recompute-in-loops writes neither: a loop
    // that is short of registers keeps its reads behind its products.
    else if (!isProduct(op) && (!isPure(&op) || op.getNumRegions() != 0))
      return false;
  }
  if (order.size() != 2 || !isa<NVVM::CpAsyncWaitGroupOp>(order.front()) ||
      isa<NVVM::CpAsyncWaitGroupOp>(order.back()))
    return false;
  Products products = Products::find(all, overFmas);
  bool areFmas = isOfFmas(products), areWide = areFmas && hasWideCopies(all);
  leavesLast = areFmas && !areWide && hasLastBehind(products);
  limitedSums = areWide ? countLimitedSums(products) : 0;
  return products.getNumSteps() > 1 && collectHead(products.getFirst()) &&
         collectTail(products.getLast());
}

DenseSet<Operation *> Rotation::findSources(ArrayRef<Operation *> users) {
  DenseSet<Operation *> found(users.begin(), users.end());
  for (Operation &op : llvm::reverse(body))
    if (found.contains(&op))
      for (Value operand : op.getOperands())
        if (Operation *from = operand.getDefiningOp();
            from && from->getBlock() == &body)
          found.insert(from);
  return found;
}

bool Rotation::collectHead(ArrayRef<Operation *> first) {
  DenseSet<Operation *> ofProducts = findSources(first);
  for (Operation &op : body)
    if (ofProducts.contains(&op) && isSharedRead(op))
      reads.push_back(&op);
  DenseSet<Operation *> ofReads = findSources(reads);
  for (Operation &op : body)
    if (ofReads.contains(&op))
      head.push_back(&op);
  // No address is read.
  return !reads.empty() && llvm::count_if(head, [](Operation *op) {
                             return !isPure(op);
                           }) == static_cast<ptrdiff_t>(reads.size());
}

bool Rotation::collectTail(ArrayRef<Operation *> last) {
  tail.insert(last.begin(), last.end());
  for (Operation &op : body.without_terminator())
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return tail.contains(operand.getDefiningOp());
        }))
      tail.insert(&op);
  // What the head takes from the next iteration is there before its products.
  ValueRange yielded = loop.getYieldedValues();
  DenseSet<Operation *> heads(head.begin(), head.end());
  return llvm::all_of(
      llvm::zip_equal(loop.getRegionIterArgs(), yielded), [&](auto pair) {
        auto [argument, next] = pair;
        return !tail.contains(next.getDefiningOp()) ||
               llvm::none_of(argument.getUsers(), [&](Operation *user) {
                 return heads.contains(user);
               });
      });
}

/// Reads what the iteration with this counter and these values takes.
SmallVector<Value> Rotation::cloneHead(OpBuilder &builder, Value counter,
                                       ValueRange carried) {
  IRMapping mapping;
  mapping.map(*loop.getSingleInductionVar(), counter);
  mapping.map(loop.getRegionIterArgs(), carried);
  for (Operation *op : head)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(reads, [&](Operation *read) {
    return mapping.lookup(read->getResult(0));
  });
}

/// Waits, and reads for the iteration with this counter, if there is one; else
/// nothing, at which nobody looks.
SmallVector<Value> Rotation::readOf(OpBuilder &builder, Value counter,
                                    ValueRange carried) {
  Location loc = loop.getLoc();
  Value isMade =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, counter,
                            toValue(builder, *loop.getSingleUpperBound()));
  for (Operation *op : order)
    builder.clone(*op);
  auto clone = [&](OpBuilder &inner, Location) {
    scf::YieldOp::create(inner, loc, cloneHead(inner, counter, carried));
  };
  auto makeNone = [&](OpBuilder &inner, Location) {
    auto none = llvm::map_to_vector(reads, [&](Operation *read) -> Value {
      return LLVM::UndefOp::create(inner, loc, read->getResult(0).getType());
    });
    scf::YieldOp::create(inner, loc, none);
  };
  return scf::IfOp::create(builder, loc, isMade, clone, makeNone).getResults();
}

void Rotation::branchInLoop() {
  IRRewriter rewriter(loop);
  SmallVector<Value> starts =
      readOf(rewriter, toValue(rewriter, *loop.getSingleLowerBound()),
             loop.getInits());
  LogicalResult replaced = loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &atEnd, Location, ArrayRef<BlockArgument> arguments) {
        Value counter = arith::AddIOp::create(
            atEnd, loop.getLoc(), *loop.getSingleInductionVar(),
            toValue(atEnd, *loop.getSingleStep()));
        SmallVector<Value> next =
            readOf(atEnd, counter, loop.getYieldedValues());
        auto inTail = [&](Operation *op) { return tail.contains(op); };
        for (Operation *op : llvm::to_vector(llvm::make_filter_range(
                 llvm::make_pointer_range(body), inTail)))
          op->moveBefore(body.getTerminator());
        for (auto [read, argument] : llvm::zip_equal(reads, arguments))
          rewriter.replaceOp(read, argument);
        for (Operation *op : order)
          rewriter.eraseOp(op);
        return next;
      });
  assert(succeeded(replaced) && "a loop that carries values");
  (void)replaced;
}

/// Whether it is a copy of what an iteration behind this one takes, and surely
/// does nothing if there is none. `getTripCount`, which only weighs, takes more
/// conditions for such.
bool Rotation::isForLaterIteration(Operation &op) {
  std::optional<AsyncCopy> copy = AsyncCopy::get(&op);
  Value mask = copy ? copy->getMask() : Value();
  auto isThere = mask ? mask.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!isThere || isThere.getPredicate() != arith::CmpIPredicate::slt ||
      getAsOpFoldResult(isThere.getRhs()) != *loop.getSingleUpperBound())
    return false;
  auto later = isThere.getLhs().getDefiningOp<arith::AddIOp>();
  if (!later || later.getLhs() != *loop.getSingleInductionVar())
    return false;
  std::optional<int64_t> distance = getConstantIntValue(later.getRhs());
  std::optional<int64_t> step = getConstantIntValue(*loop.getSingleStep());
  return distance && step && *distance >= *step;
}

/// An iteration whose first reads are there. `next`: the counter of the one
/// behind it, for which it reads; the values read are returned behind what is
/// handed on.
SmallVector<Value> Rotation::cloneBody(OpBuilder &builder, Value counter,
                                       ValueRange carried, ValueRange read,
                                       Value next) {
  IRMapping mapping;
  mapping.map(*loop.getSingleInductionVar(), counter);
  mapping.map(loop.getRegionIterArgs(), carried);
  for (auto [op, value] : llvm::zip_equal(reads, read))
    mapping.map(op->getResult(0), value);
  auto clone = [&](bool ofTail) {
    for (Operation &op : body.without_terminator())
      if (tail.contains(&op) == ofTail && !llvm::is_contained(order, &op) &&
          !llvm::is_contained(reads, &op) && (next || !isForLaterIteration(op)))
        builder.clone(op, mapping);
    return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
      return mapping.lookupOrDefault(value);
    });
  };
  SmallVector<Value> known = clone(/*ofTail=*/false), ahead;
  if (next) {
    for (Operation *op : order)
      builder.clone(*op);
    ahead = cloneHead(builder, next, known);
  }
  SmallVector<Value> results = clone(/*ofTail=*/true);
  llvm::append_range(results, ahead);
  return results;
}

/// Where the last iteration begins at the latest, of a loop that is entered.
/// `end - step` of few bits may be less than their least number, from which all
/// would be counted; then one iteration is all there is.
static Value getLastStart(OpBuilder &builder, Value start, Value end,
                          Value step) {
  Location loc = end.getLoc();
  Value last = arith::SubIOp::create(builder, loc, end, step);
  if (end.getType().isIndex())
    return last;
  Value distance = arith::SubIOp::create(builder, loc, end, start);
  Value hasMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                        distance, step);
  return arith::SelectOp::create(builder, loc, hasMore, last, start);
}

/// The loop makes one iteration less, each of which reads for the next; the
/// last one stands behind it.
void Rotation::leaveLastBehind() {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  Value start = toValue(rewriter, *loop.getSingleLowerBound());
  Value end = toValue(rewriter, *loop.getSingleUpperBound());
  Value step = toValue(rewriter, *loop.getSingleStep());
  size_t numCarried = loop.getInits().size();
  auto iterate = [&](OpBuilder &builder, Value counter, ValueRange values,
                     Value next) {
    return cloneBody(builder, counter, values.take_front(numCarried),
                     values.slice(numCarried, reads.size()), next);
  };
  auto run = [&](OpBuilder &builder, Location) {
    for (Operation *op : order)
      builder.clone(*op);
    SmallVector<Value> inits = llvm::to_vector(loop.getInits());
    llvm::append_range(inits, cloneHead(builder, start, loop.getInits()));
    inits.push_back(start);
    auto rotated = scf::ForOp::create(
        builder, loc, start, getLastStart(builder, start, end, step), step,
        inits,
        [&](OpBuilder &inner, Location, Value counter, ValueRange values) {
          Value next = arith::AddIOp::create(inner, loc, counter, step);
          SmallVector<Value> results = iterate(inner, counter, values, next);
          results.push_back(next);
          scf::YieldOp::create(inner, loc, results);
        });
    ValueRange results = rotated.getResults();
    scf::YieldOp::create(
        builder, loc,
        iterate(builder, results.back(), results, /*next=*/Value()));
  };
  auto makeNone = [&](OpBuilder &builder, Location) {
    scf::YieldOp::create(builder, loc, loop.getInits());
  };
  Value isMade = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       start, end);
  rewriter.replaceOp(loop,
                     scf::IfOp::create(rewriter, loc, isMade, run, makeNone));
}

/// Tells ptxas, where nothing else does and there are as many.
void Rotation::setLimit() {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  if (limitedSums == 0 || !function ||
      function->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName()))
    return;
  if (int64_t limit = chooseLimit(function, limitedSums))
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      Builder(loop.getContext()).getI32IntegerAttr(limit));
}

void Rotation::apply() {
  setLimit();
  if (leavesLast)
    leaveLastBehind();
  else
    branchInLoop();
}

namespace {
struct ReadAcrossBarriers
    : tilewright::impl::ReadAcrossBarriersBase<ReadAcrossBarriers> {
  void runOnOperation() override {
    bool overFmas = tile::isBoundByRegisters(getOperation());
    SmallVector<LoopLikeOpInterface> loops;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (loop.getSingleInductionVar())
        loops.push_back(loop);
    });
    for (LoopLikeOpInterface loop : loops)
      if (Rotation rotation(loop, loop.getLoopRegions().front()->front());
          rotation.collect(overFmas))
        rotation.apply();
  }
};
} // namespace
