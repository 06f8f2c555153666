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
    `result = a * b + c`. Tensor cores do it: operands are f16, bf16, f8E4M3FN, f8E5M2 or f32 with an
    f32 accumulator, or i8 with an i32 one. Of f32 operands the low 13 bits are not looked at (tf32);
    `tf32(x)` says so in a reference. 8-bit floats need sm_89 or newer. Sums over K are taken in the order of the
    hardware, with at least the accumulator's precision.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    ```

    Constraints: (C1) `a` is M x K, `b` K x N, `c` M x N; (C2) M, N and K are at least 16 (K of
    8-bit elements 32); (C3) one of the pairs of types above; (C4) in a placed program `c` has an `mma.sync`
    accumulator layout, and `a` and `b` the operand layouts that follow from it.
  }];
  let arguments = (ins Tile_AnyTile:$a, Tile_AnyTile:$b, Tile_AnyTile:$c);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The layout that operand 0 or 1 needs beside this accumulator.
    RegisterLayoutAttr inferOperandLayout(unsigned operand, RegisterLayoutAttr accumulator);
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS
