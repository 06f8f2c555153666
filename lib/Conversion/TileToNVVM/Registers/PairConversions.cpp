//===- PairConversions.cpp - Two sums become halves at once ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"

namespace tilewright {
#define GEN_PASS_DEF_PAIRCONVERSIONS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Whether it is stored by itself, and not in a word with another half.
static bool isStoredAlone(Value half) {
  return !half.use_empty() && llvm::all_of(half.getUsers(), [](Operation *op) {
    if (isa<arith::BitcastOp, LLVM::BitcastOp>(op))
      return !isa<VectorType>(op->getResult(0).getType()) &&
             isStoredAlone(op->getResult(0));
    return isa<LLVM::StoreOp, LLVM::InlineAsmOp>(op);
  });
}

/// Rounds to the nearest half.
static bool isConversion(arith::TruncFOp op) {
  return op.getIn().getType().isF32() &&
         (op.getType().isF16() || op.getType().isBF16()) &&
         !op.getRoundingmode();
}

static bool isBehind(Operation *user, Operation *op) {
  Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
  return inBlock && op->isBeforeInBlock(inBlock);
}

static void convertBoth(arith::TruncFOp low, arith::TruncFOp high) {
  OpBuilder builder(high);
  Location loc = high.getLoc();
  Type half = high.getType();
  StringRef name =
      half.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  Value halves =
      LLVM::CallIntrinsicOp::create(builder, loc, VectorType::get(2, half),
                                    builder.getStringAttr(name),
                                    ValueRange{high.getIn(), low.getIn()})
          .getResults();
  for (auto [number, op] : llvm::enumerate(std::array{low, high})) {
    Value place = LLVM::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(number)));
    Value part = LLVM::ExtractElementOp::create(builder, loc, halves, place);
    op.replaceAllUsesWith(part);
    op.erase();
  }
}

static void pairConversions(Block &block) {
  SmallVector<arith::TruncFOp> alone;
  for (auto op : block.getOps<arith::TruncFOp>())
    if (isConversion(op) && isStoredAlone(op))
      alone.push_back(op);
  for (size_t number = 0; number + 1 < alone.size(); ++number) {
    arith::TruncFOp low = alone[number], high = alone[number + 1];
    if (low.getType() != high.getType() ||
        !llvm::all_of(low->getUsers(),
                      [&](Operation *user) { return isBehind(user, high); }))
      continue;
    convertBoth(low, high);
    ++number;
  }
}

namespace {
struct PairConversions
    : tilewright::impl::PairConversionsBase<PairConversions> {
  using PairConversionsBase::PairConversionsBase;

  void runOnOperation() override {
    getOperation()->walk([](LLVM::LLVMFuncOp function) {
      if (tile::anyOpIn<NVVM::WgmmaGroupSyncAlignedOp>(function))
        function.walk([](Block *block) { pairConversions(*block); });
    });
  }
};
} // namespace
