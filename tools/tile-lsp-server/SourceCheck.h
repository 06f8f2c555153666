//===- SourceCheck.h - The compiler's messages for an editor ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_LSP_SERVER_SOURCECHECK_H
#define TILEWRIGHT_TOOLS_TILE_LSP_SERVER_SOURCECHECK_H

#include "tilewright/Target/GpuTarget.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// Compiles the text for the target, as far as errors can come that have a
/// place, and gives what tile-compile would say as diagnostics of the Language
/// Server Protocol.
llvm::json::Array checkSource(llvm::StringRef text, llvm::StringRef uri,
                              const GpuTarget &target);

/// Whether MLIR's parser bears the text, whatever it says of it.
bool canBeParsed(llvm::StringRef text);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILE_LSP_SERVER_SOURCECHECK_H
