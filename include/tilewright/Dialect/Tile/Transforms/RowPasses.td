//===- RowPasses.td - Passes about rows --------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that go along a row, or take many: which rows, and in which order.
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

    Of a mask, comparisons of columns with a number are left out so, and what it says of rows stays. Only of kernels without loops, branches, products and combinations, whose rows have elements of one size; and not where two masks rule
    each other out, or blocks run several programs. A number for each row goes as it went. So does what is read along another dimension than that of the rows that are stored, of which rows then have 256 elements: this is a transpose, and each row pays for its ends.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_ROWPASSES
