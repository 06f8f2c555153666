//===- TileDialect.td - The tile dialect -------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT
#define TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Programs on tiles: blocks of matrices, not threads";
  let description = [{
    A `tile.kernel` is what one *program* (one thread block) does to its tiles.
    Tiles are tensors whose extents are powers of two; matrices in global
    memory have any shape.

    The dialect has two levels, and the same ops serve both:

    - A **tile program** has plain tensors, `tensor<64x64xf32>`. Memory is
      reached by block loads on views or by tensors of pointers. Nothing says
      which thread holds what.
    - A **placed program** has a register layout on every tensor,
      `tensor<64x64xf32, #tile.register_layout<...>>`, and explicit shared
      tiles, `!tile.shared<64x64xf32, #tile.shared_layout<...>>`, with copies
      and barriers. The passes make it from a tile program; an expert may write
      it directly.

    Scalars and coordinates are builtin types; `index` is 64 bits wide.
    Arithmetic on tiles is `arith` and `math`, control flow is `scf`.

    A complete kernel, a transpose:

    ```mlir
    tile.kernel @transpose(%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %M: index, %N: index)
        shapes ["A[M, N]", "B[N, M]"]
        grid ["ceildiv(M, 64) * ceildiv(N, 64)"]
        reference ["B[n, m] = A[m, n]"] {
      %c64 = arith.constant 64 : index
      %pid = tile.program_id 0
      %tiles = arith.ceildivui %N, %c64 : index
      %ti = arith.divui %pid, %tiles : index
      %tj = arith.remui %pid, %tiles : index
      %i = arith.muli %ti, %c64 : index
      %j = arith.muli %tj, %c64 : index
      %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
      %b = tile.view %B, shape [%N, %M], strides [%M, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
      %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
      %tt = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
      tile.store_view %tt, %b[%j, %i] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
      tile.return
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// On a module: the name of the GPU that its kernels are compiled for.
    static constexpr ::llvm::StringLiteral kTargetAttr = "tile.target";
    /// On a loop: its own number of stages.
    static constexpr ::llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
    /// On a loop: it is over the programs that a block of a persistent kernel runs.
    static constexpr ::llvm::StringLiteral kProgramsAttr = "tile.programs";
    /// On a kernel without roles: how many of its blocks a multiprocessor is to run, which their
    /// registers must leave room for.
    static constexpr ::llvm::StringLiteral kBlocksPerSMAttr = "tile.blocks_per_sm";

    void registerAttributes();
    void registerTypes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT
