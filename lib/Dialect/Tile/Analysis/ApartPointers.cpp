//===- ApartPointers.cpp - Pointers of which no two meet ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ApartPointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// More than any address needs, in elements, and little enough to add up.
constexpr int64_t kMost = int64_t(1) << 40;

/// What a dimension adds to a pointer: a stride times each of `extent` numbers
/// that follow one another.
struct Term {
  int64_t extent = 1;
  /// In elements; a constant, or else a scalar.
  int64_t constant = 1;
  Value scalar;
};

/// The dimension of the tile of pointers that each of a tile is.
using Dims = SmallVector<std::optional<unsigned>, 3>;

/// Takes what is touched apart into what its dimensions add. What all elements
/// have in common does not matter. Nor does it where a sum, a product or a cast
/// wraps around: two elements are then as far from one another as they were, up
/// to multiples of 2^bits. Less than that is not 0.
class PointerTerms {
public:
  /// A block of a view: where it begins, all of it does.
  PointerTerms(ArrayRef<OpFoldResult> strides, ArrayRef<int64_t> extents) {
    for (auto [stride, extent] : llvm::zip_equal(strides, extents)) {
      Term term;
      term.extent = extent;
      setStride(term, stride);
      terms.push_back(term);
    }
    isKnown = true;
  }
  explicit PointerTerms(Value pointers) {
    auto type = cast<RankedTensorType>(pointers.getType());
    terms.resize(type.getRank());
    Dims dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      dims.push_back(dim);
    isKnown = addPointers(pointers, dims);
    // Elements along a dimension without a term are the same.
    for (auto [extent, term] : llvm::zip_equal(type.getShape(), terms))
      isKnown &= extent == 1 || (term && term->extent == extent);
  }

  /// For which values of the only stride that is no constant the pointers name
  /// no element twice, nor one that is so far from one of them.
  std::optional<ApartRange> findRange(int64_t distance) const;

private:
  static void setStride(Term &term, OpFoldResult stride) {
    if (auto scalar = dyn_cast<Value>(stride))
      term.scalar = scalar;
    else
      term.constant = cast<IntegerAttr>(cast<Attribute>(stride)).getInt();
  }
  bool addPointers(Value pointers, const Dims &dims);
  bool addNumbers(Value numbers, const Dims &dims, Term stride);
  bool addParts(Value numbers, const Dims &dims, Term stride);
  bool addIota(IotaOp iota, const Dims &dims, Term stride);
  bool addProduct(arith::MulIOp product, const Dims &dims, Term stride);

  SmallVector<std::optional<Term>> terms;
  unsigned numTerms = 0;
  /// Numbers that add no term: each is looked at once, however many sums have
  /// it twice.
  DenseSet<Value> uniform;
  /// The narrowest numbers that were computed with.
  unsigned bits = 64;
  bool isKnown = false;
};
} // namespace

static Dims getSourceDims(DimensionMapOpInterface op, const Dims &dims) {
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  Dims renamed(source ? source.getRank() : 0);
  for (auto [dim, to] : llvm::enumerate(dims))
    if (std::optional<unsigned> from = op.getSourceDim(dim))
      renamed[*from] = to;
  return renamed;
}

/// The scalar or the constant that all elements of a tile are; null for others.
static OpFoldResult getUniform(Value tile) {
  while (isTile(tile)) {
    DenseIntElementsAttr constant;
    if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
      return IntegerAttr::get(constant.getElementType(),
                              constant.getSplatValue<APInt>());
    auto op = tile.getDefiningOp<DimensionMapOpInterface>();
    if (!op)
      return {};
    tile = op->getOperand(0);
  }
  APInt number;
  if (matchPattern(tile, m_ConstantInt(&number)))
    return IntegerAttr::get(tile.getType(), number);
  return tile;
}

bool PointerTerms::addPointers(Value pointers, const Dims &dims) {
  if (!isTile(pointers))
    return true;
  Operation *op = pointers.getDefiningOp();
  if (auto moved = dyn_cast_or_null<AddPtrOp>(op))
    return addPointers(moved.getPtr(), dims) &&
           addNumbers(moved.getOffset(), dims, Term());
  auto renames = dyn_cast_or_null<DimensionMapOpInterface>(op);
  return renames &&
         addPointers(op->getOperand(0), getSourceDims(renames, dims));
}

/// `stride`: what the numbers are multiplied by.
bool PointerTerms::addNumbers(Value numbers, const Dims &dims, Term stride) {
  if (uniform.contains(numbers))
    return true;
  bits = std::min(bits, getNumberBits(numbers));
  unsigned before = numTerms;
  if (!getUniform(numbers) && !addParts(numbers, dims, stride))
    return false;
  if (numTerms == before)
    uniform.insert(numbers);
  return true;
}

bool PointerTerms::addParts(Value numbers, const Dims &dims, Term stride) {
  Operation *op = numbers.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return addIota(iota, dims, stride);
  if (auto renames = dyn_cast_or_null<DimensionMapOpInterface>(op))
    return addNumbers(op->getOperand(0), getSourceDims(renames, dims), stride);
  if (op && isIntegerCast(op))
    return addNumbers(op->getOperand(0), dims, stride);
  if (auto product = dyn_cast_or_null<arith::MulIOp>(op))
    return addProduct(product, dims, stride);
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
         addNumbers(op->getOperand(0), dims, stride) &&
         addNumbers(op->getOperand(1), dims, stride);
}

bool PointerTerms::addIota(IotaOp iota, const Dims &dims, Term stride) {
  // Where it is repeated, elements have equal pointers.
  if (!dims[0] || terms[*dims[0]])
    return false;
  stride.extent = cast<RankedTensorType>(iota.getType()).getNumElements();
  terms[*dims[0]] = stride;
  ++numTerms;
  return true;
}

bool PointerTerms::addProduct(arith::MulIOp product, const Dims &dims,
                              Term stride) {
  OpFoldResult factor = getUniform(product.getRhs());
  Value numbers = factor ? product.getLhs() : product.getRhs();
  if (!factor)
    factor = getUniform(product.getLhs());
  if (!factor || stride.scalar || stride.constant != 1)
    return false;
  setStride(stride, factor);
  return addNumbers(numbers, dims, stride);
}

std::optional<ApartRange> PointerTerms::findRange(int64_t distance) const {
  if (!isKnown)
    return std::nullopt;
  SmallVector<Term> constants;
  const Term *other = nullptr;
  for (const std::optional<Term> &term : terms) {
    if (!term || term->extent == 1)
      continue;
    if (term->scalar && other)
      return std::nullopt;
    if (term->scalar)
      other = &*term;
    else if (term->constant < -kMost || term->constant > kMost)
      return std::nullopt;
    else
      constants.push_back(*term);
  }
  llvm::sort(constants, [](const Term &a, const Term &b) {
    return std::abs(a.constant) < std::abs(b.constant);
  });
  // What smaller strides come to together is less than the next one.
  int64_t span = 0;
  for (const Term &term : constants) {
    int64_t stride = std::abs(term.constant);
    if (stride <= span || stride > kMost / term.extent)
      return std::nullopt;
    span += stride * (term.extent - 1);
  }
  distance = std::abs(distance);
  if (distance != 0 && distance <= span)
    return std::nullopt;
  int64_t rest =
      std::min(kMost, (int64_t(1) << (std::min(bits, 63u) - 1)) - 1) - span -
      distance;
  if (rest < 0)
    return std::nullopt;
  if (!other)
    return ApartRange();
  ApartRange range{other->scalar, span + distance + 1,
                   rest / (other->extent - 1)};
  return range.least <= range.most ? std::optional(range) : std::nullopt;
}

std::pair<Value, int64_t> tilewright::tile::getStart(Value pointers) {
  int64_t distance = 0;
  while (auto moved = pointers.getDefiningOp<AddPtrOp>()) {
    auto constant = dyn_cast_if_present<IntegerAttr>(
        dyn_cast_if_present<Attribute>(getUniform(moved.getOffset())));
    if (!constant || constant.getValue().getSignificantBits() > 40)
      break;
    distance += constant.getInt();
    pointers = moved.getPtr();
  }
  return {pointers, distance};
}

static std::optional<ApartRange>
findRangeOfBlocks(ViewOp view, const TouchedElements &block, ViewOp otherView,
                  const TouchedElements &other) {
  SmallVector<OpFoldResult> strides = view.getMixedStrides();
  auto [start, distance] = getStart(view.getBase());
  auto [otherStart, otherDistance] = getStart(otherView.getBase());
  if (start != otherStart || block.indices != other.indices ||
      block.extents != other.extents ||
      strides.size() != block.extents.size() ||
      strides != otherView.getMixedStrides())
    return std::nullopt;
  return PointerTerms(strides, block.extents)
      .findRange(distance - otherDistance);
}

std::optional<ApartRange>
tilewright::tile::findApartRange(const TouchedElements &elements,
                                 const TouchedElements &others) {
  auto view = elements.base.getDefiningOp<ViewOp>();
  auto otherView = others.base.getDefiningOp<ViewOp>();
  if (view && otherView)
    return findRangeOfBlocks(view, elements, otherView, others);
  auto [start, distance] = getStart(elements.base);
  auto [otherStart, otherDistance] = getStart(others.base);
  if (!isTile(start) || start != otherStart)
    return std::nullopt;
  return PointerTerms(start).findRange(distance - otherDistance);
}
