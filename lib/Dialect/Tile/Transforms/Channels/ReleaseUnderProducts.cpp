//===- ReleaseUnderProducts.cpp - Slots given back by the next program ----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/ReleaseUnderProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether products that an iteration of the loop issues may be under way in
/// the next one.
static bool issuesProducts(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    return endsWith(&op, AccessEnd::WithProduct);
  });
}

/// Whether threads write shared memory there themselves. The wait for stores is
/// for all that a thread began, and what others of them still read may be bytes
/// that these tiles have in turn.
static bool writesSharedMemory(scf::ForOp loop) {
  auto isOfThreads = [](const MemoryAccess &access) {
    return access.space == MemorySpace::Shared && access.isWrite &&
           !access.isAtomic() && access.end == AccessEnd::WithOp;
  };
  return anyOpIn(loop, [&](Operation *op) {
    return llvm::any_of(getMemoryAccesses(op), isOfThreads);
  });
}

namespace {
/// A loop over programs whose threads wait at the end of each until the
/// hardware has read a result, and give its slot back.
class Programs {
public:
  explicit Programs(scf::ForOp loop) : loop(loop) {}

  /// Whether the next program may as well, behind its first products.
  bool find() { return findProducts() && findEnd(); }

  void moveEnd() {
    OpBuilder builder(products);
    Location loc = wait.getLoc();
    scf::ForOp first = splitFirst(builder);
    builder.setInsertionPointAfter(first);
    StoreTmaWaitOp::create(builder, loc, /*read=*/true);
    Value isLater =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    for (MbarrierArriveOp release : releases) {
      auto slot = release.getBarrier().getDefiningOp<SubviewOp>();
      Value only =
          SubviewOp::create(builder, loc, slot.getType(), slot.getSource(),
                            arith::ConstantIndexOp::create(builder, loc, 0));
      MbarrierArriveOp::create(builder, release.getLoc(), only,
                               release.getWhich(), isLater, /*less=*/nullptr,
                               IntegerAttr(),
                               /*each_warp=*/true);
      release.erase();
    }
    wait.erase();
    // Shared memory is the block's until the hardware has read the last one.
    builder.setInsertionPointAfter(loop);
    StoreTmaWaitOp::create(builder, loc, /*read=*/true);
  }

private:
  /// A loop that a program begins with, but for scalars.
  bool findProducts() {
    auto begin = llvm::find_if(*loop.getBody(), [](Operation &op) {
      return op.getNumRegions() != 0 || !isMemoryEffectFree(&op);
    });
    if (begin == loop.getBody()->end())
      return false;
    products = dyn_cast<scf::ForOp>(*begin);
    return products && issuesProducts(products) &&
           !writesSharedMemory(products);
  }

  /// Releases of the only slot of a channel: the next program knows which one
  /// it is.
  bool findEnd() {
    for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
      if (auto release = dyn_cast<MbarrierArriveOp>(op);
          release && isOfOnlySlot(release)) {
        releases.push_back(release);
        continue;
      }
      wait = dyn_cast<StoreTmaWaitOp>(op);
      if (wait || !isMemoryEffectFree(&op))
        break;
    }
    return wait && wait.getRead() && !releases.empty();
  }

  static bool isOfOnlySlot(MbarrierArriveOp release) {
    auto slot = release.getBarrier().getDefiningOp<SubviewOp>();
    return slot && slot.getSource().getType().getShape().front() == 1 &&
           release.getEachWarp() && !release.getCondition();
  }

  /// Leaves the first iteration, if there is one, to a loop of its own.
  scf::ForOp splitFirst(OpBuilder &builder) {
    Location loc = products.getLoc();
    auto first = cast<scf::ForOp>(builder.clone(*products.getOperation()));
    builder.setInsertionPoint(first);
    Value second = arith::AddIOp::create(builder, loc, products.getLowerBound(),
                                         products.getStep());
    Value end = products.getUpperBound();
    if (products.getUnsignedCmp())
      first.setUpperBound(arith::MinUIOp::create(builder, loc, second, end));
    else
      first.setUpperBound(arith::MinSIOp::create(builder, loc, second, end));
    products.setLowerBound(second);
    products.getInitArgsMutable().assign(first.getResults());
    return first;
  }

  scf::ForOp loop, products;
  StoreTmaWaitOp wait;
  SmallVector<MbarrierArriveOp> releases;
};
} // namespace

void tilewright::tile::releaseUnderProducts(KernelOp kernel) {
  // The other team's products run while one waits.
  if (getNumTeams(kernel) > 1)
    return;
  SmallVector<Programs> all;
  kernel.walk([&](scf::ForOp loop) {
    if (!isOverPrograms(loop))
      return;
    if (Programs programs(loop); programs.find())
      all.push_back(programs);
  });
  for (Programs &programs : all)
    programs.moveEnd();
}
