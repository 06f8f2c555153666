//===- Language.h - What programs are made of -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR has hundreds of ops that would parse in a kernel and mean nothing there.
// What is not known here is refused by name.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LANGUAGE_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LANGUAGE_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The language in a few words, for messages.
inline constexpr llvm::StringLiteral kLanguage =
    "a program is made of tile, arith and math ops, scf.for, scf.while and "
    "scf.if";

/// Whether a program may have ops of this name: those of the tile dialect, the
/// arithmetic of arith and math, scf.for, scf.while and scf.if.
bool isInLanguage(mlir::OperationName name);

/// Whether a program has scalars of this type.
bool isScalarOfLanguage(mlir::Type type);

/// Whether the op is part of the language, its results are of types that the
/// language has, and its tiles no larger than the threads of `numWarps` can
/// hold. If not, says why.
mlir::LogicalResult checkInLanguage(mlir::Operation *op, int numWarps);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LANGUAGE_H
