//===- KernelOp.cpp - tile.kernel: syntax and checks ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Names of the arguments
//===----------------------------------------------------------------------===//

StringRef KernelOp::getArgName(unsigned index) {
  return cast<StringAttr>(getArgNames()[index]).getValue();
}

int64_t KernelOp::getArgDivisibility(unsigned index) {
  auto attr = getArgAttrOfType<IntegerAttr>(index, kDivisibilityAttr);
  return attr ? attr.getInt() : 1;
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(
           region.getArguments(), getArgNames().getAsValueRange<StringAttr>()))
    setName(argument, name);
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// The optional clauses, in the order they are printed.
static constexpr StringLiteral kClauses[] = {"shapes", "grid", "reference"};

static ParseResult parseClauses(OpAsmParser &parser, OperationState &result) {
  for (StringRef clause : kClauses) {
    if (failed(parser.parseOptionalKeyword(clause)))
      continue;
    ArrayAttr texts;
    if (parser.parseAttribute(texts, clause, result.attributes))
      return failure();
  }
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parseClauses(parser, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  // The names in the source are the names on the command line.
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments) {
    names.push_back(builder.getStringAttr(argument.ssaName.name.drop_front()));
    types.push_back(argument.type);
  }
  result.addAttribute(getArgNamesAttrName(result.name),
                      builder.getArrayAttr(names));
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(types, /*results=*/{})));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(
      getBody().getArguments(), printer, [&](BlockArgument argument) {
        DictionaryAttr attrs = getArgAttrDict(argument.getArgNumber());
        printer.printRegionArgument(
            argument, attrs ? attrs.getValue() : ArrayRef<NamedAttribute>());
      });
  printer << ')';
  for (StringRef clause : kClauses)
    if (Attribute texts = (*this)->getAttr(clause)) {
      printer.printNewline();
      printer << "    " << clause << ' ' << texts;
    }
  SmallVector<StringRef> elided = {
      getSymNameAttrName(), getFunctionTypeAttrName(), getArgNamesAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName()};
  elided.append(std::begin(kClauses), std::end(kClauses));
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyArguments(KernelOp kernel) {
  if (kernel.getArgNames().size() != kernel.getNumArguments())
    return kernel.emitOpError("has a name for each argument");
  llvm::StringSet<> names;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    StringRef name = kernel.getArgName(index);
    if (!names.insert(name).second)
      return kernel.emitOpError("has two arguments named '") << name << "'";
    if (name.empty() || llvm::isDigit(name.front()))
      return kernel.emitOpError("argument ")
             << index << " needs a name that begins with a letter, since the "
             << "command line uses it; '%" << name << "' is none";
    bool isArgument = isa<PtrType, IndexType>(type) ||
                      type.isSignlessInteger() || isa<FloatType>(type);
    if (!isArgument)
      return kernel.emitOpError("argument '")
             << name << "' is a pointer, an integer, an index or a float, not "
             << type;
    Attribute divisibility =
        kernel.getArgAttr(index, KernelOp::kDivisibilityAttr);
    auto value = dyn_cast_or_null<IntegerAttr>(divisibility);
    if (divisibility &&
        (!value || value.getInt() <= 0 || !llvm::isPowerOf2_64(value.getInt())))
      return kernel.emitOpError("the divisibility of '")
             << name << "' is a power of two, not " << divisibility;
  }
  return success();
}

/// The clauses parse, name only arguments, and fit one another.
static LogicalResult verifyClauses(KernelOp kernel) {
  if (!kernel.getShapes() && !kernel.getGrid() && !kernel.getReference())
    return success();
  FailureOr<spec::KernelDescription> description = describeKernel(kernel);
  if (failed(description))
    return kernel.emitOpError("has an argument of a type that a launch cannot "
                              "pass: integers have 1, 8, 16, 32 or 64 bits, "
                              "floats are f8E4M3FN, f8E5M2, f16, bf16, f32 or "
                              "f64");
  llvm::Expected<spec::KernelSpec> spec =
      spec::KernelSpec::create(*description);
  if (!spec)
    return kernel.emitOpError(llvm::toString(spec.takeError()));
  return success();
}

LogicalResult KernelOp::verify() {
  if (std::optional<int32_t> warps = getNumWarps())
    if (*warps < 1 || *warps > 32 || !llvm::isPowerOf2_32(*warps))
      return emitOpError("num_warps is a power of two from 1 to 32, not ")
             << *warps;
  if (!getResultTypes().empty())
    return emitOpError("returns nothing: results go to memory");
  if (failed(verifyArguments(*this)))
    return failure();
  return verifyClauses(*this);
}
