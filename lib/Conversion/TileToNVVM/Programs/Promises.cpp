//===- Promises.cpp - What a simulator is to check ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A promise is nothing that a GPU does: it is written as a comment of the PTX,
// with the registers that it is about (lib/Simulator/Families/Promise.cpp has
// the form). ptxas sees no use of them there, and what a run of neighbours is
// known by is its first element: of eight quotients that are the same one is
// left.
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// The elements that threads have, by their numbers in row-major order.
class NumberedElements {
public:
  explicit NumberedElements(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return;
    shape = tile.getShape();
    layout = &getRegisterLayout(tile).getLayout();
  }

  int64_t getNumber(unsigned reg) const {
    return layout ? flatten(layout->apply({{"register", reg}})) : 0;
  }
  /// What each bit of the lane, and then of the warp, is XORed to.
  std::string getImages() const {
    std::string text;
    if (layout)
      for (StringRef input : {"lane", "warp"})
        for (const LinearLayout::Point &basis : layout->bases(input))
          text += llvm::formatv(", {0}", flatten(basis)).str();
    return text;
  }
  /// Where a register is in runs of its thread: the first one of its run, and
  /// how many steps it is behind that.
  struct Place {
    unsigned first;
    int64_t step;
  };
  /// The place of each register, in runs of so many consecutive or equal
  /// elements along each dimension.
  SmallVector<Place> findPlaces(size_t numRegisters,
                                ArrayRef<int64_t> contiguity,
                                ArrayRef<int64_t> constancy) const;
  int64_t getExtent(unsigned dim) const { return layout ? shape[dim] : 1; }
  int64_t getStride(unsigned dim) const {
    int64_t stride = 1;
    if (layout)
      for (int64_t extent : shape.drop_front(dim + 1))
        stride *= extent;
    return stride;
  }

private:
  int64_t flatten(const LinearLayout::Point &point) const {
    int64_t number = 0;
    for (auto [extent, coordinate] : llvm::zip_equal(shape, point))
      number = number * extent + coordinate;
    return number;
  }

  ArrayRef<int64_t> shape;
  const LinearLayout *layout = nullptr;
};

SmallVector<NumberedElements::Place>
NumberedElements::findPlaces(size_t numRegisters, ArrayRef<int64_t> contiguity,
                             ArrayRef<int64_t> constancy) const {
  // As many as one access has at the most, and so few that what threads add to
  // a register's coordinate changes no step.
  constexpr int64_t maxRun = 16;
  SmallVector<int64_t> runs(contiguity);
  for (int64_t &run : runs)
    run = std::min(run, maxRun);
  for (const LinearLayout::Input &input : layout->inputs())
    if (input.name != "register")
      for (const LinearLayout::Point &basis : input.bases)
        for (auto [run, coordinate] : llvm::zip_equal(runs, basis))
          run = std::gcd(run, coordinate);

  std::map<SmallVector<int64_t>, Place> firsts;
  SmallVector<Place> places;
  for (unsigned reg = 0; reg < numRegisters; ++reg) {
    SmallVector<int64_t> groups;
    int64_t step = 0;
    for (auto [coordinate, run, same] :
         llvm::zip_equal(layout->apply({{"register", reg}}), runs, constancy)) {
      groups.push_back(coordinate / std::max(run, same));
      step += coordinate % run;
    }
    Place first = firsts.try_emplace(groups, Place{reg, step}).first->second;
    places.push_back({first.first, step - first.step});
  }
  return places;
}

/// A register as the comment has it: of 32 or 64 bits.
Value widen(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  if (!value.getType().isInteger())
    return value;
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  unsigned wide = bits <= 32 ? 32 : 64;
  if (bits == wide)
    return value;
  return arith::ExtUIOp::create(builder, loc, builder.getIntegerType(wide),
                                value);
}

struct AssumePattern : OpConversionPattern<AssumeOp> {
  AssumePattern(const TypeConverter &converter, MLIRContext *context,
                int64_t &numPromises)
      : OpConversionPattern(converter, context), numPromises(numPromises) {}

  LogicalResult
  matchAndRewrite(AssumeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    for (unsigned dim = 0, rank = tile ? tile.getRank() : 1; dim < rank; ++dim)
      promise(op, dim, adaptor.getSource(), rewriter);
    rewriter.replaceOpWithMultiple(
        op, {deriveRuns(op, adaptor.getSource(), rewriter)});
    return success();
  }

private:
  /// The registers of a tile of integers, by the first one of each run: others
  /// are computed only where promises are checked.
  static SmallVector<Value> deriveRuns(AssumeOp op, ValueRange registers,
                                       OpBuilder &builder) {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !tile.getElementType().isIntOrIndex())
      return registers;
    SmallVector<int64_t> contiguity, constancy;
    for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
      contiguity.push_back(AssumeOp::getPromise(op.getContiguity(), dim));
      constancy.push_back(AssumeOp::getPromise(op.getConstancy(), dim));
    }
    SmallVector<Value> derived;
    for (NumberedElements::Place place : NumberedElements(tile).findPlaces(
             registers.size(), contiguity, constancy)) {
      Value first = registers[place.first];
      if (place.step != 0) {
        auto step = arith::ConstantOp::create(
            builder, op.getLoc(),
            builder.getIntegerAttr(tile.getElementType(), place.step));
        first = arith::AddIOp::create(builder, op.getLoc(), first, step);
      }
      derived.push_back(first);
    }
    return derived;
  }

  void promise(AssumeOp op, unsigned dim, ValueRange registers,
               OpBuilder &builder) const {
    int64_t divisibility = AssumeOp::getPromise(op.getDivisibility(), dim),
            contiguity = AssumeOp::getPromise(op.getContiguity(), dim),
            constancy = AssumeOp::getPromise(op.getConstancy(), dim);
    if (divisibility * contiguity * constancy == 1)
      return;
    Type element = getElementTypeOrSelf(op.getType());
    auto pointer = dyn_cast<PtrType>(element);
    int64_t unit = pointer ? getElementBytes(pointer.getElementType()) : 1;
    int64_t bits =
        pointer || element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    NumberedElements elements(op.getType());
    int64_t number = numPromises++;
    for (auto [reg, value] : llvm::enumerate(registers)) {
      bool isWide = bits > 32;
      std::string text = llvm::formatv(
          "//@ tilewright.assume.b{0} $0, {1}, {2}, {3}, {4}, {5}, {6}, {7}, "
          "{8}, {9}, {10}{11};",
          isWide ? 64 : 32, number, reg, bits, divisibility, contiguity,
          constancy, unit, elements.getStride(dim), elements.getExtent(dim),
          elements.getNumber(reg), elements.getImages());
      emitPtx(builder, op.getLoc(), nullptr, widen(builder, op.getLoc(), value),
              text, isWide ? "l" : "r");
    }
  }

  int64_t &numPromises;
};

} // namespace

void tonvvm::populatePromisePatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     LoweringContext &context) {
  patterns.add<AssumePattern>(converter, patterns.getContext(),
                              context.numPromises);
}
