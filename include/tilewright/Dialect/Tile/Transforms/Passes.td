//===- Passes.td - From a tile program to a placed one -----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file a family, as in lib/Dialect/Tile/Transforms/, and two of rows; in each, passes stand in
// the order in which the pipeline (lib/Compiler/PassPipeline.cpp) first runs them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class TilePass<string name> : Pass<name, "::tilewright::tile::KernelOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

include "tilewright/Dialect/Tile/Transforms/ProgramPasses.td"
include "tilewright/Dialect/Tile/Transforms/RegisterPasses.td"
include "tilewright/Dialect/Tile/Transforms/LoadPasses.td"
include "tilewright/Dialect/Tile/Transforms/RowPasses.td"
include "tilewright/Dialect/Tile/Transforms/RowCopyPasses.td"
include "tilewright/Dialect/Tile/Transforms/ChannelPasses.td"
include "tilewright/Dialect/Tile/Transforms/ProductPasses.td"
include "tilewright/Dialect/Tile/Transforms/SharedPasses.td"

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
