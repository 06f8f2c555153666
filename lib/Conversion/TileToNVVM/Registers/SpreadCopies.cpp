//===- SpreadCopies.cpp - Copies among the products of a body -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/ProductBodies.h"
#include "Threads/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"

namespace tilewright {
#define GEN_PASS_DEF_SPREADCOPIES
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Copies that start together: ptxas puts three instructions that do nothing in
/// front of a copy behind a read of shared memory. A loop of f64 is short.
static constexpr size_t copiesAmongFmas = 4, copiesAmongMatrixProducts = 8;

namespace {
/// The ops of a body from its first copy to its last product.
class Body {
public:
  explicit Body(Block &block) : block(block) {}

  /// Whether it has copies, then many products, and nothing that must stay.
  bool collect(bool overFmas);
  void reorder();
  /// Lets copies take conditions.
  void shorten(unsigned ptxVersion);

private:
  void findFirstUses();
  void place(Operation *op) { placeBefore(end, op, waiting); }

  Block &block;
  SmallVector<Operation *> copies, reads;
  Products products;
  /// Ops of the region that are not in their place yet.
  DenseSet<Operation *> waiting;
  /// The number of the first product that hangs on each op, of those behind a
  /// barrier too.
  DenseMap<Operation *, size_t> firstUse;
  Operation *end = nullptr;
};
} // namespace

bool Body::collect(bool overFmas) {
  SmallVector<Operation *> all;
  for (Operation &op : block.without_terminator()) {
    bool isInside = !copies.empty();
    if (isCopy(op) || (isInside && isa<NVVM::CpAsyncCommitGroupOp>(op)))
      copies.push_back(&op);
    else if (isInside && isSharedRead(op))
      reads.push_back(&op);
    else if (isInside && !isProduct(op) &&
             (!isPure(&op) || op.getNumRegions() != 0))
      break;
    if (!copies.empty())
      all.push_back(&op);
  }
  products = Products::find(all, overFmas);
  if (products.isEmpty())
    return false;
  Operation *last = products.get().back();
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
  SmallVector<Operation *> all = llvm::to_vector(products.get());
  for (Operation *op = end; op; op = op->getNextNode())
    if (isProduct(*op))
      all.push_back(op);
  for (auto [number, product] : llvm::enumerate(all)) {
    SmallVector<Operation *> open = {product};
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      if (op->getBlock() != &block || !firstUse.try_emplace(op, number).second)
        continue;
      for (Value operand : op->getOperands())
        if (Operation *from = operand.getDefiningOp())
          open.push_back(from);
    }
  }
}

void Body::reorder() {
  findFirstUses();
  size_t sums = products.getFirst().size();
  size_t total = products.get().size();
  size_t ofGroup = isMatrixProduct(*products.get().front())
                       ? copiesAmongMatrixProducts
                       : copiesAmongFmas;
  llvm::sort(reads, [&](Operation *one, Operation *other) {
    size_t first = firstUse.lookup(one), second = firstUse.lookup(other);
    return first != second ? first < second : one->isBeforeInBlock(other);
  });
  SmallVector<Operation *> all(waiting.begin(), waiting.end());
  llvm::sort(all, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  ArrayRef<Operation *> readsLeft = reads, copiesLeft = copies;
  for (auto [number, product] : llvm::enumerate(products.get())) {
    while (!readsLeft.empty() &&
           firstUse.lookup(readsLeft.front()) <= number + sums) {
      place(readsLeft.front());
      readsLeft = readsLeft.drop_front();
    }
    size_t started = copies.size() - copiesLeft.size();
    while (!copiesLeft.empty() &&
           started / ofGroup * ofGroup * total <= number * copies.size()) {
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

void Body::shorten(unsigned ptxVersion) {
  for (Operation *op : copies)
    if (std::optional<AsyncCopy> copy = AsyncCopy::get(op))
      copy->takeCondition(ptxVersion);
}

namespace {
struct SpreadCopies : tilewright::impl::SpreadCopiesBase<SpreadCopies> {
  using SpreadCopiesBase::SpreadCopiesBase;

  void runOnOperation() override {
    unsigned ptxVersion = tile::getTargetOrDefault(getOperation()).ptxVersion;
    // A scheduler that issues one every other cycle does the rest beside them.
    bool overFmas = tile::isBoundByRegisters(getOperation());
    // Of loops, and of last iterations behind them.
    getOperation()->walk([&](Block *block) {
      if (Body body(*block); body.collect(overFmas)) {
        body.reorder();
        body.shorten(ptxVersion);
      }
    });
  }
};
} // namespace
