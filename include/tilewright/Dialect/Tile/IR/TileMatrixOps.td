//===- TileMatrixOps.td - Products of tiles ---------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS

def Tile_DotOp : Tile_Op<"dot", [
    Pure, TypesMatchWith<"result has the type of the accumulator", "c", "result", "$_self">]> {
  let summary = "Matrix product, added to an accumulator";
  let description = [{
    `result = a * b + c`.

    | operands | accumulator | by | targets |
    | --- | --- | --- | --- |
    | f16, bf16 | f32 | tensor cores | all |
    | f32 | f32 | FMA, each rounded as IEEE 754 asks | all |
    | f32, with `tf32` | f32 | tensor cores, which do not look at the low 13 bits of operands | all |
    | f64 | f64 | tensor cores, rounded as FMA | all |
    | i8 | i32 | tensor cores | all |
    | f8E4M3FN, f8E5M2 | f32 | tensor cores | sm_89 and newer |

    Sums over K are taken in some order, tensor cores' sums with at least the accumulator's precision. `tf32(x)` says
    in a reference what `tf32` does to an operand.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    %e = tile.dot %f, %g, %h tf32 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    ```

    Constraints: (C1) `a` is M x K, `b` K x N, `c` M x N; (C2) M, N and K are at least 16; (C3) one of the pairs of
    types above, `tf32` with f32 only; (C4) in a placed program `c` has an accumulator layout, one of `mma.sync` where
    tensor cores do it and one of FMA otherwise, and `a` and `b` the operand layouts that follow from it.
  }];
  let arguments = (ins Tile_AnyTile:$a, Tile_AnyTile:$b, Tile_AnyTile:$c, UnitAttr:$tf32);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`tf32` $tf32^)? attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether tensor cores do it (`mma.sync`), rather than FMA.
    bool usesTensorCores();

    /// The layout that operand 0 or 1 needs beside this accumulator.
    RegisterLayoutAttr inferOperandLayout(unsigned operand, RegisterLayoutAttr accumulator);
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS
