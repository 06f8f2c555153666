//===- ProductParts.cpp - Products in parts of K --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ProductParts.h"

#include "TileOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileProductPartOps.cpp.inc"

int64_t tilewright::tile::getProductParts(KernelOp kernel) {
  auto parts = kernel->getAttrOfType<IntegerAttr>(kProductPartsAttr);
  return parts ? parts.getInt() : 1;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult verifyInParts(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  // That of a kernel that is a function by now was verified before.
  if (!kernel || kernel->hasAttr(kProductPartsAttr))
    return success();
  return op->emitOpError(
             "is of kernels whose products are divided, which have '")
         << kProductPartsAttr << "'";
}

LogicalResult PartIdOp::verify() { return verifyInParts(*this); }
LogicalResult PartBarrierOp::verify() { return verifyInParts(*this); }

void PartIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                 SetIntRangeFn setRange) {
  unsigned bits = IndexType::kInternalStorageBitWidth;
  setRange(getResult(),
           ConstantIntRanges::fromUnsigned(APInt(bits, 0),
                                           APInt(bits, kMostProductParts - 1)));
}

LogicalResult LoadPartOp::verify() {
  if (failed(verifyInParts(*this)))
    return failure();
  SharedType shared = getSource().getType();
  if (getTileType().getShape() != shared.getShape() ||
      getTileType().getElementType() != shared.getElementType())
    return emitOpError("tile and shared tile have one shape and one element "
                       "type");
  return verifyVectorWidth(*this, getVectorWidth(), maxBytesPerLane);
}

/// What a thread reads there, another one has stored.
SmallVector<MemoryAccess, 2> LoadPartOp::getMemoryAccesses() {
  return {makeRead(MemorySpace::Shared, getSource())};
}

RegisterLayoutAttr LoadPartOp::chooseLayout(const LayoutContext &context) {
  return context.preferences.getDefault(getTileType());
}

LogicalResult AddPartsOp::verify() {
  if (failed(verifyInParts(*this)))
    return failure();
  SharedType shared = getTile().getType();
  Type element = shared.getElementType();
  if (shared.getShape().size() != 1 ||
      !(element.isF32() || element.isF64() || element.isInteger(32)) ||
      shared.getShape().front() * getElementBytes(element) % maxBytesPerLane !=
          0)
    return emitOpError("tile has one dimension, of f32, f64 or i32, and a "
                       "multiple of 16 bytes");
  return success();
}

SmallVector<MemoryAccess, 2> AddPartsOp::getMemoryAccesses() {
  return {makeRead(MemorySpace::Shared, getTile()),
          makeWrite(MemorySpace::Shared, getTile())};
}

LogicalResult RenameRegistersOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("source and result have one element type");
  RegisterLayoutAttr from = getRegisterLayout(source);
  RegisterLayoutAttr to = getRegisterLayout(result);
  if (!from || !to || from.getNumRegisters() != to.getNumRegisters() ||
      from.getNumWarps() != to.getNumWarps())
    return emitOpError("source and result have register layouts of as many "
                       "registers and warps");
  return success();
}

//===----------------------------------------------------------------------===//
// Loops that can be divided
//===----------------------------------------------------------------------===//

/// The uses of what a loop carries in ops that add to it, where nothing else is
/// done with that; else none.
static SmallVector<OpOperand *> findAdditions(Value carried, Value yielded) {
  SmallVector<OpOperand *> additions;
  Value sum = carried;
  while (sum != yielded) {
    if (!sum.hasOneUse())
      return {};
    OpOperand &use = *sum.use_begin();
    Operation *op = use.getOwner();
    bool addsProduct = isa<ProductOpInterface>(op) &&
                       op->getNumResults() == 1 &&
                       use.getOperandNumber() + 1 == op->getNumOperands();
    if (!addsProduct && !isa<arith::AddFOp, arith::AddIOp>(op))
      return {};
    additions.push_back(&use);
    sum = op->getResult(0);
  }
  return sum.hasOneUse() ? additions : SmallVector<OpOperand *>();
}

SmallVector<ProductOpInterface>
tilewright::tile::findProductsOfSum(Value carried, Value yielded) {
  SmallVector<ProductOpInterface> products;
  for (OpOperand *sum : findAdditions(carried, yielded)) {
    auto product = dyn_cast<ProductOpInterface>(sum->getOwner());
    if (!product)
      return {};
    products.push_back(product);
  }
  return products;
}

/// Whether what is added to the sum is a product, or computed from one that the
/// loop makes.
static bool addsProduct(OpOperand *sum, LoopLikeOpInterface loop) {
  Operation *addition = sum->getOwner();
  if (isa<ProductOpInterface>(addition))
    return true;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  SetVector<Operation *> slice;
  Value added = addition->getOperand(1 - sum->getOperandNumber());
  return succeeded(getBackwardSlice(added, &slice, options)) &&
         llvm::any_of(slice, llvm::IsaPred<ProductOpInterface>);
}

bool tilewright::tile::onlySumsProducts(LoopLikeOpInterface loop) {
  std::optional<MutableArrayRef<OpOperand>> yields =
      loop.getYieldedValuesMutable();
  if (!yields || yields->empty())
    return false;
  for (auto [carried, yielded, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), *yields, loop.getInits())) {
    SmallVector<OpOperand *> sums = findAdditions(carried, yielded.get());
    if (!isZero(init) || sums.empty() ||
        !llvm::all_of(sums, [&](auto *sum) { return addsProduct(sum, loop); }))
      return false;
  }
  return true;
}

/// The same before anything is simplified, when a product may be added to a sum
/// by an addition: false is certain.
static bool mayBeSum(Value carried, Value yielded, unsigned depth = 0) {
  // More than one adds up; enough to be quick where parts are used twice.
  constexpr unsigned maxDepth = 16;
  if (yielded == carried || !isa<FloatType>(getElementTypeOrSelf(carried)) ||
      depth == maxDepth)
    return true;
  Operation *op = yielded.getDefiningOp();
  if (auto product = dyn_cast_or_null<ProductOpInterface>(op))
    return mayBeSum(carried, product->getOperands().back(), depth + 1);
  return isa_and_nonnull<arith::AddFOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value part) {
           return mayBeSum(carried, part, depth + 1);
         });
}

bool tilewright::tile::isFullProduct(ProductOpInterface product) {
  return !product.roundsToTf32() &&
         (product.getOperandType().isF32() || product.getOperandType().isF64());
}

/// Whether tile-divide-products may divide such a loop. Where it does not, code
/// for launches of few programs would be that of the others.
static bool mayBeDivided(LoopLikeOpInterface loop) {
  std::optional<MutableArrayRef<OpOperand>> yields =
      loop.getYieldedValuesMutable();
  if (!yields)
    return false;
  for (auto [carried, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), *yields))
    if (!mayBeSum(carried, yielded.get()))
      return false;
  return !anyOpIn(*loop, [](DotOp product) {
    return !isFullProduct(product) &&
           !getProductType(product).isMadeBy(Engine::Wgmma);
  });
}

LoopLikeOpInterface tilewright::tile::findLoopOfProducts(KernelOp kernel) {
  LoopLikeOpInterface loop;
  bool isOne = true;
  kernel.getBody().walk([&](ProductOpInterface product) {
    auto around = dyn_cast<LoopLikeOpInterface>(product->getParentOp());
    isOne &=
        around && around->getParentOp() == kernel && (!loop || loop == around);
    loop = around;
  });
  return isOne ? loop : LoopLikeOpInterface();
}

/// Of what a bound is a quotient, rounded up, and by what.
static std::pair<Value, int64_t> findQuotient(Value bound) {
  bound = stripCasts(bound);
  Operation *op = bound.getDefiningOp();
  std::optional<int64_t> divisor =
      op && op->getNumOperands() == 2
          ? getNumber(OpFoldResult(op->getOperand(1)))
          : std::nullopt;
  if (!divisor || *divisor <= 0)
    return {bound, 1};
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return {op->getOperand(0), *divisor};
  auto sum = stripCasts(op->getOperand(0)).getDefiningOp<arith::AddIOp>();
  if (isa<arith::DivSIOp, arith::DivUIOp>(op) && sum &&
      getNumber(OpFoldResult(sum.getRhs())) == *divisor - 1)
    return {sum.getLhs(), *divisor};
  return {bound, 1};
}

std::optional<ProductLoop> tilewright::tile::findProductLoop(KernelOp kernel) {
  LoopLikeOpInterface loop = findLoopOfProducts(kernel);
  if (!loop || !mayBeDivided(loop))
    return std::nullopt;
  std::optional<OpFoldResult> end = loop.getSingleUpperBound();
  std::optional<int64_t> step = getNumber(loop.getSingleStep());
  auto value = end ? dyn_cast<Value>(*end) : Value();
  if (getNumber(loop.getSingleLowerBound()) != 0 || !step || *step <= 0 ||
      !value)
    return std::nullopt;
  auto [number, divisor] = findQuotient(value);
  BlockArgument argument = getArgument(number);
  int64_t ofTrip = 0;
  if (!argument || llvm::MulOverflow(*step, divisor, ofTrip) ||
      ofTrip > INT32_MAX)
    return std::nullopt;
  bool isFull = anyOpIn(
      *loop, [](ProductOpInterface product) { return isFullProduct(product); });
  return ProductLoop{loop, argument, ofTrip, isFull};
}
