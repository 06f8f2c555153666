//===- RowCopyPasses.td - Passes about rows under way ------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How rows come from memory and go back: in words, and while others are computed.
// The passes are in lib/Dialect/Tile/Transforms/Rows/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWCOPYPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWCOPYPASSES

def TileMoveRows : TilePass<"tile-move-rows"> {
  let summary = "Move blocks whose rows begin anywhere in words";
  let description = [{
    A block of 8191 x 8193 elements of i8 has rows that begin at any byte, so that each thread would move a byte at a time, in a transpose both to
    and from memory. Where a block is only moved, and the rows of both views may begin anywhere, it goes through shared memory in one piece instead: 16 bytes at a time
    on the way in, and aligned words on the way out.

    ```mlir
    %t = tile.load_view %a[%i, %j] : !tile.view<?x?xi8, [?, 1]> -> tensor<256x128xi8>
    %u = tile.trans %t [1, 0] : tensor<256x128xi8> -> tensor<128x256xi8>
    tile.store_view %u, %b[%j, %i] : tensor<128x256xi8>, !tile.view<?x?xi8, [?, 1]>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<256x128xi8, #tile.shared_layout<256x128, pad 48 every 128>>
    tile.copy_rows %a[%i, %j] of %A : !tile.ptr<i8>, %s : !tile.view<?x?xi8, [?, 1]>, !tile.shared<256x128xi8, ...>
    tile.store_rows %s from %a[%i, %j], %b[%j, %i] {order = array<i64: 1, 0>} : ...
    ```

    Where two blocks meet in a row that is stored, they share a sector of memory (32 bytes). Where the block is a matrix, and the program with the next number along an axis of the grid is known to have the block behind
    this one, the sectors that begin in the block are stored whole, with elements of the next one, and its first elements are left to the program before:

    ```mlir
    tile.copy_sectors %a[%i, %j] of %A : !tile.ptr<i8>, %s if %continued {dim = 0 : i64} : ...
    tile.store_sectors %s from %a[%i, %j], %b[%j, %i] if %continues, %continued {order = array<i64: 1, 0>} : ...
    ```

    It is known where addresses are computed of a number, or of its quotient and remainder, so that the next number adds one block along the row and nothing else as long as no remainder begins anew; both programs
    compute by their own number whether one begins, whether the other one is in the grid, and whether both blocks begin inside of the view. The kernel does nothing but to load and to store
    the block. Rows of it that are stored have 256 bytes then, of elements of 1 to 8 bytes: with more of them there may be few programs in a row; those that are read are not known to lie a multiple of 4 elements, or of 16 bytes, apart.

    Where programs whose numbers follow one another along another axis have the blocks that follow along the rows that are read, blocks of the GPU walk: the kernel becomes `persistent`, and each of its
    blocks takes several programs at once, in which it reads no byte twice. All blocks walk along the same columns at one time.

    ```mlir
    scf.for %first = %c0 to %strips step %blocks {
      scf.for %program = %from to %to step %length {
        tile.walk_rows %a[%i, %j] within [%m, %n] of %A : !tile.ptr<i8>, %b[%j, %i] through %ring for %columns if %continues, %continued {order = array<i64: 1, 0>} : ...
      } {tile.programs}
    } {tile.programs}
    ```

    Only where the number of a block along rows, and along those that are stored, is that of the program along an axis; elements have a byte, blocks read 64 bytes of a row, half a line, and have 16 warps or more, since one has a multiprocessor for itself; and where the GPU has room for rings of 512 bytes.

    Elsewhere only elements of less than a word, since others are moved in words anyway, and rows that are stored have 256 elements, since each pays for its ends.
    Only rows along other dimensions, as of those that stay rows each is read and written in few requests as it is. In both views rows
    of the block have at least 64 bytes, and there are 8 of them or more. Rows that are read may
    also have 16 bytes at the most, as those of pixels have, which mostly are one run of memory: where those that are stored, which may begin with vectors then, go along all of them.
    Rows that begin anywhere, but are known to lie a multiple of 8 bytes (i8) or 16 bytes (f16) apart, stay as they are: more than four lanes would read from one bank.
    Nothing else uses the tile, or only exchanges its dimensions; what is stored is inside of the view that is read, by the same coordinates and extents; and the kernel writes
    nothing that may overlap what is read, as bytes between two rows of it are read, too: where these may be
    another array's, as of columns of one matrix, the pipeline leaves this pass out (`reads-gaps=false`), and launches say so. The block has its shared memory from the load to the store, where a tile in registers
    has some for a moment. So only where nothing else may need it: the kernel has no products, and no regions stand between the two, nor stores but such. `tile-insert-barriers` puts a barrier between the two ops.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileLoadRowsAhead : TilePass<"tile-load-rows-ahead"> {
  let summary = "Load the next program's row while this one is computed";
  let description = [{
    In a loop over programs (`tile-persist-rows`) loads whose address follows from the number of the program are done one program ahead. So are loads of a program's own loop that combines
    each part of a row, or each of its rows, one iteration ahead, if nothing else that the loop carries tells their address: its warps wait for each other each time. A loop that only adds what it loads to a tile
    is left: others load while one adds. So is one that stores nothing and computes for at least three quarters of the time that memory takes for what it loads, by the target's numbers: its threads are busy, and more of them have room without
    what is ahead. The loop carries the tile, in the type of
    memory; for the last program nothing is loaded.

    ```mlir
    scf.for %row = %block to %programs step %blocks {
      %v = tile.view %p, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>   // %p by %row
      %x = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<32768xf16>
      ...
    } {tile.programs}
    ```
    becomes
    ```mlir
    %first = ...                                                             // as in the loop, by %block
    scf.for %row = %block to %programs step %blocks iter_args(%x = %first) -> (tensor<32768xf16>) {
      %next = arith.addi %row, %blocks : index
      %more = arith.cmpi slt, %next, %programs : index
      %y = scf.if %more -> (tensor<32768xf16>) {
        %w = tile.view %q, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>   // %q by %next
        %z = tile.load_view %w[%c0] : !tile.view<?xf16, [1]> -> tensor<32768xf16>
        scf.yield %z : tensor<32768xf16>
      } else { ... }                                                         // zeros
      ...
      scf.yield %y : tensor<32768xf16>
    } {tile.programs}
    ```

    What one program stores another one does not wait for, so that nothing orders these loads; what a program reads of what it has written itself stays. A load whose places, and no others of
    its array, a program stores to says so (`tile.in_place`): where threads store what they have loaded, blocks that share a row meet by messages, with no fence. A program's own loop that stores
    must not be able to store what it loads, nor load ahead itself, and threads must have registers for all next rows beside all rows as f32; rows that are rotated gain nothing there.
    In such a loop views have no elements behind the last iteration, and no branch. In the others, where registers cannot hold all
    rows that are loaded, the first ones go ahead. Where they hold two blocks on a multiprocessor and not three, with rows as f32, 16 registers a thread for the rest, and without what stays from one program to the next, `tile.blocks_per_sm` on the kernel asks ptxas for that.
    Of programs whose rows may begin or end anywhere it asks for more than two, too; in phases (`tile-persist-rows`) there are 40 registers for the rest. Where a phase loads weights, these and the next rows may be in shared memory (`keep-in-slots`): as far as that has room, up to 512 threads
    are asked for whose registers hold the row alone. What is known to be behind the row's end in all threads, by the vectors that the row will be moved in where it is not in phases, has no registers.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileCombineRowsAhead : TilePass<"tile-combine-rows-ahead"> {
  let summary = "Combine the next row before this one is stored";
  let description = [{
    Blocks of a cluster that share a row wait for each other where they combine it. In a loop over programs that loads rows ahead (`tile-load-rows-ahead`), what a program combines first is made of its row alone: it is combined by the program before, as soon as the row is there, and is over when its own
    program begins. Rows are loaded one program further ahead then.

    ```mlir
    scf.for %row = %block to %programs step %blocks iter_args(%x = %first) -> (tensor<32768xf16>) {
      %y = scf.if %more -> (tensor<32768xf16>) { ... }                       // the next row
      %sum = tile.reduce %x axis 0 ...
      ...
      tile.store_view %result, %w[%c0]
      scf.yield %y
    } {tile.loads_ahead, tile.programs}
    ```
    becomes
    ```mlir
    %second = scf.if ...
    %s = tile.reduce %first axis 0 ...
    scf.for %row = %block to %programs step %blocks iter_args(%x = %first, %y = %second, %sum = %s) -> (tensor<32768xf16>, tensor<32768xf16>, f32) {
      %z = scf.if %more -> (tensor<32768xf16>) { ... }                       // the row behind the next one
      ...
      tile.store_view %result, %w[%c0]
      %next = tile.reduce %y axis 0 ...
      scf.yield %y, %z, %next
    } {tile.loads_ahead, tile.programs}
    ```

    `tile-join-exchanges` brings what warps store for it to where they store for this row. For the last program there is no next row: zeros are combined, at which nobody looks.

    Only where a block has a multiprocessor alone, so that nobody computes while its warps wait: blocks of 512 threads, up to eight in a cluster, of a kernel that loads its rows alone, whose threads have registers for the row as f32, the next one and the one behind it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileCopyRowsAhead : TilePass<"tile-copy-rows-ahead"> {
  let summary = "Copy rows that begin anywhere some iterations ahead";
  let description = [{
    A loop over rows of 4095 elements of f16 loads each for its next iteration, element by element: one row of each array is under way, in registers. Where
    a block combines rows, in a loop that reads arrays which the kernel does not write, such rows are copied into shared memory by 16 bytes, some iterations ahead. A thread
    reads its elements there as it would in memory.

    ```mlir
    %first = tile.load_view %v[%c0, %c0] {vector_width = 1 : i64}                // of a row at %p
    scf.for %i = %lb to %ub step %step iter_args(%x = %first) -> (tensor<1x4096xf16, #rows>) {
      %w = tile.view %q, shape [%m, %n], strides [0, 1]                           // %q and %m by %i
      %next = tile.load_view %w[%c0, %c0] {vector_width = 1 : i64}
      ...
      %parts = tile.local_load %s                                                // what all warps have stored
      ...
      scf.yield %next
    }
    ```
    becomes
    ```mlir
    tile.copy_row %p, %count, %slot0                                              // the first rows, each a group
    tile.async_commit
    ...
    tile.async_wait 2
    scf.for %i = %lb to %ub step %step iter_args(%at = %p, %e = %e0, %slot = %c0) -> (!tile.ptr<f16>, tensor<2xf16, #parity>, index) {
      %stage = tile.subview %rows[%slot]
      %x = tile.load_row %stage from %at ends %e count %n
      %f = tile.load_ends %q, %m                                                 // what is not copied of the next row
      ...
      tile.async_wait 1
      %parts = tile.local_load %s                                                // behind the barrier of the block
      tile.copy_row %r, %more, %stage                                             // the row of three iterations on
      tile.async_commit
      ...
      scf.yield %q, %f, %nextSlot
    }
    tile.async_wait 0
    ```

    A row that `tile-load-rows-ahead` loads in a branch, since there may be no next program, is loaded without one: it has no elements then.

    The barrier that the loop has anyway orders all: the next row has come before it, and nobody reads this row behind it.

    Only rows of elements of 2 bytes whose threads would move one at a time, in tiles of one row of 1024 bytes or more whose address follows from the number of the
    iteration; with three slots, or two, as many as the blocks that registers hold leave room for. The kernel asks for so many blocks (`tile.blocks_per_sm`).
    Kernels with products, roles or clusters are left alone, and those in which something else is under way.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileStoreRowsBehind : TilePass<"tile-store-rows-behind"> {
  let summary = "Store rows that begin anywhere as vectors, an iteration later";
  let description = [{
    A row that begins anywhere is stored element by element where threads have its elements. In a loop whose warps meet twice in an iteration, to combine what they have, it goes through shared
    memory instead, and no barrier is added: it is put there behind the second one, as far behind a multiple of 16 bytes as where it goes, and is stored by 16 bytes
    behind the first one of the next iteration.

    ```mlir
    scf.for %i = %lb to %ub step %step {
      ...
      %parts = tile.local_load %s                                                // what all warps have stored
      ...
      %others = tile.local_load %t
      ...
      tile.store_view %y, %v[%c0, %c0] {vector_width = 1 : i64}                     // of a row at %p
    }
    ```
    becomes
    ```mlir
    %last:2 = scf.for %i = %lb to %ub step %step iter_args(%at = %Y, %n = %c0) -> (!tile.ptr<f16>, index) {
      ...
      %parts = tile.local_load %s
      tile.store_row %row, %at, %n
      ...
      %others = tile.local_load %t
      ...
      tile.place_row %y, %row, %p
      scf.yield %p, %count
    }
    tile.store_row %row, %last#0, %last#1
    ```

    Only rows of elements of 2 bytes, of 1024 bytes or more, whose threads would move one at a time; where nothing else of the loop touches what may be the same memory, and nothing of the kernel
    tells other programs how far it is; where the loop loads no tiles for its next iteration, for which it would wait; and where shared memory has room for the row.
    Kernels with products, roles or clusters are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileMoveRuns : TilePass<"tile-move-runs"> {
  let summary = "Move short rows that follow one another in memory by 16 bytes";
  let description = [{
    Where a block runs several programs (`tile-batch-programs`), or a program has several short rows itself, rows that begin anywhere are tiles whose lanes move single elements. Mostly such rows lie in one run of memory: each
    begins where the one before it ends. That is known while the program runs, to each warp, which has whole rows. So loads and stores of such tiles go by `tile.load_run` and `tile.store_run`.

    ```mlir
    %ps = tile.addptr %rows, %columns : tensor<4x512x!tile.ptr<f16>>, tensor<4x512xi32>      // each row from its beginning on
    %mask = arith.andi %active, %inside : tensor<4x512xi1>                                   // of rows, and of columns
    %x = tile.load %ps mask %mask else %other {vector_width = 1 : i64} : tensor<4x512x!tile.ptr<f16>>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<4x512xf16, #padded>
    %x = tile.load_run %rows mask %active, %inside else %other count %n through %s {least = 321 : i64, most = 352 : i64} : ...
    ```

    Columns that count down from a number are `reversed`. Of programs' own tiles it is done where a kernel has no loops, combines nothing, and all tiles of more than one row are such rows, none of which is longer than its tile in any launch (`tile.bounds`).

    Only of elements of 1 or 2 bytes, or of 4 that lanes have one by one, in rows of at most 96 columns, or in tiles of at most 256 where rows are stored, too, and where a mask of columns that are less than a number tells how long rows are. Columns count from 0 on, or from a scalar, as of programs that each have a block of columns:
    then a run has what is left of the rows, which is all of them in the first block.

    Where rows have more than 96 columns and others are the same for all programs, as weights, loads of these cost what is saved: only in tiles of more than 128 columns, with fewer of them than of rows that are moved so.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWCOPYPASSES
