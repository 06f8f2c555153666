//===- Combiner.cpp - What a region combines to ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// One element of each tile that is reduced.
using Element = SmallVector<Attribute>;

namespace {
/// The region of a reduction, run on constants by the folders of its ops.
class Combiner {
public:
  // A copy: folders may change an op in place.
  explicit Combiner(CombineOpInterface op)
      : clone(op->clone()),
        body(cast<CombineOpInterface>(*clone).getCombineRegion().front()) {}

  /// None where an op does not fold.
  std::optional<Element> combine(const Element &left, const Element &right) {
    DenseMap<Value, Attribute> values;
    for (auto [argument, value] : llvm::zip_equal(
             body.getArguments(), llvm::concat<const Attribute>(left, right)))
      values[argument] = value;
    for (Operation &op : body.without_terminator())
      if (!evaluate(op, values))
        return std::nullopt;
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return values.lookup(value); });
  }

private:
  static bool evaluate(Operation &op, DenseMap<Value, Attribute> &values) {
    // A folder that changes the op, say the order of its operands, has no
    // result yet.
    constexpr int maxChanges = 4;
    SmallVector<OpFoldResult> results;
    for (int change = 0; results.empty(); ++change) {
      SmallVector<Attribute> operands = llvm::map_to_vector(
          op.getOperands(), [&](Value value) { return values.lookup(value); });
      if (change == maxChanges || failed(op.fold(operands, results)))
        return false;
    }
    for (auto [result, folded] : llvm::zip_equal(op.getResults(), results)) {
      auto value = dyn_cast<Value>(folded);
      Attribute number = value ? values.lookup(value) : cast<Attribute>(folded);
      if (!isa_and_nonnull<IntegerAttr, FloatAttr>(number))
        return false;
      values[result] = number;
    }
    return true;
  }

  OwningOpRef<Operation *> clone;
  Block &body;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers to try
//===----------------------------------------------------------------------===//

/// Small, so that sums and products are exact in every type that has room.
static Attribute makeNumber(Type type, int64_t number) {
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, static_cast<double>(number));
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(
      type, APInt(64, number, /*isSigned=*/true).sextOrTrunc(bits));
}

/// Three elements; a number of one is no number of another, where the type has
/// as many. Of several tiles, each has numbers of its own.
static std::array<Element, 3> makeElements(TypeRange types,
                                           std::array<int64_t, 3> numbers) {
  constexpr int64_t step = 3;
  std::array<Element, 3> elements;
  for (auto [number, element] : llvm::zip_equal(numbers, elements)) {
    int64_t next = number;
    for (Type type : types) {
      element.push_back(makeNumber(type, next));
      next += next < 0 ? -step : step;
    }
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Equal, up to what a few roundings may change.
static bool isClose(Attribute left, Attribute right) {
  auto real = dyn_cast<FloatAttr>(left);
  if (!real)
    return left == right;
  const APFloat &x = real.getValue(), &y = cast<FloatAttr>(right).getValue();
  if (!x.isFinite() || !y.isFinite())
    return true; // The numbers were not small enough for this region.
  double a = real.getValueAsDouble();
  double b = cast<FloatAttr>(right).getValueAsDouble();
  int bits = APFloat::semanticsPrecision(x.getSemantics());
  return std::abs(a - b) <=
         std::ldexp(std::max(std::abs(a), std::abs(b)), -bits / 2);
}

static bool isClose(const Element &left, const Element &right) {
  return llvm::all_of(llvm::zip_equal(left, right), [](auto pair) {
    return isClose(std::get<0>(pair), std::get<1>(pair));
  });
}

static void print(llvm::raw_ostream &os, Attribute number) {
  SmallString<32> text;
  if (auto real = dyn_cast<FloatAttr>(number))
    real.getValue().toString(text, /*FormatPrecision=*/6);
  else if (auto integer = cast<IntegerAttr>(number))
    integer.getValue().toString(text, 10,
                                /*Signed=*/!integer.getType().isInteger(1));
  os << text;
}

static std::string describe(const Element &element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (element.size() > 1)
    os << "(";
  llvm::interleaveComma(element, os,
                        [&](Attribute number) { print(os, number); });
  if (element.size() > 1)
    os << ")";
  return text;
}

static std::string describeCall(const std::string &left,
                                const std::string &right) {
  return "combine(" + left + ", " + right + ")";
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Results that are an argument as it is: any element's will do.
static Element withoutTaken(CombineOpInterface op, Element element) {
  Block &body = op.getCombineRegion().front();
  for (auto [number, yielded] :
       llvm::zip_equal(element, body.getTerminator()->getOperands())) {
    auto argument = dyn_cast<BlockArgument>(yielded);
    size_t count = body.getNumArguments() / 2;
    size_t index = &number - element.data();
    if (argument && argument.getArgNumber() % count == index)
      number = makeNumber(yielded.getType(), 0);
  }
  return element;
}

/// Whether no number of one is a number of the other.
static bool isApart(const Element &left, const Element &right) {
  return llvm::none_of(llvm::zip_equal(left, right), [](auto pair) {
    return std::get<0>(pair) == std::get<1>(pair);
  });
}

static std::optional<std::string>
tryElements(CombineOpInterface op, Combiner &combiner, ArrayRef<Element> x) {
  auto differ = [&](const Element &left, const Element &right) {
    return !isClose(withoutTaken(op, left), withoutTaken(op, right));
  };
  auto report = [](const std::string &call, const Element &result,
                   const std::string &otherCall, const Element &otherResult) {
    return call + " is " + describe(result) + ", " + otherCall + " is " +
           describe(otherResult);
  };
  std::optional<Element> ab = combiner.combine(x[0], x[1]);
  std::optional<Element> ba = combiner.combine(x[1], x[0]);
  std::optional<Element> bc = combiner.combine(x[1], x[2]);
  if (!ab || !ba || !bc)
    return std::nullopt;
  std::string a = describe(x[0]), b = describe(x[1]), c = describe(x[2]);
  if (op.combinesInAnyOrder() && isApart(x[0], x[1]) && differ(*ab, *ba))
    return report(describeCall(a, b), *ab, describeCall(b, a), *ba);
  std::optional<Element> abThenC = combiner.combine(*ab, x[2]);
  std::optional<Element> aThenBc = combiner.combine(x[0], *bc);
  if (!abThenC || !aThenBc || !differ(*abThenC, *aThenBc))
    return std::nullopt;
  return report(describeCall(describeCall(a, b), c), *abThenC,
                describeCall(a, describeCall(b, c)), *aThenBc);
}

std::optional<std::string> tile::findOrderMatters(CombineOpInterface op) {
  // Negative numbers only alone: beside others they may be counts.
  SmallVector<std::array<int64_t, 3>> numbers = {
      {1, 2, 4}, {3, 1, 2}, {2, 4, 1}, {4, 3, 5}, {5, 2, 3}, {2, 3, 4}};
  // An element of each tile, then another of each.
  ArrayRef<BlockArgument> arguments =
      op.getCombineRegion().front().getArguments();
  SmallVector<Type> types = llvm::to_vector(
      ValueRange(arguments.take_front(arguments.size() / 2)).getTypes());
  if (types.size() == 1)
    llvm::append_range(
        numbers, ArrayRef<std::array<int64_t, 3>>{{1, -2, 4}, {-4, 3, -1}});
  Combiner combiner(op);
  for (std::array<int64_t, 3> three : numbers)
    if (auto fault = tryElements(op, combiner, makeElements(types, three)))
      return fault;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The extreme one of pairs
//===----------------------------------------------------------------------===//

/// Whether what the region yields hangs on nothing but how elements compare,
/// and places: none of one tile with one of the other.
static bool onlyCompares(Block &body) {
  std::array<llvm::SmallPtrSet<Value, 4>, 2> tiles;
  for (BlockArgument argument : body.getArguments())
    tiles[argument.getArgNumber() % 2].insert(argument);
  auto isTruth = [](Value value) { return value.getType().isInteger(1); };
  return llvm::all_of(body.without_terminator(), [&](Operation &op) {
    bool givesTruth = isTruth(op.getResult(0));
    if (givesTruth &&
        isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ConstantOp>(op))
      return true;
    if (!isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::MaxNumFOp,
             arith::MinNumFOp>(op))
      return false;
    auto *tile = llvm::find_if(tiles, [&](const auto &values) {
      return llvm::all_of(op.getOperands(), [&](Value operand) {
        return isTruth(operand) || values.contains(operand);
      });
    });
    if (tile == tiles.end())
      return false;
    if (!givesTruth)
      tile->insert(op.getResult(0));
    return true;
  });
}

/// For each way in which two elements compare a pair that does.
static SmallVector<Attribute> makeComparable(Type type) {
  SmallVector<Attribute> numbers = {makeNumber(type, 0), makeNumber(type, 1)};
  auto real = dyn_cast<FloatType>(type);
  // As integers without a sign, the least is the largest.
  numbers.push_back(
      real ? FloatAttr::get(type, APFloat::getNaN(real.getFloatSemantics()))
           : makeNumber(type, -1));
  return numbers;
}

static bool isLess(Attribute left, Attribute right, bool isSigned) {
  auto integer = dyn_cast<IntegerAttr>(left);
  if (!integer)
    return cast<FloatAttr>(left).getValue() < cast<FloatAttr>(right).getValue();
  const APInt &x = integer.getValue(), &y = cast<IntegerAttr>(right).getValue();
  return isSigned ? x.slt(y) : x.ult(y);
}

static bool isNan(Attribute number) {
  auto real = dyn_cast<FloatAttr>(number);
  return real && real.getValue().isNaN();
}

/// Whether `taken` may be the extreme one of two, of which NaN is none; of two
/// that are alike, that with the lesser place, or any of both in any order.
static bool isExtreme(const Element &left, const Element &right,
                      const Element &taken, const Element &swapped,
                      function_ref<bool(Attribute, Attribute)> isBehind) {
  bool less = isBehind(left[0], right[0]) || isNan(left[0]);
  bool more = isBehind(right[0], left[0]) || isNan(right[0]);
  if (less != more)
    return taken == (less ? right : left);
  auto place = [](const Element &element) {
    return cast<IntegerAttr>(element[1]).getInt();
  };
  bool isEither = taken == left || taken == right;
  int64_t first = std::min(place(left), place(right));
  return isEither && (less || place(taken) == first || place(swapped) == first);
}

Operation *tile::findCombiningOp(CombineOpInterface op) {
  Block &body = op.getCombineRegion().front();
  Operation *combine = body.getTerminator()->getOperand(0).getDefiningOp();
  bool takesBoth =
      combine &&
      llvm::all_of(combine->getOperands(), llvm::IsaPred<BlockArgument>) &&
      combine->getNumOperands() == 2 &&
      combine->getOperand(0) != combine->getOperand(1);
  return takesBoth ? combine : nullptr;
}

std::optional<arith::AtomicRMWKind>
tile::findExtremeOfPairs(CombineOpInterface op) {
  Block &body = op.getCombineRegion().front();
  if (body.getNumArguments() != 4 || !onlyCompares(body))
    return std::nullopt;
  Type type = body.getArgument(0).getType();
  Type places = body.getArgument(1).getType();
  if (!type.isIntOrFloat() || type.isInteger(1) || !places.isInteger() ||
      places.getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  // Which zero is taken says the op.
  if (isa<FloatType>(type) &&
      !isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(
          body.getTerminator()->getOperand(0).getDefiningOp()))
    return std::nullopt;
  Combiner combiner(op);
  auto isAlways = [&](function_ref<bool(Attribute, Attribute)> isBehind) {
    for (Attribute a : makeComparable(type))
      for (Attribute b : makeComparable(type))
        for (auto [p, q] : {std::pair(0, 1), {1, 0}, {0, 0}}) {
          Element left = {a, makeNumber(places, p)};
          Element right = {b, makeNumber(places, q)};
          auto taken = combiner.combine(left, right);
          auto swapped = combiner.combine(right, left);
          if (!taken || !swapped ||
              !isExtreme(left, right, *taken, *swapped, isBehind))
            return false;
        }
    return true;
  };
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type);
  for (bool isSigned : {true, false}) {
    auto isLeast = [&](Attribute x, Attribute y) {
      return isLess(x, y, isSigned);
    };
    if (isAlways(isLeast))
      return isFloat ? Kind::maxnumf : isSigned ? Kind::maxs : Kind::maxu;
    if (isAlways([&](Attribute x, Attribute y) { return isLeast(y, x); }))
      return isFloat ? Kind::minnumf : isSigned ? Kind::mins : Kind::minu;
  }
  return std::nullopt;
}
