//===- TileProductPartOps.td - Products in parts of K ------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from TileOps.td, so that who knows nothing of these ops need not be
// built again for them (ProductParts.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEPRODUCTPARTOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEPRODUCTPARTOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileTypes.td"

class Tile_ProductPartOp<string opMnemonic, list<Trait> traits> : Op<Tile_Dialect, opMnemonic, traits> {
  let hasVerifier = 1;
}

def Tile_PartIdOp : Tile_ProductPartOp<"part_id", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Number of this block among those that make parts of a program's products";
  let description = [{
    A kernel with `tile.product_parts` (`tile-divide-products`) has as many blocks a program, a cluster. Each runs the program, and has its own
    shared tiles; which trips of a loop it makes, and what it stores, hangs on its number.

    ```mlir
    %part = tile.part_id
    ```

    Constraint: (C1) the kernel has `tile.product_parts`.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_PartBarrierOp : Tile_ProductPartOp<"part_barrier", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemRead<Resource<"::tilewright::tile::SharedMemory">>,
                                                MemWrite<Resource<"::tilewright::tile::SharedMemory">>,
                                                MemRead<Resource<"::tilewright::tile::GlobalMemory">>,
                                                MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Wait for all threads that compute of all blocks of a program";
  let description = [{
    A `tile.barrier` of all blocks that make parts of a program's products (`barrier.cluster`). Warps that only copy take no part: they are over, or
    will be, and nobody waits for threads that are.

    Example: `tile.part_barrier`

    Constraint: (C1) the kernel has `tile.product_parts`.
  }];
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::Barrier}; }
  }];
}

def Tile_LoadPartOp : Tile_ProductPartOp<"load_part", [
    DeclareOpInterfaceMethods<Tile_MemoryAccessOpInterface>, Tile_SharedAccessOpInterface,
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>]> {
  let summary = "Load a tile from the shared memory of another block of the program";
  let description = [{
    As `tile.local_load`, of the tile of the block with that number (`tile.part_id`). It was stored there in front of a `tile.part_barrier`.

    ```mlir
    %t = tile.load_part %s of %part : !tile.shared<4096xf32> -> tensor<4096xf32, #regs>
    ```

    Constraints: (C1) the kernel has `tile.product_parts`; (C2) one shape and one element type; (C3) `vector_width` is a power of two up to 16.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>]>:$source,
                       Index:$part, OptionalAttr<I64Attr>:$vector_width);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `of` $part attr-dict `:` qualified(type($source)) `->` type($result)";
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    bool isStore() { return false; }
    ::mlir::TypedValue<SharedType> getSharedTile() { return getSource(); }
  }];
}

def Tile_AddPartsOp : Tile_ProductPartOp<"add_parts", [DeclareOpInterfaceMethods<Tile_MemoryAccessOpInterface>]> {
  let summary = "Add up the tiles that all blocks of the program have, in that of the first";
  let description = [{
    The tiles of all blocks of a program that are in the same place of their shared memory. Each block adds up a slice of them, in the order of
    the numbers of the blocks, and puts the sums into the tile of the first one, where its own elements were. Tiles were stored in front of a
    `tile.part_barrier`, and the sums are all there behind another one. What the tiles of the other blocks have then is not said.

    ```mlir
    tile.add_parts %s by 4 : !tile.shared<4096xf32>
    ```

    It is done by so many warps, those that compute.

    Constraints: (C1) the kernel has `tile.product_parts`; (C2) the shared tile has one dimension, as many elements as are a multiple of 16 bytes, and of
    f32, f64 or i32.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Resource<"::tilewright::tile::SharedMemory">>,
                                                 MemWrite<Resource<"::tilewright::tile::SharedMemory">>]>:$tile,
                       ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<32>]>:$warps);
  let assemblyFormat = "$tile `by` $warps attr-dict `:` qualified(type($tile))";
}

def Tile_RenameRegistersOp : Tile_ProductPartOp<"rename_registers", [Pure]> {
  let summary = "The same registers, as those of another tile";
  let description = [{
    Each thread has the elements in the same registers as before; which elements of a tile they are is another question. By it, what goes through shared memory
    only to come back to the same places of other threads lies there in the order of threads, 16 bytes each.

    ```mlir
    %r = tile.rename_registers %t : tensor<128x128xf32, #sums> -> tensor<16384xf32, #threads>
    ```

    Constraint: (C1) one element type, and both layouts have as many registers, lanes and warps.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEPRODUCTPARTOPS
