//===- LinearLayout.cpp - Layouts as linear maps over bits ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace llvm;
using namespace tilewright;

static constexpr unsigned maxBits = 62;
static constexpr unsigned maxBitsOfOne = 31;

static Error checkShape(ArrayRef<int64_t> shape) {
  unsigned bits = 0;
  for (auto [dim, extent] : enumerate(shape)) {
    if (extent <= 0 || !isPowerOf2_64(extent))
      return createStringError("extent " + Twine(extent) + " of dimension " +
                               Twine(dim) + " is not a power of two");
    if (Log2_64(extent) > maxBitsOfOne)
      return createStringError("extent " + Twine(extent) + " of dimension " +
                               Twine(dim) + " is larger than 2^31");
    bits += Log2_64(extent);
  }
  if (bits > maxBits)
    return createStringError("a tile of 2^" + Twine(bits) +
                             " elements is larger than 2^62");
  return Error::success();
}

static Error checkInput(const LinearLayout::Input &input,
                        ArrayRef<int64_t> shape) {
  if (input.name.empty())
    return createStringError("an input of a layout has no name");
  if (input.bases.size() > maxBitsOfOne)
    return createStringError("input '" + input.name + "' has " +
                             Twine(input.bases.size()) +
                             " bits; at most 31 are possible");
  for (auto [bit, basis] : enumerate(input.bases)) {
    std::string where =
        ("basis of bit " + Twine(bit) + " of input '" + input.name + "'").str();
    if (basis.size() != shape.size())
      return createStringError(where + " has " + Twine(basis.size()) +
                               " coordinates, but the tile has " +
                               Twine(shape.size()) + " dimensions");
    for (auto [dim, coordinate] : enumerate(basis))
      if (coordinate < 0 || coordinate >= shape[dim])
        return createStringError(where + ": coordinate " + Twine(coordinate) +
                                 " of dimension " + Twine(dim) +
                                 " is outside 0.." + Twine(shape[dim] - 1));
  }
  return Error::success();
}

Expected<LinearLayout> LinearLayout::create(std::vector<Input> inputs,
                                            ArrayRef<int64_t> shape) {
  if (Error error = checkShape(shape))
    return error;
  size_t bits = 0;
  for (auto [index, input] : enumerate(inputs)) {
    if (Error error = checkInput(input, shape))
      return error;
    for (const Input &earlier : ArrayRef(inputs).take_front(index))
      if (earlier.name == input.name)
        return createStringError("input '" + input.name + "' is given twice");
    bits += input.bases.size();
  }
  if (bits > maxBits)
    return createStringError("the inputs have " + Twine(bits) +
                             " bits; at most 62 are possible");
  return LinearLayout(std::move(inputs), shape);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int64_t LinearLayout::numElements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

const LinearLayout::Input *LinearLayout::find(StringRef name) const {
  const Input *found = llvm::find_if(
      inputs(), [&](const Input &input) { return input.name == name; });
  return found == inputs().end() ? nullptr : found;
}

ArrayRef<LinearLayout::Point> LinearLayout::bases(StringRef input) const {
  const Input *found = find(input);
  return found ? ArrayRef(found->bases) : ArrayRef<Point>();
}

LinearLayout::Point
LinearLayout::apply(ArrayRef<std::pair<StringRef, int64_t>> values) const {
  Point point(rank(), 0);
  for (auto [name, value] : values)
    for (auto [bit, basis] : enumerate(bases(name)))
      if (value >> bit & 1)
        for (unsigned dim = 0; dim < rank(); ++dim)
          point[dim] ^= basis[dim];
  return point;
}

SmallVector<unsigned, 4> LinearLayout::canonicalOrder() const {
  SmallVector<unsigned, 4> order;
  auto append = [&](auto isWanted) {
    for (auto [index, input] : enumerate(namedInputs))
      if (isWanted(input.name))
        order.push_back(index);
  };
  static constexpr StringLiteral first[] = {"register", "lane", "warp"};
  for (StringRef name : first)
    append([&](StringRef candidate) { return candidate == name; });
  append([](StringRef candidate) { return !is_contained(first, candidate); });
  return order;
}

uint64_t LinearLayout::flatten(ArrayRef<int32_t> point) const {
  uint64_t position = 0;
  for (auto [coordinate, extent] : zip_equal(point, extents))
    position = position * extent + coordinate;
  return position;
}

LinearLayout::Point LinearLayout::unflatten(uint64_t position,
                                            ArrayRef<int64_t> shape) {
  Point point(shape.size(), 0);
  for (unsigned dim = shape.size(); dim-- > 0;) {
    point[dim] = static_cast<int32_t>(position % shape[dim]);
    position /= shape[dim];
  }
  return point;
}

unsigned LinearLayout::countBases() const {
  unsigned count = 0;
  for (const Input &input : namedInputs)
    count += input.bases.size();
  return count;
}

unsigned LinearLayout::countIndependentBases() const {
  F2Span span;
  for (const Input &input : namedInputs)
    for (const Point &basis : input.bases)
      span.insert(flatten(basis));
  return span.rank();
}

bool LinearLayout::isSurjective() const {
  return countIndependentBases() == Log2_64(numElements());
}

bool LinearLayout::isInjective() const {
  return countIndependentBases() == countBases();
}

int64_t LinearLayout::zeroBasisMask(StringRef input) const {
  F2Span span;
  for (unsigned index : canonicalOrder()) {
    int64_t mask = 0;
    for (auto [bit, basis] : enumerate(namedInputs[index].bases))
      if (!span.insert(flatten(basis)))
        mask |= int64_t(1) << bit;
    if (namedInputs[index].name == input)
      return mask;
  }
  return 0;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  if (extents != other.extents)
    return false;
  auto holdsAllOf = [](const LinearLayout &a, const LinearLayout &b) {
    return all_of(b.inputs(), [&](const Input &input) {
      return a.bases(input.name) == ArrayRef(input.bases);
    });
  };
  return holdsAllOf(*this, other) && holdsAllOf(other, *this);
}

std::string LinearLayout::toString() const {
  std::string text;
  raw_string_ostream os(text);
  for (const Input &input : namedInputs) {
    os << input.name << ":[";
    interleave(
        input.bases, os,
        [&](const Point &basis) {
          os << '(';
          interleave(basis, os, ",");
          os << ')';
        },
        ",");
    os << "] ";
  }
  os << "-> ";
  if (extents.empty())
    os << "scalar";
  interleave(extents, os, "x");
  return text;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename Map>
LinearLayout LinearLayout::mapBases(ArrayRef<int64_t> newShape, Map map) const {
  std::vector<Input> mapped = namedInputs;
  for (Input &input : mapped)
    for (Point &basis : input.bases)
      basis = map(basis);
  return LinearLayout(std::move(mapped), newShape);
}

LinearLayout LinearLayout::invert() const {
  // Vector number n of the span is bit `bit` of input `input`.
  struct InputBit {
    unsigned input, bit;
  };
  F2Span span;
  SmallVector<InputBit, 16> inserted;
  for (unsigned index : canonicalOrder())
    for (auto [bit, basis] : enumerate(namedInputs[index].bases)) {
      span.insert(flatten(basis));
      inserted.push_back({index, static_cast<unsigned>(bit)});
    }

  SmallVector<int64_t, 4> sizes;
  for (const Input &input : namedInputs)
    sizes.push_back(int64_t(1) << input.bases.size());

  std::vector<Input> inverse;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    Input &coordinate = inverse.emplace_back();
    coordinate.name = ("dim" + Twine(dim)).str();
    for (unsigned bit = 0; bit < Log2_64(extents[dim]); ++bit) {
      Point unit(rank(), 0);
      unit[dim] = static_cast<int32_t>(uint32_t(1) << bit);
      uint64_t sum = span.solve(flatten(unit)).value_or(0);
      Point &basis = coordinate.bases.emplace_back(namedInputs.size(), 0);
      for (auto [number, at] : enumerate(inserted))
        if (sum >> number & 1)
          basis[at.input] |= int32_t(1) << at.bit;
    }
  }
  return LinearLayout(std::move(inverse), sizes);
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outer.namedInputs.size() == rank() &&
         "the outer layout has one input for each dimension of the inner one");
  return mapBases(outer.extents, [&](const Point &basis) {
    Point image(outer.rank(), 0);
    for (auto [coordinate, input] : zip_equal(basis, outer.namedInputs))
      for (auto [bit, outerBasis] : enumerate(input.bases))
        if (coordinate >> bit & 1)
          for (unsigned dim = 0; dim < outer.rank(); ++dim)
            image[dim] ^= outerBasis[dim];
    return image;
  });
}

LinearLayout LinearLayout::transpose(ArrayRef<int64_t> permutation) const {
  assert(permutation.size() == rank() && "one entry a dimension");
  auto permute = [&](const auto &vector) {
    auto permuted = vector;
    for (auto [to, from] : enumerate(permutation))
      permuted[to] = vector[from];
    return permuted;
  };
  return mapBases(permute(extents), permute);
}

Expected<LinearLayout> LinearLayout::reshape(ArrayRef<int64_t> newShape) const {
  if (Error error = checkShape(newShape))
    return error;
  int64_t newCount = LinearLayout({}, newShape).numElements();
  if (newCount != numElements())
    return createStringError("a tile of " + Twine(numElements()) +
                             " elements cannot become one of " +
                             Twine(newCount));
  return mapBases(newShape, [&](const Point &basis) {
    return unflatten(flatten(basis), newShape);
  });
}

LinearLayout LinearLayout::insertUnitDim(unsigned axis) const {
  assert(axis <= rank() && "axis out of range");
  SmallVector<int64_t, 4> newShape = extents;
  newShape.insert(newShape.begin() + axis, 1);
  return mapBases(newShape, [&](Point basis) {
    basis.insert(basis.begin() + axis, 0);
    return basis;
  });
}

LinearLayout LinearLayout::dropDim(unsigned axis) const {
  assert(axis < rank() && "axis out of range");
  SmallVector<int64_t, 4> newShape = extents;
  newShape.erase(newShape.begin() + axis);
  return mapBases(newShape, [&](Point basis) {
    basis.erase(basis.begin() + axis);
    return basis;
  });
}

LinearLayout LinearLayout::collapseDim(unsigned axis) const {
  return dropDim(axis).insertUnitDim(axis);
}

LinearLayout LinearLayout::removeZeroBases(StringRef input) const {
  uint64_t redundant = zeroBasisMask(input);
  LinearLayout result = *this;
  for (Input &candidate : result.namedInputs) {
    if (candidate.name != input)
      continue;
    std::vector<Point> kept;
    for (auto [bit, basis] : enumerate(candidate.bases))
      if (!(redundant >> bit & 1))
        kept.push_back(std::move(basis));
    candidate.bases = std::move(kept);
  }
  return result;
}
