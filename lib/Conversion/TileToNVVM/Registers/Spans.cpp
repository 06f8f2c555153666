//===- Spans.cpp - What is computed anew between barriers -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/Spans.h"

#include "Registers/FewestKept.h"
#include "Registers/Recomputer.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// ptxas computes some values anew by itself: so many more words than there are
/// registers, and so many of them that need not be kept, are worth it.
static constexpr int64_t kLeastSavedBetween = 64;

bool tonvvm::isLoweredBarrier(Operation &op) {
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp>(op);
}

namespace {
class SpanRecomputer {
public:
  SpanRecomputer(Operation *loop, int64_t registers)
      : loop(loop), registers(registers) {
    spans.push_back({std::next(loop->getIterator())});
    for (Operation &op :
         llvm::make_range(spans.back(), loop->getBlock()->end()))
      if (isLoweredBarrier(op))
        spans.push_back(std::next(op.getIterator()));
  }

  void run() {
    if (spans.size() < 2 || countMostLive() < registers + kLeastSavedBetween)
      return;
    // Where each span takes something from another one.
    SmallVector<llvm::SetVector<Value>> ofSpans;
    llvm::SetVector<Value> wanted;
    for (size_t span = 0; span < spans.size(); ++span) {
      ofSpans.push_back(collect(span));
      wanted.insert_range(ofSpans.back());
    }
    llvm::SetVector<Value> kept = findFewestKept(wanted.getArrayRef());
    if (countAllWords(wanted.getArrayRef()) -
            countAllWords(kept.getArrayRef()) <
        kLeastSavedBetween)
      return;
    for (size_t span = 1; span < spans.size(); ++span) {
      ofSpans[span].set_subtract(kept);
      Recomputer recomputer(loop->getBlock(), spans[span], kept,
                            HiddenFrom::Ptxas);
      for (Operation &op : llvm::make_early_inc_range(get(span)))
        recomputer.replace(op, ofSpans[span]);
    }
  }

private:
  llvm::iterator_range<Block::iterator> get(size_t span) {
    return {spans[span], span + 1 < spans.size() ? spans[span + 1]
                                                 : loop->getBlock()->end()};
  }

  /// Cheap values that the span takes from in front of it.
  llvm::SetVector<Value> collect(size_t span) {
    llvm::SetVector<Value> found;
    Operation *first = &*spans[span];
    for (Operation &op : get(span))
      op.walk([&](Operation *inside) {
        for (Value operand : inside->getOperands())
          if (isCheap(operand.getDefiningOp()) && isInFront(operand, first))
            found.insert(operand);
      });
    return found;
  }

  bool isInFront(Value value, Operation *first) {
    Operation *op = value.getDefiningOp();
    return !matchPattern(value, m_Constant()) &&
           op->getParentRegion()->isAncestor(loop->getParentRegion()) &&
           (op->getBlock() != loop->getBlock() || op->isBeforeInBlock(first));
  }

  /// The most words that are computed and still wanted, in the order of the
  /// program.
  int64_t countMostLive() {
    int64_t bits = 0, most = 0;
    DenseSet<Value> live;
    for (Operation &op : llvm::reverse(
             llvm::make_range(spans.front(), loop->getBlock()->end()))) {
      most = std::max(most, bits);
      for (Value result : op.getResults())
        if (live.erase(result))
          bits -= countBits(result);
      op.walk([&](Operation *inside) {
        for (Value operand : inside->getOperands())
          if (isOutside(operand, op) && live.insert(operand).second)
            bits += countBits(operand);
      });
    }
    return std::max(most, bits) / (8 * bytesPerWord);
  }

  static bool isOutside(Value value, Operation &op) {
    return !op.isAncestor(value.getParentBlock()->getParentOp());
  }

  Operation *loop;
  int64_t registers;
  /// Where they begin: behind the loop, and behind each barrier.
  SmallVector<Block::iterator> spans;
};
} // namespace

void tonvvm::computeInSpans(LoopLikeOpInterface loop, int64_t registers) {
  SpanRecomputer(loop, registers).run();
}
