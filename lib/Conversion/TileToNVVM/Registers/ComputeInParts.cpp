//===- ComputeInParts.cpp - Few sums at a time through functions ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/InParts.h"
#include "Registers/ProductBodies.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_COMPUTEINPARTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Fewer results leave room for whatever ptxas does.
static constexpr size_t kFewElements = 64;
/// What ptxas takes beside the results where it may compute all of them side by
/// side.
static constexpr int64_t kBesideElements = 128;

bool tonvvm::isFloatOp(Operation *op) {
  auto isFloat = llvm::IsaPred<FloatType>;
  return op->getNumResults() == 1 && isFloat(op->getResult(0).getType()) &&
         !isa<CastOpInterface>(op) &&
         llvm::any_of(op->getOperandTypes(), isFloat);
}

void tonvvm::emitCut(OpBuilder &builder, Location loc) {
  emitPtx(builder, loc, /*result=*/{}, {},
          "{\n"
          ".reg .pred never;\n"
          ".reg .b32 blocks;\n"
          "mov.u32 blocks, %nctaid.z;\n"
          "setp.eq.u32 never, blocks, 9999${:uid};\n"
          "@never exit;\n"
          "}",
          "");
}

namespace {
/// Ops of a block, one behind the other, that only compute.
class Computation {
public:
  /// Takes the next op. False: it is no part of what was taken so far.
  bool take(Operation &op);
  bool isWorthwhile();
  void apply();

private:
  size_t visit(Operation *op, DenseSet<Operation *> &seen);
  bool isResult(Operation *op) const;
  void keepApart(Operation *element) const;

  llvm::SetVector<Operation *> ops;
  /// What is computed with floats and used behind, in the order of the program.
  SmallVector<Operation *> elements;
};
} // namespace

bool Computation::take(Operation &op) {
  if (!isPure(&op) || op.getNumRegions() != 0 ||
      op.hasTrait<OpTrait::IsTerminator>())
    return false;
  ops.insert(&op);
  return true;
}

bool Computation::isResult(Operation *op) const {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !ops.contains(user); });
}

/// Where it is a product and more is computed of it behind, both become one
/// multiply-add there, over branches, and all its operands are kept till then.
/// A product by itself stays where it is.
void Computation::keepApart(Operation *element) const {
  auto product = dyn_cast<arith::MulFOp>(element);
  if (product && llvm::any_of(element->getUsers(), [&](Operation *user) {
        return !ops.contains(user) && isFloatOp(user);
      }))
    product.setFastmath(product.getFastmath() &
                        ~arith::FastMathFlags::contract);
}

/// How many ops on floats an op hangs on, itself among them, that were not seen
/// before.
size_t Computation::visit(Operation *op, DenseSet<Operation *> &seen) {
  if (!seen.insert(op).second)
    return 0;
  size_t count = isFloatOp(op) ? 1 : 0;
  for (Value operand : op->getOperands()) {
    Operation *from = operand.getDefiningOp();
    if (from && ops.contains(from))
      count += visit(from, seen);
  }
  return count;
}

bool Computation::isWorthwhile() {
  if (ops.size() < kFewElements * kLeastOpsOfElement)
    return false;
  DenseSet<Operation *> seen;
  size_t count = 0;
  for (Operation *op : ops)
    if (isResult(op))
      if (size_t ofElement = visit(op, seen)) {
        elements.push_back(op);
        count += ofElement;
      }
  auto function = ops.front()->getParentOfType<LLVM::LLVMFuncOp>();
  return elements.size() > kFewElements &&
         count >= elements.size() * kLeastOpsOfElement && function &&
         static_cast<int64_t>(elements.size()) + kBesideElements >
             countRegistersPerThread(function);
}

/// Results of a part: sums by mma.sync leave fewer registers than what
/// ptxas takes for 32.
static size_t countElementsOfPart(Operation *op) {
  bool usesWgmma = tile::anyOpIn<NVVM::WgmmaMmaAsyncOp>(
      op->getParentOfType<LLVM::LLVMFuncOp>());
  return usesWgmma ? 2 * kElementsOfPart : kElementsOfPart;
}

void Computation::apply() {
  Operation *behind = ops.back()->getNextNode();
  size_t ofPart = countElementsOfPart(behind);
  DenseSet<Operation *> waiting(ops.begin(), ops.end());
  OpBuilder builder(behind);
  for (auto [number, element] : llvm::enumerate(elements)) {
    placeBefore(behind, element, waiting);
    keepApart(element);
    if ((number + 1) % ofPart == 0)
      emitCut(builder, element->getLoc());
  }
  for (Operation *op : ops)
    placeBefore(behind, op, waiting);
}

namespace {
struct ComputeInParts : tilewright::impl::ComputeInPartsBase<ComputeInParts> {
  using ComputeInPartsBase::ComputeInPartsBase;

  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      if (llvm::any_of(*block, [](Operation &op) {
            auto loop = dyn_cast<LoopLikeOpInterface>(op);
            return loop && llvm::any_of(loop.getLoopRegions().front()->front(),
                                        isProductOfFragments);
          }))
        changeRuns<Computation>(*block);
    });
  }
};
} // namespace
