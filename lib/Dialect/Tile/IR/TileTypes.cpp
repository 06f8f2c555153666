//===- TileTypes.cpp - Pointer, view, shared tile, channel ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilewright/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

static LogicalResult
verifyElementType(function_ref<InFlightDiagnostic()> emitError, Type type) {
  if (isMemoryElementType(type))
    return success();
  return emitError() << "memory holds integers of 8, 16, 32 or 64 bits and "
                        "floats of 8 to 64 bits, not "
                     << type;
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  return verifyElementType(emitError, elementType);
}

//===----------------------------------------------------------------------===//
// ViewType
//===----------------------------------------------------------------------===//

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides) {
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  if (shape.empty())
    return emitError() << "a view has at least one dimension";
  if (strides.size() != shape.size())
    return emitError() << "a view of rank " << shape.size() << " has "
                       << shape.size() << " strides, not " << strides.size();
  auto isNegative = [](int64_t value) {
    return !ShapedType::isDynamic(value) && value < 0;
  };
  if (llvm::any_of(shape, isNegative) || llvm::any_of(strides, isNegative))
    return emitError() << "extents and strides of a view are not negative";
  return success();
}

std::optional<unsigned> ViewType::getContiguousDim() const {
  const int64_t *unit = llvm::find(getStrides(), 1);
  if (unit == getStrides().end())
    return std::nullopt;
  return unit - getStrides().begin();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  auto parseStride = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  };
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseStride) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape,
                                     elementType, strides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", [";
  llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
    if (ShapedType::isDynamic(stride))
      printer << "?";
    else
      printer << stride;
  });
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// SharedType
//===----------------------------------------------------------------------===//

/// Shared addresses have 32 bits, and sums of sizes must not overflow. What a
/// GPU has is far less, and known to tile-allocate-shared.
static constexpr int64_t kMaxSharedBytes = int64_t(1) << 31;

/// Each stage begins where the widest access may.
static int64_t alignStage(int64_t bytes) {
  return static_cast<int64_t>(llvm::alignTo(bytes, 16));
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 SharedLayoutAttr layout, int64_t every) {
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  if (shape.empty())
    return emitError() << "a shared tile has at least one dimension";
  ArrayRef<int64_t> tileShape = shape;
  if (layout) {
    if (layout.getShape() != shape && layout.getShape() != shape.drop_front())
      return emitError() << "the layout is that of another shape";
    tileShape = layout.getShape();
  } else if (shape.size() > 1) {
    tileShape = shape.drop_front(); // A leading dimension may count stages.
  }
  for (int64_t extent : tileShape)
    if (extent <= 0 || !llvm::isPowerOf2_64(extent))
      return emitError() << "the extents of a tile are powers of two, not "
                         << extent;
  if (shape.front() <= 0)
    return emitError() << "a shared tile has at least one stage";
  int64_t bytes = getElementBytes(elementType);
  if (layout)
    bytes = alignStage(layout.getLayout().sizeInElements() * bytes);
  if (every != 0) {
    if (!layout || every % 16 != 0 || every < bytes)
      return emitError() << "stages that begin every " << every
                         << " bytes need a layout, and a multiple of 16 bytes "
                            "with room for a stage";
    bytes = every;
  }
  ArrayRef<int64_t> repeats =
      layout ? shape.drop_back(tileShape.size()) : shape;
  bool isTooLarge = false;
  for (int64_t extent : repeats)
    isTooLarge = isTooLarge || llvm::MulOverflow(bytes, extent, bytes);
  if (isTooLarge || bytes >= kMaxSharedBytes)
    return emitError() << "a shared tile takes less than 2^31 bytes";
  return success();
}

int64_t SharedType::getNumStages() const {
  SharedLayoutAttr layout = getLayout();
  return layout && layout.getShape().size() < getShape().size()
             ? getShape().front()
             : 1;
}

int64_t SharedType::getStageBytes() const {
  return alignStage(getLayout().getLayout().sizeInElements() *
                    getElementBytes(getElementType()));
}

std::optional<tilewright::TensorBoxes> SharedType::getTensorBoxes() const {
  if (!getLayout())
    return std::nullopt;
  return TensorBoxes::of(getLayout().getLayout(),
                         getElementBytes(getElementType()));
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SharedLayoutAttr layout;
  int64_t every = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("every") || parser.parseInteger(every)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(loc, parser.getContext(), shape,
                                       elementType, layout, every);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  if (getEvery())
    printer << ", every " << getEvery();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// ChannelType
//===----------------------------------------------------------------------===//

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t numStages) {
  if (KernelOp::isLegalNumStages(numStages))
    return success();
  return emitError() << "the stages of a channel are 1 to "
                     << KernelOp::kMaxNumStages << ", not " << numStages;
}
