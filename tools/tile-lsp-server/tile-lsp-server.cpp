//===- tile-lsp-server.cpp - Tile IR in an editor -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Speaks the Language Server Protocol over standard input and output.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "tilewright/Compiler/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int tilewright::tileLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAll(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(argc, argv, registry));
}
