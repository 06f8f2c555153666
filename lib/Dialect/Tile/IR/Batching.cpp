//===- Batching.cpp - What one program does, for several ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/Batching.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

using namespace mlir;
using namespace tilewright::tile;

int64_t tilewright::tile::countBlockPrograms(KernelOp kernel) {
  int64_t programs = 1;
  for (unsigned axis = 0; axis < 3; ++axis)
    programs *= kernel.getBlockPrograms(axis);
  return programs;
}

static RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t getNumPrograms(ArrayRef<Value> operands) {
  return getTile(operands.front()).getDimSize(0);
}

/// Elements of a tile, and bytes of an array that a program loads, at the most
/// (docs/decisions/0093-banks-and-short-programs.md).
static constexpr int64_t kFewElements = 512;
static constexpr int64_t kFewBytes = 1024;

/// Elements of the largest tile that the op makes.
static int64_t countElements(Operation *op) {
  int64_t most = 0;
  for (Type type : op->getResultTypes())
    if (auto tile = dyn_cast<RankedTensorType>(type))
      most = std::max(most, tile.getNumElements());
  return most;
}

bool tilewright::tile::hangsOnLoads(Value value) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value made = open.pop_back_val();
    Operation *op = made.getDefiningOp();
    // Loops carry tiles, and no kernel is given one.
    if (!op && isTile(made))
      return true;
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<GlobalAccessOpInterface>(op) || op->getNumRegions() != 0)
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

bool tilewright::tile::movesFewBytes(KernelOp kernel) {
  int64_t elements = 0, bytes = 0;
  llvm::SmallDenseMap<Value, int64_t> loaded;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    elements = std::max(elements, countElements(op));
    if (isa<CombineOpInterface, ProductOpInterface>(op))
      return WalkResult::interrupt();
    auto access = dyn_cast<GlobalAccessOpInterface>(op);
    if (!access)
      return WalkResult::advance();
    if (access->getParentOfType<LoopLikeOpInterface>())
      return WalkResult::interrupt();
    RankedTensorType tile = access.getTileType();
    Value base = findMemoryAccess(op, MemorySpace::Global)->base;
    if (access.isStore())
      return hangsOnLoads(base) ? WalkResult::interrupt()
                                : WalkResult::advance();
    int64_t &ofArray = loaded[getRoot(base)];
    ofArray += getByteSize(tile);
    bytes = std::max(bytes, ofArray);
    return WalkResult::advance();
  });
  return !result.wasInterrupted() && elements > 0 && elements <= kFewElements &&
         bytes <= kFewBytes;
}

bool tilewright::tile::isElementwise(KernelOp kernel) {
  return !anyOpIn<LoopLikeOpInterface, ProductOpInterface, CombineOpInterface>(
      kernel);
}

RankedTensorType tilewright::tile::getBatchedType(Type type,
                                                  int64_t numPrograms) {
  SmallVector<int64_t> shape = {numPrograms};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    llvm::append_range(shape, tile.getShape());
  else if (!type.isIntOrIndexOrFloat() && !isa<PtrType>(type))
    return nullptr;
  auto batched = RankedTensorType::get(shape, getElementTypeOrSelf(type));
  return isTileType(batched) ? batched : RankedTensorType();
}

Value tilewright::tile::repeatForPrograms(OpBuilder &builder, Value value,
                                          int64_t numPrograms) {
  Location loc = value.getLoc();
  RankedTensorType type = getBatchedType(value.getType(), numPrograms);
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, constant.getSplatValue<Attribute>()));
  if (!isTile(value))
    return SplatOp::create(builder, loc, type, value);
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  Value first = ExpandDimsOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      0);
  return BroadcastOp::create(builder, loc, type, first);
}

Value tilewright::tile::spreadOverTiles(OpBuilder &builder, Value value,
                                        ArrayRef<int64_t> shape) {
  Location loc = value.getLoc();
  Type element = getTile(value).getElementType();
  SmallVector<int64_t> extents(getTile(value).getShape());
  while (extents.size() < shape.size()) {
    int32_t axis = static_cast<int32_t>(extents.size());
    extents.push_back(1);
    value = ExpandDimsOp::create(
        builder, loc, RankedTensorType::get(extents, element), value, axis);
  }
  if (ArrayRef(extents) == shape)
    return value;
  return BroadcastOp::create(builder, loc,
                             RankedTensorType::get(shape, element), value);
}

/// The same op on other operands, whose results have a dimension more.
static Operation *cloneForPrograms(Operation *op, OpBuilder &builder,
                                   ArrayRef<Value> operands) {
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  for (OpResult result : clone->getResults())
    result.setType(getBatchedType(result.getType(), getNumPrograms(operands)));
  return clone;
}

template <typename Op>
static Op cloneOpForPrograms(Op op, OpBuilder &builder,
                             ArrayRef<Value> operands) {
  return cast<Op>(cloneForPrograms(op, builder, operands));
}

/// The mask of an op for the programs that are active.
static Value restrict(OpBuilder &builder, Location loc, Value mask,
                      Value active, ArrayRef<int64_t> shape) {
  active = spreadOverTiles(builder, active, shape);
  return mask ? arith::AndIOp::create(builder, loc, active, mask).getResult()
              : active;
}

/// Takes the next of the operands of an access, if it is there.
static Value takeIf(bool isThere, ArrayRef<Value> &operands) {
  if (!isThere)
    return nullptr;
  Value operand = operands.front();
  operands = operands.drop_front();
  return operand;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

namespace {
struct ElementwiseBatchModel
    : BatchOpInterface::FallbackModel<ElementwiseBatchModel> {
  SmallVector<Value> batch(Operation *op, OpBuilder &builder,
                           ArrayRef<Value> operands, Value) const {
    // A scalar condition chooses between tiles.
    RankedTensorType most = getTile(operands.front());
    for (Value operand : operands)
      if (getTile(operand).getRank() > most.getRank())
        most = getTile(operand);
    SmallVector<Value> spread =
        llvm::map_to_vector(operands, [&](Value operand) {
          return spreadOverTiles(builder, operand, most.getShape());
        });
    return cloneForPrograms(op, builder, spread)->getResults();
  }
};

/// A check, which is none of the dialect's accesses.
struct AssertModel : BatchOpInterface::ExternalModel<AssertModel, AssertOp> {
  SmallVector<Value> batch(Operation *op, OpBuilder &builder,
                           ArrayRef<Value> operands, Value active) const {
    auto check = cast<AssertOp>(op);
    Value condition = takeIf(true, operands);
    Value mask = takeIf(bool(check.getMask()), operands);
    mask = restrict(builder, op->getLoc(), mask, active,
                    getTile(condition).getShape());
    AssertOp::create(builder, op->getLoc(), condition, mask,
                     check.getMessage());
    return {};
  }
};
} // namespace

void tilewright::tile::attachBatchModels(MLIRContext *context) {
  for (StringRef dialect : {arith::ArithDialect::getDialectNamespace(),
                            math::MathDialect::getDialectNamespace()})
    for (RegisteredOperationName name :
         context->getRegisteredOperationsByDialect(dialect))
      if (name.hasTrait<OpTrait::Elementwise>())
        name.attachInterface<ElementwiseBatchModel>();
  AssertOp::attachInterface<AssertModel>(*context);
}

SmallVector<Value> AddPtrOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                   Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}
SmallVector<Value> PtrCastOp::batch(OpBuilder &builder,
                                    ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}
SmallVector<Value> PtrToIntOp::batch(OpBuilder &builder,
                                     ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}
SmallVector<Value> IntToPtrOp::batch(OpBuilder &builder,
                                     ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}

SmallVector<Value> AnyOrderOp::batch(OpBuilder &builder,
                                     ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}
SmallVector<Value> PairMinOp::batch(OpBuilder &builder,
                                    ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}
SmallVector<Value> PairMaxOp::batch(OpBuilder &builder,
                                    ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}

/// Numbers of different programs are promised nothing together.
SmallVector<Value> AssumeOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                   Value) {
  AssumeOp op = cloneOpForPrograms(*this, builder, operands);
  if (!isTile(getSource()))
    return op->getResults();
  auto put = [&](std::optional<ArrayRef<int64_t>> list, StringAttr name) {
    if (!list)
      return;
    SmallVector<int64_t> promises = {1};
    llvm::append_range(promises, *list);
    op->setAttr(name, builder.getDenseI64ArrayAttr(promises));
  };
  put(getDivisibility(), getDivisibilityAttrName());
  put(getContiguity(), getContiguityAttrName());
  put(getConstancy(), getConstancyAttrName());
  return op->getResults();
}

//===----------------------------------------------------------------------===//
// Under other coordinates
//===----------------------------------------------------------------------===//

SmallVector<Value> SplatOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                  Value) {
  RankedTensorType type =
      getBatchedType(getResult().getType(), getNumPrograms(operands));
  return {spreadOverTiles(builder, operands.front(), type.getShape())};
}

SmallVector<Value> ExpandDimsOp::batch(OpBuilder &builder,
                                       ArrayRef<Value> operands, Value) {
  ExpandDimsOp op = cloneOpForPrograms(*this, builder, operands);
  op.setAxis(getAxis() + 1);
  return op->getResults();
}

SmallVector<Value> SplitOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                  Value) {
  SplitOp op = cloneOpForPrograms(*this, builder, operands);
  op.setAxis(getAxis() + 1);
  return op->getResults();
}

SmallVector<Value> BroadcastOp::batch(OpBuilder &builder,
                                      ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}

SmallVector<Value> ReshapeOp::batch(OpBuilder &builder,
                                    ArrayRef<Value> operands, Value) {
  return cloneForPrograms(*this, builder, operands)->getResults();
}

SmallVector<Value> TransOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                  Value) {
  TransOp op = cloneOpForPrograms(*this, builder, operands);
  SmallVector<int64_t> permutation = {0};
  for (int64_t dim : getPermutation())
    permutation.push_back(dim + 1);
  op.setPermutation(permutation);
  return op->getResults();
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

SmallVector<Value> ReduceOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                   Value) {
  ReduceOp op = cloneOpForPrograms(*this, builder, operands);
  op.setAxis(getAxis() + 1);
  return op->getResults();
}

SmallVector<Value> ScanOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                 Value) {
  ScanOp op = cloneOpForPrograms(*this, builder, operands);
  op.setAxis(getAxis() + 1);
  return op->getResults();
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

SmallVector<Value> LoadOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                 Value active) {
  Value pointers = takeIf(true, operands);
  Value mask = takeIf(bool(getMask()), operands);
  Value other = takeIf(bool(getOther()), operands);
  mask =
      restrict(builder, getLoc(), mask, active, getTile(pointers).getShape());
  auto load = LoadOp::create(builder, getLoc(), getPointee(pointers.getType()),
                             pointers, mask, other, getIsVolatile(),
                             getUnshared(), getVectorWidthAttr());
  return {load.getResult()};
}

SmallVector<Value> StoreOp::batch(OpBuilder &builder, ArrayRef<Value> operands,
                                  Value active) {
  Value pointers = takeIf(true, operands);
  Value value = takeIf(true, operands);
  Value mask = takeIf(bool(getMask()), operands);
  mask =
      restrict(builder, getLoc(), mask, active, getTile(pointers).getShape());
  StoreOp::create(builder, getLoc(), pointers, value, mask, getIsVolatile(),
                  getVectorWidthAttr());
  return {};
}
