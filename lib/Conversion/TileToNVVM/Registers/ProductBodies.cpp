//===- ProductBodies.cpp - Bodies of products by threads ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers/ProductBodies.h"

#include "Threads/AsyncCopy.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// What is worth spreading copies over: fewer products leave nothing to hide
/// them behind.
static constexpr size_t leastFmas = 256, leastMatrixProducts = 8;

bool tonvvm::isCopy(Operation &op) { return AsyncCopy::get(&op).has_value(); }

/// The intrinsic, of a product by `mma.sync`.
static StringRef getMma(Operation &op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with("llvm.nvvm.mma.")
             ? call.getIntrin()
             : StringRef();
}

bool tonvvm::isMatrixProduct(Operation &op) {
  return getMma(op).ends_with(".f64");
}

bool tonvvm::isProductOfFragments(Operation &op) {
  return !getMma(op).empty() || isa<NVVM::WgmmaMmaAsyncOp>(op);
}

bool tonvvm::isProduct(Operation &op) {
  return isMatrixProduct(op) || isa<LLVM::FMAOp>(op);
}

ValueRange tonvvm::getLeftWords(Operation &op) {
  auto words = op.getAttrOfType<DenseI32ArrayAttr>(kLeftWordsAttr);
  return words ? ValueRange(op.getOperands().slice(words[0], words[1]))
               : ValueRange();
}

void tonvvm::placeBefore(Operation *end, Operation *op,
                         DenseSet<Operation *> &waiting) {
  if (!waiting.erase(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *from = operand.getDefiningOp())
      placeBefore(end, from, waiting);
  op->moveBefore(end);
}

bool tonvvm::isSharedRead(Operation &op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return load && !load.getVolatile_() &&
         load.getAddr().getType().getAddressSpace() == kSharedSpace;
}

bool tonvvm::isSharedWrite(Operation &op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return store && !store.getVolatile_() &&
         store.getAddr().getType().getAddressSpace() == kSharedSpace;
}

/// Whether PTX text, which may be the user's, has an instruction that begins
/// with one of these, wherever in a line.
static bool hasPtx(StringRef text, ArrayRef<StringRef> beginnings) {
  auto isIn = [&](StringRef beginning) {
    for (size_t at = text.find(beginning); at != StringRef::npos;
         at = text.find(beginning, at + 1))
      if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
        return true;
    return false;
  };
  return llvm::any_of(beginnings, isIn);
}

bool tonvvm::textMayWriteGlobal(StringRef text) {
  return text.contains(".global.shared::cta") ||
         hasPtx(text, {"st.", "red.", "atom.", "multimem.", "call"});
}

bool tonvvm::isGlobalLoad(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() &&
           load.getAddr().getType().getAddressSpace() == kGlobalSpace;
  auto asmOp = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!asmOp || asmOp->getNumResults() != 1)
    return false;
  StringRef text = asmOp.getAsmString();
  return hasPtx(text, {"ld.global."}) && !textMayWriteGlobal(text) &&
         !hasPtx(text, {"bar.", "barrier.", "fence.", "membar."});
}

Products Products::find(ArrayRef<Operation *> ops, bool overFmas) {
  Products found;
  auto matrices = llvm::make_filter_range(
      ops, [](Operation *op) { return isMatrixProduct(*op); });
  auto fmas = llvm::make_filter_range(
      ops, [](Operation *op) { return isa<LLVM::FMAOp>(op); });
  found.products = llvm::to_vector(matrices);
  if (found.products.size() >= leastMatrixProducts)
    return found;
  found.products.clear();
  if (overFmas)
    llvm::append_range(found.products, fmas);
  if (found.products.size() < leastFmas)
    found.products.clear();
  return found;
}

/// What makes the value, or the struct that it is a part of.
static Operation *getMaker(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto part = dyn_cast_or_null<LLVM::ExtractValueOp>(op))
    return part.getContainer().getDefiningOp();
  return op;
}

SmallVector<Operation *> Products::getFirst() const {
  DenseSet<Operation *> known(products.begin(), products.end());
  return llvm::filter_to_vector(products, [&](Operation *product) {
    return llvm::none_of(product->getOperands(), [&](Value operand) {
      return known.contains(getMaker(operand));
    });
  });
}

SmallVector<Operation *> Products::getLast() const {
  DenseSet<Operation *> goesOn;
  for (Operation *product : products)
    for (Value operand : product->getOperands())
      goesOn.insert(getMaker(operand));
  return llvm::filter_to_vector(
      products, [&](Operation *product) { return !goesOn.contains(product); });
}

size_t Products::getNumSteps() const {
  size_t sums = getFirst().size();
  return sums == 0 ? 0 : products.size() / sums;
}
