//===- RowRuns.h - Rows of a warp that are one run of memory ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWRUNS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWRUNS_H

#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::tonvvm {

/// The lowering of `tile.load_run` and `tile.store_run`.
void populateRowRunPatterns(mlir::RewritePatternSet &patterns,
                            const mlir::TypeConverter &converter);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWRUNS_H
