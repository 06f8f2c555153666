//===- SourceLimits.h - What MLIR's parser does not bear --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools ask before they parse a text that anybody may have written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_SOURCELIMITS_H
#define TILEWRIGHT_COMPILER_SOURCELIMITS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace tilewright {

/// Refuses a first source which MLIR's parser would crash on, or would read for
/// too long.
mlir::LogicalResult checkSourceLimits(const llvm::SourceMgr &sources,
                                      mlir::MLIRContext &context);

/// The same of a text for which there is no context yet. `messages`: where it
/// is said why not.
mlir::LogicalResult checkSourceLimits(llvm::MemoryBufferRef source,
                                      llvm::raw_ostream &messages);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_SOURCELIMITS_H
