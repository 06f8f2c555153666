//===- RowCopies.h - Rows that are copied ahead -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops that copy a row that begins anywhere into shared memory while the
// program goes on, and read it there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
#define TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
