//===- TileReduceOps.td - Reductions of tiles --------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEREDUCEOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEREDUCEOPS

def Tile_ReduceOp : Tile_Op<"reduce", [
    Pure, Tile_Batches, Tile_CombineOpInterface, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferResultLayout"]>, IsolatedFromAbove,
    SingleBlock, SameVariadicOperandSize]> {
  let summary = "Combine the elements along an axis";
  let description = [{
    The region says how two elements become one. It is taken to be associative and commutative: in which
    order elements meet is not said, but it is the same in every run.

    ```mlir
    %sums = tile.reduce %x axis 1 : tensor<64x128xf32> -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```

    A tile of one dimension gives a scalar. Several tiles are reduced together, here to the largest element
    and where it stands:

    ```mlir
    %max, %where = tile.reduce %x, %i axis 0 : tensor<128xf32>, tensor<128xi32> -> f32, i32 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %less = arith.cmpf olt, %a, %b : f32
      %c = arith.select %less, %b, %a : f32
      %ci = arith.select %less, %bi, %ai : i32
      tile.yield %c, %ci : f32, i32
    }
    ```

    (Of equal elements this one takes any: a program that wants the first compares the places too.)

    `per_warp`, which `tile-split-reductions` writes, lets each warp reduce what it has: the result keeps
    the axis, with one element for each warp along it.

    Constraints: (C1) the sources have one shape and one layout, and hold no pointers; (C2) the axis is one of theirs;
    (C3) results are as many, of the same element types, without the axis; (C4) the region takes an element of
    each source, then another of each, and yields one of each; its ops have no effects and know no tiles; (C5) in a
    placed program each bit of the sources' layout moves either along the axis or across it, and the results have
    the layout that follows.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, Tile_TileAxis:$axis,
                       UnitAttr:$per_warp);
  let results = (outs Variadic<AnyTypeOf<[Tile_AnyTile, Tile_Scalar]>>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `axis` $axis (`per_warp` $per_warp^)? attr-dict `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region &getCombineRegion() { return getCombiner(); }
    bool combinesInAnyOrder() { return true; }

    /// Shape, and layout where there is one, of each source.
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getSources()[0].getType()); }
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ParentOneOf<["ReduceOp", "ScanOp", "CarryOp"]>]> {
  let summary = "What the region of a reduction or a scan makes";
  let description = [{ Example: `tile.yield %c : f32`. }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEREDUCEOPS
