//===- PointerBlocks.cpp - Pointers that are a block of a view ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/PointerBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

#include <numeric>

using namespace mlir;
using namespace tilewright::tile;

bool AffineForm::isUniform() const {
  return llvm::none_of(coefficients, [](Value each) { return bool(each); });
}

/// A builder behind the op that makes a tile.
static ImplicitLocOpBuilder after(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op->getContext());
  builder.setInsertionPointAfter(op);
  return builder;
}

static std::optional<APInt> getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

/// A constant in another type, read with its sign.
static Value castConstant(ImplicitLocOpBuilder &builder, const APInt &constant,
                          Type type) {
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      builder, builder.getIntegerAttr(type, constant.sextOrTrunc(bits)));
}

static Value toIndex(ImplicitLocOpBuilder &builder, Value value) {
  if (value.getType().isIndex())
    return value;
  if (auto constant = getConstant(value))
    return castConstant(builder, *constant, builder.getIndexType());
  return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
}

/// What lies between two numbers of which the first is not the larger one. The
/// difference has no sign, and so fits where it would wrap; what is narrow
/// stays so, since a mask of 64 bits takes twice the instructions.
static Value countBetween(ImplicitLocOpBuilder &builder, Value start,
                          Value end) {
  Type index = builder.getIndexType();
  if (start.getType().isIndex() || start.getType().getIntOrFloatBitWidth() > 32)
    return arith::SubIOp::create(builder, toIndex(builder, end),
                                 toIndex(builder, start));
  Value places = builder.createOrFold<arith::SubIOp>(end, start);
  return builder.createOrFold<arith::IndexCastUIOp>(index, places);
}

std::nullopt_t PointerBlocks::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return std::nullopt;
}

Value PointerBlocks::getUniform(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && op->hasTrait<MovesElements>()) {
    if (!isTile(op->getOperand(0)))
      return op->getOperand(0);
    op = op->getOperand(0).getDefiningOp();
  }
  DenseElementsAttr value;
  if (!op || !matchPattern(op, m_Constant(&value)) || !value.isSplat())
    return nullptr;
  ImplicitLocOpBuilder builder = after(op);
  return arith::ConstantOp::create(
      builder, cast<TypedAttr>(value.getSplatValue<Attribute>()));
}

//===----------------------------------------------------------------------===//
// Forms of integers and pointers
//===----------------------------------------------------------------------===//

std::optional<AffineForm> PointerBlocks::find(Value tile) {
  if (auto found = known.find(tile); found != known.end())
    return found->second;
  std::optional<AffineForm> form = compute(tile);
  if (form)
    known[tile] = *form;
  return form;
}

/// Whether the numbers of the form are those of its sum with any number of
/// bits.
bool PointerBlocks::isExact(const AffineForm &form, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  // What is added along the dimensions, at the most.
  constexpr int64_t most = AxisInfo::kMaxDivisibility;
  int64_t range = 0;
  for (auto [extent, coefficient] :
       llvm::zip_equal(type.getShape(), form.coefficients)) {
    if (!coefficient)
      continue;
    std::optional<APInt> constant = getConstant(coefficient);
    if (!constant || constant->isNegative() || constant->getActiveBits() > 30)
      return false;
    range += constant->getSExtValue() * (extent - 1);
    if (range >= most)
      return false;
  }
  // Blocks of a power of two do not cross the end of the numbers, unless they
  // are longer than half of these.
  unsigned bits = getNumberBits(tile);
  if (range < form.divisibility && range < int64_t(1)
                                               << std::min(bits - 1, 62u))
    return true;
  std::optional<APInt> start = getConstant(form.start);
  return start &&
         start->sextOrTrunc(128)
             .sadd_sat(APInt(128, range))
             .sle(APInt::getSignedMaxValue(start->getBitWidth()).sext(128));
}

/// What a list has of each dimension of the operand, of those of the result.
template <typename F>
void PointerBlocks::renameDims(DimensionMapOpInterface op, F &list) {
  F renamed;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<unsigned> from = op.getSourceDim(dim);
    renamed.push_back(from ? list[*from] : typename F::value_type());
  }
  list = renamed;
}

/// Whether the op makes a tile of one scalar, or may: a constant.
static bool repeatsScalar(Operation *op) {
  return isa<arith::ConstantOp>(op) ||
         (op->hasTrait<MovesElements>() && !isTile(op->getOperand(0)));
}

static constexpr const char *wrapsAround =
    " bits may wrap around within the tile";

bool PointerBlocks::isExactInside(const AffineForm &form,
                                  const MaskForm &mask) {
  bool beginsInside =
      llvm::none_of(mask.bounds, [](const MaskForm::Bounds &bounds) {
        return bool(bounds.lower);
      });
  if (beginsInside || !llvm::is_contained(form.wrapping, true))
    return true;
  fail(Twine("an offset of 32") + wrapsAround);
  return false;
}

/// Notes along which dimensions an offset of fewer bits than pointers have may
/// wrap around; fails where elements may then be elsewhere than the form says.
/// Two neighbours inside of a short array are less than 2^31 elements apart, so
/// that of all numbers which wrap around to the coefficient, it is the one they
/// are apart by, if nothing else adds along the dimension.
bool PointerBlocks::addOffset(AffineForm &form, const AffineForm &offset,
                              Value tile) {
  form.wrapping.resize(form.coefficients.size());
  unsigned bits = getNumberBits(tile);
  bool isKnown = bits >= 64 || isExact(offset, tile);
  if (!isKnown && !(areShort && bits == 32 && getRoot(form.start)))
    return false;
  for (unsigned dim = 0; dim < form.coefficients.size(); ++dim) {
    if (!offset.coefficients[dim])
      continue;
    if (form.wrapping[dim] || (!isKnown && form.coefficients[dim]))
      return false;
    form.wrapping[dim] = !isKnown;
  }
  return true;
}

std::optional<AffineForm> PointerBlocks::addPointers(AddPtrOp op) {
  std::optional<AffineForm> form = find(op.getPtr());
  std::optional<AffineForm> offset = form ? find(op.getOffset()) : std::nullopt;
  if (!offset)
    return std::nullopt;
  if (!addOffset(*form, *offset, op.getOffset()))
    return fail("an offset of " + Twine(getNumberBits(op.getOffset())) +
                wrapsAround);
  ImplicitLocOpBuilder builder = after(op);
  // The address of the first element is extended as each of the tile is.
  if (auto start = getConstant(offset->start); !start || !start->isZero())
    form->start = AddPtrOp::create(builder, form->start.getType(), form->start,
                                   offset->start);
  for (auto [sum, term] :
       llvm::zip_equal(form->coefficients, offset->coefficients)) {
    if (!term)
      continue;
    Value wide = toIndex(builder, term);
    sum = sum ? arith::AddIOp::create(builder, sum, wide) : wide;
  }
  return form;
}

std::optional<AffineForm> PointerBlocks::multiply(Operation *op) {
  auto lhs = find(op->getOperand(0));
  auto rhs = lhs ? find(op->getOperand(1)) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  if (!rhs->isUniform())
    std::swap(lhs, rhs);
  if (!rhs->isUniform())
    return fail("two coordinates are multiplied");
  ImplicitLocOpBuilder builder = after(op);
  AffineForm product;
  product.start = arith::MulIOp::create(builder, lhs->start, rhs->start);
  product.divisibility = std::min(lhs->divisibility * rhs->divisibility,
                                  AxisInfo::kMaxDivisibility);
  for (Value coefficient : lhs->coefficients)
    product.coefficients.push_back(
        coefficient
            ? builder.createOrFold<arith::MulIOp>(coefficient, rhs->start)
            : Value());
  return product;
}

/// The same numbers in more bits, or the low bits of numbers.
std::optional<AffineForm> PointerBlocks::extend(Operation *op) {
  Value source = op->getOperand(0);
  auto form = find(source);
  if (!form)
    return std::nullopt;
  if (getNumberBits(op->getResult(0)) > getNumberBits(source) &&
      !isExact(*form, source))
    return fail("a sum of " + Twine(getNumberBits(source)) +
                " bits may wrap around within the tile before it is extended");
  ImplicitLocOpBuilder builder = after(op);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  auto cast = [&](Value value) -> Value {
    if (!value)
      return value;
    if (auto constant = getConstant(value))
      return castConstant(builder, *constant, type);
    OperationState state(op->getLoc(), op->getName(), value, type,
                         op->getAttrs());
    return builder.create(state)->getResult(0);
  };
  form->start = cast(form->start);
  for (Value &coefficient : form->coefficients)
    coefficient = cast(coefficient);
  return form;
}

static AffineForm add(Operation *op, AffineForm lhs, const AffineForm &rhs) {
  ImplicitLocOpBuilder builder = after(op);
  bool isSum = isa<arith::AddIOp>(op);
  auto combine = [&](Value a, Value b) -> Value {
    if (isSum)
      return builder.createOrFold<arith::AddIOp>(a, b);
    return builder.createOrFold<arith::SubIOp>(a, b);
  };
  lhs.start = combine(lhs.start, rhs.start);
  lhs.divisibility = std::gcd(lhs.divisibility, rhs.divisibility);
  for (auto [a, b] : llvm::zip_equal(lhs.coefficients, rhs.coefficients)) {
    if (!b)
      continue;
    if (!a && !isSum)
      a = arith::ConstantOp::create(builder, builder.getZeroAttr(b.getType()));
    a = a ? combine(a, b) : b;
  }
  return lhs;
}

/// A promise about a tile holds of its first element too, which is the first of
/// a group along each dimension.
static void promise(AssumeOp op, AffineForm &form) {
  if (!op.getDivisibility())
    return;
  int64_t divisibility = *llvm::max_element(*op.getDivisibility());
  ImplicitLocOpBuilder builder = after(op);
  form.start = AssumeOp::create(builder, form.start.getType(), form.start,
                                builder.getDenseI64ArrayAttr(divisibility),
                                nullptr, nullptr);
  form.divisibility = std::max(form.divisibility, divisibility);
}

std::optional<AffineForm> PointerBlocks::repeat(Value tile) {
  AffineForm form;
  form.start = getUniform(tile);
  if (!form.start)
    return fail("a constant tile has several numbers");
  form.divisibility = axes.get(tile).axis(0).divisibility;
  form.coefficients.resize(cast<RankedTensorType>(tile.getType()).getRank());
  return form;
}

static AffineForm countUp(IotaOp iota, const AxisInfoAnalysis &axes) {
  ImplicitLocOpBuilder builder = after(iota);
  Type type = getElementTypeOrSelf(iota.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder,
                                     builder.getIntegerAttr(type, value));
  };
  AffineForm form;
  form.start = constant(static_cast<int64_t>(iota.getStart()));
  form.divisibility = axes.get(iota).axis(0).divisibility;
  bool isOne = cast<RankedTensorType>(iota.getType()).getNumElements() == 1;
  form.coefficients.push_back(isOne ? Value() : constant(1));
  return form;
}

std::optional<AffineForm> PointerBlocks::compute(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return fail("a tile that a loop carries changes by more than a constant");
  if (repeatsScalar(op))
    return repeat(tile);
  if (auto iota = dyn_cast<IotaOp>(op))
    return countUp(iota, axes);
  if (auto dimensions = dyn_cast<DimensionMapOpInterface>(op)) {
    auto source = find(op->getOperand(0));
    if (source)
      renameDims(dimensions, source->coefficients);
    if (source && !source->wrapping.empty())
      renameDims(dimensions, source->wrapping);
    return source;
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    auto lhs = find(op->getOperand(0));
    auto rhs = lhs ? find(op->getOperand(1)) : std::nullopt;
    return rhs ? std::optional(::add(op, *lhs, *rhs)) : std::nullopt;
  }
  if (isa<arith::MulIOp>(op))
    return multiply(op);
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op))
    return extend(op);
  if (auto add = dyn_cast<AddPtrOp>(op))
    return addPointers(add);
  if (auto assume = dyn_cast<AssumeOp>(op)) {
    auto source = find(assume.getSource());
    if (source)
      promise(assume, *source);
    return source;
  }
  return fail("'" + op->getName().getStringRef() +
              "' is no sum of coordinates times strides");
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The tighter of two ends; null is none.
static Value tighten(ImplicitLocOpBuilder &builder, Value a, Value b,
                     bool isUpper) {
  if (!a || !b || a == b)
    return a ? a : b;
  if (isUpper)
    return arith::MinUIOp::create(builder, a, b);
  return arith::MaxUIOp::create(builder, a, b);
}

/// What says of `b` and `a` what this one says of `a` and `b`, where that is
/// an order of integers; else one that is none.
static arith::CmpIPredicate turn(arith::CmpIPredicate order) {
  using P = arith::CmpIPredicate;
  return order == P::slt   ? P::sgt
         : order == P::sle ? P::sge
         : order == P::sgt ? P::slt
         : order == P::sge ? P::sle
                           : P::eq;
}

/// How many numbers that count up from a start are below an end, or, where it
/// is part of them, up to it. None where the start is behind.
static Value countUpTo(ImplicitLocOpBuilder &builder, Value start, Value end,
                       bool isInclusive) {
  using P = arith::CmpIPredicate;
  Value any =
      arith::CmpIOp::create(builder, isInclusive ? P::sle : P::slt, start, end);
  Value places = countBetween(builder, start, end);
  if (isInclusive)
    places = arith::AddIOp::create(builder, places,
                                   arith::ConstantIndexOp::create(builder, 1));
  Value none = arith::ConstantIndexOp::create(builder, 0);
  return arith::SelectOp::create(builder, any, places, none);
}

/// Numbers that count up along one dimension, against one number: true up to
/// some place, or from it on.
std::optional<MaskForm> PointerBlocks::compare(Operation *op) {
  using P = arith::CmpIPredicate;
  auto compare = cast<arith::CmpIOp>(op);
  auto lhs = find(compare.getLhs());
  auto rhs = lhs ? find(compare.getRhs()) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  P predicate = compare.getPredicate();
  ImplicitLocOpBuilder builder = after(op);
  MaskForm mask;
  mask.bounds.resize(lhs->coefficients.size());
  if (lhs->isUniform() && rhs->isUniform()) {
    mask.all =
        arith::CmpIOp::create(builder, predicate, lhs->start, rhs->start);
    return mask;
  }
  Value counting = compare.getLhs();
  if (lhs->isUniform()) {
    std::swap(lhs, rhs);
    counting = compare.getRhs();
    predicate = turn(predicate);
  }
  bool isUpper = predicate == P::slt || predicate == P::sle;
  if (!isUpper && predicate != P::sgt && predicate != P::sge)
    return fail("a mask compares otherwise than by the order of integers");
  auto isCounting = [](Value each) { return bool(each); };
  const auto *dim = llvm::find_if(lhs->coefficients, isCounting);
  auto one = getConstant(*dim);
  if (!rhs->isUniform() || !one || !one->isOne() ||
      llvm::count_if(lhs->coefficients, isCounting) != 1)
    return fail("a mask compares more than one coordinate with a number");
  if (!isExact(*lhs, counting))
    return fail("the coordinate of a mask may wrap around within the tile");
  bool isInclusive = predicate == P::sle || predicate == P::sgt;
  Value bound = countUpTo(builder, lhs->start, rhs->start, isInclusive);
  MaskForm::Bounds &bounds = mask.bounds[dim - lhs->coefficients.begin()];
  (isUpper ? bounds.upper : bounds.lower) = bound;
  return mask;
}

std::optional<MaskForm> PointerBlocks::findMask(Value tile) {
  if (auto found = knownMasks.find(tile); found != knownMasks.end())
    return found->second;
  std::optional<MaskForm> mask = computeMask(tile);
  if (mask)
    knownMasks[tile] = *mask;
  return mask;
}

std::optional<MaskForm> PointerBlocks::computeMask(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return fail("a loop carries the mask");
  if (isa<arith::CmpIOp>(op))
    return compare(op);
  if (Value uniform = repeatsScalar(op) ? getUniform(tile) : Value()) {
    MaskForm mask;
    mask.all = uniform;
    mask.bounds.resize(cast<RankedTensorType>(tile.getType()).getRank());
    return mask;
  }
  if (auto assume = dyn_cast<AssumeOp>(op))
    return findMask(assume.getSource());
  if (auto dimensions = dyn_cast<DimensionMapOpInterface>(op);
      dimensions && isTile(op->getOperand(0))) {
    auto mask = findMask(op->getOperand(0));
    if (mask)
      renameDims(dimensions, mask->bounds);
    return mask;
  }
  if (!isa<arith::AndIOp>(op))
    return fail("the mask is made by '" + op->getName().getStringRef() +
                "', and is no conjunction of comparisons of coordinates");
  auto lhs = findMask(op->getOperand(0));
  auto rhs = lhs ? findMask(op->getOperand(1)) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  ImplicitLocOpBuilder builder = after(op);
  for (auto [a, b] : llvm::zip_equal(lhs->bounds, rhs->bounds)) {
    a.lower = tighten(builder, a.lower, b.lower, /*isUpper=*/false);
    a.upper = tighten(builder, a.upper, b.upper, /*isUpper=*/true);
  }
  if (rhs->all)
    lhs->all = lhs->all
                   ? Value(arith::AndIOp::create(builder, lhs->all, rhs->all))
                   : rhs->all;
  return lhs;
}
