//===- Drawing.h - Pictures of bank maps ------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_BANKS_DRAWING_H
#define TILEWRIGHT_TOOLS_TILE_BANKS_DRAWING_H

#include "tile-banks/BankMap.h"

#include "llvm/Support/raw_ostream.h"

namespace tilewright::banks {

/// The banks as numbers, elements of the instruction in brackets, those that
/// conflict with a star; coloured by bank where `withColors`. At most
/// `maxRows` rows and `maxColumns` columns.
void drawText(llvm::raw_ostream &os, const BankMap &map, bool withColors,
              int64_t maxRows, int64_t maxColumns);

/// All maps below each other.
void drawSvg(llvm::raw_ostream &os, llvm::ArrayRef<BankMap> maps);

/// A page without any other file, in which one can step through the lanes.
void drawHtml(llvm::raw_ostream &os, llvm::ArrayRef<BankMap> maps);

} // namespace tilewright::banks

#endif // TILEWRIGHT_TOOLS_TILE_BANKS_DRAWING_H
