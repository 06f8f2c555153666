//===- TileElementOps.td - Tiles made, and elements moved --*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEELEMENTOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEELEMENTOPS

def Tile_ConstantOp : Tile_Op<"constant", [
    Pure, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["isCheap", "setLayout"]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "A number, infinity or NaN";
  let description = [{
    One number, as a scalar or everywhere in a tile.

    ```mlir
    %least = tile.constant -inf : tensor<128xf32>
    %none = tile.constant nan : f16
    %half = tile.constant 0.5 : f32
    %two = tile.constant 2 : tensor<64x64xf32>
    ```

    A number that the type does not have is rounded to nearest, ties to even. It folds to `arith.constant` at once, and a program may as well use that, which has no infinities and no NaN.

    Constraints: (C1) the type is an integer, an index or a float, or a tile of such; (C2) a number of integers has no
    fraction and fits the type, signed or unsigned; (C3) a float has decimal digits, since in `arith.constant` others are
    the bits of one, and does not overflow the type; (C4) `inf` is of a type that has infinities, `nan` of one that has NaN; (C5) a tile has one number everywhere.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyTypeOf<[Tile_Scalar, Tile_AnyTile]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, Tile_InfersAxisInfo, Tile_InfersRange, Tile_IsMadeAgain]> {
  let summary = "Consecutive integers";
  let description = [{
    ```mlir
    %i = tile.iota 0 : tensor<128xi32>    // 0, 1, ..., 127
    ```

    Constraints: (C1) the result is a one-dimensional tile of integers or index; (C2) every
    number fits the element type.
  }];
  let arguments = (ins I64Attr:$start);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_IsMadeAgain]> {
  let summary = "One scalar everywhere";
  let description = [{
    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x64xf32>
    ```

    Constraint: (C1) the tile has elements of the scalar's type.
  }];
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned) { return std::nullopt; }
  }];
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Insert a dimension of extent 1";
  let description = [{
    ```mlir
    %c = tile.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    ```

    Constraints: (C1) the result's shape is the source's with a 1 at `axis`; (C2) one element
    type; (C3) in a placed program the source's layout is the result's without that dimension.
  }];
  let arguments = (ins Tile_AnyTile:$source, Tile_TileAxis:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned dim) {
      return dim == getAxis() ? std::nullopt : std::optional<unsigned>(dim > getAxis() ? dim - 1 : dim);
    }
  }];
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Repeat along dimensions of extent 1";
  let description = [{
    ```mlir
    %t = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x32xf32>
    ```

    Constraints: (C1) one rank, and each extent is the same or 1 in the source; (C2) one element
    type; (C3) in a placed program each thread already holds the elements that it repeats.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_RenamesElements]> {
  let summary = "The same elements in row-major order, another shape";
  let description = [{
    ```mlir
    %t = tile.reshape %s : tensor<64x32xf32> -> tensor<2048xf32>
    ```

    Constraints: (C1) as many elements; (C2) one element type; (C3) in a placed program
    the result's layout is the source's, reshaped.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Permute the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source. It moves no data: only
    the layout of the registers has another name.

    ```mlir
    %t = tile.trans %s [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```

    Constraints: (C1) a permutation of the dimensions; (C2) the result's shape is the permuted one;
    (C3) one element type; (C4) in a placed program the result's layout is the source's, permuted.
  }];
  let arguments = (ins Tile_AnyTile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned dim) { return getPermutation()[dim]; }
  }];
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, Tile_MovesElements, Tile_DimensionMapOpInterface, AllShapesMatch<["source", "result"]>,
                                                      AllElementTypesMatch<["source", "result"]>]> {
  let summary = "The same tile in another register layout";
  let description = [{
    ```mlir
    %t = tile.convert_layout %s : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```

    What a thread already holds moves between its registers, what its warp holds by
    shuffles where these are cheaper; everything else goes through shared memory
    (`tile-lower-conversions`). Tiles of pointers only move inside of warps.

    Constraints: (C1) one shape and one element type; (C2) both tiles have a layout.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEELEMENTOPS
