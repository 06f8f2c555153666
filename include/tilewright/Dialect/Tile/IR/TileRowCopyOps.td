//===- TileRowCopyOps.td - Rows that are copied ahead ------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from TileOps.td, so that who knows nothing of these ops need not be
// built again for them (RowCopies.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEROWCOPYOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEROWCOPYOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileTypes.td"

class Tile_RowCopyOp<string opMnemonic, list<Trait> traits> : Op<Tile_Dialect, opMnemonic, traits>;

defvar Tile_RowCopyMemory = DeclareOpInterfaceMethods<Tile_MemoryAccessOpInterface>;

def Tile_CopyRowOp : Tile_RowCopyOp<"copy_row", [
    Tile_RowCopyMemory,
    MemoryEffects<[MemRead<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Start copying a row that begins anywhere";
  let description = [{
    Copies `count` elements from `source` on into a shared tile of one row, by 16 bytes (`cp.async`), while the program goes on. The row lies there as far behind
    a multiple of 16 bytes as it does in memory (RowBuffer.h): only `tile.load_row` knows where. No byte is read but those of these elements: where the row begins within 16 bytes,
    or ends, they are copied by words, and an element that fills no word is not copied (`tile.load_ends`): the first one, the last one, or both. The rest of the tile is zeros. The data may be read after a `tile.async_wait` that covers its group, and a barrier.
    With `most` no row has more elements in any launch, and what is behind so many is left as it was.

    ```mlir
    tile.copy_row %p, %n, %s : !tile.ptr<f16>, !tile.shared<1x4096xf16, #padded>
    ```

    Constraints: (C1) one element type, of 2 bytes; (C2) the tile is one row, along its last dimension; (C3) it has a layout, with as many bytes as the row needs;
    (C4) `most` is from 1 to the number of the tile's elements.
  }];
  let arguments = (ins Arg<Tile_PtrType, "the row">:$source, Index:$count,
                       Arg<Tile_SharedType, "", [MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$dest,
                       OptionalAttr<I64Attr>:$most);
  let assemblyFormat = "$source `,` $count `,` $dest attr-dict `:` type($source) `,` qualified(type($dest))";
  let hasVerifier = 1;
}

def Tile_LoadEndsOp : Tile_RowCopyOp<"load_ends", [
    Tile_RowCopyMemory, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>,
    MemoryEffects<[MemRead<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Load what is not copied of a row";
  let description = [{
    Loads what `tile.copy_row` leaves out of `count` elements from `source` on: the first one, where the row begins within a word, and the last one, where it ends within one. The result has the one whose column is even, and the
    one whose column is odd: both ends are left out of rows of an even number of elements alone. Where there is none, it is some element of the row, and zero where the row has none.

    ```mlir
    %e = tile.load_ends %p, %n : !tile.ptr<f16> -> tensor<2xf16, #parity>
    ```

    Constraints: (C1) elements of 2 bytes; (C2) the result has two of them, and each thread has one.
  }];
  let arguments = (ins Arg<Tile_PtrType, "the row">:$source, Index:$count);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `,` $count attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadRowOp : Tile_RowCopyOp<"load_row", [
    Tile_RowCopyMemory, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferOperandLayout"]>]> {
  let summary = "Load a row from where it was copied";
  let description = [{
    Loads a tile of one row of `count` elements that `tile.copy_row` has copied from `from`, an element at a time. What was not copied is in `ends`, as `tile.load_ends` loads it: a thread that has such an element stores it to where it reads it then.
    From the element `most` on, if that is given, it is zeros. With `least` no row has less elements, but for those that have none.

    ```mlir
    %x = tile.load_row %s from %p ends %e count %n
        : !tile.shared<1x4096xf16, #padded>, !tile.ptr<f16>, tensor<2xf16, #parity> -> tensor<1x4096xf16, #rows>
    ```

    Constraints: as `tile.copy_row`; (C5) the result has the shape of the shared tile; (C6) `least` is from 1 to `most`; (C7) no two threads have one column, and none has even and odd ones; (C8) `ends` is as `tile.load_ends` makes it, and each thread has the one that is even or odd as its columns are.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>,
                                                 MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$source,
                       Tile_PtrType:$from, Tile_AnyTile:$ends, Index:$count,
                       OptionalAttr<I64Attr>:$most, OptionalAttr<I64Attr>:$least);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `from` $from `ends` $ends `count` $count attr-dict `:` qualified(type($source)) `,` qualified(type($from)) `,` type($ends) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PlaceRowOp : Tile_RowCopyOp<"place_row", [
    Tile_RowCopyMemory, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>]> {
  let summary = "Put a row where it can be stored from";
  let description = [{
    Stores a tile of one row to shared memory, element by element, as far behind a multiple of 16 bytes as `to` is, from where `tile.store_row` stores it: up to the element `most`, if that is given.

    ```mlir
    tile.place_row %x, %s, %p : tensor<1x4096xf16, #rows>, !tile.shared<1x4096xf16, #padded>, !tile.ptr<f16>
    ```

    Constraints: as `tile.copy_row`; (C5) the tile in registers has the shape of the shared one.
  }];
  let arguments = (ins Tile_AnyTile:$value,
                       Arg<Tile_SharedType, "", [MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$dest,
                       Tile_PtrType:$to, OptionalAttr<I64Attr>:$most);
  let assemblyFormat = "$value `,` $dest `,` $to attr-dict `:` type($value) `,` qualified(type($dest)) `,` qualified(type($to))";
  let hasVerifier = 1;
}

def Tile_StoreRowOp : Tile_RowCopyOp<"store_row", [
    Tile_RowCopyMemory,
    MemoryEffects<[MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Store a row by 16 bytes";
  let description = [{
    Stores the first `count` elements of a row that `tile.place_row` has put into shared memory for `dest`: by 16 bytes where these are multiples and the row has all of them, and
    element by element at both ends. No other byte is written.

    ```mlir
    tile.store_row %s, %p, %n : !tile.shared<1x4096xf16, #padded>, !tile.ptr<f16>
    ```

    Constraints: as `tile.copy_row`.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>]>:$source,
                       Tile_PtrType:$dest, Index:$count, OptionalAttr<I64Attr>:$most);
  let assemblyFormat = "$source `,` $dest `,` $count attr-dict `:` qualified(type($source)) `,` qualified(type($dest))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rows of a warp that are one run of memory
//===----------------------------------------------------------------------===//

class Tile_RunOp<string opMnemonic, list<Trait> traits> : Tile_RowCopyOp<opMnemonic, !listconcat([Tile_RowCopyMemory], traits)>;

def Tile_LoadRunOp : Tile_RunOp<"load_run", [AllTypesMatch<["other", "result"]>,
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>,
    MemoryEffects<[MemRead<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Load rows that may follow one another in memory";
  let description = [{
    Loads a tile of rows, each from its pointer on: the elements where `active` and `inside` are true, `other` elsewhere. `active` is the same for a row, and `inside` for a column: it is
    true for the first `count` ones. So it is what `tile.load` does.

    Where all rows of a warp are active, and each begins where the one before it ends, the warp copies them as one run of memory, by 16 bytes and elements at both ends, into
    shared memory (`scratch`), from where its lanes read single elements. No byte is read but those of these elements. Other warps load element by element, and so do all where a row has
    more than `most` columns, which it has in no launch, or less than `least`, as where a program has none of its columns; words of which few lanes share a row
    such a warp copies there before, one row after the other. Warps do not wait for each other.
    With `reversed` the last column comes first in memory: pointers are to where it is. With `apart` rows are no run, as far as the kernel knows: each warp copies them by words of memory, some rows at a time,
    and by halves at both ends, to where they lie apart.

    ```mlir
    %x = tile.load_run %rows mask %active, %inside else %zeros count %n through %s {most = 352 : i64}
        : ...
    ```

    Constraints: (C1) pointers to elements of 1, 2 or 4 bytes; masks and `other` have the shape and layout of the pointers; (C2) a tile of two dimensions, of which each warp has whole rows that are side by side, and each lane
    other elements; (C3) `scratch` has a layout with 32 bytes for each warp beside the elements, or with a word for each row that lies `apart`, of at least 8 bytes, and of elements of 2 or 4; (C4) `most` is from 1 to the number of columns, and `least` from 1 to `most`.
  }];
  let arguments = (ins Tile_PtrTile:$rows, Tile_BoolTile:$active, Tile_BoolTile:$inside, Tile_AnyTile:$other, Index:$count,
                       Arg<Tile_SharedType, "", [MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$scratch, I64Attr:$most,
                       DefaultValuedOptionalAttr<I64Attr, "1">:$least, UnitAttr:$reversed, UnitAttr:$apart);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $rows `mask` $active `,` $inside `else` $other `count` $count `through` $scratch attr-dict
    `:` type($rows) `,` type($active) `,` type($inside) `,` qualified(type($scratch)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreRunOp : Tile_RunOp<"store_run", [
    MemoryEffects<[MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Store rows that may follow one another in memory";
  let description = [{
    Stores a tile of rows as `tile.load_run` loads one: what lies in one run of memory is put into shared memory, and leaves it by 16 bytes. No other byte is written.

    ```mlir
    tile.store_run %x, %rows mask %active, %inside count %n through %s {most = 352 : i64} : ...
    ```

    Constraints: as `tile.load_run`.
  }];
  let arguments = (ins Tile_AnyTile:$value, Tile_PtrTile:$rows, Tile_BoolTile:$active, Tile_BoolTile:$inside, Index:$count,
                       Arg<Tile_SharedType, "", [MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$scratch, I64Attr:$most,
                       DefaultValuedOptionalAttr<I64Attr, "1">:$least, UnitAttr:$reversed, UnitAttr:$apart);
  let assemblyFormat = [{
    $value `,` $rows `mask` $active `,` $inside `count` $count `through` $scratch attr-dict
    `:` type($value) `,` type($rows) `,` type($active) `,` type($inside) `,` qualified(type($scratch))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Blocks that end with sectors
//===----------------------------------------------------------------------===//

def Tile_CopySectorsOp : Tile_RowCopyOp<"copy_sectors", [
    Tile_RowCopyMemory, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Copy a block with what the next one has of its sectors";
  let description = [{
    Copies as `tile.copy_rows` does, and where the block is `continued`, more along `dim`: as many elements as the last sector of memory (32 bytes) that begins in a row of the
    block, when it is stored, may have beyond it. So 31 elements of a byte, and 3 of 8 bytes; those of them that are inside of the view.

    ```mlir
    tile.copy_sectors %a[%i, %j] of %A : !tile.ptr<i8>, %s if %continued {dim = 0 : i64}
        : !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x128xi8, #padded>
    ```

    Constraints: (C1) to (C3) of `tile.copy_rows`, with room for what is copied; (C4) `dim` is another one than that of rows; (C5) where the block is `continued`, another program
    copies the block behind it, so that these elements may be read: the program says so, and it is not checked.
  }];
  let arguments = (ins Arg<Tile_ViewType, "the matrix">:$view, Variadic<Index>:$offsets, Variadic<Index>:$reach, Optional<Tile_PtrType>:$array,
                       Arg<Tile_SharedType, "", [MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$dest,
                       I1:$continued, I64Attr:$dim);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`within` `[` $reach^ `]`)? (`of` $array^ `:` type($array))? `,` $dest `if` $continued attr-dict `:` qualified(type($view)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def Tile_StoreSectorsOp : Tile_RowCopyOp<"store_sectors", [
    Tile_RowCopyMemory, AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Store a block by whole sectors of memory";
  let description = [{
    Stores what `tile.copy_sectors` has copied as `tile.store_rows` does, where other programs store what its rows go on with. Of a
    sector of memory that two of them share, the one in whose block it begins stores all. So where the rows of the next program are
    these, from where the block ends on (`continued`), the last sectors are stored with the elements beyond; and where the
    rows of the block go on from another program's (`continues`), the first elements of each, up to a sector, are left to that one.

    ```mlir
    tile.store_sectors %s from %a[%i, %j], %b[%j, %i] if %continues, %continued {order = array<i64: 1, 0>}
        : !tile.shared<256x128xi8, #padded>, !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>
    ```

    Constraints: (C1) to (C4) and (C6) of `tile.store_rows`, (C3) with room for what is copied beyond; (C5) rows that are stored have whole lines of 128
    bytes, and a word for each lane; (C7) where a block `continues` or is `continued`, it begins inside of the view, and the other program stores
    what it leaves: the program says so, and it is not checked.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>]>:$source,
                       Tile_ViewType:$from, Variadic<Index>:$from_offsets,
                       Arg<Tile_ViewType, "the matrix">:$view, Variadic<Index>:$offsets,
                       I1:$continues, I1:$continued, DenseI64ArrayAttr:$order);
  let assemblyFormat = [{
    $source `from` $from `[` $from_offsets `]` `,` $view `[` $offsets `]` `if` $continues `,` $continued attr-dict
    `:` qualified(type($source)) `,` qualified(type($from)) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of the tile along which rows are stored.
    unsigned getStoredDim() { return getOrder()[*getView().getType().getContiguousDim()]; }
  }];
}

//===----------------------------------------------------------------------===//
// Walks along rows
//===----------------------------------------------------------------------===//

def Tile_WalkRowsOp : Tile_RowCopyOp<"walk_rows", [
    Tile_RowCopyMemory, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Resource<"::tilewright::tile::GlobalMemory">>,
                   MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Move blocks that follow one another along rows";
  let description = [{
    Moves as `tile.copy_sectors` and `tile.store_sectors` do, but all of the `count` columns from the coordinates on: of each row that is read a granule after the other is copied into a ring of
    shared memory (RowRing.h), while the columns of those before are stored. No byte is read twice. No byte is read but those that lie
    between two elements of the view, up to `reach` from the coordinates on, or between `array` and one of them: that is what programs of the grid read, whatever the view says.

    `ring` has as many rows as a block, and for each the bytes of its ring; `order` says for each dimension of the view that is stored which one of the other it is.

    ```mlir
    tile.walk_rows %a[%i, %j] within [%m, %n] of %A : !tile.ptr<i8>, %b[%j, %i] through %s for %k if %continues, %continued {order = array<i64: 1, 0>}
        : !tile.view<?x?xi8, [?, 1]>, !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x512xi8, #room>
    ```

    Threads meet in it, and use the ring when they begin; other threads may still read it when one of them is done.

    Constraints: (C1) views, coordinates, reaches and ring have one rank, and one element type of 1 or 2 bytes; (C2) the elements of a row stand side by side in both views, along two dimensions; (C3)
    the ring has 1 element along all other dimensions, a multiple of 128 bytes along rows that are stored, and 4 granules of 64 bytes or more along the others, a power of two; (C4) it has a layout,
    with room for as many rows more as the last sector of memory that begins in a stored row may have; (C5) `order` is a permutation of the dimensions; (C6) both views have the same elements from the coordinates on,
    which lie in none of them in front of it; `count` times the bytes of an element has 30 bits; where
    rows `continue` another program's or are `continued` by one, what `tile.store_sectors` asks holds of all columns: the program says so, and it is not checked.
  }];
  let arguments = (ins Tile_ViewType:$from, Variadic<Index>:$from_offsets, Variadic<Index>:$reach, Optional<Tile_PtrType>:$array,
                       Tile_ViewType:$view, Variadic<Index>:$offsets,
                       Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>,
                                                 MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$ring,
                       Index:$count, I1:$continues, I1:$continued, DenseI64ArrayAttr:$order);
  let assemblyFormat = [{
    $from `[` $from_offsets `]` `within` `[` $reach `]` (`of` $array^ `:` type($array))? `,` $view `[` $offsets `]` `through` $ring `for` $count `if` $continues `,` $continued attr-dict
    `:` qualified(type($from)) `,` qualified(type($view)) `,` qualified(type($ring))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of the ring along which rows are stored.
    unsigned getStoredDim() { return getOrder()[*getView().getType().getContiguousDim()]; }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEROWCOPYOPS
