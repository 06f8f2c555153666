//===- Scan.cpp - Scans of tiles ------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From small blocks to large ones, as AxisScan says. Backwards is the same with
// all bits of the coordinate flipped.
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/ThreadIndex.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Layout/Registers/AxisScan.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {
/// One element of each tile.
using Elements = SmallVector<Value>;

/// What ops with a region that combines are made of here.
class Combination {
public:
  Combination(CombineOpInterface op, OpBuilder &builder)
      : builder(builder), loc(op.getLoc()), region(op) {}

protected:
  Elements combine(const Elements &before, const Elements &behind) {
    return region.inlineFor(builder, before, behind);
  }

  /// `yes` where the condition holds, else `no`.
  Elements select(Value condition, const Elements &yes, const Elements &no) {
    return llvm::map_to_vector(
        llvm::zip_equal(yes, no), [&](auto pair) -> Value {
          auto [a, b] = pair;
          return arith::SelectOp::create(builder, loc, condition, a, b);
        });
  }

  Value constant(unsigned number) {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  }
  Value isEqual(Value bits, unsigned number) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                                 constant(number));
  }
  Value isAny(Value bits, unsigned mask) {
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, loc, bits, constant(mask)), constant(0));
  }

  OpBuilder &builder;
  Location loc;
  CombineRegion region;
};

//===----------------------------------------------------------------------===//
// Inside of warps
//===----------------------------------------------------------------------===//

/// The scan of what a warp has.
class WarpScan : Combination {
public:
  WarpScan(ScanOp scan, ArrayRef<ValueRange> sources, OpBuilder &builder)
      : Combination(scan, builder), isReverse(scan.getReverse()),
        wantsTotals(scan.getPerWarp()), isExclusive(scan.getExclusive()),
        thread(builder, loc) {
    for (unsigned reg = 0; reg < sources.front().size(); ++reg)
      values.push_back(llvm::map_to_vector(sources, [&](ValueRange registers) {
        return Value(registers[reg]);
      }));
  }

  /// The registers of each tile, then of the totals of its parts.
  SmallVector<SmallVector<Value>> run(const AxisScan &steps) {
    SmallVector<Elements> totals;
    for (unsigned first : steps.firstOfParts()) {
      Elements total = scanPart(first, steps.getRuns());
      if (wantsTotals)
        totals.push_back(total);
    }
    SmallVector<SmallVector<Value>> results;
    for (const SmallVector<Elements> &elements : {values, totals})
      for (size_t tile = 0; !elements.empty() && tile < elements[0].size();
           ++tile)
        results.push_back(llvm::map_to_vector(
            elements, [&](const Elements &element) { return element[tile]; }));
    return results;
  }

private:
  /// Registers of one block in the order of the scan, with what all of it is
  /// combined to. Only the last of them may have that as its value.
  struct Block {
    SmallVector<unsigned> registers;
    Elements total;
  };

  Elements scanPart(unsigned first, ArrayRef<AxisScan::Run> runs) {
    // By the bits of the register's number that are still to come.
    std::map<unsigned, Block> blocks;
    blocks[first] = {{first}, values[first]};
    for (const AxisScan::Run &run : runs)
      if (!run.isOfLanes)
        for (unsigned mask : run.masks)
          for (const auto &[number, block] : std::map(blocks))
            blocks[number | mask] = {{number | mask}, values[number | mask]};
    for (auto [index, run] : llvm::enumerate(runs)) {
      if (!run.isOfLanes) {
        blocks = scanRegisters(blocks, run.masks);
        continue;
      }
      bool needsTotal = wantsTotals || index + 1 < runs.size();
      for (auto &[number, block] : blocks)
        scanLanes(block, run.masks, needsTotal);
    }
    if (isExclusive && (runs.empty() || !runs.back().isOfLanes))
      for (const auto &[number, block] : blocks)
        shift(block, values[block.registers.front()]);
    return blocks.begin()->second.total;
  }

  /// Blocks whose numbers differ in these bits become one, in their order.
  std::map<unsigned, Block> scanRegisters(std::map<unsigned, Block> &blocks,
                                          ArrayRef<unsigned> masks) {
    std::map<unsigned, Block> joined;
    SmallVector<unsigned> order = {0};
    for (unsigned mask : masks)
      for (unsigned number : SmallVector<unsigned>(order))
        order.push_back(number | mask);
    unsigned all = order.back();
    if (isReverse)
      std::reverse(order.begin(), order.end());
    for (auto &[number, block] : blocks) {
      if ((number & all) != 0)
        continue;
      Block sum = blocks[number | order.front()];
      for (unsigned next : ArrayRef(order).drop_front())
        append(sum, blocks[number | next]);
      joined[number] = sum;
    }
    return joined;
  }

  void append(Block &sum, const Block &next) {
    Elements total = combine(sum.total, next.total);
    for (unsigned reg : next.registers)
      values[reg] =
          values[reg] == next.total ? total : combine(sum.total, values[reg]);
    llvm::append_range(sum.registers, next.registers);
    sum.total = total;
  }

  /// Each register of the block gets what the one before it has.
  void shift(const Block &block, const Elements &first) {
    Elements before = first;
    for (unsigned reg : block.registers)
      std::swap(values[reg], before);
  }

  /// Lanes whose numbers differ in these bits each have a block.
  void scanLanes(Block &block, ArrayRef<unsigned> masks, bool needsTotal) {
    unsigned all = 0;
    for (unsigned mask : masks)
      all |= mask;
    Value lane = flip(thread.getLane(), all);
    Elements sum = block.total;
    unsigned below = 0;
    for (unsigned mask : masks) {
      // The last lane of the lower half has the total of it.
      Value last = change(lane, /*clear=*/mask, /*set=*/below);
      Elements lower = shuffle(sum, flip(last, all));
      sum = select(isAny(lane, mask), combine(lower, sum), sum);
      below |= mask;
    }
    if (block.registers.size() == 1 && !isExclusive) {
      values[block.registers[0]] = sum;
    } else {
      Elements before = shuffle(sum, flip(previous(lane, all), all));
      Value isFirst = isAny(lane, all);
      for (unsigned reg : block.registers)
        values[reg] =
            values[reg] == block.total
                ? sum
                : select(isFirst, combine(before, values[reg]), values[reg]);
      if (isExclusive)
        shift(block, before);
    }
    if (needsTotal)
      block.total = shuffle(sum, flip(change(lane, 0, all), all));
  }

  /// The lane in the order of the scan, and back.
  Value flip(Value lane, unsigned bits) {
    return isReverse ? Value(arith::XOrIOp::create(builder, loc, lane,
                                                   constant(bits)))
                     : lane;
  }
  Value change(Value lane, unsigned clear, unsigned set) {
    Value kept = arith::AndIOp::create(builder, loc, lane, constant(~clear));
    return arith::OrIOp::create(builder, loc, kept, constant(set));
  }
  /// The lane before it, of those that differ in these bits.
  Value previous(Value lane, unsigned bits) {
    Value own = arith::AndIOp::create(builder, loc, lane, constant(bits));
    Value less = arith::SubIOp::create(builder, loc, own, constant(1));
    less = arith::AndIOp::create(builder, loc, less, constant(bits));
    Value others = arith::AndIOp::create(builder, loc, lane, constant(~bits));
    return arith::OrIOp::create(builder, loc, others, less);
  }
  Elements shuffle(const Elements &elements, Value lane) {
    return llvm::map_to_vector(elements, [&](Value value) {
      return shuffleFromLane(builder, loc, value, lane);
    });
  }

  bool isReverse, wantsTotals, isExclusive;
  ThreadIndex thread;
  /// The elements of each register.
  SmallVector<Elements> values;
};

//===----------------------------------------------------------------------===//
// Across warps
//===----------------------------------------------------------------------===//

/// Combines what each thread has with what stands before its parts.
class CarryIn : Combination {
public:
  CarryIn(CarryOp op, ArrayRef<ValueRange> sources, ArrayRef<ValueRange> before,
          OpBuilder &builder)
      : Combination(op, builder),
        steps(*AxisScan::create( // Verified.
            getRegisterLayout(op.getTileType()).getLayout(), op.getAxis())),
        isReverse(op.getReverse()), sources(sources), before(before) {}

  SmallVector<SmallVector<Value>> run() {
    unsigned ofWarps = getPartMask("warp");
    unsigned ofRegisters = getPartMask("register");
    Value warp = arith::AndIOp::create(
        builder, loc, ThreadIndex(builder, loc).getWarp(), constant(ofWarps));
    Value isFirstWarp = isEqual(warp, isReverse ? ofWarps : 0);
    SmallVector<SmallVector<Value>> results(sources.size());
    for (unsigned reg = 0; reg < sources.front().size(); ++reg) {
      Elements own = take(sources, reg);
      Elements result = combine(take(before, steps.getTotalOf(reg)), own);
      if ((reg & ofRegisters) == (isReverse ? ofRegisters : 0))
        result = select(isFirstWarp, own, result);
      for (auto [values, value] : llvm::zip_equal(results, result))
        values.push_back(value);
    }
    return results;
  }

private:
  static Elements take(ArrayRef<ValueRange> tiles, unsigned reg) {
    return llvm::map_to_vector(
        tiles, [&](ValueRange registers) { return Value(registers[reg]); });
  }

  /// The bits of the register, or the warp, that number parts.
  unsigned getPartMask(StringRef input) const {
    unsigned mask = 0;
    for (const AxisScan::PartBit &bit : steps.getPartBits(input))
      mask |= bit.mask;
    return mask;
  }

  AxisScan steps;
  bool isReverse;
  ArrayRef<ValueRange> sources, before;
};

struct ScanPattern : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ScanOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AxisScan steps = *AxisScan::create( // Verified.
        getRegisterLayout(op.getTileType()).getLayout(), op.getAxis());
    rewriter.replaceOpWithMultiple(
        op, WarpScan(op, adaptor.getSources(), rewriter).run(steps));
    return success();
  }
};

struct CarryPattern : OpConversionPattern<CarryOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CarryOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CarryIn carry(op, adaptor.getSources(), adaptor.getBefore(), rewriter);
    rewriter.replaceOpWithMultiple(op, carry.run());
    return success();
  }
};
} // namespace

LogicalResult tonvvm::checkScan(ScanOp scan) {
  auto steps = AxisScan::create(
      getRegisterLayout(scan.getTileType()).getLayout(), scan.getAxis());
  if (steps->getNumParts() == 1 || scan.getPerWarp())
    return success();
  return scan.emitOpError("several warps have parts of the axis: run "
                          "tile-split-scans first");
}

void tonvvm::populateScanPatterns(RewritePatternSet &patterns,
                                  const TypeConverter &converter) {
  patterns.add<ScanPattern, CarryPattern>(converter, patterns.getContext());
}
