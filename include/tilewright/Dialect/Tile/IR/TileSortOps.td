//===- TileSortOps.td - What sorts are made of -------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILESORTOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILESORTOPS

def Tile_AnyOrderOp : Tile_Op<"any_order", [Pure, Tile_Batches, SameOperandsAndResultElementType,
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferOperandLayout"]>]> {
  let summary = "The elements of each row in some order";
  let description = [{
    A row, along the last dimension, has the same elements as that of the source, in an order that is not said. So a thread
    can have neighbours of what memory has in turns, and a few threads a whole row, and nothing moves: for what does not
    depend on the order, as sorting.

    ```mlir
    %t = tile.any_order %s : tensor<4x256xi32>
    ```

    Constraints: (C1) the result has the shape of the source; (C2) in a placed program the places of elements
    along the last dimension are those of the source with their bits in another order: from the lowest on, those of a vector
    (`tile.vector`, 1 if unsaid), of lanes, warps and the other registers become those of the registers, the lanes and the warps.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PairOrTile : AnyTypeOf<[I32, Tile_TileOf<[I32], "i32">], "i32, or a tile of it">;

class Tile_PairOp<string mnemonic, string which> : Tile_Op<mnemonic, [
    Pure, Elementwise, Commutative, Tile_Batches, SameOperandsAndResultType, Tile_IsMadeAgain]> {
  let summary = "The " # which # " of two pairs of numbers";
  let description = [{
    An element is two numbers of 16 bits with a sign, which are compared with those of the other one in the same place.

    ```mlir
    %t = tile.}] # mnemonic # [{ %a, %b : tensor<512xi32>
    ```
  }];
  let arguments = (ins Tile_PairOrTile:$lhs, Tile_PairOrTile:$rhs);
  let results = (outs Tile_PairOrTile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def Tile_PairMinOp : Tile_PairOp<"pair_min", "smaller">;
def Tile_PairMaxOp : Tile_PairOp<"pair_max", "greater">;

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILESORTOPS
