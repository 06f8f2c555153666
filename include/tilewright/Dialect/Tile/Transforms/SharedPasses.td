//===- SharedPasses.td - Passes about shared memory --------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes through shared memory, where it lies there, and which accesses wait
// for which.
// The passes are in lib/Dialect/Tile/Transforms/Shared/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_SHAREDPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_SHAREDPASSES

def TileLowerConversions : TilePass<"tile-lower-conversions"> {
  let summary = "Make the way through shared memory explicit";
  let description = [{
    A `tile.convert_layout` that moves data between warps becomes a store into a new
    shared tile and a load from it. One that only renames registers of a thread stays, and so does
    one inside of warps where shuffles take fewer cycles than the best shared tile would (a remark
    has both numbers). Operands of products, and loads of a loop that may run ahead, are staged in any case:
    `ldmatrix` and `tile-pipeline` want them so.

    ```mlir
    %v = tile.convert_layout %u : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32>
    tile.local_store %u, %s : tensor<64x64xf32, #a>, !tile.shared<64x64xf32>
    %v = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #b>
    ```

    A tile that goes to several layouts, in whole, is stored once, as keys that are values as well: all read the first shared tile.

    A tile that needs more than `max-bytes`, less what products of the same loop read, is sent in halves, or quarters,
    through one smaller shared tile: `tile.split` and `tile.join` take it apart and put it together where each thread has
    its parts of both halves before and after. Where pieces cannot be so small, what loops
    before it read is not counted. Where there is no way to do that, a tile that is only stored to a view is
    stored as it lies in registers, and one that is loaded from a view, and has no other use, is loaded as it is taken. What a loop of a kernel that combines rows leaves, as sums of columns, is stored by the warps that have it, if these need
    no more than shuffles for vectors of 16 bytes side by side: the loop has all of shared memory for its rows.

    Where the stages of a load in a loop that stores would leave no room for what the loop sends through shared memory, loops have
    fewer of them (`tile.most_stages` on the kernel). Where two are too many, the load is marked `tile.stays`: it does not run ahead.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "0", "Shared bytes a block may have; 0: what the target says">,
  ];
}

def TileAssignSharedLayouts : TilePass<"tile-assign-shared-layouts"> {
  let summary = "Choose where each element of a shared tile stands";
  let description = [{
    For each `tile.alloc_shared` whose type has no layout: gathers every access to the tile, scores
    the candidates (as is, padded, XOR-swizzled) by exact wavefronts over all of them, and takes the
    cheapest.

    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32, #tile.shared_layout<64x64, swizzle<3,2,6>>>
    ```

    Where the choice is free and no layout gives all accesses the widest vectors they could have, loads are
    tried as `ldmatrix` too, which transposes blocks of 8 x 8 on its way: a load that costs less so becomes
    `matrix`.

    A tile that a `tile.warpgroup_dot` reads has a layout of the hardware, the cheapest that the product can read; a
    `layout` attribute on it is an error.

    For other tiles the option, or the `layout` attribute of the tile, which wins over it, narrows the choice: `auto`,
    `none`, `pad`, `pad:N`, `swizzle`. `none` and `pad:N` leave one layout: row-major, or with rows along the dimension
    in which a `vector_width` asks for vectors. A `vector_width` that no layout left can serve is an error at
    the access. With a `target`, a layout that leaves room for fewer blocks on an SM pays for it. Why a
    layout won is a remark at the tile, what it costs each access one there.
  }];
  let options = [
    Option<"layout", "layout", "std::string", "\"auto\"", "auto, none, pad, pad:N (elements) or swizzle">,
  ];
}

def TileCheckVectorWidth : TilePass<"tile-check-vector-width"> {
  let summary = "The widest legal vector of each access";
  let description = [{
    Writes `vector_width`, in elements, on each access to global and shared memory: the largest that
    the layout, the alignment of base, strides and coordinates, the extents, the mask and the 16 bytes of
    an instruction allow, or 32 of global memory where the `target` has such. A width below that is a remark
    that says what stands in the way.

    ```mlir
    %t = tile.load_view %a[%i, %j] : ... -> tensor<64x64xf32, #rows>
    ```
    becomes
    ```mlir
    %t = tile.load_view %a[%i, %j] {vector_width = 4 : i64} : ... -> tensor<64x64xf32, #rows>
    ```

    A width that is written already is kept if it is legal; if not, it is an error that
    names the condition.

    Elements of one or two bytes of rows that begin anywhere are moved by words of memory where a warp has two words a lane of a row, and neither
    loops, products nor reductions ask for layouts of their own: `tile.by_words` is 1, or -1 where rows of the tile go down through memory. Elements then change
    threads on their way, which barriers go by.

    ```mlir
    tile.store_view %t, %b[%i, %j] : tensor<8x512xi8, #pieces>, ...
    ```
    becomes
    ```mlir
    tile.store_view %t, %b[%i, %j] {tile.by_words = 1 : i64, vector_width = 1 : i64} : ...
    ```
  }];
}

def TileJoinExchanges : TilePass<"tile-join-exchanges"> {
  let summary = "Let warps meet once for what they combine apart";
  let description = [{
    Warps tell each other in shared memory what each has found of a row. Where a program combines two tiles, as a gradient does for the slope and the level of a row, and neither waits
    for the other, what is stored for the second is stored with the first.

    ```mlir
    tile.local_store %a, %s
    %x = tile.local_load %s                     // behind a barrier
    %b = tile.reduce %tile axis 1 per_warp ...   // of nothing that %x tells
    tile.local_store %b, %t
    %y = tile.local_load %t                     // behind another one
    ```
    becomes
    ```mlir
    %b = tile.reduce %tile axis 1 per_warp ...
    tile.local_store %a, %s
    tile.local_store %b, %t
    %x = tile.local_load %s
    %y = tile.local_load %t
    ```

    In a loop both tiles have two stages, which take turns in its iterations: the number of the stage is carried, 0 and 1 by turns. `tile-insert-barriers` sees that, and so warps meet once an iteration, and not a second time before they store again.

    In a cluster blocks tell each other when they have read, and tiles have one stage.

    Only tiles of an element a thread at the most, which have no bytes yet, and not across loops and branches, where others would be kept for long. Kernels with products are left alone.
  }];
}

def TileAllocateShared : TilePass<"tile-allocate-shared"> {
  let summary = "Give each shared tile its bytes";
  let description = [{
    Writes `offset` on each `tile.alloc_shared`, and the sum, `shared_bytes`, on the kernel. Tiles
    whose lives do not overlap share bytes, at the price of barriers between them: not where all tiles together
    have no more than `free-bytes`. More than the limit is an error that names the tiles, and how many
    stages there would be room for, and why, stays with the kernel (`tile.most_stages`, `tile.stages_reason`): who compiles it places it once more,
    with no more of them in any loop. Where a block runs several programs at once, it is how many of these have room (`tile.most_programs`).

    Where a block has a multiprocessor alone anyhow, and there is room, a channel that copies of threads fill in a loop of products gets one slot more. Then copies begin in front of the wait for products, into a slot that
    the product before last has read, and one barrier an iteration orders all.

    ```mlir
    tile.kernel @transpose(...) {
      %s = tile.alloc_shared : !tile.shared<64x64xf32, #layout>
    ```
    becomes
    ```mlir
    tile.kernel @transpose(...) attributes {shared_bytes = 16384 : i64} {
      %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf32, #layout>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "0", "Shared bytes a block may have; 0: what the target says">,
    Option<"freeBytes", "free-bytes", "int64_t", "0",
           "Shared bytes of a block that never keep another one off the SM; 0: what the target says">,
  ];
}

def TileInsertBarriers : TilePass<"tile-insert-barriers"> {
  let summary = "Order the accesses to memory";
  let description = [{
    Puts a `tile.barrier` before an access to shared bytes that another thread may have read or
    written since the last barrier, where one of the two is a write; around loops too. Accesses to
    disjoint bytes need none, nor do those in which each thread only meets itself. What orders a loop only behind
    what was before it stands in front of it, not in each iteration. Where each warp touches what it has touched itself, and no other
    warp, its own lanes wait for one another (`each_warp`), or those of a warpgroup (`each_warpgroup`).

    `tile.warpgroup_dot` and bulk copies go past the way that threads write. Barriers that something written by threads comes to become
    `async_proxy`, if such an op, or what hands over to one, may follow before another barrier.

    Global accesses are ordered in the same way where they come from one pointer argument, from two of which neither is
    `tile.disjoint`, or from what is not known. Of pointers that are a stride of the launch apart, threads may meet
    only where it is less than the elements along it; then the barrier hangs on that (`scf.if`):

    ```mlir
    %distance = arith.subi %stride, %c128 : i32
    %meet = arith.cmpi ugt, %distance, %c69273538 : i32     // less than 128, or 32 bits are too few
    scf.if %meet {
      tile.barrier
    }
    tile.store %pointers, %x : tensor<32x64x!tile.ptr<f16>, ...>
    ```

    A use of bytes into which a copy for another tile is under way is an error, and so is a store to global memory
    that a copy under way may still read. So is an op that touches memory and does not say what
    (`MemoryAccessOpInterface`).

    ```mlir
    tile.local_store %u, %s : ...
    %v = tile.local_load %s : ...
    ```
    becomes
    ```mlir
    tile.local_store %u, %s : ...
    tile.barrier
    %v = tile.local_load %s : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_SHAREDPASSES
