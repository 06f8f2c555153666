//===- ReadAcrossBarriers.cpp - First reads in front of last products ----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "ProductBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {
#define GEN_PASS_DEF_READACROSSBARRIERS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

namespace {
/// A loop whose iterations begin with a wait, a barrier and what the first
/// products read. Its last products move into the next iteration, behind these
/// reads, and the wait and the barrier to the end. What touches memory keeps
/// its order.
class Rotation {
public:
  Rotation(LoopLikeOpInterface loop, Block &body) : loop(loop), body(body) {}

  /// Whether the loop is such a one.
  bool collect(bool overFmas);
  void apply();

private:
  /// A sum that the loop carries, as its last product makes it, of the sum
  /// before.
  struct Sum {
    unsigned number;
    Value last;
    OpOperand *before;
  };

  /// Values, and where the last products multiply them.
  using Factors = llvm::MapVector<Value, SmallVector<OpOperand *>>;

  bool collectHead(ArrayRef<Operation *> first);
  bool collectTail(ArrayRef<Operation *> last);
  bool collectSum(unsigned number, const DenseSet<Operation *> &last);
  /// The ops of the body that compute what `users` take, and `users`.
  DenseSet<Operation *> findSources(ArrayRef<Operation *> users);
  SmallVector<Value> makeNeutralFactors(OpBuilder &builder);
  void rotateBody(ArrayRef<BlockArgument> carried);
  void finish(OpBuilder &builder, LoopLikeOpInterface rotated);

  LoopLikeOpInterface loop;
  Block &body;
  /// The wait and the barrier; the reads, and what they are of.
  SmallVector<Operation *> order, head;
  /// The products of the last step, with the parts of their results, and what
  /// they multiply.
  SmallVector<Operation *> tail;
  Factors left, right;
  SmallVector<Sum> sums;
};
} // namespace

bool Rotation::collect(bool overFmas) {
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
    else if (!isProduct(op) && (!isPure(&op) || op.getNumRegions() != 0))
      return false;
  }
  if (order.size() != 2 || !isa<NVVM::CpAsyncWaitGroupOp>(order.front()) ||
      isa<NVVM::CpAsyncWaitGroupOp>(order.back()))
    return false;
  Products products = Products::find(all, overFmas);
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
  SmallVector<Operation *> reads;
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

/// Whether the last products do nothing but end sums that the loop carries.
bool Rotation::collectTail(ArrayRef<Operation *> last) {
  size_t numSums = 0;
  for (Operation *product : last) {
    tail.push_back(product);
    for (Operation *user : product->getUsers())
      if (isa<LLVM::ExtractValueOp>(user) && user->hasOneUse())
        tail.push_back(user);
      else if (user != body.getTerminator())
        return false;
    ProductOperands operands = ProductOperands::get(product);
    for (OpOperand &factor : operands.left)
      left[factor.get()].push_back(&factor);
    for (OpOperand &factor : operands.right)
      right[factor.get()].push_back(&factor);
    numSums += operands.sums.size();
  }
  DenseSet<Operation *> products(last.begin(), last.end());
  for (unsigned number : llvm::seq(loop.getRegionIterArgs().size()))
    if (!collectSum(number, products))
      return false;
  return sums.size() == numSums;
}

/// Whether what the loop carries hangs on none of the last products, or is one
/// sum of theirs, which nothing but products takes on.
bool Rotation::collectSum(unsigned number, const DenseSet<Operation *> &last) {
  Value next = loop.getYieldedValues()[number];
  Operation *product = next.getDefiningOp();
  int64_t part = 0;
  if (auto extract = dyn_cast_or_null<LLVM::ExtractValueOp>(product)) {
    product = extract.getContainer().getDefiningOp();
    part = extract.getPosition().front();
  }
  if (!last.contains(product))
    return true;
  OpOperand &before = ProductOperands::get(product).sums[part];
  sums.push_back({number, next, &before});
  return next.hasOneUse() && before.get().getParentBlock() == &body &&
         before.get().getDefiningOp() &&
         llvm::all_of(loop.getRegionIterArgs()[number].getUsers(),
                      [&](Operation *user) {
                        return isProduct(*user) && !last.contains(user);
                      });
}

/// With these a product leaves each sum as it is: -0 * 0 is -0, and x + -0 is
/// x, of both zeros too.
SmallVector<Value> Rotation::makeNeutralFactors(OpBuilder &builder) {
  SmallVector<Value> neutral;
  auto add = [&](const Factors &factors, double number) {
    for (Value factor : llvm::make_first_range(factors))
      neutral.push_back(arith::ConstantOp::create(
          builder, loop.getLoc(),
          builder.getFloatAttr(factor.getType(), number)));
  };
  add(left, -0.0);
  add(right, 0.0);
  return neutral;
}

/// `carried`: what the products of the iteration before multiply.
void Rotation::rotateBody(ArrayRef<BlockArgument> carried) {
  Operation *yield = body.getTerminator();
  for (Operation *op : order)
    op->moveBefore(yield);
  for (Operation *op : llvm::reverse(head))
    op->moveBefore(&body, body.begin());
  Operation *first = &*llvm::find_if(body, isProduct);
  for (Operation *op : tail)
    op->moveBefore(first);
  for (const Factors *factors : {&left, &right})
    for (ArrayRef<OpOperand *> uses : llvm::make_second_range(*factors)) {
      for (OpOperand *use : uses)
        use->set(carried.front());
      carried = carried.drop_front();
    }
  for (const Sum &sum : sums) {
    BlockArgument argument = loop.getRegionIterArgs()[sum.number];
    yield->setOperand(sum.number, sum.before->get());
    argument.replaceAllUsesWith(sum.last);
    sum.before->set(argument);
  }
}

/// Adds the products of the last iteration, if there is one.
void Rotation::finish(OpBuilder &builder, LoopLikeOpInterface rotated) {
  builder.setInsertionPointAfter(rotated);
  Location loc = rotated.getLoc();
  auto toValue = [&](std::optional<OpFoldResult> bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, *bound);
  };
  Value isRun = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      toValue(rotated.getSingleLowerBound()),
                                      toValue(rotated.getSingleUpperBound()));
  auto multiply = [&](OpBuilder &inner, Location) {
    IRMapping mapping;
    mapping.map(rotated.getRegionIterArgs(), rotated->getResults());
    for (Operation *op : tail)
      inner.clone(*op, mapping);
    auto results = llvm::map_to_vector(
        sums, [&](const Sum &sum) { return mapping.lookup(sum.last); });
    scf::YieldOp::create(inner, loc, results);
  };
  auto keep = [&](OpBuilder &inner, Location) {
    auto results = llvm::map_to_vector(sums, [&](const Sum &sum) -> Value {
      return rotated->getResult(sum.number);
    });
    scf::YieldOp::create(inner, loc, results);
  };
  auto finished = scf::IfOp::create(builder, loc, isRun, multiply, keep);
  for (auto [sum, result] : llvm::zip_equal(sums, finished.getResults()))
    rotated->getResult(sum.number)
        .replaceUsesWithIf(result, [&](OpOperand &use) {
          return !finished->isProperAncestor(use.getOwner());
        });
}

void Rotation::apply() {
  IRRewriter rewriter(loop);
  for (Operation *op : order)
    rewriter.clone(*op);
  SmallVector<Value> next = llvm::to_vector(llvm::concat<const Value>(
      llvm::to_vector(llvm::make_first_range(left)),
      llvm::to_vector(llvm::make_first_range(right))));
  FailureOr<LoopLikeOpInterface> rotated = loop.replaceWithAdditionalYields(
      rewriter, makeNeutralFactors(rewriter),
      /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
        rotateBody(carried);
        return next;
      });
  assert(succeeded(rotated) && "a loop that carries values");
  finish(rewriter, *rotated);
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
