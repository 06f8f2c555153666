//===- SplitRoles.cpp - Warps of their own for copies ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/AlternateTeams.h"
#include "Channels/RoleRegisters.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/CopyRole.h"
#include "tilewright/Layout/Algebra/CountOf.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPLITROLES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// Writes what a role does of a kernel once more, elsewhere.
class RoleWriter {
public:
  RoleWriter(const CopyRole &role, OpBuilder &builder)
      : role(role), builder(builder) {}

  void write(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!role.does(&op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        write(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        write(branch);
      else
        builder.clone(op, mapping);
    }
  }

private:
  SmallVector<Value> lookup(ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  /// The values that stand for those of `of` which the role needs.
  SmallVector<Value> filter(ValueRange values, ValueRange of) {
    SmallVector<Value> needed;
    for (auto [value, what] : llvm::zip_equal(values, of))
      if (role.needs(what))
        needed.push_back(value);
    return needed;
  }

  void yield(Block *block, ValueRange results, scf::YieldOp old) {
    if (!block->empty() && isa<scf::YieldOp>(block->back()))
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, old.getLoc(),
                         lookup(filter(old.getOperands(), results)));
  }

  void write(scf::ForOp loop) {
    ValueRange carried = loop.getRegionIterArgs();
    auto copy = scf::ForOp::create(
        builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
        mapping.lookupOrDefault(loop.getUpperBound()),
        mapping.lookupOrDefault(loop.getStep()),
        lookup(filter(loop.getInitArgs(), carried)), /*bodyBuilder=*/nullptr,
        loop.getUnsignedCmp());
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    mapping.map(loop.getInductionVar(), copy.getInductionVar());
    mapping.map(filter(carried, carried), copy.getRegionIterArgs());
    mapping.map(filter(loop.getResults(), carried), copy.getResults());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(copy.getBody());
    write(*loop.getBody());
    yield(copy.getBody(), carried,
          cast<scf::YieldOp>(loop.getBody()->getTerminator()));
  }

  void write(scf::IfOp branch) {
    ValueRange results = branch.getResults();
    SmallVector<Value> needed = filter(results, results);
    auto copy = scf::IfOp::create(
        builder, branch.getLoc(), ValueRange(needed).getTypes(),
        mapping.lookupOrDefault(branch.getCondition()),
        /*withElseRegion=*/branch.elseBlock() != nullptr);
    mapping.map(needed, copy.getResults());
    OpBuilder::InsertionGuard guard(builder);
    writeSide(branch.thenBlock(), copy.thenBlock(), results);
    if (branch.elseBlock())
      writeSide(branch.elseBlock(), copy.elseBlock(), results);
  }

  void writeSide(Block *from, Block *to, ValueRange results) {
    builder.setInsertionPointToStart(to);
    write(*from);
    yield(to, results, cast<scf::YieldOp>(from->getTerminator()));
  }

  const CopyRole &role;
  OpBuilder &builder;
  IRMapping mapping;
};

struct SplitRoles : tilewright::tile::impl::TileSplitRolesBase<SplitRoles> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<ChannelOp> channels = getChannelsWithMbarriers(kernel);
    if (llvm::none_of(channels, isFilled) || kernel.getCopyWarps())
      return;
    for (ChannelOp channel : channels)
      if (channel->getParentOp() != kernel) {
        channel.emitOpError("is made in a loop or a branch: warps that only "
                            "copy need it before");
        return signalPassFailure();
      }
    if (kernel.getNumWarpsOrDefault() >= KernelOp::kMaxWarpsPerBlock)
      return leaveToThread(kernel, "all 32 warps that a block can have "
                                   "compute; use fewer (num_warps)");
    if (needRegistersOfCopyWarps(kernel))
      return leaveToThread(kernel, "with a warp more, threads would have fewer "
                                   "registers than their products need; use "
                                   "smaller tiles or fewer warps");
    if (int64_t blocks = countBlocksWithoutCopyWarps(kernel)) {
      askForBlocksOfProducts(kernel, blocks);
      return leaveToThread(
          kernel, "without them " + countOf(blocks, "block") +
                      " have room on a multiprocessor, with them fewer; one "
                      "multiplies while another one goes on with its results");
    }
    CopyRole role(kernel, channels);
    if (!role.isPossible()) {
      channels.front()->emitOpError(
          "cannot be filled by warps that only copy: ")
          << role.whyNot();
      return signalPassFailure();
    }
    split(kernel, channels, role);
  }

private:
  /// The program stays as it is: a thread that computes begins the copies.
  static void leaveToThread(KernelOp kernel, const Twine &why) {
    auto reason = StringAttr::get(kernel.getContext(), why);
    kernel.emitRemark("no warps of it only copy: ") << reason.getValue();
    kernel->setAttr(kRolesReasonAttr, reason);
  }

  /// Whether there is anything to copy: not without a hand-over.
  static bool isFilled(ChannelOp channel) {
    return llvm::any_of(channel->getUsers(), llvm::IsaPred<AcquireOp>);
  }

  void split(KernelOp kernel, ArrayRef<ChannelOp> channels,
             const CopyRole &role) {
    Block &body = kernel.getBody().front();
    OpBuilder builder(body.getTerminator());
    auto roles = RolesOp::create(builder, kernel.getLoc(), IntegerAttr(),
                                 IntegerAttr(), IntegerAttr());
    divideRegisters(kernel, roles);
    builder.setInsertionPointToStart(&roles.getCopy().emplaceBlock());
    RoleWriter(role, builder).write(body);
    removeFills(kernel, role);
    moveToMain(body, channels, roles);
    if (kernel.getPersistent())
      alternateTeams(roles);
  }

  /// Leaves the filling of slots, and what only that needed, out.
  static void removeFills(KernelOp kernel, const CopyRole &role) {
    SmallVector<Operation *> fills;
    kernel.walk([&](Operation *op) {
      if (role.does(op) && (isa<AcquireOp, CommitOp>(op) ||
                            findMemoryAccess(op, MemorySpace::Shared)))
        fills.push_back(op);
    });
    for (Operation *fill : llvm::reverse(fills))
      fill->erase();
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op) || isEmptyBranch(op))
        op->erase();
    });
  }

  static bool isEmptyBranch(Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    auto isEmpty = [](Block *block) {
      return !block || block->without_terminator().empty();
    };
    return branch && branch->use_empty() && isEmpty(branch.thenBlock()) &&
           isEmpty(branch.elseBlock());
  }

  /// Channels stay in front of both roles.
  static void moveToMain(Block &body, ArrayRef<ChannelOp> channels,
                         RolesOp roles) {
    OpBuilder builder(roles.getContext());
    Block &main = roles.getMain().emplaceBlock();
    llvm::SetVector<Operation *> shared;
    shared.insert(roles);
    for (ChannelOp channel : channels) {
      for (Value tile : channel->getOperands())
        shared.insert(tile.getDefiningOp());
      shared.insert(channel);
    }
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!shared.contains(&op))
        op.moveBefore(&main, main.end());
    auto warps = builder.getI32IntegerAttr(
        roles->getParentOfType<KernelOp>().getNumWarpsOrDefault());
    main.walk([&](BarrierOp barrier) {
      if (barrier.isOfAll())
        barrier.setWarpsAttr(warps);
    });
  }
};

} // namespace
