//===- Proxy.h - Between an editor and MLIR's language server ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's server knows definitions, uses, hovers and completion of every
// dialect, but runs no compiler, and has no place where one could be put in.
// So it speaks to this proxy, which hands messages on and puts the compiler's
// diagnostics in place of the parser's.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_LSP_SERVER_PROXY_H
#define TILEWRIGHT_TOOLS_TILE_LSP_SERVER_PROXY_H

#include "tilewright/Target/GpuTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilewright {

struct ProxyOptions {
  GpuTarget target;
  /// Messages of the editor end with a line "// -----", as tests write them.
  bool isDelimited = false;
  bool isPretty = false;
};

/// Runs `server` between pipes in place of standard input and output, and talks
/// to the editor over the real ones until the server returns.
llvm::Error runBehindProxy(const ProxyOptions &options,
                           llvm::function_ref<void()> server);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILE_LSP_SERVER_PROXY_H
