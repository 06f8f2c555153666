//===- ShortageDiagnostic.cpp - Errors that tell a shortage ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ShortageDiagnostic.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;

/// The name of the diagnostic's metadata: { shortage, required, limit }.
static constexpr StringLiteral kName = "shortage";
static constexpr StringLiteral kRequired = "required";
static constexpr StringLiteral kLimit = "limit";

void tile::tellShortage(InFlightDiagnostic &error, const Shortage &shortage) {
  Diagnostic *diagnostic = error.getUnderlyingDiagnostic();
  Builder builder(diagnostic->getLocation().getContext());
  diagnostic->getMetadata().emplace_back(builder.getDictionaryAttr(
      {builder.getNamedAttr(kName, builder.getStringAttr(shortage.name)),
       builder.getNamedAttr(kRequired,
                            builder.getI64IntegerAttr(shortage.required)),
       builder.getNamedAttr(kLimit,
                            builder.getI64IntegerAttr(shortage.limit))}));
}

std::optional<Shortage> tile::getShortage(Diagnostic &diagnostic) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  for (const DiagnosticArgument &each : diagnostic.getMetadata()) {
    auto told = each.getKind() == Kind::Attribute
                    ? dyn_cast<DictionaryAttr>(each.getAsAttribute())
                    : DictionaryAttr();
    auto name = told ? told.getAs<StringAttr>(kName) : StringAttr();
    if (name)
      return Shortage{name.str(), told.getAs<IntegerAttr>(kRequired).getInt(),
                      told.getAs<IntegerAttr>(kLimit).getInt()};
  }
  return std::nullopt;
}
