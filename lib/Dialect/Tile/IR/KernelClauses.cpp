//===- KernelClauses.cpp - The clauses of tile.kernel, as text ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelClauses.h"

#include "mlir/IR/Diagnostics.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

ClauseParser::Clause &ClauseParser::get(StringRef name) {
  return clauses[llvm::find(kClauses, name) - std::begin(kClauses)];
}

ParseResult ClauseParser::parseTexts(StringRef name, OperationState &result) {
  Clause &clause = get(name);
  auto fail = [&] {
    return emitError(parser.getEncodedSourceLoc(parser.getCurrentLocation()))
           << "'" << name << "' is a list of strings, such as " << name
           << (name == "grid"     ? " [\"ceildiv(n, 64)\"]"
               : name == "shapes" ? " [\"X[n]\"]"
                                  : " [\"Y[i] = X[i]\"]");
  };
  auto parseText = [&]() -> ParseResult {
    clause.locs.push_back(parser.getCurrentLocation());
    std::string &text = clause.texts.emplace_back();
    return succeeded(parser.parseOptionalString(&text)) ? success() : fail();
  };
  if (failed(parser.parseOptionalLSquare()))
    return fail();
  if (failed(parser.parseOptionalRSquare()) &&
      (parser.parseCommaSeparatedList(parseText) || parser.parseRSquare()))
    return failure();
  SmallVector<StringRef> texts(clause.texts.begin(), clause.texts.end());
  result.addAttribute(name, parser.getBuilder().getStrArrayAttr(texts));
  return success();
}

ParseResult ClauseParser::parse(OperationState &result) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&name, kClauses))) {
    if (result.attributes.get(name))
      return emitError(parser.getEncodedSourceLoc(loc), "the clause '")
             << name << "' is written twice";
    if (parseTexts(name, result))
      return failure();
    loc = parser.getCurrentLocation();
  }
  return success();
}

/// The place of the character in \p column of a string literal that begins at
/// \p literal, which the parser has read: escapes are of two or three
/// characters.
static SMLoc findColumn(SMLoc literal, unsigned column) {
  const char *at = literal.getPointer() + 1;
  for (; column > 1; --column) {
    if (*at != '\\')
      ++at;
    else
      at += StringRef("\"\\nt").contains(at[1]) ? 2 : 3;
  }
  return SMLoc::getFromPointer(at);
}

SMLoc ClauseParser::findPlace(const spec::SpecError &error, SMLoc kernelLoc,
                              ArrayRef<OpAsmParser::Argument> arguments) {
  StringRef name;
  switch (error.getField()) {
  case spec::SpecField::None:
    return kernelLoc;
  case spec::SpecField::Argument:
    return arguments[error.getOrdinal()].ssaName.location;
  case spec::SpecField::Shape:
    name = "shapes";
    break;
  case spec::SpecField::Grid:
    name = "grid";
    break;
  case spec::SpecField::Reference:
    name = "reference";
    break;
  }
  const Clause &clause = get(name);
  // The clause as a whole, or one that is not there.
  if (error.getColumn() == 0)
    return clause.locs.empty() ? kernelLoc : clause.locs.front();
  return findColumn(clause.locs[error.getOrdinal()], error.getColumn());
}

ParseResult ClauseParser::check(StringRef kernel, SMLoc kernelLoc,
                                ArrayRef<OpAsmParser::Argument> arguments) {
  bool hasClauses = llvm::any_of(
      clauses, [](const Clause &clause) { return !clause.locs.empty(); });
  if (!hasClauses)
    return success();
  spec::KernelDescription description;
  description.name = kernel.str();
  for (const OpAsmParser::Argument &argument : arguments) {
    std::optional<spec::Argument> described =
        describeArgument(argument.ssaName.name.drop_front(), argument.type);
    if (!described)
      return success();
    description.arguments.push_back(std::move(*described));
  }
  description.shapes = get("shapes").texts;
  description.grid = get("grid").texts;
  description.references = get("reference").texts;

  llvm::Expected<spec::KernelSpec> spec = spec::KernelSpec::create(description);
  if (spec)
    return success();
  llvm::handleAllErrors(spec.takeError(), [&](const spec::SpecError &error) {
    SMLoc place = findPlace(error, kernelLoc, arguments);
    emitError(parser.getEncodedSourceLoc(place), error.getMessageWithField());
  });
  return failure();
}
