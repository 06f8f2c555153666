//===- TileSource.h - A tile kernel as a test -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_DIFF_TILESOURCE_H
#define TILEWRIGHT_TOOLS_TILE_DIFF_TILESOURCE_H

#include "KernelTest.h"
#include "common/CompilerCommandLine.h"

namespace tilewright::diff {

/// Compiles the kernel of a file in tile IR as tile-run does, for the scalars
/// of
/// --args, to a test: tensors that are only written are poisoned, the others
/// have \p inputs, and all are compared with \p tolerance.
llvm::Expected<KernelTest> makeTileTest(const CompilerCommandLine &line,
                                        llvm::StringRef file,
                                        llvm::StringRef source,
                                        llvm::StringRef defaultTarget,
                                        Contents inputs, Tolerance tolerance);

} // namespace tilewright::diff

#endif // TILEWRIGHT_TOOLS_TILE_DIFF_TILESOURCE_H
