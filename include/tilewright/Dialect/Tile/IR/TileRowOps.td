//===- TileRowOps.td - Blocks whose rows begin anywhere ----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEROWOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEROWOPS

def Tile_CopyRowsOp : Tile_Op<"copy_rows", [
    Tile_TouchesMemory, AttrSizedOperandSegments, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
  let summary = "Copy a block whose rows begin anywhere";
  let description = [{
    Copies a block of a view into shared memory, by 16 bytes (`cp.async`), wherever its rows begin: each row lies there as far behind a multiple of 16
    bytes as it does in memory, and what else is in its first and last 16 bytes comes with it. No byte is read but those that lie between two
    elements of the view, or between `array`, a pointer from which the view was made, and one of them; where a row begins or ends with fewer, they are copied one by
    one. Elements outside of the view are left as they are. Each thread has copied its part when the op is done.

    The view ends where the program says, as by a mask, and so what is copied may. `reach` says how many elements from the coordinates on programs of the grid read along each
    dimension; no byte behind the last of these is read. Without it, where a mask ends behind the array, though no program is started that reads there, up to 15 bytes
    behind the last element that is read come with it, of the same 16. No GPU faults there; the simulator finds it.

    Where rows lie, only `tile.store_rows` knows: their distance is part of the view's stride (RowBuffer.h). `dest` is the room for them. Rows of 16 bytes or
    less that are no further apart than a row of the block is long are copied as one run, with what lies between them.

    ```mlir
    tile.copy_rows %a[%i, %j] of %A : !tile.ptr<i8>, %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x128xi8, #padded>
    ```

    Constraints: (C1) view, coordinates, reaches, if there are some, and tile have one rank and one element type; (C2) the elements of a row stand side by side; (C3) the
    tile has a layout, with as many bytes as rows need.
  }];
  let arguments = (ins Arg<Tile_ViewType, "the matrix">:$view, Variadic<Index>:$offsets, Variadic<Index>:$reach, Optional<Tile_PtrType>:$array,
                       Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$dest);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`within` `[` $reach^ `]`)? (`of` $array^ `:` type($array))? `,` $dest attr-dict `:` qualified(type($view)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def Tile_StoreRowsOp : Tile_Op<"store_rows", [
    Tile_TouchesMemory, AttrSizedOperandSegments, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "Store a block whose rows begin anywhere";
  let description = [{
    Stores what `tile.copy_rows` has copied from `from` into a block of another view, by aligned words, wherever its rows begin. Lanes begin where a
    line of memory does. A word is put together of elements of shared memory; the elements of a row that are in no whole word of it are stored one by one. Elements
    outside of the view are not written.

    `order` says for each dimension of the view which one of the tile it is.

    ```mlir
    tile.store_rows %s from %a[%i, %j], %b[%j, %i] {order = array<i64: 1, 0>}
        : !tile.shared<256x128xi8, #padded>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
    ```

    Constraints: (C1) views, coordinates and tile have one rank and one element type; (C2) the elements of a row stand side by side in both views;
    (C3) the tile has a layout, with as many bytes as rows need; (C4) `order` is a permutation of the dimensions; (C5) rows that are stored have 4 bytes or
    more, and the block 128 or more: a word a lane; (C6) all elements that the block stores are inside of `from`: the program says so, and it is not checked.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>]>:$source,
                       Tile_ViewType:$from, Variadic<Index>:$from_offsets,
                       Arg<Tile_ViewType, "the matrix">:$view, Variadic<Index>:$offsets,
                       DenseI64ArrayAttr:$order);
  let assemblyFormat = [{
    $source `from` $from `[` $from_offsets `]` `,` $view `[` $offsets `]` attr-dict
    `:` qualified(type($source)) `,` qualified(type($from)) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEROWOPS
