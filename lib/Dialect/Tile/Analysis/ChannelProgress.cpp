//===- ChannelProgress.cpp - How far filler and reader are ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Algebra/CountOf.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// A number, in all ways in which it is known; none: it is not.
using Known = SmallVector<Count, 2>;

/// What filler and reader have done.
struct Progress {
  /// The hand-over whose group was closed last, and how many were closed in a
  /// row, each one count after the other, up to it.
  Known closed;
  int64_t inRow = 0;
  /// The hand-over that was released last.
  Known released;

  bool operator==(const Progress &other) const {
    return closed == other.closed && inRow == other.inRow &&
           released == other.released;
  }
  /// Whether all that `other` has holds.
  bool implies(const Progress &other) const;
};
} // namespace

static bool hasAllOf(const Known &known, const Known &other) {
  return llvm::all_of(other, [&](const Count &count) {
    return llvm::is_contained(known, count);
  });
}

bool Progress::implies(const Progress &other) const {
  return hasAllOf(closed, other.closed) && inRow >= other.inRow &&
         hasAllOf(released, other.released);
}

/// `known` less `count`.
static std::optional<int64_t> getDistance(const Known &known, Count count) {
  for (const Count &same : known)
    if (same.base == count.base)
      return same.offset - count.offset;
  return std::nullopt;
}

static void intersect(Known &known, const Known &other) {
  llvm::erase_if(known, [&](const Count &count) {
    return !llvm::is_contained(other, count);
  });
}

/// What holds on both ways.
static Progress join(Progress a, const Progress &b) {
  intersect(a.closed, b.closed);
  intersect(a.released, b.released);
  a.inRow = a.closed.empty() ? 0 : std::min(a.inRow, b.inRow);
  return a;
}

/// Says a number in terms of `to`, which have the values of `from`; in those
/// that it has, where they stand outside of `loop` as well.
static Known rebase(const Known &known, ValueRange from, ValueRange to,
                    scf::ForOp loop) {
  Known result;
  for (Count count : known) {
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      Count start = Count::of(source);
      if (start.base == count.base)
        result.push_back({target, count.offset - start.offset});
    }
    bool isOutside =
        !count.base ||
        !loop->isAncestor(count.base.getParentRegion()->getParentOp());
    if (isOutside)
      result.push_back(count);
  }
  return result;
}

static Progress rebase(const Progress &progress, ValueRange from, ValueRange to,
                       scf::ForOp loop) {
  return {rebase(progress.closed, from, to, loop), progress.inRow,
          rebase(progress.released, from, to, loop)};
}

namespace {
/// Goes through the life of a channel.
class ChannelWalk {
public:
  explicit ChannelWalk(ChannelOp channel) : channel(channel) {}

  FailureOr<DenseMap<Operation *, int64_t>> run() {
    // Nothing is closed and all slots are free: as if hand-over -1 were done.
    Count none{nullptr, -1};
    Progress progress{{none}, 0, {none}};
    for (Operation *op = channel; op; op = op->getNextNode())
      visit(op, progress);
    if (!isLegal)
      return failure();
    return std::move(groupsSince);
  }

private:
  void visit(Block &block, Progress &progress) {
    for (Operation &op : block)
      visit(&op, progress);
  }

  void visit(Operation *op, Progress &progress) {
    if (auto handOver = dyn_cast<HandOverOpInterface>(op)) {
      if (handOver.getChannel() == channel.getResult())
        pass(handOver, progress);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, progress);
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      Progress other = progress;
      visit(*choice.thenBlock(), progress);
      if (choice.elseBlock())
        visit(*choice.elseBlock(), other);
      progress = join(progress, other);
    } else if (hasHandOvers(op)) {
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          progress = {};
          visit(block, progress);
        }
      progress = {};
    }
  }

  /// Whether the regions of the op hand slots over; those that combine elements
  /// do not.
  bool hasHandOvers(Operation *op) {
    return anyOpIn(*op, [&](HandOverOpInterface inner) {
      return inner.getChannel() == channel.getResult();
    });
  }

  void visitLoop(scf::ForOp loop, Progress &progress) {
    Progress head = findHead(loop, progress);
    if (isFinal) {
      Progress last = head;
      visit(*loop.getBody(), last);
    }
    progress = rebase(head, loop.getRegionIterArgs(), loop.getResults(), loop);
  }

  /// What holds at the head of each iteration: what holds in front of the loop
  /// and at the end of an iteration. Loops in loops are asked again and again:
  /// where no more holds in front of one than the last time, no more does at
  /// its head than was found then.
  Progress findHead(scf::ForOp loop, const Progress &before) {
    auto last = heads.find(loop);
    if (last != heads.end() && last->second.before == before)
      return last->second.head;
    Progress head =
        rebase(before, loop.getInitArgs(), loop.getRegionIterArgs(), loop);
    if (last != heads.end() && last->second.before.implies(before))
      head = join(head, last->second.head);
    bool wasFinal = std::exchange(isFinal, false);
    while (true) {
      Progress end = head;
      visit(*loop.getBody(), end);
      Progress next = join(head, rebase(end, loop.getYieldedValues(),
                                        loop.getRegionIterArgs(), loop));
      if (next == head)
        break;
      head = std::move(next);
    }
    isFinal = wasFinal;
    heads[loop] = {before, head};
    return head;
  }

  void pass(HandOverOpInterface op, Progress &progress) {
    Count count = Count::of(op.getCount());
    int64_t stages = channel.getType().getNumStages();
    if (isa<AcquireOp>(op)) {
      std::optional<int64_t> released = getDistance(progress.released, count);
      if (isFinal && released && *released < -stages)
        refuse(op) << "the reader is " << countOf(-*released, "hand-over")
                   << " behind, and the channel has " << stages;
    } else if (isa<CommitOp>(op)) {
      bool isNext = getDistance(progress.closed, count) == -1;
      progress.inRow = isNext ? progress.inRow + 1 : 1;
      progress.closed = {count};
    } else if (isa<ReleaseOp>(op)) {
      progress.released = {count};
    } else if (isFinal) {
      std::optional<int64_t> since = getDistance(progress.closed, count);
      if (since && *since < 0)
        refuse(op) << "the filler is " << countOf(-*since, "hand-over")
                   << " behind";
      groupsSince[op] =
          std::clamp<int64_t>(since.value_or(0), 0, progress.inRow);
    }
  }

  InFlightDiagnostic refuse(HandOverOpInterface op) {
    isLegal = false;
    return op->emitOpError("waits for ever: ");
  }

  ChannelOp channel;
  DenseMap<Operation *, int64_t> groupsSince;
  /// Of loops, what was found last of what holds in front of them.
  struct Head {
    Progress before, head;
  };
  DenseMap<Operation *, Head> heads;
  /// Whether what is known at the head of the loops around is final.
  bool isFinal = true;
  bool isLegal = true;
};
} // namespace

SmallVector<ChannelOp>
tilewright::tile::getChannelsWithMbarriers(KernelOp kernel) {
  SmallVector<ChannelOp> channels;
  kernel.walk([&](ChannelOp channel) {
    if (channel.getMbarriers())
      channels.push_back(channel);
  });
  return channels;
}

SmallVector<HandOverOpInterface>
tilewright::tile::getHandOvers(ChannelOp channel) {
  SmallVector<HandOverOpInterface> handOvers;
  channel->getParentOfType<KernelOp>().walk([&](HandOverOpInterface op) {
    if (op.getChannel() == channel.getResult())
      handOvers.push_back(op);
  });
  return handOvers;
}

FailureOr<DenseMap<Operation *, int64_t>>
tilewright::tile::countGroupsSince(ChannelOp channel) {
  return ChannelWalk(channel).run();
}
