//===- SplitRoles.cpp - Warps of their own for copies ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "AlternateTeams.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/CopyRole.h"
#include "tilewright/Layout/Algebra/CountOf.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

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

  /// Of the values that `of` are for, those that the role needs.
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
    if (int64_t blocks = countBlocksWithout(kernel)) {
      tellBlocks(kernel, blocks);
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

  /// Without a hand-over there is nothing to copy.
  static bool isFilled(ChannelOp channel) {
    return llvm::any_of(channel->getUsers(), llvm::IsaPred<AcquireOp>);
  }

  /// Whether threads make something of what is multiplied, before they go on.
  static bool isAskedAtOnce(Operation *product) {
    return !endsWith(product, AccessEnd::WithProduct) &&
           llvm::any_of(product->getUsers(), [](Operation *user) {
             return !user->hasTrait<OpTrait::IsTerminator>();
           });
  }

  /// For all sums of a loop that goes on with some of them in each iteration; 0
  /// where there is none.
  static int64_t countSumsAskedAtOnce(KernelOp kernel) {
    int64_t most = 0;
    kernel.walk([&](LoopLikeOpInterface loop) {
      int64_t sums = 0;
      bool isOne = false;
      for (Operation &op : loop.getLoopRegions().front()->front())
        if (isa<SharedProductOpInterface>(op)) {
          sums += cast<ProductOpInterface>(op).countSumsOfThread();
          isOne |= isAskedAtOnce(&op);
        }
      if (isOne)
        most = std::max(most, sums);
    });
    return most;
  }

  /// For sums of products that are there at once, at the most.
  static int64_t countSums(KernelOp kernel) {
    int64_t sums = countSumsAskedAtOnce(kernel);
    kernel.walk([&](ProductOpInterface product) {
      sums = std::max(sums, product.countSumsOfThread());
    });
    return sums;
  }

  /// For sums of the widest product that is one instruction, of a warpgroup.
  static int64_t countSumsOfInstruction(KernelOp kernel) {
    int64_t sums = 0;
    kernel.walk([&](SharedProductOpInterface product) {
      auto type = cast<ShapedType>(product->getResult(0).getType());
      int64_t columns = std::min(type.getShape().back(), WarpgroupMma::mostN);
      sums = std::max(sums, columns * WarpgroupMma::m / WarpgroupMma::threads);
    });
    return sums;
  }

  /// How many blocks a multiprocessor runs without warps that copy, where these
  /// are more than with them; else 0. What threads make of products in each
  /// iteration is hidden by other blocks, and a warp more costs the registers
  /// of four. Then a thread that computes starts the copies.
  static int64_t countBlocksWithout(KernelOp kernel) {
    GpuTarget target = getTargetOrDefault(kernel);
    int64_t sums = countSumsAskedAtOnce(kernel);
    if (sums == 0)
      return 0;
    int64_t main = kernel.getNumThreads();
    int64_t shared = kernel.getSharedBytes().value_or(0) +
                     target.reservedSharedBytesPerBlock;
    auto countBlocks = [&](int64_t copying) {
      for (int64_t blocks = target.sharedBytesPerSM / shared; blocks > 0;
           --blocks) {
        int64_t each = target.registersPerThread((main + copying) * blocks);
        if (copying != 0 && countSums(kernel) >= kManySums) // They are divided.
          each = (each * (main + copying) - kCopyRegisters * copying) / main;
        if (each >= sums + kBesideSums)
          return blocks;
      }
      return int64_t(0);
    };
    int64_t without = countBlocks(0);
    return without > std::max<int64_t>(countBlocks(WarpgroupMma::threads), 1)
               ? without
               : 0;
  }

  /// A register too many would cost a block. Where many blocks leave few of
  /// them, spills might cost more: there ptxas decides.
  static void tellBlocks(KernelOp kernel, int64_t blocks) {
    GpuTarget target = getTargetOrDefault(kernel);
    int64_t threads = kernel.getNumThreads();
    while (blocks > 1 &&
           target.registersPerThread(threads * blocks) < kFewRegisters)
      --blocks;
    kernel->setAttr(TileDialect::kBlocksPerSMAttr,
                    Builder(kernel.getContext())
                        .getI32IntegerAttr(static_cast<int32_t>(blocks)));
  }

  /// Registers are given to warps by fours: one warp that copies would cost as
  /// many as four that compute. Where sums need many, a warpgroup copies, and
  /// leaves its registers to the others.
  static void divideRegisters(KernelOp kernel, RolesOp roles) {
    kernel.setCopyWarps(1);
    GpuTarget target = getTargetOrDefault(kernel);
    int64_t sums = countSums(kernel);
    int64_t main = kernel.getNumThreads();
    if (sums < kManySums || main % WarpgroupMma::threads != 0)
      return;
    int64_t threads = main + WarpgroupMma::threads;
    int64_t shared = kernel.getSharedBytes().value_or(0) +
                     target.reservedSharedBytesPerBlock;
    for (int64_t blocks = target.sharedBytesPerSM / shared; blocks > 0;
         --blocks) {
      // What each thread has when the block begins.
      int64_t each = target.registersPerThread(threads * blocks);
      if (each >= target.maxRegistersPerThread) // There is enough for all.
        return;
      if (each < countSumsOfInstruction(kernel) + kBesideInstruction)
        continue;
      int64_t most = llvm::alignDown(
          (each * threads - kCopyRegisters * WarpgroupMma::threads) / main, 8);
      if (most < sums + kBesideSums)
        continue;
      auto attr = [&](int64_t number) {
        return Builder(kernel.getContext()).getI32IntegerAttr(number);
      };
      kernel.setCopyWarps(WarpgroupMma::warps);
      roles.setMainRegistersAttr(
          attr(std::min<int64_t>(most, RolesOp::kMostRegisters)));
      roles.setCopyRegistersAttr(attr(kCopyRegisters));
      roles.setBlocksAttr(attr(blocks));
      return;
    }
  }

  /// Sums of a thread that leave a block without enough registers.
  static constexpr int64_t kManySums = 96;
  /// What a thread needs beside them: addresses, and what becomes of the sums.
  static constexpr int64_t kBesideSums = 56;
  /// What ptxas wants beside the sums of an instruction, of the registers that
  /// a thread has when the block begins (C7602).
  static constexpr int64_t kBesideInstruction = 26;
  /// Fewer are no limit that a loop of products should have.
  static constexpr int64_t kFewRegisters = 128;
  /// Enough for a loop with coordinates.
  static constexpr int64_t kCopyRegisters = 40;

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
      if (!barrier.getEachWarpgroup())
        barrier.setWarpsAttr(warps);
    });
  }
};

} // namespace
