//===- StaggerWarpgroups.cpp - Loops that warpgroups begin apart ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Threads/Patterns.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

namespace tilewright {
#define GEN_PASS_DEF_STAGGERWARPGROUPS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// About half of what a warpgroup takes for an iteration
/// (docs/decisions/0101-warpgroups-apart.md).
static constexpr int kCyclesApart = 700;
/// In fewer trips the cycles at the beginning are not won back.
static constexpr int kFewTrips = 8;

/// Whether it waits for all products. One that gives their sums is PTX text.
static bool waitsForProducts(Operation &op) {
  if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op))
    return wait.getGroup() == 0;
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && text.getAsmString().starts_with(kWaitForProducts);
}

/// Whether each iteration waits for products, and makes others of what it
/// computes from them; and nothing makes warpgroups meet.
static bool waitsBetweenProducts(scf::ForOp loop) {
  bool isMade = false, isWaitedFor = false, isMadeAgain = false;
  for (Operation &op : *loop.getBody()) {
    isMadeAgain |= isa<NVVM::WgmmaGroupSyncAlignedOp>(op) && isWaitedFor;
    isMade |= isa<NVVM::WgmmaGroupSyncAlignedOp>(op);
    isWaitedFor |= isMade && waitsForProducts(op);
  }
  return isMadeAgain && !tile::anyOpIn<NVVM::BarrierOp, NVVM::Barrier0Op,
                                       NVVM::BarrierArriveOp>(loop);
}

/// How many threads come to the op: those below a number, where it stands in
/// such a branch, else all of the block.
static int64_t countThreadsAt(Operation *op) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    APInt number;
    if (compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
        compare.getLhs().getDefiningOp<NVVM::ThreadIdXOp>() &&
        matchPattern(compare.getRhs(), m_ConstantInt(&number)) &&
        branch.getThenRegion().isAncestor(op->getParentRegion()))
      return number.getSExtValue();
  }
  return getNumThreads(op->getParentOfType<LLVM::LLVMFuncOp>()).value_or(0);
}

/// Lets every other warpgroup wait in front of the loop.
static void holdBack(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value step = loop.getStep();
  Value few = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(step.getType(), kFewTrips));
  Value length = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                       loop.getLowerBound());
  Value isLong =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, length,
                            arith::MulIOp::create(builder, loc, step, few));
  Value group = ThreadIndex(builder, loc).getWarpgroupOfBlock();
  Value isOther =
      arith::TruncIOp::create(builder, loc, builder.getI1Type(), group);
  Value waits = arith::AndIOp::create(builder, loc, isLong, isOther);
  auto branch =
      scf::IfOp::create(builder, loc, waits, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitPtx(builder, loc, /*result=*/{}, {},
          "{\n"
          ".reg .pred more;\n"
          ".reg .b32 begin, now;\n"
          "mov.u32 begin, %clock;\n"
          "AGAIN:\n"
          "mov.u32 now, %clock;\n"
          "sub.u32 now, now, begin;\n"
          "setp.lt.u32 more, now, " +
              std::to_string(kCyclesApart) +
              ";\n"
              "@more bra AGAIN;\n"
              "}",
          "");
}

namespace {
struct StaggerWarpgroups
    : tilewright::impl::StaggerWarpgroupsBase<StaggerWarpgroups> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (waitsBetweenProducts(loop) &&
          countThreadsAt(loop) > WarpgroupMma::threads)
        loops.push_back(loop);
    });
    llvm::for_each(loops, holdBack);
  }
};
} // namespace
