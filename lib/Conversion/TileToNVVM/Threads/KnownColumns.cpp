//===- KnownColumns.cpp - What is known of the ends of rows ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/KnownColumns.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/IR/ArgumentBounds.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

std::pair<int64_t, int64_t> tonvvm::getCoordinates(const LinearLayout &layout,
                                                   unsigned reg, unsigned dim) {
  int32_t ofThreads = 0;
  for (StringRef input : {"lane", "warp"})
    for (const LinearLayout::Point &basis : layout.bases(input))
      ofThreads |= basis[dim];
  int32_t part = layout.apply({{"register", reg}})[dim];
  return {part & ~ofThreads, part | ofThreads};
}

std::optional<bool> tonvvm::areKnownInside(const ConstantIntRanges &coordinates,
                                           const ConstantIntRanges &extent) {
  return intrange::evaluatePred(intrange::CmpPredicate::ult, coordinates,
                                extent);
}

//===----------------------------------------------------------------------===//
// Ranges of numbers
//===----------------------------------------------------------------------===//

static unsigned getBits(Type type) {
  return ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type));
}

namespace {
/// What the integers of a tile program may be.
class RegisterRanges {
public:
  /// The range of an integer, or of the elements of a tile of them that a
  /// register has in any thread.
  const ConstantIntRanges &get(Value value, unsigned reg = 0) {
    const Ranges &all = getAll(value);
    return all[all.size() == 1 ? 0 : reg];
  }

  /// The range of all registers: what comes from other threads may be what any
  /// had.
  ConstantIntRanges getUnion(Value value) {
    const Ranges &all = getAll(value);
    ConstantIntRanges range = all.front();
    for (const ConstantIntRanges &other : all)
      range = range.rangeUnion(other);
    return range;
  }

private:
  /// A range for each register, or one for all.
  using Ranges = SmallVector<ConstantIntRanges, 1>;

  const Ranges &getAll(Value value) {
    if (auto found = known.find(value); found != known.end())
      return *found->second;
    ++depth;
    Ranges ranges = depth > kMaxDepth ? getAny(value) : infer(value);
    --depth;
    auto &entry = known[value];
    entry = std::make_unique<Ranges>(std::move(ranges));
    return *entry;
  }

  static Ranges getAny(Value value) {
    return {ConstantIntRanges::maxRange(getBits(value.getType()))};
  }

  Ranges infer(Value value) {
    Type type = value.getType();
    if (!isTileType(type))
      return {numbers.get(value)};
    Operation *op = value.getDefiningOp();
    if (!op)
      return getAny(value);
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return {ConstantIntRanges::constant(constant)};
    if (auto iota = dyn_cast<IotaOp>(op))
      return inferIota(iota);
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return inferTaken(
          broadcast.getSource(),
          mapRepeated(broadcast.getSource().getType(), broadcast.getType()));
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      return inferTaken(convert.getSource(), mapRegisters(convert));
    // All others hand on the registers as they are.
    if (op->hasTrait<MovesElements>())
      return getAll(op->getOperand(0));
    auto arithmetic = dyn_cast<InferIntRangeInterface>(op);
    return arithmetic && op->getNumResults() == 1 && countRegisters(type) > 0
               ? inferArithmetic(arithmetic)
               : getAny(value);
  }

  static Ranges inferIota(IotaOp iota) {
    const LinearLayout &layout = getRegisterLayout(iota.getType()).getLayout();
    auto start = static_cast<int64_t>(iota.getStart());
    Ranges ranges;
    for (unsigned reg = 0; reg < countRegisters(iota.getType()); ++reg) {
      auto [least, most] = getCoordinates(layout, reg, 0);
      ranges.push_back(
          getIntRange(start + least, start + most, getBits(iota.getType())));
    }
    return ranges;
  }

  /// The ranges that a thread takes from the registers of `source` by `map`.
  Ranges inferTaken(Value source,
                    const std::optional<SmallVector<unsigned>> &map) {
    if (!map)
      return {getUnion(source)};
    return llvm::map_to_vector<1>(*map,
                                  [&](auto reg) { return get(source, reg); });
  }

  Ranges inferArithmetic(InferIntRangeInterface op) {
    unsigned numRegisters = 1;
    for (Value operand : op->getOperands()) {
      if (!getElementTypeOrSelf(operand).isIntOrIndex())
        return getAny(op->getResult(0));
      numRegisters = std::max<unsigned>(numRegisters, getAll(operand).size());
    }
    Ranges ranges;
    for (unsigned reg = 0; reg < numRegisters; ++reg) {
      auto in = llvm::map_to_vector<2>(
          op->getOperands(), [&](Value operand) { return get(operand, reg); });
      ranges.push_back(inferRange(op, in));
    }
    return ranges;
  }

  static unsigned countRegisters(Type type) {
    RegisterLayoutAttr layout = getRegisterLayout(cast<RankedTensorType>(type));
    return layout ? layout.getNumRegisters() : 0;
  }

  /// Ops that a number is followed through: more than masks of rows take.
  static constexpr unsigned kMaxDepth = 32;

  NumberRanges numbers;
  DenseMap<Value, std::unique_ptr<Ranges>> known;
  unsigned depth = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Masks and blocks
//===----------------------------------------------------------------------===//

/// What is known of each register of a tile of i1; empty for nothing.
static SmallVector<std::optional<bool>> getKnownMask(RegisterRanges &ranges,
                                                     Value mask) {
  SmallVector<std::optional<bool>> values;
  unsigned numRegisters =
      getRegisterLayout(cast<RankedTensorType>(mask.getType()))
          .getNumRegisters();
  for (unsigned reg = 0; reg < numRegisters; ++reg) {
    std::optional<APInt> value = ranges.get(mask, reg).getConstantValue();
    values.push_back(value ? std::optional(value->isOne()) : std::nullopt);
  }
  bool isKnown = llvm::any_of(
      values, [](std::optional<bool> value) { return value.has_value(); });
  if (!isKnown)
    values.clear();
  return values;
}

/// Rows that end in the first block of columns, if they are in it at all: all
/// columns before the least end are inside, or none is.
static std::optional<SmallVector<unsigned>>
findAlikeColumns(RegisterRanges &ranges, const AxisInfoAnalysis &axes,
                 arith::CmpIOp compare) {
  // Columns of rows of a tile, in the same registers.
  Value counted = compare.getLhs();
  while (auto expand = counted.getDefiningOp<ExpandDimsOp>())
    counted = expand.getSource();
  auto columns = counted.getDefiningOp<arith::AddIOp>();
  if (compare.getPredicate() != arith::CmpIPredicate::slt || !columns)
    return std::nullopt;
  Value start = columns.getLhs(), places = columns.getRhs();
  if (!start.getDefiningOp<SplatOp>())
    std::swap(start, places);
  const ConstantIntRanges begin = ranges.get(start),
                          end = ranges.getUnion(compare.getRhs());
  int64_t step = axes.get(start).axis(0).divisibility;
  if (!start.getDefiningOp<SplatOp>() || begin.smin().isNegative() ||
      end.smax().sgt(step))
    return std::nullopt;
  SmallVector<unsigned> firsts;
  std::optional<unsigned> before;
  unsigned numRegisters =
      getRegisterLayout(cast<RankedTensorType>(compare.getLhs().getType()))
          .getNumRegisters();
  for (unsigned reg = 0; reg < numRegisters; ++reg) {
    const ConstantIntRanges &place = ranges.get(places, reg);
    bool overflows = false;
    (void)begin.smax().sadd_ov(place.smax(), overflows);
    bool isBefore = !overflows && !place.smin().isNegative() &&
                    place.smax().slt(end.smin());
    if (isBefore && !before)
      before = reg;
    firsts.push_back(isBefore ? *before : reg);
  }
  return firsts;
}

static std::optional<BlockRanges> getBlock(RegisterRanges &ranges,
                                           GlobalAccessOpInterface op) {
  MemoryAccess access = *findMemoryAccess(op, MemorySpace::Global);
  auto view = access.base.getDefiningOp<ViewOp>();
  if (!view)
    return std::nullopt;
  BlockRanges block;
  for (auto [start, extent] :
       llvm::zip_equal(access.indices, view.getMixedShape())) {
    std::optional<int64_t> constant = getConstantIntValue(extent);
    block.dims.push_back(
        {ranges.get(start), constant ? getIntRange(*constant, *constant, 64)
                                     : ranges.get(cast<Value>(extent))});
  }
  Value rotation;
  if (auto load = dyn_cast<LoadViewOp>(*op))
    rotation = load.getRotation();
  if (auto store = dyn_cast<StoreViewOp>(*op))
    rotation = store.getRotation();
  if (rotation)
    block.rotation = ranges.get(rotation);
  return block;
}

void tonvvm::collectKnownColumns(KernelOp kernel, LoweringContext &context) {
  bool hasBounds = false;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
    hasBounds |= getArgBounds(kernel, index).has_value();
  if (!hasBounds)
    return;
  RegisterRanges ranges;
  AxisInfoAnalysis axes(kernel);
  kernel.walk([&](Operation *op) {
    if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
      if (std::optional<BlockRanges> block = getBlock(ranges, access))
        context.blocks.try_emplace(op, std::move(*block));
    bool isMask = op->getNumResults() == 1 && isTile(op->getResult(0)) &&
                  op->hasTrait<OpTrait::Elementwise>() &&
                  getElementTypeOrSelf(op->getResult(0)).isInteger(1);
    if (!isMask)
      return;
    SmallVector<std::optional<bool>> mask =
        getKnownMask(ranges, op->getResult(0));
    if (!mask.empty())
      context.knownMasks[op] = std::move(mask);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      if (auto alike = findAlikeColumns(ranges, axes, compare))
        context.alikeMasks[op] = std::move(*alike);
  });
}
