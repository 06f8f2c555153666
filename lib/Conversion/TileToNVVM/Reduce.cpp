//===- Reduce.cpp - Reductions inside of a warp ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Layout/AxisReduction.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// An integer of another width: its low bits, or with zeros above.
static Value resize(OpBuilder &builder, Location loc, Value integer,
                    unsigned bits) {
  Type type = builder.getIntegerType(bits);
  unsigned from = integer.getType().getIntOrFloatBitWidth();
  if (from < bits)
    return arith::ExtUIOp::create(builder, loc, type, integer);
  if (from > bits)
    return arith::TruncIOp::create(builder, loc, type, integer);
  return integer;
}

/// The integer that the lane with this bit of its number flipped has. Words of
/// 32 bits travel: narrow integers in one, wide ones in two.
static Value exchangeInteger(OpBuilder &builder, Location loc, Value integer,
                             unsigned laneMask) {
  unsigned bits = integer.getType().getIntOrFloatBitWidth();
  auto constant = [&](int64_t number, unsigned width) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, width);
  };
  if (bits <= 32) {
    Value word = NVVM::ShflOp::create(
        builder, loc, builder.getI32Type(), constant(-1, 32),
        resize(builder, loc, integer, 32), constant(laneMask, 32),
        constant(31, 32), NVVM::ShflKind::bfly, UnitAttr());
    return resize(builder, loc, word, bits);
  }
  auto exchangeHalf = [&](Value half) {
    Value word = resize(builder, loc, half, 32);
    return resize(builder, loc, exchangeInteger(builder, loc, word, laneMask),
                  64);
  };
  Value wide = resize(builder, loc, integer, 64);
  Value low = exchangeHalf(wide);
  Value high = exchangeHalf(
      arith::ShRUIOp::create(builder, loc, wide, constant(32, 64)));
  high = arith::ShLIOp::create(builder, loc, high, constant(32, 64));
  return resize(builder, loc, arith::OrIOp::create(builder, loc, low, high),
                bits);
}

/// The value that the lane with this bit of its number flipped has.
static Value exchange(OpBuilder &builder, Location loc, Value value,
                      unsigned laneMask) {
  Type type = value.getType();
  if (type.isIndex()) {
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(
        builder, loc, type, exchangeInteger(builder, loc, wide, laneMask));
  }
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (type == integer)
    return exchangeInteger(builder, loc, value, laneMask);
  Value bits = arith::BitcastOp::create(builder, loc, integer, value);
  return arith::BitcastOp::create(
      builder, loc, type, exchangeInteger(builder, loc, bits, laneMask));
}

namespace {

struct ReducePattern : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  /// One element of each tile.
  using Elements = SmallVector<Value>;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The verifier has made sure that there are steps.
    AxisReduction steps = *AxisReduction::create(
        getRegisterLayout(op.getTileType()).getLayout(), op.getAxis());
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (ArrayRef<unsigned> group : steps.registerGroups()) {
      SmallVector<Elements> elements =
          llvm::map_to_vector(group, [&](unsigned reg) {
            return llvm::map_to_vector(
                adaptor.getSources(),
                [&](ValueRange registers) { return Value(registers[reg]); });
          });
      Elements result = combineRegisters(op, elements, rewriter);
      for (unsigned mask : steps.laneMasks()) {
        Elements others = llvm::map_to_vector(result, [&](Value value) {
          return exchange(rewriter, op.getLoc(), value, mask);
        });
        result = combine(op, result, others, rewriter);
      }
      for (auto [values, value] : llvm::zip_equal(results, result))
        values.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// Neighbours first: the ways are short, and so is what rounding adds up to.
  static Elements combineRegisters(ReduceOp op, ArrayRef<Elements> elements,
                                   OpBuilder &builder) {
    if (elements.size() == 1)
      return elements.front();
    size_t half = elements.size() / 2;
    return combine(op, combineRegisters(op, elements.take_front(half), builder),
                   combineRegisters(op, elements.drop_front(half), builder),
                   builder);
  }

  static Elements combine(ReduceOp op, const Elements &left,
                          const Elements &right, OpBuilder &builder) {
    Block &body = op.getCombiner().front();
    IRMapping mapping;
    Elements operands = left;
    llvm::append_range(operands, right);
    mapping.map(body.getArguments(), operands);
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, mapping);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookup(value); });
  }
};

} // namespace

LogicalResult tonvvm::checkReduce(ReduceOp reduce) {
  auto steps = AxisReduction::create(
      getRegisterLayout(reduce.getTileType()).getLayout(), reduce.getAxis());
  if (!steps->spansWarps() || reduce.getPerWarp())
    return success();
  return reduce.emitError("several warps have parts of one result: run "
                          "tile-split-reductions first");
}

void tonvvm::populateReducePatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter) {
  patterns.add<ReducePattern>(converter, patterns.getContext());
}
