//===- DotOp.cpp - tile.dot -----------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Registers/BatchLayout.h"
#include "tilewright/Layout/Registers/FmaLayout.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static constexpr int64_t kLeastM = 16, kLeastN = 8, kLeastK = 16;

Engine DotOp::getEngineOrDefault() {
  return getEngine().value_or(getProductType(*this).engines.front());
}

int64_t ProductOpInterface::countSumsOfThread() {
  auto sums = cast<ShapedType>(getOperation()->getResult(0).getType());
  return sums.getNumElements() /
         getOperation()->getParentOfType<KernelOp>().getNumThreads();
}

int64_t DotOp::getBatch() {
  ArrayRef<int64_t> shape = getTileShape(getC());
  return shape.size() == 3 ? shape.front() : 1;
}
int64_t DotOp::getM() { return getTileShape(getC()).drop_back().back(); }
int64_t DotOp::getN() { return getTileShape(getC()).back(); }
int64_t DotOp::getK() { return getTileShape(getA()).back(); }

RankedTensorType DotOp::getMatrixType(unsigned operand) {
  auto type = cast<RankedTensorType>(getOperand(operand).getType());
  if (type.getRank() == 2)
    return type;
  RegisterLayoutAttr layout = getRegisterLayout(type);
  if (layout)
    layout =
        RegisterLayoutAttr::get(getContext(), dropBatch(layout.getLayout()));
  return RankedTensorType::get(type.getShape().drop_front(),
                               type.getElementType(), layout);
}

/// "64x32": the extents of one product.
static std::string describe(ArrayRef<int64_t> shape) {
  return llvm::formatv("{0}x{1}", shape[0], shape[1]);
}

static LogicalResult verifyShapes(DotOp dot) {
  ArrayRef<int64_t> a = getTileShape(dot.getA()), b = getTileShape(dot.getB()),
                    c = getTileShape(dot.getC());
  if (a.size() != b.size() || a.size() != c.size() ||
      (a.size() != 2 && a.size() != 3))
    return dot.emitOpError("multiplies tiles of two dimensions, or of three");
  if (a.size() == 3 && (a[0] != b[0] || a[0] != c[0]))
    return dot.emitOpError("the first of three extents is the number of "
                           "products, the same for all: not ")
           << a[0] << ", " << b[0] << " and " << c[0];
  a = a.take_back(2), b = b.take_back(2), c = c.take_back(2);
  if (a[1] != b[0])
    return dot.emitOpError("the inner extents differ: a has ")
           << a[1] << " columns, b has " << b[0] << " rows";
  if (a[0] != c[0] || b[1] != c[1])
    return dot.emitOpError("a product of ")
           << describe(a) << " and " << describe(b)
           << " needs an accumulator of " << a[0] << "x" << b[1];
  if (c[0] < kLeastM || c[1] < kLeastN || a[1] < kLeastK)
    return dot.emitOpError("a product is at least ")
           << kLeastM << "x" << kLeastN << "x" << kLeastK
           << " (M x N x K), not " << describe(c) << "x" << a[1];
  return success();
}

/// Whether the sums of a placed program stand as the engine has them.
static bool isAccumulatorLayout(const LinearLayout &layout, bool isFma) {
  if (layout.rank() == 3)
    return isBatchLayout(layout) &&
           isAccumulatorLayout(dropBatch(layout), isFma);
  return isFma ? isFmaAccumulatorLayout(layout)
               : isMmaAccumulatorLayout(layout);
}

static LogicalResult verifyImprecise(DotOp dot, bool mayBeImprecise) {
  if (!dot.getImprecise())
    return success();
  if (!mayBeImprecise)
    return dot.emitOpError("'imprecise' is a way to add products of 8-bit "
                           "floats, not of ")
           << dot.getOperandType();
  if (*dot.getImprecise() % WarpgroupMma::kBytes == 0)
    return success();
  return dot.emitOpError("'imprecise' is a multiple of ")
         << WarpgroupMma::kBytes << ", the elements of one instruction, not "
         << *dot.getImprecise();
}

LinearLayout tile::layOutOperand(DotOp dot, unsigned operand,
                                 const LinearLayout &sums) {
  auto type = cast<RankedTensorType>(dot.getOperand(operand).getType());
  auto layOut = [&](const LinearLayout &ofMatrix) {
    return dot.getEngineOrDefault() == Engine::Fma
               ? fmaOperandLayout(operand, dot.getK(), ofMatrix)
               : mmaOperandLayout(operand, dot.getK(),
                                  getElementBytes(type.getElementType()),
                                  ofMatrix);
  };
  return type.getRank() == 2 ? layOut(sums)
                             : addBatch(layOut(dropBatch(sums)), sums);
}

LogicalResult tile::checkOperand(Operation *product, unsigned operand,
                                 const LinearLayout &layout) {
  int64_t elements = layout.inputSize("register");
  if (elements <= kMaxElementsPerThread)
    return success();
  return product->emitOpError("lets a thread hold ")
         << elements << " elements of operand " << operand << ", more than "
         << kMaxElementsPerThread << ": use tiles with a smaller K";
}

LogicalResult tile::checkOperands(DotOp dot, const LinearLayout &sums) {
  for (unsigned operand : {0u, 1u})
    if (failed(checkOperand(dot, operand, layOutOperand(dot, operand, sums))))
      return failure();
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  const ProductType *type =
      findProductType(a.getElementType(), c.getElementType(), getTf32());
  bool isTf32OfOther = getTf32() && !a.getElementType().isF32();
  if (!mayMultiply(a.getElementType(), b.getElementType()) ||
      (!type && !isTf32OfOther))
    return emitOpError("there is no product of ")
           << a.getElementType() << " and " << b.getElementType() << " into "
           << c.getElementType()
           << ": operands are both f16, bf16 or f32 with f32, each f8E4M3FN "
              "or f8E5M2 with f32, both f64 with f64, or i8 with i32";
  if (isTf32OfOther)
    return emitOpError("'tf32' is a way to multiply f32, not ")
           << a.getElementType();
  if (failed(verifyImprecise(*this, type->hasImpreciseSums)))
    return failure();
  if (getEngine() && !type->isMadeBy(*getEngine()))
    return emitOpError("there are no products of ")
           << a.getElementType() << " by " << stringifyEngine(*getEngine());
  if (failed(verifyShapes(*this)))
    return failure();
  bool isFma = getEngineOrDefault() == Engine::Fma;
  RegisterLayoutAttr layout = getRegisterLayout(c);
  if (!layout && !getRegisterLayout(a) && !getRegisterLayout(b))
    return success();
  if (!layout || !isAccumulatorLayout(layout.getLayout(), isFma))
    return emitOpError("the accumulator of a placed program has an ")
           << (isFma ? "FMA" : "mma.sync") << " accumulator layout";
  if (failed(checkOperands(*this, layout.getLayout())))
    return failure();
  for (unsigned operand : {0u, 1u}) {
    RegisterLayoutAttr expected = inferOperandLayout(operand, layout);
    if (getRegisterLayout(getOperand(operand).getType()) != expected)
      return emitOpError("operand ")
             << operand << " of this accumulator has the layout " << expected;
  }
  return success();
}
