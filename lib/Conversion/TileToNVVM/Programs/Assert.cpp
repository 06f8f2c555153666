//===- Assert.cpp - Checks while a kernel runs ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread whose condition does not hold calls __assertfail, which the driver
// and the simulator know: it says the message, the file and the line, and ends
// the launch with an error.
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Programs/TextConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Whether one of the thread's conditions does not hold.
static Value findFailure(OpBuilder &builder, Location loc,
                         ValueRange conditions, ValueRange mask) {
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1), fails;
  for (auto [index, condition] : llvm::enumerate(conditions)) {
    Value fault = arith::XOrIOp::create(builder, loc, condition, yes);
    if (!mask.empty())
      fault = arith::AndIOp::create(builder, loc, fault, mask[index]);
    fails = fails ? arith::OrIOp::create(builder, loc, fails, fault) : fault;
  }
  return fails;
}

namespace {
struct AssertPattern : OpConversionPattern<AssertOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AssertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    Type pointer = LLVM::LLVMPointerType::get(getContext());
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    FailureOr<LLVM::LLVMFuncOp> report = LLVM::lookupOrCreateFn(
        rewriter, module, "__assertfail", {pointer, pointer, i32, pointer, i64},
        LLVM::LLVMVoidType::get(getContext()));
    if (failed(report))
      return failure();
    Value fails =
        findFailure(rewriter, loc, adaptor.getCondition(), adaptor.getMask());
    auto branch = scf::IfOp::create(rewriter, loc, fails);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    auto place = loc->findInstanceOf<FileLineColLoc>();
    Value message = makeTextConstant(rewriter, loc, module, op.getMessage());
    Value file = makeTextConstant(rewriter, loc, module,
                                  place ? place.getFilename().getValue() : "");
    Value line = arith::ConstantIntOp::create(rewriter, loc,
                                              place ? place.getLine() : 0, 32);
    Value kernel = makeTextConstant(
        rewriter, loc, module,
        SymbolTable::getSymbolName(
            op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>())
            .getValue());
    Value characterBytes = arith::ConstantIntOp::create(rewriter, loc, 1, 64);
    LLVM::CallOp::create(
        rewriter, loc, *report,
        ValueRange{message, file, line, kernel, characterBytes});
    // It does not return, which ptxas is told: else it takes the warps behind
    // it for ones that have diverged.
    LLVM::Trap::create(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tonvvm::populateAssertPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter) {
  patterns.add<AssertPattern>(converter, patterns.getContext());
}
