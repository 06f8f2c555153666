//===- WarpgroupInstructions.cpp - Instructions of wgmma ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products/WarpgroupInstructions.h"

#include "Threads/Clusters.h"
#include "Threads/ThreadIndex.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

//===----------------------------------------------------------------------===//
// MatrixDescriptors
//===----------------------------------------------------------------------===//

/// Addresses of shared memory have 18 bits.
static constexpr int64_t kSharedAddresses = 1 << 18;

/// Whether the product runs in a loop, or a branch, that finds the tile there:
/// what its descriptors are is known in front of that.
static bool isMadeBefore(Value tile, Operation *product) {
  Operation *made = tile.getDefiningOp();
  return made && made->getBlock() != product->getBlock();
}

MatrixDescriptors::MatrixDescriptors(const OpBuilder &atProduct,
                                     WarpgroupDotOp op, unsigned operand,
                                     Value tile, bool isWide)
    : builder(atProduct), loc(op.getLoc()), operand(operand),
      kDim(op.getSummedDim(operand)), isWide(isWide),
      read(op.describe(operand)) {
  if (isMadeBefore(tile, op))
    builder.setInsertionPointAfter(tile.getDefiningOp());
  const LinearLayout &sums =
      getRegisterLayout(op.getResult().getType()).getLayout();
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), tile);
  address = arith::AddIOp::create(builder, loc, address,
                                  getPartOfWarpgroup(op, sums));
  // 14 bits of a descriptor, in units of 16 bytes. Above its own 18 bits, the
  // address has the number of the block in its cluster.
  if (hasClusters(op))
    address =
        arith::AndIOp::create(builder, loc, address, i32(kSharedAddresses - 1));
  Value start = arith::ShRUIOp::create(builder, loc, address, i32(4));
  low = arith::OrIOp::create(
      builder, loc, start,
      i32(static_cast<int32_t>(read.getDescriptor() & UINT32_MAX)));
}

Value MatrixDescriptors::get(int64_t k, int64_t other) {
  // Starts stay in their 14 bits, so the upper half is a constant.
  int64_t start = read.getStartBytes(makePoint(k, other)) / 16;
  auto high =
      static_cast<int64_t>(read.getDescriptor() & ~uint64_t(UINT32_MAX));
  if (isWide)
    return arith::AddIOp::create(builder, loc, extend(low), i64(high + start));
  Value half = arith::AddIOp::create(builder, loc, low, i32(start));
  return arith::OrIOp::create(builder, loc, extend(half), i64(high));
}

NVVM::MMALayout MatrixDescriptors::getLayout() const {
  bool isRow = (operand == 0) != read.isTransposed();
  return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col;
}

Value MatrixDescriptors::extend(Value word) {
  return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), word);
}

Value MatrixDescriptors::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value MatrixDescriptors::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

SmallVector<int32_t, 2> MatrixDescriptors::makePoint(int64_t k,
                                                     int64_t other) const {
  SmallVector<int32_t, 2> point(2);
  point[kDim] = static_cast<int32_t>(k);
  point[1 - kDim] = static_cast<int32_t>(other);
  return point;
}

/// Where the rows (of operand 0) or columns of a thread's warpgroup begin, in
/// bytes. The first row of the mode has no XOR, nor any 8 rows on: parts add
/// up.
Value MatrixDescriptors::getPartOfWarpgroup(Operation *op,
                                            const LinearLayout &sums) {
  LinearLayout::Input warps{"warp", {}};
  for (auto [bit, basis] : llvm::enumerate(sums.bases("warp"))) {
    bool isInside = bit < llvm::Log2_32(WarpgroupMma::warps);
    int64_t bytes =
        isInside ? 0 : read.getStartBytes(makePoint(0, basis[operand]));
    warps.bases.push_back({static_cast<int32_t>(bytes)});
  }
  auto toBytes =
      llvm::cantFail(LinearLayout::create({warps}, {kSharedAddresses}));
  // All lanes have the same. They are told so where the kernel begins, for
  // ptxas to compute addresses once for a warp.
  Operation *function = op->getParentOfType<FunctionOpInterface>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function->getRegion(0).front());
  Value part =
      ThreadIndex(entry, loc).getCoordinate(toBytes, 0).getThreadPart();
  return shuffleFromLane(entry, loc, part,
                         arith::ConstantIntOp::create(entry, loc, 0, 32));
}

//===----------------------------------------------------------------------===//
// WarpgroupMultiplier
//===----------------------------------------------------------------------===//

/// What NVVM calls the type of operands.
static NVVM::WGMMATypes getOperandType(Type element) {
  return llvm::TypeSwitch<Type, NVVM::WGMMATypes>(element)
      .Case([](Float16Type) { return NVVM::WGMMATypes::f16; })
      .Case([](BFloat16Type) { return NVVM::WGMMATypes::bf16; })
      .Case([](Float32Type) { return NVVM::WGMMATypes::tf32; })
      .Case([](Float8E4M3FNType) { return NVVM::WGMMATypes::e4m3; })
      .Case([](Float8E5M2Type) { return NVVM::WGMMATypes::e5m2; })
      .Case([](IntegerType) { return NVVM::WGMMATypes::s8; })
      .Default([](Type) -> NVVM::WGMMATypes {
        llvm::reportFatalInternalError("wgmma has no such type");
      });
}

/// Then ptxas computes the descriptors of all steps of K ahead, and nothing
/// stands between the instructions of a product.
static bool hasLeftBefore(WarpgroupDotOp op, Value a) {
  return !op.isAInRegisters() && isMadeBefore(a, op);
}

WarpgroupMultiplier::WarpgroupMultiplier(OpBuilder &builder, WarpgroupDotOp op,
                                         int64_t n, int64_t kStep, Value a,
                                         Value b)
    : builder(builder), loc(op.getLoc()), n(n), kStep(kStep),
      element(op.getOperandType()),
      leftType(getOperandType(getElementTypeOrSelf(op.getA().getType()))),
      rightType(getOperandType(element)),
      right(builder, op, 1, b, hasLeftBefore(op, a)) {
  if (!op.isAInRegisters())
    left.emplace(builder, op, 0, a, hasLeftBefore(op, a));
}

Value WarpgroupMultiplier::multiply(Value sums, bool adds, int64_t k,
                                    const LinearLayout::Point &point) {
  MLIRContext *context = builder.getContext();
  auto add = adds ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero;
  auto result = NVVM::WGMMATypesAttr::get(context, element.isInteger()
                                                       ? NVVM::WGMMATypes::s32
                                                       : NVVM::WGMMATypes::f32);
  auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  auto shape = NVVM::MMAShapeAttr::get(context, WarpgroupMma::m, n, kStep);
  return NVVM::WgmmaMmaAsyncOp::create(
      builder, loc, sums.getType(), sums, left->get(k, point[0]),
      right.get(k, point[1]), shape,
      NVVM::WGMMATypesAttr::get(context, leftType),
      NVVM::WGMMATypesAttr::get(context, rightType), result,
      NVVM::WGMMAScaleOutAttr::get(context, add), plus, plus,
      NVVM::MMALayoutAttr::get(context, left->getLayout()),
      NVVM::MMALayoutAttr::get(context, right.getLayout()),
      NVVM::MMAIntOverflowAttr());
}

Value WarpgroupMultiplier::multiply(Value sums, bool adds,
                                    ArrayRef<Value> words, int64_t k,
                                    const LinearLayout::Point &point) {
  auto type = cast<LLVM::LLVMStructType>(sums.getType());
  auto count = static_cast<unsigned>(type.getBody().size());
  SmallVector<Value> operands = unpackResults(builder, loc, sums, count);
  auto firstWord = static_cast<int32_t>(operands.size());
  llvm::append_range(operands, words);
  operands.push_back(right.get(k, point[1]));
  std::string constraints;
  for (unsigned index = 0; index < count; ++index)
    constraints += element.isInteger() ? "=r," : "=f,";
  for (unsigned index = 0; index < count; ++index)
    constraints += std::to_string(index) + ",";
  constraints += "r,r,r,r,l";
  Value product =
      emitPtx(builder, loc, type, operands, getText(count, adds), constraints);
  product.getDefiningOp()->setAttr(
      kLeftWordsAttr, builder.getDenseI32ArrayAttr(
                          {firstWord, static_cast<int32_t>(words.size())}));
  return product;
}

/// The text of an instruction with `count` sums, which are given and taken,
/// four words and a descriptor.
std::string WarpgroupMultiplier::getText(unsigned count, bool adds) const {
  StringRef sum = element.isInteger() ? "s32" : "f32";
  std::string scales = element.isInteger() ? "" : ", 1, 1";
  if (getElementBytes(element) == 2)
    scales += right.getLayout() == NVVM::MMALayout::row ? ", 1" : ", 0";
  return llvm::formatv(
      "{{\n.reg .pred p;\nsetp.ne.b32 p, {9}, 0;\n"
      "wgmma.mma_async.sync.aligned.m{0}n{1}k{2}.{3}.{4}.{10}"
      " {5}, {6}, ${7}, p{8};\n}",
      WarpgroupMma::m, n, kStep, sum, NVVM::stringifyWGMMATypes(leftType),
      listOperands(0, count), listOperands(2 * count, MmaShape::wordsOfA),
      2 * static_cast<int64_t>(count) + MmaShape::wordsOfA, scales,
      adds ? 1 : 0, NVVM::stringifyWGMMATypes(rightType));
}
