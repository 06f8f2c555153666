//===- TileScanOps.td - Scans of tiles ---------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILESCANOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILESCANOPS

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, Tile_Batches, Tile_CombineOpInterface, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferResultLayout"]>, IsolatedFromAbove,
    SingleBlock]> {
  let summary = "Combine each element with all before it along an axis";
  let description = [{
    Each element of the result is that of the source, combined with all that stand before it along the axis.
    The region says how two become one: it takes what was combined of those before, then what comes behind. It is
    taken to be associative; it need not be commutative. How elements are grouped is not said, but it is the same in
    every run.

    ```mlir
    %sums = tile.scan %x axis 1 : tensor<64x128xf32> -> tensor<64x128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```

    With `reverse` it begins at the end of the axis: what would be said to stand before stands behind.

    Several tiles are scanned together, here by functions y -> s * y + t, one behind the other:

    ```mlir
    %s, %t = tile.scan %scale, %offset axis 0 reverse : tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>, tensor<128xf32> {
    ^bb0(%s0: f32, %t0: f32, %s1: f32, %t1: f32):
      %s = arith.mulf %s0, %s1 : f32
      %st = arith.mulf %s1, %t0 : f32
      %t = arith.addf %st, %t1 : f32
      tile.yield %s, %t : f32, f32
    }
    ```

    `per_warp`, which `tile-split-scans` writes, lets each warp scan what it has. Behind the scanned tiles it gives
    the totals of the parts that are scanned so, in the order of the axis. With `exclusive`, which it writes too, an element
    is what all that stand before it are combined to, without the element; the first one of the axis is any value.

    Constraints: (C1) the sources have one shape and one layout, and hold no pointers; (C2) the axis is one of theirs;
    (C3) results are as many, of the same types, and with `per_warp` as many totals in the layout that follows; (C4) the
    region takes an element of each source, then another of each, and yields one of each; its ops have no effects and know
    no tiles; (C5) in a placed program each bit of the layout moves by a power of two along the axis or across it, and
    bits of lanes move the farther the higher they are, and less far than those of warps; (C6) with `exclusive` the axis is
    in one warp, and what a thread has of it follows one another.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, Tile_TileAxis:$axis, UnitAttr:$reverse, UnitAttr:$per_warp,
                       UnitAttr:$exclusive);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? (`per_warp` $per_warp^)? (`exclusive` $exclusive^)? attr-dict
    `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region &getCombineRegion() { return getCombiner(); }
    bool combinesInAnyOrder() { return false; }

    /// Shape, and layout where there is one, of each source.
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getSources()[0].getType()); }
  }];
}

def Tile_CarryOp : Tile_Op<"carry", [
    Pure, Tile_CombineOpInterface, IsolatedFromAbove, SingleBlock, SameVariadicOperandSize]> {
  let summary = "What parts of an axis were scanned to, as a scan of all of it";
  let description = [{
    Of a placed program: combines each element that a `tile.scan per_warp` made with what stands before its part, which
    is what a `tile.scan exclusive` makes of the parts' totals. Elements of the first part stay as they are.

    ```mlir
    %p, %w = tile.scan %x axis 0 per_warp : tensor<256xf32, #l> -> tensor<256xf32, #l>, tensor<4xf32, #w> { ... }
    %t = tile.convert_layout %w : tensor<4xf32, #w> -> tensor<4xf32, #all>
    %e = tile.scan %t axis 0 exclusive : tensor<4xf32, #all> -> tensor<4xf32, #all> { ... }
    %b = tile.convert_layout %e : tensor<4xf32, #all> -> tensor<4xf32, #w>
    %s = tile.carry %p before %b axis 0 : (tensor<256xf32, #l>, tensor<4xf32, #w>) -> tensor<256xf32, #l> { ... }
    ```

    Constraints: (C1) as of `tile.scan`, for the scanned tiles and the region; (C2) as many of what stands before, in the
    layout of the parts' totals.
  }];
  let arguments = (ins Variadic<Tile_AnyTile>:$sources, Variadic<Tile_AnyTile>:$before, Tile_TileAxis:$axis,
                       UnitAttr:$reverse);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources `before` $before `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type(operands, results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region &getCombineRegion() { return getCombiner(); }
    bool combinesInAnyOrder() { return false; }
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getSources()[0].getType()); }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILESCANOPS
