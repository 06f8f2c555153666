//===- SpreadCopies.cpp - Copies among the products of a body -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_SPREADCOPIES
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// What is worth spreading copies over: fewer products leave nothing to hide
/// them behind.
static constexpr size_t leastFmas = 256, leastMatrixProducts = 8;

/// Copies that start together. ptxas puts three instructions that do nothing in
/// front of a copy behind a read of shared memory: a loop of f64 is short, and
/// one of FMAs has room for them.
static constexpr size_t copiesAmongFmas = 1, copiesAmongMatrixProducts = 4;

static bool isCopy(Operation &op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && text.getAsmString().contains("cp.async.c");
}

static bool isMatrixProduct(Operation &op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with("llvm.nvvm.mma.") &&
         call.getIntrin().ends_with(".f64");
}

static bool isSharedRead(Operation &op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return load && !load.getVolatile_() &&
         load.getAddr().getType().getAddressSpace() ==
             static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
}

/// The first PTX in which a copy takes a predicate.
static constexpr unsigned firstPtxWithConditions = 75;

/// Lets a narrow copy take the condition on which it writes zeros instead of a
/// count of bytes that is chosen by it, from which ptxas makes a predicate
/// again. Copies of 16 bytes are few.
static void takeCondition(LLVM::InlineAsmOp copy) {
  constexpr unsigned count = 2;
  if (copy.getNumOperands() <= count ||
      copy.getAsmString().contains("cp.async.cg"))
    return;
  auto choice = copy.getOperand(count).getDefiningOp<arith::SelectOp>();
  APInt bytes;
  if (!choice || !matchPattern(choice.getFalseValue(), m_Zero()) ||
      !matchPattern(choice.getTrueValue(), m_ConstantInt(&bytes)) ||
      !copy.getAsmString().contains(
          (", " + Twine(bytes.getZExtValue()) + ", $2;").str()))
    return;
  SmallVector<StringRef> constraints;
  copy.getConstraints().split(constraints, ',');
  if (constraints[count] != "r")
    return;
  constraints[count] = "b";
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  Value isOutside =
      arith::XOrIOp::create(builder, loc, choice.getCondition(),
                            arith::ConstantIntOp::create(builder, loc, 1, 1));
  copy.setConstraints(llvm::join(constraints, ","));
  copy.setOperand(count, isOutside);
}

namespace {
/// The ops of a body from its first copy to its last product.
class Body {
public:
  explicit Body(Block &block) : block(block) {}

  /// Whether it has copies, then many products, and nothing that must stay.
  bool collect(bool overFmas);
  void reorder();
  /// Lets narrow copies take conditions.
  void shorten();

private:
  void findFirstUses();
  size_t countSums() const;
  /// Puts an op in its place, behind what it is computed from.
  void place(Operation *op);

  Block &block;
  SmallVector<Operation *> copies, reads, products;
  /// Those of the region that are not in their place yet.
  DenseSet<Operation *> waiting;
  /// By product: the number of the first that hangs on each op.
  DenseMap<Operation *, size_t> firstUse;
  size_t copiesOfGroup = 1;
  Operation *end = nullptr;
};
} // namespace

bool Body::collect(bool overFmas) {
  SmallVector<Operation *> fmas, matrices, all;
  for (Operation &op : block.without_terminator()) {
    bool isInside = !copies.empty();
    if (isCopy(op) || (isInside && isa<NVVM::CpAsyncCommitGroupOp>(op)))
      copies.push_back(&op);
    else if (isInside && isSharedRead(op))
      reads.push_back(&op);
    else if (isInside && isa<LLVM::FMAOp>(op))
      fmas.push_back(&op);
    else if (isInside && isMatrixProduct(op))
      matrices.push_back(&op);
    else if (isInside && (!isPure(&op) || op.getNumRegions() != 0))
      break;
    if (!copies.empty())
      all.push_back(&op);
  }
  if (matrices.size() >= leastMatrixProducts) {
    products = std::move(matrices);
    copiesOfGroup = copiesAmongMatrixProducts;
  } else if (overFmas && fmas.size() >= leastFmas) {
    products = std::move(fmas);
    copiesOfGroup = copiesAmongFmas;
  } else {
    return false;
  }
  Operation *last = products.back();
  for (ArrayRef<Operation *> ops : {copies, reads})
    if (!ops.empty() && last->isBeforeInBlock(ops.back()))
      return false;
  for (Operation *op : all)
    if (op == last || op->isBeforeInBlock(last))
      waiting.insert(op);
  end = last->getNextNode();
  return true;
}

void Body::findFirstUses() {
  for (auto [number, product] : llvm::enumerate(products)) {
    SmallVector<Operation *> open = {product};
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      if (!waiting.contains(op) || !firstUse.try_emplace(op, number).second)
        continue;
      for (Value operand : op->getOperands())
        if (Operation *from = operand.getDefiningOp())
          open.push_back(from);
    }
  }
}

void Body::place(Operation *op) {
  if (!waiting.erase(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *from = operand.getDefiningOp())
      place(from);
  op->moveBefore(end);
}

/// The products of a step along K: those that begin sums.
size_t Body::countSums() const {
  DenseSet<Operation *> known(products.begin(), products.end());
  return llvm::count_if(products, [&](Operation *product) {
    return llvm::none_of(product->getOperands(), [&](Value operand) {
      Operation *from = operand.getDefiningOp();
      if (auto part = dyn_cast_or_null<LLVM::ExtractValueOp>(from))
        from = part.getContainer().getDefiningOp();
      return from && known.contains(from);
    });
  });
}

void Body::reorder() {
  findFirstUses();
  size_t sums = countSums();
  llvm::sort(reads, [&](Operation *one, Operation *other) {
    size_t first = firstUse.lookup(one), second = firstUse.lookup(other);
    return first != second ? first < second : one->isBeforeInBlock(other);
  });
  SmallVector<Operation *> all(waiting.begin(), waiting.end());
  llvm::sort(all, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  ArrayRef<Operation *> readsLeft = reads, copiesLeft = copies;
  for (auto [number, product] : llvm::enumerate(products)) {
    while (!readsLeft.empty() &&
           firstUse.lookup(readsLeft.front()) <= number + sums) {
      place(readsLeft.front());
      readsLeft = readsLeft.drop_front();
    }
    size_t started = copies.size() - copiesLeft.size();
    while (!copiesLeft.empty() &&
           started / copiesOfGroup * copiesOfGroup * products.size() <=
               number * copies.size()) {
      place(copiesLeft.front());
      copiesLeft = copiesLeft.drop_front();
      ++started;
    }
    place(product);
  }
  for (Operation *op : copiesLeft)
    place(op);
  for (Operation *op : all)
    place(op);
}

void Body::shorten() {
  for (Operation *op : copies)
    if (auto copy = dyn_cast<LLVM::InlineAsmOp>(op))
      takeCondition(copy);
}

namespace {
struct SpreadCopies : tilewright::impl::SpreadCopiesBase<SpreadCopies> {
  using SpreadCopiesBase::SpreadCopiesBase;

  void runOnOperation() override {
    bool takesConditions =
        tile::getTargetOrDefault(getOperation()).ptxVersion >=
        firstPtxWithConditions;
    // A scheduler that issues one every other cycle does the rest beside them.
    bool overFmas = tile::isBoundByRegisters(getOperation());
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions())
        for (Block &block : *region)
          if (Body body(block); body.collect(overFmas)) {
            body.reorder();
            if (takesConditions)
              body.shorten();
          }
    });
  }
};
} // namespace
