//===- AddOnce.cpp - One addition to memory for many programs -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/ProgramLoop.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEADDONCE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Words of a thread, at the most, that are added up instead of their sum.
static constexpr int64_t kMostWords = 16;
/// What a thread counts in each trip, at the most: more of it takes longer than
/// what a block does once.
static constexpr int64_t kMostCounted = 64;
/// A thread that loads one vector of small elements has too little under way.
static constexpr int64_t kVectorBytes = 16, kWordBytes = 4;

namespace {
/// What all programs add to the same places.
struct Addition {
  AtomicRMWOp op;
  /// What is added up over programs; null: counters, which shared memory has.
  Value term;
  AllocSharedOp counters;
  /// From there to what is added, in order.
  SmallVector<Operation *> behind;
};

/// Whether and how a kernel's programs may share their additions.
class Additions {
public:
  explicit Additions(KernelOp kernel) : kernel(kernel) {
    kernel.walk(
        [&](ProgramIdOp id) { getForwardSlice(id.getResult(), &ofPrograms); });
  }

  /// None where they may not, or have none.
  SmallVector<Addition> find() {
    SmallVector<Addition> additions;
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (auto addition = dyn_cast<AtomicRMWOp>(op)) {
        if (!isShared(addition))
          return {};
        additions.push_back(follow(addition));
      }
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (!isAllowed(op, additions))
        return {};
    return additions;
  }

private:
  /// Whether nobody asks what was there, and all programs add to the same
  /// places.
  bool isShared(AtomicRMWOp op) {
    return op.getKind() == AtomicKind::Add && op.use_empty() &&
           isComputedAlike(op.getPtr()) &&
           (!op.getMask() || isComputedAlike(op.getMask()));
  }

  /// Whether it is the same in all programs, and reads no memory. What a branch
  /// hands out is not followed: which way it went may be a program's own.
  bool isComputedAlike(Value value) {
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return true;
    if (ofPrograms.contains(definition))
      return false;
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    return succeeded(getBackwardSlice(value, &slice, options)) &&
           llvm::all_of(slice, [](Operation *op) {
             return op->getNumRegions() == 0 && isPure(op);
           });
  }

  Addition follow(AtomicRMWOp op) {
    Addition addition{op, op.getValue(), {}, {}};
    while (true) {
      Operation *definition = addition.term.getDefiningOp();
      if (!definition || !addition.term.hasOneUse())
        break;
      if (AllocSharedOp counters = findCounters(definition)) {
        addition.counters = counters;
        addition.term = {};
        addition.behind.push_back(definition);
        break;
      }
      if (!isSum(definition) || !(findsCounters(definition->getOperand(0)) ||
                                  isSmall(definition->getOperand(0))))
        break;
      addition.behind.push_back(definition);
      addition.term = definition->getOperand(0);
    }
    std::reverse(addition.behind.begin(), addition.behind.end());
    return addition;
  }

  static bool isSum(Operation *op) {
    auto reduce = dyn_cast<CombineOpInterface>(op);
    return reduce && reduce.combinesInAnyOrder() && op->getNumOperands() == 1 &&
           isa_and_present<arith::AddIOp, arith::AddFOp>(
               findCombiningOp(reduce));
  }

  bool isSmall(Value tile) { return countParts(tile) == 1; }

public:
  /// In how many parts a tile is small; 0: its elements are.
  int64_t countParts(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t bytes =
        type.getNumElements() *
        std::max<int64_t>(4, getElementBytes(type.getElementType()));
    // Sums of halves are rounded to halves no more often than they were.
    if (getElementBytes(type.getElementType()) < kWordBytes)
      return 0;
    int64_t most = kWordBytes * kMostWords * kernel.getNumThreads();
    return std::max<int64_t>(1, bytes / most);
  }

  /// Reduces parts of a tile of many words in each trip: far ones are in one
  /// thread.
  void addUpParts(Addition &addition) {
    auto sum =
        addition.term ? addition.term.getDefiningOp<ReduceOp>() : ReduceOp();
    if (!sum || !addition.term.hasOneUse() || !isSum(sum) || sum.getAxis() != 0)
      return;
    Value source = sum.getSources()[0];
    auto type = cast<RankedTensorType>(source.getType());
    int64_t parts = countParts(source);
    SmallVector<int64_t> shape(type.getShape());
    if (parts <= 1 || parts >= shape[0])
      return;
    shape[0] /= parts;
    auto small = cast<RankedTensorType>(type.clone(shape));
    shape.insert(shape.begin(), parts);
    OpBuilder builder(sum);
    IRMapping map;
    map.map(source, ReshapeOp::create(builder, sum.getLoc(), type.clone(shape),
                                      source));
    Operation *inThread = builder.clone(*sum, map);
    inThread->getResult(0).setType(small);
    sum.getSourcesMutable().assign(inThread->getResult(0));
    addition.term = inThread->getResult(0);
    addition.behind.insert(addition.behind.begin(), sum);
  }

private:
  bool findsCounters(Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && value.hasOneUse() && findCounters(definition);
  }

  /// The counters that an op reads: set to zero, counted with, and read.
  static AllocSharedOp findCounters(Operation *op) {
    auto read = dyn_cast<LocalLoadOp>(op);
    auto tile = read ? read.getSource().getDefiningOp<AllocSharedOp>()
                     : AllocSharedOp();
    if (!tile)
      return {};
    unsigned clears = 0;
    for (Operation *user : tile->getUsers()) {
      if (user == op || isa<LocalCountOp>(user))
        continue;
      auto clear = dyn_cast<LocalStoreOp>(user);
      if (!clear || clear->getBlock() != op->getBlock() ||
          !matchPattern(clear.getValue(), m_Zero()))
        return {};
      ++clears;
    }
    return clears == 1 ? tile : AllocSharedOp();
  }

  bool isAllowed(Operation &op, MutableArrayRef<Addition> additions) {
    if (isa<LoopLikeOpInterface>(op))
      return false;
    if (isMemoryEffectFree(&op))
      return true;
    if (isa<RegionBranchOpInterface>(op))
      return llvm::all_of(op.getRegions(), [&](Region &region) {
        return llvm::all_of(region.getOps(), [&](Operation &inner) {
          return isAllowed(inner, additions);
        });
      });
    if (isa<AtomicRMWOp>(op))
      return op.getParentOp() == kernel;
    auto isOf = [&](Value tile) {
      return llvm::any_of(additions, [&](Addition &addition) {
        return addition.counters && addition.counters.getResult() == tile;
      });
    };
    if (isa<AllocSharedOp>(op))
      return isOf(op.getResult(0));
    SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(&op);
    return tellsMemoryAccesses(&op) && op.getNumRegions() == 0 &&
           !accesses.empty() &&
           llvm::all_of(accesses, [&](const MemoryAccess &access) {
             if (access.space == MemorySpace::Shared)
               return isOf(access.base);
             return access.isRead && !access.talksToOthers() &&
                    llvm::none_of(additions, [&](Addition &addition) {
                      return mayOverlap(getRoot(access.base),
                                        getRoot(addition.op.getPtr()));
                    });
           });
  }

  KernelOp kernel;
  SetVector<Operation *> ofPrograms;
};
} // namespace

/// Nothing, as a term: -0, with which 0 is 0 and -0 is -0.
static Value makeNothing(OpBuilder &builder, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr nothing =
      isa<FloatType>(element)
          ? TypedAttr(builder.getFloatAttr(
                element,
                APFloat::getZero(cast<FloatType>(element).getFloatSemantics(),
                                 /*Negative=*/true)))
          : TypedAttr(builder.getIntegerAttr(element, 0));
  if (auto tile = dyn_cast<ShapedType>(type))
    nothing = DenseElementsAttr::get(tile, Attribute(nothing));
  return arith::ConstantOp::create(builder, loc, type, nothing);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

/// Clears counters before the loop.
static void clearBefore(scf::ForOp loop, AllocSharedOp counters) {
  counters->moveBefore(loop);
  for (Operation *user : llvm::to_vector(counters->getUsers()))
    if (auto clear = dyn_cast<LocalStoreOp>(user)) {
      if (Operation *zero = clear.getValue().getDefiningOp();
          loop->isAncestor(zero))
        zero->moveBefore(loop);
      clear->moveBefore(loop);
    }
}

/// What it is computed from, computed behind the loop.
static Value makeBehind(OpBuilder &builder, scf::ForOp loop, Value value,
                        IRMapping &map) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  (void)getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    if (loop->isProperAncestor(op) && !map.contains(op->getResult(0)))
      builder.clone(*op, map);
  return map.lookupOrDefault(value);
}

namespace {
struct AddOnce : tilewright::tile::impl::TileAddOnceBase<AddOnce> {
  using TileAddOnceBase::TileAddOnceBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getPersistent() || kernel.getBlockPrograms() ||
        kernel.getClusterBlocks() || kernel.getCopyWarps() ||
        anyOpIn<NumProgramsOp>(kernel) || !isWorthALoop(kernel))
      return;
    Additions found(kernel);
    SmallVector<Addition> additions = found.find();
    if (additions.empty())
      return;
    for (Addition &addition : additions)
      found.addUpParts(addition);
    scf::ForOp loop = makeProgramLoop(kernel, /*phases=*/1, /*runsAll=*/true);
    addBehind(addUp(loop, additions), additions);
  }

private:
  /// Whether a trip has enough under way, and does no more than a block could.
  static bool isWorthALoop(KernelOp kernel) {
    int64_t bytes = 0, widest = 0, threads = kernel.getNumThreads();
    bool counts = false, countsFew = true;
    kernel.walk([&](GlobalAccessOpInterface access) {
      if (access.isStore() || !isTile(access->getResult(0)))
        return;
      RankedTensorType type = access.getTileType();
      int64_t each = getElementBytes(type.getElementType());
      bytes += each * type.getNumElements();
      widest = std::max(widest, each);
    });
    kernel.walk([&](LocalCountOp count) {
      counts = true;
      countsFew &= count.getNumbers().getType().getNumElements() <=
                   kMostCounted * threads;
    });
    // Sums of bytes take longer to compute than to load.
    return countsFew &&
           (widest >= kWordBytes ||
            ((widest > 1 || counts) && bytes > kVectorBytes * threads));
  }

  /// Has the loop, and one around it, carry sums; gives the outermost, whose
  /// numbers become those behind it.
  static scf::ForOp addUp(scf::ForOp loop,
                          MutableArrayRef<Addition> additions) {
    IRRewriter rewriter(loop.getContext());
    auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
    scf::ForOp first = outer ? outer : loop;
    rewriter.setInsertionPoint(first);
    SmallVector<Value> terms, sums;
    for (Addition &addition : additions)
      if (addition.counters) {
        clearBefore(first, addition.counters);
      } else {
        terms.push_back(addition.term);
        sums.push_back(makeNothing(rewriter, addition.op.getLoc(),
                                   addition.term.getType()));
      }
    if (terms.empty())
      return first;
    if (outer) {
      outer = carry(rewriter, outer, sums,
                    [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
                      return SmallVector<Value>(carried.begin(), carried.end());
                    });
      sums.assign(outer.getRegionIterArgs().begin(),
                  outer.getRegionIterArgs().end());
    }
    loop = carry(
        rewriter, loop, sums,
        [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> carried) {
          SmallVector<Value> next;
          for (auto [sum, term] : llvm::zip_equal(carried, terms))
            next.push_back(add(builder, loc, sum, term));
          return next;
        });
    if (outer)
      outer.getBody()->getTerminator()->setOperands(loop.getResults());
    return outer ? outer : loop;
  }

  static scf::ForOp carry(IRRewriter &rewriter, scf::ForOp loop,
                          ValueRange first, const NewYieldValuesFn &next) {
    rewriter.setInsertionPoint(loop);
    FailureOr<LoopLikeOpInterface> made = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, next);
    assert(succeeded(made) && "loops over programs carry nothing");
    return cast<scf::ForOp>(**made);
  }

  static void addBehind(scf::ForOp loop, MutableArrayRef<Addition> additions) {
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(loop);
    // Places and masks may be computed from what is added, and hang on no sum.
    IRMapping alike;
    auto sums = loop.getResults().begin();
    for (Addition &addition : additions) {
      IRMapping ofSum;
      if (addition.term)
        ofSum.map(addition.term, *sums++);
      for (Operation *op : addition.behind)
        builder.clone(*op, ofSum);
      AtomicRMWOp op = addition.op;
      IRMapping operands;
      operands.map(op.getValue(), ofSum.lookupOrDefault(op.getValue()));
      operands.map(op.getPtr(), makeBehind(builder, loop, op.getPtr(), alike));
      if (Value mask = op.getMask())
        operands.map(mask, makeBehind(builder, loop, mask, alike));
      builder.clone(*op, operands);
      addition.op->erase();
      for (Operation *op : llvm::reverse(addition.behind))
        op->erase();
    }
  }
};
} // namespace
