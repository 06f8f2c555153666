//===- RowPasses.td - Passes about rows --------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that go along a row, or take many.
// The passes are in lib/Dialect/Tile/Transforms/Rows/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWPASSES

def TileFlattenRows : TilePass<"tile-flatten-rows"> {
  let summary = "Leave out dimensions of 1 where all tiles are rows";
  let description = [{
    A kernel that can take several rows at once may be asked to take one: its tiles have a dimension of 1 then, beside the one along which they are rows.
    What is done for rows looks for tiles of one dimension. So, where all tiles of a kernel have at most one dimension that is longer than 1, the others are left out. What
    has one element becomes a scalar.

    ```mlir
    %c = tile.expand_dims %columns {axis = 0 : i32} : tensor<4096xi32> -> tensor<1x4096xi32>
    %p = tile.addptr %ps, %c : tensor<1x4096x!tile.ptr<f16>>, tensor<1x4096xi32>
    %t = tile.load %p : tensor<1x4096x!tile.ptr<f16>>
    %m = tile.reduce %t axis 1 : tensor<1x4096xf16> -> tensor<1xf16> { ... }
    tile.store %out, %m : tensor<1x!tile.ptr<f16>>
    ```
    becomes
    ```mlir
    %p = tile.addptr %ps, %columns : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
    %t = tile.load %p : tensor<4096x!tile.ptr<f16>>
    %m = tile.reduce %t axis 0 : tensor<4096xf16> -> f16 { ... }
    tile.store %out, %m : !tile.ptr<f16>
    ```

    Kernels with other ops on tiles than elementwise ones, loads by pointers, and combinations along an axis are left alone, and those that store more than an element: rows that are loaded and stored are copied
    ahead as they are, which costs less than to rotate them.
  }];
}

def TileFindExtremesFirst : TilePass<"tile-find-extremes-first"> {
  let summary = "Find the largest element first, then where it stands";
  let description = [{
    A `tile.reduce` of elements together with their places, to the largest or smallest of them and where that stands, has three comparisons and two selections
    for each element (`findExtremeOfPairs` says whether its region is that, in whatever words). It becomes two: of the elements alone, of which halves are compared two at a
    time, and of the places of those that are equal to the extreme one, to the least. Where all are NaN there is none, and any place will do.

    ```mlir
    %m, %w = tile.reduce %x, %i axis 0 : tensor<1024xf32>, tensor<1024xi32> -> f32, i32 { ... }
    ```
    becomes
    ```mlir
    %m = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 { ... arith.maxnumf ... }
    %s = tile.splat %m : f32 -> tensor<1024xf32>
    %e = arith.cmpf oeq, %x, %s : tensor<1024xf32>
    %p = arith.select %e, %i, %c1023 : tensor<1024xi1>, tensor<1024xi32>
    %w = tile.reduce %p axis 0 : tensor<1024xi32> -> i32 { ... arith.minsi ... }
    ```

    Places are those that an iota counts along the axis, from 0 or more on. Elements that were made wider are compared as they were before. In loops only halves: warps meet once more in each trip.
  }];
}

def TileUnrollRows : TilePass<"tile-unroll-rows"> {
  let summary = "Write out loops along a row that has few parts";
  let description = [{
    A loop along a row counts from 0 up to an argument of the kernel, or a constant, by a constant, loads and computes, and stands in a kernel that
    combines what it loads (`findRowLoops`). Each `NAME:STEP:TRIPS` says that the argument is more than STEP * (TRIPS - 1) and at
    most STEP * TRIPS in all launches. Where that tells how many trips a loop has, and these are one or more, they stand one behind the other:

    ```mlir
    %total = scf.for %i = %c0 to %n step %c1024 iter_args(%sum = %zeros) -> (tensor<1024xf32>) {
      %part = tile.load %ps mask %inside : tensor<1024x!tile.ptr<f32>>         // of addresses and a mask that %i is part of
      %next = arith.addf %sum, %part : tensor<1024xf32>
      scf.yield %next : tensor<1024xf32>
    }
    // --tile-unroll-rows="trips=n:1024:2"
    %part0 = tile.load %ps0 mask %inside0 : tensor<1024x!tile.ptr<f32>>
    %part1 = tile.load %ps1 mask %inside1 : tensor<1024x!tile.ptr<f32>>
    %sum0 = arith.addf %zeros, %part0 : tensor<1024xf32>
    %total = arith.addf %sum0, %part1 : tensor<1024xf32>
    ```

    One trip is written out wherever the loop is; several where another loop of as many trips loads from the same array, so that
    `tile-reuse-loads` may let registers keep the row, and where these are at most 256 bytes a thread, and the code some 2048 instructions of one. What the trips load is then under way
    at once: loads stand in front of the first trip, where nothing that the loop writes may be what they read.
  }];
  let options = [
    ListOption<"trips", "trips", "std::string", "NAME:STEP:TRIPS of integers, comma-separated">,
  ];
}

def TileBatchPrograms : TilePass<"tile-batch-programs"> {
  let summary = "Let blocks run several programs at once";
  let description = [{
    A program that takes a short row and reduces it gives a block few bytes to wait for, and barriers to wait at. So a block runs
    several neighbours along an axis of the grid: each tile gets a dimension for them, in front, and what was a scalar is a tile of it.

    ```mlir
    tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
      %p = tile.program_id 0
      %x = tile.load %row : tensor<256x!tile.ptr<f32>>       // of addresses that %p is part of
      %sum = tile.reduce %x axis 0 : tensor<256xf32> -> f32 { ... }
      tile.store %y, %sum : !tile.ptr<f32>
    }
    ```
    becomes
    ```mlir
    tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {block_programs = array<i32: 16, 1, 1>} {
      %first = tile.program_id 0                              // of the block's
      %n = tile.num_programs 0
      %active = ...                                           // iota < %n - %first: the last block may have fewer
      %x = tile.load %rows mask %all : tensor<16x256x!tile.ptr<f32>>
      %sum = tile.reduce %x axis 1 : tensor<16x256xf32> -> tensor<16xf32> { ... }
      tile.store %ys, %sum mask %active : tensor<16x!tile.ptr<f32>>
    }
    ```

    What is the same for all programs is computed and loaded once. A branch that programs take or not is both of its ways, with masks; a
    loop that begins at the number of the program goes on as long as the block's first program does.

    Only where it serves: something is combined along an axis, and the largest tile has at most 1024 elements, or 512 where loads stand in loops, so that a warp has whole
    rows; twice as many programs where rows are known to fill little more than half of it. Not where a program scans and has eight elements a thread by itself: it is busy; and not where several of them have more than about 3000 instructions, unless rows may be in any order (`tile.any_order`), which few threads have then. Or nothing is combined, and each program loads at most 1024 bytes of every array, once, in tiles of at most 512
    elements. And only where each op can be written so (BatchOpInterface), and nobody sees programs while they run: no access is atomic or volatile, and nothing is printed. A remark says what stands in
    the way, where something is combined. `tile.most_programs` on the kernel says how many have room in shared memory, where `tile-allocate-shared` found that out.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TilePersistRows : TilePass<"tile-persist-rows"> {
  let summary = "Let blocks stay, and run programs that take long rows in turn";
  let description = [{
    A program that takes a long row waits for it, and then for its reductions, with nothing under way. So blocks, or clusters of them, run one program after the
    other, in a loop as that of `tile-persist`; `tile-load-rows-ahead` has the next row under way while one is computed.

    ```mlir
    tile.kernel @norm(...) attributes {cluster_blocks = 4 : i32} {
      %row = tile.program_id 0
      ...
    }
    ```
    becomes
    ```mlir
    tile.kernel @norm(...) attributes {cluster_blocks = 4 : i32, persistent} {
      %block = tile.block_id                       // the number of the cluster
      %blocks = tile.num_blocks
      scf.for %row = %block to %programs step %blocks {
        ...
      } {tile.programs}
    }
    ```

    Rows that begin anywhere are rotated as each asks (`tile-rotate-rows`), and what is loaded besides, as weights, with them. There a block takes programs whose rows begin alike
    one after the other, so that it loads weights once for each such phase; all together no block has more than one program more than another:

    ```mlir
    scf.for %phase = %first to %end step %c1 {
      scf.for %row = %from to %to step %c8 {          // of f16: 8 rows of any length are a multiple of 16 bytes
        ...
      } {tile.programs}
    } {tile.programs}
    ```

    Only where it serves: something is combined along a row of at least 16384 elements (of a tile of as many, where weights are rotated with the rows), all tiles have one dimension, a row is loaded whose address the number of the
    program tells, for which there are registers beside this one, and a row is stored; and what else is loaded is the same for all programs, or rows begin with a vector. Shorter rows that begin anywhere are taken
    in turn where as many tiles are the same for all programs, as weights and bias, as rows are loaded and stored, so that nothing is rotated: these rows are copied ahead by `tile-copy-rows-ahead`. They have 2 bytes an element,
    32 elements of their tile a thread, and 2 to 8 warps. With 64 elements a thread and 4 warps or more they are taken in phases, as long ones are. And only where programs may run one after the other: none waits for
    another, is seen while it runs, or prints. A program that goes along rows itself, as `range(program_id, n, num_programs)` does, takes them in its order, and so in a
    loop of its own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileRotateRows : TilePass<"tile-rotate-rows"> {
  let summary = "Let rows that begin anywhere be moved in vectors";
  let description = [{
    A row of 4095 elements of f16 begins at any multiple of 2 bytes, and one whose length is no multiple of 8 has a vector that crosses its end. So no access of
    16 bytes is right for all threads, but one is for nearly all. Of programs that reduce rows, or scan them, and of others that have rows of their own, which lie as far apart as the launch says:

    Where only the end stands in the way, threads look at each vector, and move what is not whole by elements:

    ```mlir
    %x = tile.load_view %row[%c0] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    ```
    becomes
    ```mlir
    %x = tile.load_view %row[%c0] rotated %c0 : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    ```

    Where the beginning does, all tiles of the row are rotated by how far it is behind a multiple of 16 bytes, so that vectors of the tiles
    are vectors of memory. Where bounds of arguments tell that the row ends in the tile all the same (50257 elements in a tile of 65536), it is rotated by how far it is behind a multiple of 128
    bytes, so that warps move whole lines, unless rows are taken in phases (`tile-persist-rows`):

    ```mlir
    %i = tile.iota 0 : tensor<4096xi32>
    %x = tile.load_view %row[%c0] : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    ```
    becomes
    ```mlir
    %s = ...                                    // (address of %row) / 2 % 8
    %i = ...                                    // (iota - %s) & 4095
    %x = tile.load_view %row[%c0] rotated %s : !tile.view<?xf16, [1]> -> tensor<4096xf16>
    ```

    That changes which place of a tile has which element, and so is only done where nobody can tell: all tiles have one dimension of one extent, each op takes
    elements at one place, or combines all in any order, and where elements come from is an iota, a row, or the same everywhere. Other arrays of the kernel,
    which begin with a vector, have none any more: loads put theirs together of words (`shifted`), stores are by elements. There must be fewer of these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def TileComparePlaces : TilePass<"tile-compare-places"> {
  let summary = "Compare the count of an iota, not what follows from it";
  let description = [{
    Which column has a row's label is asked of each element, by as many bits as the label has, and of rows that are rotated (`tile-rotate-rows`) after each
    column was computed. What the iota counts to there is asked instead: the number that columns are compared with is taken through additions, extensions and masks backwards, once for a row,
    and is one that is not counted to where there is no such column:

    ```mlir
    %c = arith.addi %start, %iota : tensor<512xi32>
    %w = arith.extsi %c : tensor<512xi32> to tensor<512xi64>
    %l = tile.splat %label : i64 -> tensor<512xi64>
    %m = arith.cmpi eq, %w, %l : tensor<512xi64>
    ```
    becomes
    ```mlir
    %n = arith.trunci %label : i64 to i32
    %e = ...                                    // whether the label is %n, extended
    %p = arith.subi %n, %first : i32            // of which %start is the splat
    %s = arith.select %e, %p, %c-1_i32 : i32
    %l = tile.splat %s : i32 -> tensor<512xi32>
    %m = arith.cmpi eq, %iota, %l : tensor<512xi32>
    ```

    Of comparisons for equality only, with numbers that are the same along the dimension that is counted.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def TileBranchWholeBlocks : TilePass<"tile-branch-whole-blocks"> {
  let summary = "Move blocks of arrays of any length in vectors, but the last one";
  let description = [{
    An array of 50000003 bytes has a vector of 16 that crosses its end, so that no thread may move one. But only the last block has it. Where nothing else keeps the
    arrays of a kernel from being moved in vectors, all that it does stands in both parts of a branch: for blocks that are whole, and for the last one.

    ```mlir
    %v = tile.view %p, shape [%left], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
    %x = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
    ```
    becomes
    ```mlir
    %whole = arith.cmpi uge, %left, %c1024 : index
    scf.if %whole {
      %v = tile.view %p, shape [1024], strides [1] : !tile.ptr<i8> -> !tile.view<1024xi8, [1]>
      %x = tile.load_view %v[%c0] : !tile.view<1024xi8, [1]> -> tensor<1024xi8>
    } else {
      %v = tile.view %p, shape [%left], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
      %x = tile.load_view %v[%c0] : !tile.view<?xi8, [1]> -> tensor<1024xi8>
    }
    ```

    The last block takes longest. So the numbers of programs by which arrays end are counted from the last one on, and it begins first.

    Arrays of such elements that all begin beside vectors, as slices do, are not known to begin alike, but mostly do. That is part of the condition, and the whole blocks are rotated by as many elements (`tile-rotate-rows`): all of their vectors are vectors of memory then, but the one in which they are joined. Where something is computed of places, which would be a number each then, or some arrays begin with vectors, elements of the others are moved alone; in whole blocks they ask no mask, if the arrays end anywhere.

    ```mlir
    %a = tile.ptr_to_int %p : !tile.ptr<i8> -> i64
    %s = arith.andi %a, %c15 : i64                        // index by an index_cast
    scf.if %whole_and_alike {
      %x = tile.load_view %v[%c0] rotated %s : !tile.view<1024xi8, [1]> -> tensor<1024xi8>
    ```

    Only of kernels without loops and combinations of what is loaded, some of whose arrays have elements of at most 2 bytes, and those that begin beside vectors no larger ones: these are as fast one at a time. Scalars are computed in
    front of the branch. What else asks a mask of whole blocks is told that it holds, where the mask ends by what the arrays do. In blocks that run several programs, and of tiles of two dimensions, it is not done: of these many blocks cross an end.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileBranchWholeRows : TilePass<"tile-branch-whole-rows"> {
  let summary = "Move rows of blocks that have all columns by words";
  let description = [{
    Elements of one or two bytes of rows that begin anywhere can be moved by words of memory (`tile.by_words`, which `tile-check-vector-width` writes) where a block has all columns of its tile, so
    that nothing but the ends of each row is looked at. Where that is a matter of scalars, all that the kernel does stands in both parts of a branch: for blocks that have them, and for
    others, whose code is as it was.

    ```mlir
    %v = tile.view %p, shape [%rows, %left], strides [%n, 1] : !tile.ptr<i8> -> !tile.view<?x?xi8, [?, 1]>
    %x = tile.load_view %v[%c0, %c0] : !tile.view<?x?xi8, [?, 1]> -> tensor<8x512xi8>
    ```
    becomes
    ```mlir
    %whole = arith.cmpi sle, %c512, %left : index
    scf.if %whole {
      %v = tile.view %p, shape [%rows, 512], strides [%n, 1] : !tile.ptr<i8> -> !tile.view<?x512xi8, [?, 1]>
      %x = tile.load_view %v[%c0, %c0] : !tile.view<?x512xi8, [?, 1]> -> tensor<8x512xi8>
    } else {
      ... // as before
    }
    ```

    Of a mask, comparisons of columns with a number are left out so, and what it says of rows stays. Only of kernels without loops, branches, products and combinations, all of whose tiles have elements of one size and go through memory
    along one dimension, but for a number for each row, which goes as it went; and not where two masks rule each other out, or blocks run several programs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

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
    is left: others load while one adds. The loop carries the tile, in the type of
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
    scf.for %i = %lb to %ub step %step iter_args(%at = %p, %f = %f0, %slot = %c0) -> (!tile.ptr<f16>, f16, index) {
      %stage = tile.subview %rows[%slot]
      %x = tile.load_row %stage from %at first %f
      %g = tile.load %q mask %some                                               // the first element of the next row
      ...
      tile.async_wait 1
      %parts = tile.local_load %s                                                // behind the barrier of the block
      tile.copy_row %r, %more, %stage                                             // the row of three iterations on
      tile.async_commit
      ...
      scf.yield %q, %g, %nextSlot
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

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWPASSES
