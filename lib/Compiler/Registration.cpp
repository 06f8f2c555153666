//===- Registration.cpp - Every dialect and pass of the compiler ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Registration.h"

#include "tilewright/Compiler/PassPipeline.h"
#include "tilewright/Conversion/ArithToNVVM/Passes.h"
#include "tilewright/Conversion/MathToNVVM/Passes.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

// Not in Passes.h: each pass would compile the registration of all.
namespace tilewright::tile {
#define GEN_PASS_REGISTRATION
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

namespace tilewright {
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/ArithToNVVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/MathToNVVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

void tilewright::registerAll(DialectRegistry &registry) {
  registry.insert<BuiltinDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, scf::SCFDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect, tile::TileDialect>();
  func::registerInlinerExtension(registry);
}

void tilewright::registerAllPasses() {
  tile::registerTilePasses();
  registerArithToNVVMPasses();
  registerMathToNVVMPasses();
  registerTileToNVVMPasses();
  registerPipelines();
  mlir::registerTransformsPasses();
  mlir::registerReconcileUnrealizedCastsPass();
}
