//===- TileHalfOps.td - Halves of tiles --------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEHALFOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEHALFOPS

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["lower", "upper"]>, Tile_Batches,
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferResultLayout"]>]> {
  let summary = "The two halves of a tile";
  let description = [{
    Blocks of `stride` along the axis go to the lower and the upper half by turns. In a placed program nothing moves: each
    thread has its parts of both halves in registers of its own.

    ```mlir
    %a, %b = tile.split %t axis 0 stride 4 : tensor<8x16xf32, #tile.register_layout<register[1,2] lane[4,8] register[2,1]>>
        -> tensor<4x16xf32, #tile.register_layout<register[1,2] lane[4,8]>>
    ```

    A layout that changes is sent in halves through shared memory where the whole does not fit (`tile-lower-conversions`).

    In a tile program it stands where its source does, but for one bit: what says which half an element is in, if that
    is no register, changes places with one.

    Constraints: (C1) the axis is one of the tile's, and the stride a power of two below its extent; (C2) the halves have
    half of that extent; (C3) in a placed program one bit of the registers, and nothing else, says which half an element
    is in, and the halves have the layout that is left.
  }];
  let arguments = (ins Tile_AnyTile:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis,
                       ConfinedAttr<I64Attr, [IntPositive]>:$stride);
  let results = (outs Tile_AnyTile:$lower, Tile_AnyTile:$upper);
  let assemblyFormat = [{
    $source `axis` $axis `stride` $stride attr-dict `:` type($source) `->` type($lower)
  }];
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lower", "upper"]>]> {
  let summary = "A tile of a placed program from its two halves";
  let description = [{
    The inverse of `tile.split`.

    ```mlir
    %t = tile.join %a, %b axis 0 stride 4 : tensor<4x16xf32, #tile.register_layout<register[1,2] lane[4,8]>>
        -> tensor<8x16xf32, #tile.register_layout<register[1,2] lane[4,8] register[2,1]>>
    ```

    Constraints: as of `tile.split`; (C4) it belongs to placed programs.
  }];
  let arguments = (ins Tile_AnyTile:$lower, Tile_AnyTile:$upper, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis,
                       ConfinedAttr<I64Attr, [IntPositive]>:$stride);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $lower `,` $upper `axis` $axis `stride` $stride attr-dict `:` type($lower) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEHALFOPS
