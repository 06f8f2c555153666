//===- TileAttrs.cpp - Layout attributes ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "tilewright/Layout/Algebra/OffsetBits.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Pieces that both layouts are written with
//===----------------------------------------------------------------------===//

/// A library error becomes a diagnostic at the attribute.
template <typename T>
static FailureOr<T> orEmit(AsmParser &parser, SMLoc loc,
                           llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  return parser.emitError(loc, llvm::toString(value.takeError())), failure();
}

static ParseResult parseIntegerList(AsmParser &parser,
                                    SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// `[[0, 1], [2, 0]]`: the images of the bits of one input.
static ParseResult parseBases(AsmParser &parser,
                              std::vector<LinearLayout::Point> &bases) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    LinearLayout::Point &point = bases.emplace_back();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(point.emplace_back());
    });
  });
}

static void printBases(AsmPrinter &printer,
                       ArrayRef<LinearLayout::Point> bases) {
  printer << "[";
  llvm::interleaveComma(bases, printer, [&](const LinearLayout::Point &point) {
    printer << "[";
    llvm::interleaveComma(point, printer);
    printer << "]";
  });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// RegisterLayoutAttr
//===----------------------------------------------------------------------===//

/// The most bits of each input: 32 lanes are the hardware's, 32 warps are the
/// most a block can have, and 16 blocks a program.
static std::optional<unsigned> getMaxBits(StringRef input) {
  return llvm::StringSwitch<std::optional<unsigned>>(input)
      .Case("register", llvm::ConstantLog2<kMaxElementsPerThread>())
      .Case("lane", 5)
      .Case("warp", llvm::ConstantLog2<KernelOp::kMaxWarpsPerBlock *
                                       KernelOp::kMaxClusterBlocks>())
      .Default(std::nullopt);
}

LogicalResult RegisterLayoutAttr::verify(
    function_ref<InFlightDiagnostic()> emitError,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): ODS declares it.
    LinearLayout layout) {
  if (layout.rank() == 0)
    return emitError() << "a layout has at least one dimension";
  for (const LinearLayout::Input &input : layout.inputs()) {
    std::optional<unsigned> maxBits = getMaxBits(input.name);
    if (!maxBits)
      return emitError() << "a register layout has the inputs register, lane "
                            "and warp, not '"
                         << input.name << "'";
    if (input.bases.size() > *maxBits)
      return emitError() << "at most " << (1 << *maxBits) << " values of '"
                         << input.name
                         << "' fit a register layout, this one has "
                         << (int64_t(1) << input.bases.size());
  }
  if (!layout.isSurjective())
    return emitError() << "no thread holds some elements of the tile";
  return success();
}

int64_t RegisterLayoutAttr::getNumRegisters() const {
  return getLayout().inputSize("register");
}

int64_t RegisterLayoutAttr::getNumWarps() const {
  return getLayout().inputSize("warp");
}

LogicalResult RegisterLayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getShape() == shape)
    return success();
  InFlightDiagnostic error = emitError() << "the register layout is that of a ";
  llvm::interleave(getShape(), error, "x");
  error << " tile, not of a ";
  llvm::interleave(shape, error, "x");
  return error << " one";
}

/// register[1,4] lane*2 ...: reads on after the first keyword.
static FailureOr<LinearLayout> parseFactors(AsmParser &parser, SMLoc loc,
                                            StringRef keyword) {
  SmallVector<LayoutFactor> factors;
  std::optional<size_t> rank;
  do {
    LayoutFactor factor;
    factor.input = keyword.str();
    if (!getMaxBits(keyword))
      return parser.emitError(loc, "expected register, lane or warp, found '")
                 << keyword << "'",
             failure();
    if (succeeded(parser.parseOptionalStar())) {
      if (parser.parseInteger(factor.copies))
        return failure();
    } else {
      SmallVector<int64_t> extents;
      if (parseIntegerList(parser, extents))
        return failure();
      if (rank && *rank != extents.size())
        return parser.emitError(loc, "all blocks of a layout have one rank"),
               failure();
      rank = extents.size();
      factor.extents.assign(extents.begin(), extents.end());
    }
    factors.push_back(std::move(factor));
  } while (succeeded(parser.parseOptionalKeyword(&keyword)));
  if (!rank)
    return parser.emitError(loc, "a layout needs a block with extents, as in "
                                 "lane[1,32]"),
           failure();
  return orEmit(parser, loc, layoutFromFactors(factors, *rank));
}

/// 8x4, register = [[0, 1]], lane = [...]: reads on from the shape.
static FailureOr<LinearLayout> parseRegisterBases(AsmParser &parser,
                                                  SMLoc loc) {
  SmallVector<int64_t> shape;
  std::vector<LinearLayout::Input> inputs;
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    LinearLayout::Input &input = inputs.emplace_back();
    if (parser.parseKeywordOrString(&input.name) || parser.parseEqual() ||
        parseBases(parser, input.bases))
      return failure();
  }
  return orEmit(parser, loc, LinearLayout::create(std::move(inputs), shape));
}

Attribute RegisterLayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  bool isProduct = succeeded(parser.parseOptionalKeyword(&keyword));
  FailureOr<LinearLayout> layout = isProduct
                                       ? parseFactors(parser, loc, keyword)
                                       : parseRegisterBases(parser, loc);
  if (failed(layout) || parser.parseGreater())
    return {};
  return parser.getChecked<RegisterLayoutAttr>(loc, parser.getContext(),
                                               *layout);
}

static void printFactor(AsmPrinter &printer, const LayoutFactor &factor) {
  printer << factor.input;
  if (factor.extents.empty()) {
    printer << "*" << factor.copies;
    return;
  }
  printer << "[";
  llvm::interleave(factor.extents, printer, ",");
  printer << "]";
}

void RegisterLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto factors = layoutToFactors(getLayout())) {
    // A tile of one element has no block to show its rank: one of ones does.
    bool showsRank = llvm::any_of(*factors, [](const LayoutFactor &factor) {
      return !factor.extents.empty();
    });
    if (!showsRank)
      factors->insert(factors->begin(),
                      {"register", SmallVector<int64_t, 4>(getShape()), 1});
    llvm::interleave(
        *factors, printer,
        [&](const LayoutFactor &factor) { printFactor(printer, factor); }, " ");
  } else {
    printer.printDimensionList(getShape());
    for (const LinearLayout::Input &input : getLayout().inputs()) {
      printer << ", " << input.name << " = ";
      printBases(printer, input.bases);
    }
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// SharedLayoutAttr
//===----------------------------------------------------------------------===//

LogicalResult SharedLayoutAttr::verify(
    function_ref<InFlightDiagnostic()> emitError,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): ODS declares it.
    SharedLayout layout) {
  // All else is checked when a SharedLayout is made.
  if (layout.shape().empty())
    return emitError() << "a layout has at least one dimension";
  return success();
}

namespace {
/// The clauses of a shared layout after its shape, as they are written.
struct SharedLayoutClauses {
  SmallVector<int64_t> shape;
  std::optional<SmallVector<int64_t>> order;
  std::optional<SmallVector<int64_t>> swizzle;
  std::optional<std::vector<LinearLayout::Point>> bases;
  std::optional<std::vector<std::string>> bits;
  int64_t padAmount = 0, padInterval = 0;
  llvm::StringSet<> seen;
};
} // namespace

/// [c0, c1..4+r0..3, ...], as the strings between the commas.
static ParseResult parseSums(AsmParser &parser,
                             std::vector<std::string> &sums) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    std::string &sum = sums.emplace_back();
    do {
      StringRef term;
      if (parser.parseKeyword(&term))
        return failure();
      sum += (sum.empty() ? "" : "+") + term.str();
    } while (succeeded(parser.parseOptionalPlus()));
    return success();
  });
}

static ParseResult parseClause(AsmParser &parser,
                               SharedLayoutClauses &clauses) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  if (!clauses.seen.insert(keyword).second)
    return parser.emitError(loc, "'") << keyword << "' is written twice";
  if (keyword == "order")
    return parseIntegerList(parser, clauses.order.emplace());
  if (keyword == "swizzle") {
    clauses.swizzle.emplace();
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::LessGreater,
        [&] { return parser.parseInteger(clauses.swizzle->emplace_back()); });
  }
  if (keyword == "bits")
    return parseSums(parser, clauses.bits.emplace());
  if (keyword == "offset")
    return failure(parser.parseEqual() ||
                   parseBases(parser, clauses.bases.emplace()));
  if (keyword == "pad")
    return failure(parser.parseInteger(clauses.padAmount) ||
                   parser.parseKeyword("every") ||
                   parser.parseInteger(clauses.padInterval));
  return parser.emitError(loc, "expected order, swizzle, bits, offset or pad, "
                               "found '")
         << keyword << "'";
}

/// The linear part of a layout written with order and swizzle.
static llvm::Expected<LinearLayout>
buildOrdered(const SharedLayoutClauses &clauses) {
  // Checks the extents.
  auto checked = LinearLayout::create({}, clauses.shape);
  if (!checked)
    return checked.takeError();
  if (checked->numElements() > (int64_t(1) << 31))
    return llvm::createStringError("a shared tile has at most 2^31 elements");
  SmallVector<int64_t> rowMajor(
      llvm::reverse(llvm::seq<int64_t>(0, clauses.shape.size())));
  SmallVector<int64_t> order = clauses.order.value_or(rowMajor);
  if (order.size() != clauses.shape.size() || !isPermutationVector(order))
    return llvm::createStringError(
        "order lists each dimension once, the fastest first");
  SharedLayout layout = SharedLayout::ordered(clauses.shape, order);
  if (!clauses.swizzle)
    return layout.linear();
  unsigned bits = llvm::Log2_64(layout.numElements());
  ArrayRef<int64_t> swizzle = *clauses.swizzle;
  if (swizzle.size() != 3 || llvm::any_of(swizzle, [&](int64_t value) {
        return value < 0 || value > bits;
      }))
    return llvm::createStringError("swizzle<bits, base, shift> has three "
                                   "numbers from 0 to the bits of an offset");
  if (swizzle[2] < 1 || swizzle[0] + swizzle[1] + swizzle[2] > bits)
    return llvm::createStringError(
        "a swizzle of " + llvm::Twine(swizzle[0]) + " bits from bit " +
        llvm::Twine(swizzle[1]) + " shifted by " + llvm::Twine(swizzle[2]) +
        " leaves the " + llvm::Twine(bits) + " bits of an offset");
  return layout.withSwizzle(swizzle[0], swizzle[1], swizzle[2]).linear();
}

static llvm::Expected<LinearLayout>
buildMap(const SharedLayoutClauses &clauses) {
  bool isWhole = clauses.bases || clauses.bits;
  if ((isWhole && (clauses.order || clauses.swizzle)) ||
      (clauses.bases && clauses.bits))
    return llvm::createStringError(
        "bits or offset is the whole map: one of them stands alone, without "
        "order and swizzle");
  if (clauses.bits)
    return parseOffsetBits(*clauses.bits, clauses.shape);
  if (clauses.bases)
    return LinearLayout::create({{"offset", *clauses.bases}}, clauses.shape);
  return buildOrdered(clauses);
}

static llvm::Expected<SharedLayout> build(const SharedLayoutClauses &clauses) {
  llvm::Expected<LinearLayout> map = buildMap(clauses);
  if (!map)
    return map.takeError();
  return SharedLayout::create(std::move(*map), clauses.padInterval,
                              clauses.padAmount);
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SharedLayoutClauses clauses;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(clauses.shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseClause(parser, clauses))
      return {};
  FailureOr<SharedLayout> layout = orEmit(parser, loc, build(clauses));
  if (failed(layout) || parser.parseGreater())
    return {};
  return parser.getChecked<SharedLayoutAttr>(loc, parser.getContext(), *layout);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  for (const std::string &clause : getLayout().clauses())
    printer << ", " << clause;
  printer << ">";
}
