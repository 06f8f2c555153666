//===- Roles.cpp - Warps that do different things -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// Threads below those of the kernel's warps compute, the first one above
/// copies, the rest of its warp has nothing to do.
struct RolesPattern : OpConversionPattern<RolesOp> {
  RolesPattern(const TypeConverter &converter, MLIRContext *mlirContext,
               const LoweringContext &context)
      : OpConversionPattern(converter, mlirContext), context(context) {}

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
    rewriter.setInsertionPointToStart(roles.thenBlock());
    using Action = NVVM::SetMaxRegisterAction;
    setRegisters(rewriter, loc, op.getMainRegisters(), Action::increase);
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

  const LoweringContext &context;
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
  patterns.add<OneThreadPattern>(converter, patterns.getContext());
}
