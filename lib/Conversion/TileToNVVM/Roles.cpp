//===- Roles.cpp - Warps that do different things -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
    inlineRole(rewriter, op.getMain(), roles.thenBlock());
    rewriter.setInsertionPointToStart(roles.elseBlock());
    Value copies = compare(arith::CmpIPredicate::eq);
    auto copier =
        scf::IfOp::create(rewriter, loc, copies, /*withElseRegion=*/false);
    inlineRole(rewriter, op.getCopy(), copier.thenBlock());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void inlineRole(ConversionPatternRewriter &rewriter, Region &role,
                         Block *block) {
    rewriter.inlineBlockBefore(&role.front(), block->getTerminator());
  }

  const LoweringContext &context;
};

} // namespace

void tonvvm::populateRolePatterns(RewritePatternSet &patterns,
                                  const TypeConverter &converter,
                                  const LoweringContext &context) {
  patterns.add<RolesPattern>(converter, patterns.getContext(), context);
}
