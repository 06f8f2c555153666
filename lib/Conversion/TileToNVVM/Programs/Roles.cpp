//===- Roles.cpp - Warps that do different things -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// The barrier at which both teams arrive: the one that is over, and the one
/// that waits.
class TurnBarrier {
public:
  TurnBarrier(OpBuilder &builder, Location loc, int part)
      : builder(builder), loc(loc),
        team(ThreadIndex(builder, loc).getWarpgroupOfBlock()),
        first(kFirstTurnBarrier + kMostTeams * part) {}

  void enter() {
    Value number = arith::AddIOp::create(builder, loc, team, constant(first));
    NVVM::BarrierOp::create(builder, loc, TypeRange(), number, getThreads(),
                            NVVM::BarrierReductionAttr(), Value());
  }
  void leave() {
    Value number = arith::SubIOp::create(
        builder, loc, constant(first + kMostTeams - 1), team);
    NVVM::BarrierArriveOp::create(builder, loc, number, getThreads());
  }

private:
  /// Numbers of barriers behind those of warpgroups (BarrierPattern).
  static constexpr int kFirstTurnBarrier = 10;

  Value constant(int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  }
  Value getThreads() { return constant(kMostTeams * WarpgroupMma::threads); }

  OpBuilder &builder;
  Location loc;
  Value team;
  int first;
};

struct TeamPattern : OpConversionPattern<TeamOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TeamOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value group = ThreadIndex(rewriter, op.getLoc()).getWarpgroupOfBlock();
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, op.getType(), group);
    return success();
  }
};

struct TeamEnterPattern : OpConversionPattern<TeamEnterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TeamEnterOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TurnBarrier(rewriter, op.getLoc(), static_cast<int>(op.getPart())).enter();
    rewriter.eraseOp(op);
    return success();
  }
};

struct TeamLeavePattern : OpConversionPattern<TeamLeaveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TeamLeaveOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TurnBarrier(rewriter, op.getLoc(), static_cast<int>(op.getPart())).leave();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Threads below those of the kernel's warps compute, the first one above
/// copies, the rest of its warp has nothing to do.
struct RolesPattern : ContextPattern<RolesOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(RolesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value thread =
        NVVM::ThreadIdXOp::create(rewriter, loc, rewriter.getI32Type());
    Value first = arith::ConstantIntOp::create(
        rewriter, loc, context.computingThreads.lookup(op), 32);
    auto compare = [&](arith::CmpIPredicate predicate) {
      return arith::CmpIOp::create(rewriter, loc, predicate, thread, first);
    };
    Value computes = compare(arith::CmpIPredicate::ult);
    auto roles =
        scf::IfOp::create(rewriter, loc, computes, /*withElseRegion=*/true);
    bool hasTeams = getNumTeams(op) > 1;
    rewriter.setInsertionPointToStart(roles.thenBlock());
    using Action = NVVM::SetMaxRegisterAction;
    setRegisters(rewriter, loc, op.getMainRegisters(), Action::increase);
    if (hasTeams) {
      // Tells ThreadIndex whose threads these are.
      roles->setAttr(kTeamsAttr, op->getAttr(kTeamsAttr));
      passFirstTurns(rewriter, loc);
    }
    inlineRole(rewriter, op.getMain(), roles.thenBlock());
    rewriter.setInsertionPointToStart(roles.elseBlock());
    setRegisters(rewriter, loc, op.getCopyRegisters(), Action::decrease);
    Value copies = compare(arith::CmpIPredicate::eq);
    auto copier =
        scf::IfOp::create(rewriter, loc, copies, /*withElseRegion=*/false);
    inlineRole(rewriter, op.getCopy(), copier.thenBlock());
    // ptxas heeds setmaxnreg only where the number of blocks is told.
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (std::optional<int32_t> blocks = op.getBlocks(); blocks && function)
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        rewriter.getI32IntegerAttr(*blocks));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Nobody does a program before the first team's first one.
  static void passFirstTurns(OpBuilder &builder, Location loc) {
    Value group = ThreadIndex(builder, loc).getWarpgroupOfBlock();
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value isOther = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, group, zero);
    auto branch =
        scf::IfOp::create(builder, loc, isOther, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (int part = 0; part < kPartsOfProgram; ++part)
      TurnBarrier(builder, loc, part).leave();
  }

  static void setRegisters(OpBuilder &builder, Location loc,
                           std::optional<int32_t> registers,
                           NVVM::SetMaxRegisterAction action) {
    if (registers)
      NVVM::SetMaxRegisterOp::create(builder, loc, *registers, action);
  }

  static void inlineRole(ConversionPatternRewriter &rewriter, Region &role,
                         Block *block) {
    rewriter.inlineBlockBefore(&role.front(), block->getTerminator());
  }
};

struct OneThreadPattern : OpConversionPattern<OneThreadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OneThreadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value isFirst = ThreadIndex(rewriter, loc).isFirst();
    auto branch =
        scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
    rewriter.inlineBlockBefore(&op.getBody().front(),
                               branch.thenBlock()->getTerminator());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateRolePatterns(RewritePatternSet &patterns,
                                  const TypeConverter &converter,
                                  const LoweringContext &context) {
  patterns.add<RolesPattern>(converter, patterns.getContext(), context);
  patterns
      .add<OneThreadPattern, TeamPattern, TeamEnterPattern, TeamLeavePattern>(
          converter, patterns.getContext());
}
