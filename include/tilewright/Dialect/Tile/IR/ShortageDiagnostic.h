//===- ShortageDiagnostic.h - Errors that tell a shortage -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error may say, beside its words, what a block has too little of, for who
// goes by it: a search for the best configuration passes such ones over.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_SHORTAGEDIAGNOSTIC_H
#define TILEWRIGHT_DIALECT_TILE_IR_SHORTAGEDIAGNOSTIC_H

#include "mlir/IR/Diagnostics.h"
#include "tilewright/Target/Shortage.h"

#include <optional>

namespace tilewright::tile {

/// Has an error of an op of the dialect tell a shortage.
void tellShortage(mlir::InFlightDiagnostic &error, const Shortage &shortage);

/// The one that an error tells, if it does.
std::optional<Shortage> getShortage(mlir::Diagnostic &diagnostic);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_SHORTAGEDIAGNOSTIC_H
