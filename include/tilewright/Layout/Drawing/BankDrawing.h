//===- BankDrawing.h - Pictures of bank maps --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_DRAWING_BANKDRAWING_H
#define TILEWRIGHT_LAYOUT_DRAWING_BANKDRAWING_H

#include "tilewright/Layout/Drawing/BankMap.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright::banks {

/// The banks as numbers, elements of the instruction in brackets, those that
/// conflict with a star; coloured by bank where `withColors`. At most
/// `maxRows` rows and `maxColumns` columns.
void drawText(llvm::raw_ostream &os, const BankMap &map, bool withColors,
              int64_t maxRows, int64_t maxColumns);

/// What the brackets and stars of drawText mean.
void drawTextLegend(llvm::raw_ostream &os);

/// All maps below each other, then what the frames of elements mean.
void drawSvg(llvm::raw_ostream &os, llvm::ArrayRef<BankMap> maps);

/// An access to step through: the same instruction in one layout or several.
struct BankScene {
  /// What a reader picks it by.
  std::string name;
  std::vector<BankMap> maps;
};

/// What a page has before its scenes.
struct PageHead {
  std::string title;
  /// HTML, which is taken as it is.
  std::string body;
};

/// A page without any other file, in which one can step through the lanes of
/// each scene.
void drawHtml(llvm::raw_ostream &os, const PageHead &head,
              llvm::ArrayRef<BankScene> scenes);

} // namespace tilewright::banks

#endif // TILEWRIGHT_LAYOUT_DRAWING_BANKDRAWING_H
