//===- TileTmaOps.td - Bulk copies of boxes of views -------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILETMAOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILETMAOPS

def Tile_TensorMapOp : Tile_Op<"tensor_map", [Pure]> {
  let summary = "What bulk copies know of a view";
  let description = [{
    A launch makes it (`cuTensorMapEncodeTiled`) and passes it as a parameter behind the kernel's arguments. So all that the view is made
    of must be known then: its base is an argument, its extents and strides are constants, integer arguments or products
    of those. Copies by the map move `box`, an extent for each dimension of the view, and write it to shared memory in rows of
    `row_bytes` bytes, in the mode of the hardware that has such rows.

    ```mlir
    %m = tile.tensor_map %a {box = array<i64: 128, 64>, row_bytes = 128 : i64} : !tile.view<?x?xf16, [?, 1]> -> !tile.tensor_map
    ```

    With `moves`, each copy says by how many elements its view stands behind this one: the base of a matrix of a batch hangs on the
    program, and no launch knows it. Such a map has two dimensions more, which have the steps of 16 bytes, modulo 2^64 bytes, so that
    any address can be reached; of a view with 2 dimensions it has 4.

    With `last`, the box has across its rows only what is left of the view behind whole boxes: of 300 rows in boxes of 128, 44.

    Constraints: (C1) the view is a `tile.view` as above; (C2) one of its dimensions has the constant stride 1, and there the box is
    as long as a row; (C3) the box has an extent for each dimension, 1 to 256, and the map 1 to 5 dimensions; (C4) rows have 16, 32, 64 or 128 bytes; (C5) a target with bulk
    copies; (C6) a map that is `last` has two dimensions and does not move.
  }];
  let arguments = (ins Tile_ViewType:$view, DenseI64ArrayAttr:$box, I64Attr:$row_bytes, UnitAttr:$moves, UnitAttr:$last);
  let results = (outs Tile_TensorMapType:$result);
  let assemblyFormat = "$view attr-dict `:` qualified(type($view)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxRank = 5;
    static constexpr int64_t kMaxBoxExtent = 256;
    /// Of the map, beside those of the view.
    int64_t getNumMoveDims();
  }];
}

def Tile_CopyTmaOp : Tile_Op<"copy_tma", [
    Tile_TouchesMemory, AttrSizedOperandSegments, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
  let summary = "Start copying boxes into a slot";
  let description = [{
    Copies the block of the map's view that begins at these coordinates into a slot of a channel, in as many boxes as it has
    (`cp.async.bulk.tensor`). One thread starts it; the slot's mbarrier counts the bytes, all of them, also where elements are outside of
    the view: those are zero.

    ```mlir
    tile.copy_tma %m[%i, %k], %slot : !tile.shared<128x64xf16, #layout>
    tile.copy_tma %moving[%i, %k] moved by %elements, %slot : !tile.shared<128x64xf16, #layout>
    ```

    A map that moves is `moved by` a number of elements with a sign, which are a multiple of 16 bytes.

    Blocks of a cluster that copy one tile copy it together where it is `shared_along` the axis in which their programs differ: each copies a part of
    it, divided across its rows, to the slots of all (`.multicast::cluster`), and the mbarrier of each block counts what has landed there.

    ```mlir
    tile.copy_tma %m[%k, %j], %slot {shared_along = 0 : i64} : !tile.shared<64x256xf16, #layout>
    ```

    With `rows`, only so many rows are copied, the others of the slot stay as they are: all, or those that are left of the view for its `last` block, or none.

    ```mlir
    tile.copy_tma %m[%i, %k] rows %n by %last, %slot : !tile.shared<128x64xf16, #layout>
    ```

    Constraints: (C1) a coordinate for each dimension of the map's view, and by how much it is moved, if the map moves; (C2) the map is made by a `tile.tensor_map`, the tile has
    its element type, a layout of the hardware with rows of the map's bytes, and is made of whole boxes; (C3) the tile is
    a slot of a channel with mbarriers; (C4) along the axis that it is shared along a cluster has several programs (`tile.cluster_programs`), and the boxes divide
    the tile into as many parts of 8 rows or a multiple; (C5) `rows` are 0 to those
    of the tile (i32), of boxes that are as high as the tile, or as the part of a block, and the map that is `last` is else as the other one.
  }];
  let arguments = (ins Tile_TensorMapType:$map, Variadic<Index>:$offsets, Optional<Index>:$moved,
                       Optional<I32>:$rows, Optional<Tile_TensorMapType>:$last,
                       Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$dest,
                       Optional<Tile_SharedType>:$barrier, OptionalAttr<I64Attr>:$shared_along);
  let assemblyFormat = [{
    $map `[` $offsets `]` (`moved` `by` $moved^)? (`rows` $rows^ `by` $last)? `,` $dest (`on` $barrier^)? attr-dict `:` qualified(type($dest)) (`on` qualified(type($barrier))^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What makes the map.
    TensorMapOp getTensorMap();
    /// Those that this block copies: a part where several share the tile.
    std::optional<TensorBoxes> getBoxes();
    /// Across the rows of a tile of two dimensions.
    unsigned getDimAcross();
    /// All that the tile has.
    int64_t countTileRows();
    /// Whether boxes are as high as the tile, or as the part of each block that copies it.
    bool mayCopySomeRows();
    llvm::LogicalResult verifyRows();
  }];
}

def Tile_PrefetchTmaOp : Tile_Op<"prefetch_tma", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite<Tile_Execution>]>]> {
  let summary = "Ask the L2 cache for a box";
  let description = [{
    Asks for the box of the map's view that begins at these coordinates (`cp.async.bulk.prefetch.tensor`), and goes on. A copy of it later
    finds it in the cache, if it is there yet, and still. Nothing hangs on that but time. One thread asks.

    ```mlir
    tile.prefetch_tma %m[%i, %j]
    ```

    Constraint: (C1) as of `tile.copy_tma`.
  }];
  let arguments = (ins Tile_TensorMapType:$map, Variadic<Index>:$offsets, Optional<Index>:$moved);
  let assemblyFormat = "$map `[` $offsets `]` (`moved` `by` $moved^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What makes the map.
    TensorMapOp getTensorMap();
  }];
}

def Tile_StoreTmaOp : Tile_Op<"store_tma", [
    Tile_TouchesMemory, AttrSizedOperandSegments, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "Start storing boxes of a shared tile";
  let description = [{
    Stores the tile into the block of the map's view that begins at these coordinates, in as many boxes as it has
    (`cp.async.bulk.tensor`). One thread starts it, and the program goes on: until a `tile.store_tma_wait` the tile is being read,
    and the block written. Elements outside of the view are not written. With `warpgroups`, that many divide the tile across its rows, and one
    thread of each starts to store the part that this warpgroup has filled: then none waits for another.

    ```mlir
    tile.local_store %t, %s : tensor<128x64xf16, #regs>, !tile.shared<128x64xf16, #layout>
    tile.barrier {async_proxy}
    tile.store_tma %s, %m[%i, %j] : !tile.shared<128x64xf16, #layout>
    ```

    Constraints: (C1), (C2) as of `tile.copy_tma`; (C3) `warpgroups` are those of the kernel, and boxes divide a tile of two dimensions
    into as many parts of 8 rows or a multiple.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>]>:$source, Tile_TensorMapType:$map,
                       Variadic<Index>:$offsets, Optional<Index>:$moved, OptionalAttr<I64Attr>:$warpgroups);
  let assemblyFormat = [{
    $source `,` $map `[` $offsets `]` (`moved` `by` $moved^)? attr-dict `:` qualified(type($source))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What makes the map.
    TensorMapOp getTensorMap();
    /// Those that are stored; with `warpgroups`, by the first of them.
    std::optional<TensorBoxes> getBoxes();
  }];
}

def Tile_StoreTmaWaitOp : Tile_Op<"store_tma_wait", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Wait for stores of shared tiles";
  let description = [{
    Waits for all `tile.store_tma` before it: their blocks are written then. With `read`, only until their tiles were read.
    The thread that started them waits; a barrier tells the others.

    Example: `tile.store_tma_wait {read}`
  }];
  let arguments = (ins UnitAttr:$read);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() {
      return {getRead() ? MemoryOrder::Kind::WaitForReads : MemoryOrder::Kind::WaitForStores};
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILETMAOPS
