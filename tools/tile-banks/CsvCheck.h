//===- CsvCheck.h - The bank model against counters -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_BANKS_CSVCHECK_H
#define TILEWRIGHT_TOOLS_TILE_BANKS_CSVCHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright::banks {

/// Compares the model with counted wavefronts: a heading, then in each line
/// the access (load, store, ldmatrix), the bytes a lane, the wavefronts, and
/// the byte address of each of 32 lanes, -1 for one that takes no part. Prints
/// what differs, and how many do not. Returns the number of differences, or an
/// error with the line that is not of this form.
llvm::Expected<unsigned> checkCsv(llvm::raw_ostream &os, llvm::StringRef name,
                                  llvm::StringRef text);

} // namespace tilewright::banks

#endif // TILEWRIGHT_TOOLS_TILE_BANKS_CSVCHECK_H
