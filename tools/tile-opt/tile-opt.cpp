//===- tile-opt.cpp - Runs passes over tile IR ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "tilewright/Compiler/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int tilewright::tileOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAll(registry);
  registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Tilewright's optimizer: runs passes over tile IR\n",
      registry));
}
