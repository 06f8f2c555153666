//===- RegisterLayouts.cpp - In which registers ops have their tiles ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RegisterLayoutOpInterface of all ops that have tiles in registers.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"

#include "WarpgroupDotOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/OrderVector.h"
#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Algebra/LayoutHalves.h"
#include "tilewright/Layout/Conversion/ConversionChoice.h"
#include "tilewright/Layout/Registers/AxisReduction.h"
#include "tilewright/Layout/Registers/AxisScan.h"
#include "tilewright/Layout/Registers/BatchLayout.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/SortLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

LayoutPreferences::~LayoutPreferences() = default;
LayoutContext::~LayoutContext() = default;

static RegisterLayoutAttr makeAttr(MLIRContext *context,
                                   const LinearLayout &layout) {
  return RegisterLayoutAttr::get(context, layout);
}

void tilewright::tile::setResultLayouts(Operation *op,
                                        RegisterLayoutAttr layout) {
  auto inRegisters = cast<RegisterLayoutOpInterface>(op);
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      result.setType(withLayout(
          result.getType(),
          inRegisters.inferResultLayout(result.getResultNumber(), layout)));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Where the first operand is that is expensive to make. What is made in the
/// loop of the op counts before what is there in front of it, which goes to
/// other threads once.
static RegisterLayoutAttr chooseByOperands(Operation *op,
                                           const LayoutContext &context) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  RegisterLayoutAttr before;
  for (Value operand : op->getOperands())
    if (RegisterLayoutAttr home = context.getHome(operand)) {
      if (!loop || !loop.isDefinedOutsideOfLoop(operand))
        return home;
      before = before ? before : home;
    }
  return before;
}

/// A constant has its type twice.
static void setConstantLayout(Operation *op, StringAttr name,
                              RegisterLayoutAttr layout) {
  setResultLayouts(op, layout);
  auto value = op->getAttrOfType<DenseElementsAttr>(name);
  op->setAttr(
      name, value.reshape(cast<RankedTensorType>(op->getResult(0).getType())));
}

namespace {
/// An elementwise op, or a constant, of a dialect that knows no layouts.
struct ElementwiseLayoutModel
    : RegisterLayoutOpInterface::FallbackModel<ElementwiseLayoutModel> {
  RegisterLayoutAttr chooseLayout(Operation *op,
                                  const LayoutContext &context) const {
    return chooseByOperands(op, context);
  }
  bool isCheap(Operation *) const { return true; }
  RegisterLayoutAttr inferOperandLayout(Operation *, unsigned,
                                        RegisterLayoutAttr layout) const {
    return layout;
  }
  RegisterLayoutAttr inferResultLayout(Operation *, unsigned,
                                       RegisterLayoutAttr layout) const {
    return layout;
  }
  void setLayout(Operation *op, RegisterLayoutAttr layout) const {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      setConstantLayout(op, constant.getValueAttrName(), layout);
    else
      setResultLayouts(op, layout);
  }
};
} // namespace

void tilewright::tile::attachRegisterLayoutModels(MLIRContext *context) {
  for (StringRef dialect : {arith::ArithDialect::getDialectNamespace(),
                            math::MathDialect::getDialectNamespace()})
    for (RegisteredOperationName name :
         context->getRegisteredOperationsByDialect(dialect))
      if (name.hasTrait<OpTrait::Elementwise>() ||
          name.hasTrait<OpTrait::ConstantLike>())
        name.attachInterface<ElementwiseLayoutModel>();
}

RegisterLayoutAttr AddPtrOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool AddPtrOp::isCheap() { return true; }

RegisterLayoutAttr PtrCastOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool PtrCastOp::isCheap() { return true; }

RegisterLayoutAttr PtrToIntOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool PtrToIntOp::isCheap() { return true; }

RegisterLayoutAttr IntToPtrOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool IntToPtrOp::isCheap() { return true; }

/// Where the condition is, whose elements need not be all in one thread.
RegisterLayoutAttr AssertOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = chooseByOperands(*this, context);
  return home ? home
              : context.preferences.getDefault(
                    cast<RankedTensorType>(getCondition().getType()));
}

/// Where what is printed is.
RegisterLayoutAttr PrintOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = chooseByOperands(*this, context);
  return home ? home
              : context.preferences.getDefault(
                    cast<RankedTensorType>(getValue().getType()));
}

/// Not made again for other layouts, since it may have effects.
RegisterLayoutAttr InlineAsmOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = chooseByOperands(*this, context);
  return home ? home
              : context.preferences.getDefault(
                    cast<RankedTensorType>(getResult(0).getType()));
}

/// Wherever its source is: rows stand in few threads behind it.
RegisterLayoutAttr AnyOrderOp::chooseLayout(const LayoutContext &) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  return makeAttr(getContext(),
                  layOutRows(cast<RankedTensorType>(getType()).getShape(),
                             kernel.getNumWarpsOrDefault()));
}
RegisterLayoutAttr AnyOrderOp::inferOperandLayout(unsigned,
                                                  RegisterLayoutAttr layout) {
  // Verified where a program brings a layout of its own.
  return makeAttr(getContext(),
                  spreadPlaces(layout.getLayout(), getOrderVector(*this))
                      .value_or(layout.getLayout()));
}

RegisterLayoutAttr PairMinOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool PairMinOp::isCheap() { return true; }

RegisterLayoutAttr PairMaxOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool PairMaxOp::isCheap() { return true; }

RegisterLayoutAttr AssumeOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}
bool AssumeOp::isCheap() { return true; }

//===----------------------------------------------------------------------===//
// Out of nothing
//===----------------------------------------------------------------------===//

RegisterLayoutAttr tile::ConstantOp::chooseLayout(const LayoutContext &) {
  return nullptr;
}
bool tile::ConstantOp::isCheap() { return true; }
void tile::ConstantOp::setLayout(RegisterLayoutAttr layout) {
  setConstantLayout(*this, getValueAttrName(), layout);
}

RegisterLayoutAttr IotaOp::chooseLayout(const LayoutContext &) {
  return nullptr;
}
bool IotaOp::isCheap() { return true; }

RegisterLayoutAttr SplatOp::chooseLayout(const LayoutContext &) {
  return nullptr;
}
bool SplatOp::isCheap() { return true; }

//===----------------------------------------------------------------------===//
// Under another name
//===----------------------------------------------------------------------===//

RegisterLayoutAttr ExpandDimsOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr source = context.getHome(getSource());
  return source ? makeAttr(getContext(),
                           source.getLayout().insertUnitDim(getAxis()))
                : nullptr;
}
RegisterLayoutAttr ExpandDimsOp::inferOperandLayout(unsigned,
                                                    RegisterLayoutAttr layout) {
  return makeAttr(getContext(), layout.getLayout().dropDim(getAxis()));
}
bool ExpandDimsOp::isCheap() { return true; }

/// Few copies that a product takes, as of what is joined, go to registers
/// beside their elements: it takes them from all threads. Else more than one
/// layout would do: what uses it says which.
RegisterLayoutAttr BroadcastOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr source = context.getHome(getSource());
  ArrayRef<int64_t> from = getTileShape(getSource()),
                    to = getTileShape(getResult());
  auto axes = llvm::make_filter_range(
      llvm::seq<unsigned>(from.size()),
      [&](unsigned axis) { return from[axis] != to[axis]; });
  if (!source || !context.preferences.makesOperand(*this) ||
      !llvm::hasSingleElement(axes) || to[*axes.begin()] > kFewCopies)
    return nullptr;
  unsigned axis = *axes.begin();
  return makeAttr(getContext(),
                  repeatInRegisters(source.getLayout(), axis, to[axis]));
}
RegisterLayoutAttr BroadcastOp::inferOperandLayout(unsigned,
                                                   RegisterLayoutAttr layout) {
  LinearLayout source = layout.getLayout();
  for (auto [axis, extent] : llvm::enumerate(getTileShape(getSource())))
    if (extent == 1)
      source = source.collapseDim(axis);
  return makeAttr(getContext(), source.removeZeroBases("register"));
}
bool BroadcastOp::isCheap() { return true; }

RegisterLayoutAttr ReshapeOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr source = context.getHome(getSource());
  return source
             ? makeAttr(getContext(), llvm::cantFail(source.getLayout().reshape(
                                          getTileShape(getResult()))))
             : nullptr;
}
RegisterLayoutAttr ReshapeOp::inferOperandLayout(unsigned,
                                                 RegisterLayoutAttr layout) {
  return makeAttr(getContext(), llvm::cantFail(layout.getLayout().reshape(
                                    getTileShape(getSource()))));
}
bool ReshapeOp::isCheap() { return true; }

RegisterLayoutAttr TransOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr source = context.getHome(getSource());
  return source ? makeAttr(getContext(),
                           source.getLayout().transpose(getPermutation()))
                : nullptr;
}
RegisterLayoutAttr TransOp::inferOperandLayout(unsigned,
                                               RegisterLayoutAttr layout) {
  return makeAttr(getContext(), layout.getLayout().transpose(
                                    invertPermutationVector(getPermutation())));
}
bool TransOp::isCheap() { return true; }

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

/// All bits of the tile as they are spread best around the one that says which
/// half an element is in.
static LinearLayout spreadAroundHalves(SplitOp split, int64_t numWarps) {
  auto type = cast<RankedTensorType>(split.getSource().getType());
  unsigned axis = split.getAxis();
  int64_t stride = split.getStride();
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= 2 * stride;
  shape.insert(shape.begin() + axis + 1, {2, stride});
  return llvm::cantFail(spreadAcross(shape, axis + 1,
                                     getElementBytes(type.getElementType()),
                                     numWarps)
                            .reshape(type.getShape()));
}

RegisterLayoutAttr SplitOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(getSource());
  if (!home || halveLayout(home.getLayout(), getAxis(), getStride()))
    return home;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  return makeAttr(
      getContext(),
      bringHalvesTogether(home.getLayout(), getAxis(), getStride())
          .value_or(spreadAroundHalves(*this, kernel.getNumWarpsOrDefault())));
}

RegisterLayoutAttr SplitOp::inferResultLayout(unsigned,
                                              RegisterLayoutAttr layout) {
  return makeAttr(
      getContext(),
      halveLayout(layout.getLayout(), getAxis(), getStride())->half);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

RegisterLayoutAttr LoadViewOp::chooseLayout(const LayoutContext &context) {
  return context.preferences.get(*this);
}

/// Pointers that are expensive to make say where they are used: they cannot
/// change threads.
RegisterLayoutAttr LoadOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr pointers = context.getHome(getPtr());
  return pointers ? pointers : context.preferences.get(*this);
}

/// A store uses the layout that its value is in, if that is not too bad.
static RegisterLayoutAttr chooseForStore(GlobalAccessOpInterface store,
                                         Value value,
                                         const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(value);
  return home && context.preferences.serves(store, home)
             ? home
             : context.preferences.get(store);
}

RegisterLayoutAttr StoreViewOp::chooseLayout(const LayoutContext &context) {
  return chooseForStore(*this, getValue(), context);
}

/// Pointers that are expensive to make cannot change threads.
static RegisterLayoutAttr chooseForPointers(GlobalAccessOpInterface store,
                                            Value pointers, Value value,
                                            const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(pointers);
  return home ? home : chooseForStore(store, value, context);
}

RegisterLayoutAttr StoreOp::chooseLayout(const LayoutContext &context) {
  return chooseForPointers(*this, getPtr(), getValue(), context);
}

RegisterLayoutAttr AtomicRMWOp::chooseLayout(const LayoutContext &context) {
  return chooseForPointers(*this, getPtr(), getValue(), context);
}

RegisterLayoutAttr AtomicCASOp::chooseLayout(const LayoutContext &context) {
  return chooseForPointers(*this, getPtr(), getDesired(), context);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

RegisterLayoutAttr LocalLoadOp::chooseLayout(const LayoutContext &context) {
  return context.preferences.getDefault(getTileType());
}

/// As it is: shared memory has no wishes.
RegisterLayoutAttr LocalStoreOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(getValue());
  return home ? home : context.preferences.getDefault(getTileType());
}

/// As they are: whose numbers go where is not known.
RegisterLayoutAttr LocalCountOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = context.getHome(getNumbers());
  return home ? home
              : context.preferences.getDefault(
                    cast<RankedTensorType>(getNumbers().getType()));
}

/// Where the numbers are; or lanes side by side have elements side by side,
/// whose numbers are those of different banks more often than those of vectors.
RegisterLayoutAttr LocalGatherOp::chooseLayout(const LayoutContext &context) {
  if (RegisterLayoutAttr home = context.getHome(getIndex()))
    return home;
  auto tile = cast<RankedTensorType>(getType());
  auto kernel = (*this)->getParentOfType<KernelOp>();
  return makeAttr(getContext(),
                  coalescedRows(tile.getShape(), tile.getRank() - 1,
                                /*vectorElements=*/1,
                                kernel.getNumWarpsOrDefault()));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

RegisterLayoutAttr DotOp::chooseLayout(const LayoutContext &context) {
  return context.preferences.get(*this);
}

RegisterLayoutAttr DotOp::inferOperandLayout(unsigned operand,
                                             RegisterLayoutAttr layout) {
  if (operand == 2) // The accumulator.
    return layout;
  return makeAttr(getContext(),
                  layOutOperand(*this, operand, layout.getLayout()));
}

RegisterLayoutAttr WarpgroupDotOp::chooseLayout(const LayoutContext &context) {
  auto type = cast<RankedTensorType>(getType());
  int numWarps = (*this)->getParentOfType<KernelOp>().getNumWarpsOrDefault();
  if (!fitsWarpgroups(type.getShape(), numWarps))
    return context.preferences.getDefault(
        type); // The verifier says why it does not fit.
  return makeAttr(getContext(),
                  warpgroupAccumulatorLayout(type.getShape(), numWarps));
}

RegisterLayoutAttr
WarpgroupDotOp::inferOperandLayout(unsigned operand,
                                   RegisterLayoutAttr layout) {
  return operand == 0
             ? makeAttr(getContext(), layOutA(*this, layout.getLayout()))
             : layout; // The accumulator.
}

RegisterLayoutAttr DotWaitOp::chooseLayout(const LayoutContext &context) {
  return chooseByOperands(*this, context);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Tiles are reduced where one of them is, if that can be.
RegisterLayoutAttr ReduceOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = chooseByOperands(*this, context);
  if (!home || AxisReduction::create(home.getLayout(), getAxis()))
    return home;
  return context.preferences.getDefault(getTileType());
}

RegisterLayoutAttr ReduceOp::inferResultLayout(unsigned,
                                               RegisterLayoutAttr layout) {
  return makeAttr(
      getContext(),
      AxisReduction::create(layout.getLayout(), getAxis())->result());
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Whether a block takes fewer cycles to bring a tile to where neighbours of
/// the axis are a thread's, scan it there and bring it back. What waits at the
/// barriers of both ways is not counted, so that they count twice.
static bool isScannedRather(ScanOp scan, const LinearLayout &there,
                            const LinearLayout &here) {
  int64_t warps = here.inputSize("warp");
  double cycles = AxisScan::create(there, scan.getAxis())->countCycles(warps);
  for (Value source : scan.getSources()) {
    unsigned bytes = getElementBytes(getElementTypeOrSelf(source.getType()));
    cycles += 2 * (countConversionCycles(here, there, bytes) +
                   countConversionCycles(there, here, bytes));
  }
  return cycles < AxisScan::create(here, scan.getAxis())->countCycles(warps);
}

/// Tiles are scanned where one of them is, if that can be and neighbours of the
/// axis are not all in different lanes. Programs of one block do not wait for
/// one another.
RegisterLayoutAttr ScanOp::chooseLayout(const LayoutContext &context) {
  RegisterLayoutAttr home = chooseByOperands(*this, context);
  if (!home)
    return home;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  LinearLayout there = AxisScan::preferred(getTileType().getShape(), getAxis(),
                                           kernel.getNumWarpsOrDefault());
  if (AxisScan::create(home.getLayout(), getAxis()) &&
      (kernel.getBlockPrograms() ||
       !isScannedRather(*this, there, home.getLayout())))
    return home;
  return makeAttr(getContext(), there);
}

RegisterLayoutAttr ScanOp::inferResultLayout(unsigned result,
                                             RegisterLayoutAttr layout) {
  if (result < getSources().size())
    return layout;
  return makeAttr(
      getContext(),
      AxisScan::create(layout.getLayout(), getAxis())->partTotals());
}
