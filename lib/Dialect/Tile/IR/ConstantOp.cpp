//===- ConstantOp.cpp - tile.constant -------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// What stands before the colon: the type comes after it.
struct Literal {
  SMLoc loc;
  bool isNegative = false;
  bool isHex = false;
  StringRef word; ///< inf, nan or empty
  std::optional<APInt> integer;
  APFloat real = APFloat(0.0);
};
} // namespace

static ParseResult parseLiteral(OpAsmParser &parser, Literal &literal) {
  literal.loc = parser.getCurrentLocation();
  literal.isNegative = succeeded(parser.parseOptionalMinus());
  if (succeeded(parser.parseOptionalKeyword(&literal.word, {"inf", "nan"})))
    return success();
  StringRef digits(parser.getCurrentLocation().getPointer(), 2);
  literal.isHex = digits == "0x";
  APInt integer;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (!isInteger.has_value())
    return parser.parseFloat(APFloat::IEEEdouble(), literal.real);
  // One bit more: the sign of what is read may be meant as a digit.
  literal.integer = integer.sext(integer.getBitWidth() + 2);
  return *isInteger;
}

/// The literal in a type of integers, of `bits` bits.
static FailureOr<Attribute> makeInteger(OpAsmParser &parser,
                                        const Literal &literal, Type type) {
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  if (!literal.integer)
    return parser.emitError(literal.loc, "a constant of type ")
           << type << " is an integer";
  APInt value = literal.isNegative ? -*literal.integer : *literal.integer;
  bool fits =
      value.isNegative() ? value.isSignedIntN(bits) : value.isIntN(bits);
  if (!fits) {
    SmallString<32> text;
    value.toStringSigned(text);
    return parser.emitError(literal.loc) << text << " does not fit " << type;
  }
  return Attribute(IntegerAttr::get(type, value.sextOrTrunc(bits)));
}

static FailureOr<Attribute> makeFloat(OpAsmParser &parser,
                                      const Literal &literal, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (literal.word == "nan" && APFloat::semanticsHasNaN(semantics))
    return Attribute(FloatAttr::get(type, APFloat::getQNaN(semantics)));
  if (literal.word == "inf" && APFloat::semanticsHasInf(semantics))
    return Attribute(
        FloatAttr::get(type, APFloat::getInf(semantics, literal.isNegative)));
  if (!literal.word.empty())
    return parser.emitError(literal.loc) << type << " has no " << literal.word;
  // They would be bits in arith.constant, and here the number they are.
  if (literal.isHex)
    return parser.emitError(literal.loc, "a constant of type ")
           << type << " is written with decimal digits; arith.constant takes "
           << "the bits of a float";
  bool losesInfo = false;
  APFloat value = literal.real;
  if (literal.integer)
    value.convertFromAPInt(*literal.integer, /*IsSigned=*/true,
                           APFloat::rmNearestTiesToEven);
  APFloat::opStatus status =
      value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (literal.isNegative)
    value.changeSign();
  if ((status & APFloat::opOverflow) || !value.isFinite())
    return parser.emitError(literal.loc, "the number is too large for ")
           << type << "; inf is infinity";
  return Attribute(FloatAttr::get(type, value));
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  Literal literal;
  Type type;
  SMLoc typeLoc;
  if (parseLiteral(parser, literal) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type))
    return failure();
  Type element = getElementTypeOrSelf(type);
  bool isInteger = element.isSignlessInteger() || element.isIndex();
  bool isTile = isTileType(type);
  if ((type != element && !isTile) || !(isInteger || isa<FloatType>(element)))
    return parser.emitError(typeLoc, "a constant is an integer, an index, a "
                                     "float or a tile of such, not ")
           << type;
  FailureOr<Attribute> value =
      isInteger ? makeInteger(parser, literal, element)
                : makeFloat(parser, literal, cast<FloatType>(element));
  if (failed(value))
    return failure();
  if (isTile)
    value = DenseElementsAttr::get(cast<ShapedType>(type), *value);
  result.addAttribute(getValueAttrName(result.name), *value);
  result.addTypes(type);
  return success();
}

static void printFloat(OpAsmPrinter &printer, const APFloat &value) {
  if (value.isNaN()) {
    printer << "nan";
  } else if (value.isInfinity()) {
    printer << (value.isNegative() ? "-inf" : "inf");
  } else {
    SmallString<32> text;
    value.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/0,
                   /*TruncateZero=*/false);
    printer << text;
  }
}

void ConstantOp::print(OpAsmPrinter &printer) {
  Attribute value = getValue();
  if (auto tile = dyn_cast<SplatElementsAttr>(value))
    value = tile.getSplatValue<Attribute>();
  printer << ' ';
  if (auto number = dyn_cast<FloatAttr>(value))
    printFloat(printer, number.getValue());
  else if (getElementTypeOrSelf(getType()).isInteger(1))
    printer << cast<IntegerAttr>(value).getValue().getZExtValue();
  else
    printer << cast<IntegerAttr>(value).getValue();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                getValueAttrName().strref());
  printer << " : " << getType();
}

LogicalResult ConstantOp::verify() {
  if (isa<IntegerAttr, FloatAttr, SplatElementsAttr>(getValue()))
    return success();
  return emitOpError("holds one number everywhere; load a table from memory "
                     "instead");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
