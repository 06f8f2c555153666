//===- RegisterPasses.td - Passes about tiles in registers -*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which thread has which element of a tile, and who combines what.
// The passes are in lib/Dialect/Tile/Transforms/Registers/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERPASSES

def TileReduceBehindLoops : TilePass<"tile-reduce-behind-loops"> {
  let summary = "Reduce behind a loop what it would reduce in each trip";
  let description = [{
    A loop that keeps the largest of columns, and reduces each tile for that, has its warps meet in each trip. It keeps a tile of the largest, and reduces that behind it:

    ```mlir
    %most = scf.for %i = ... iter_args(%so_far = %first) -> (tensor<64xf32>) {
      %x = ...
      %largest = tile.reduce %x axis 0 : tensor<32x64xf32> -> tensor<64xf32> { ... }        // by arith.maxnumf
      %next = arith.maxnumf %so_far, %largest : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    ```
    becomes
    ```mlir
    %tile = scf.for %i = ... iter_args(%so_far = %nothing) -> (tensor<32x64xf32>) {
      %x = ...
      %next = arith.maxnumf %so_far, %x : tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    %largest = tile.reduce %tile axis 0 : tensor<32x64xf32> -> tensor<64xf32> { ... }
    %most = arith.maxnumf %first, %largest : tensor<64xf32>
    ```

    Only columns of tiles of two dimensions, and what has the same bits in any order: extremes, sums and bits of integers. A thread has at most 32 registers of such a tile; both halves of one that has twice as many are
    combined in each trip, in one thread. Nothing else in the loop uses what it carries so.
  }];
}

def TileAssignRegisterLayouts : TilePass<"tile-assign-register-layouts"> {
  let summary = "Say which thread holds which element of each tile";
  let description = [{
    Gives every tensor of the kernel a register layout.

    - A load or store of global memory wants a coalesced layout: each thread the widest
      vector that the address allows, each warp whole rows of the tile; where the tile, or one that it meets, is
      multiplied, reduced, or carried around the loop of an access, 128-byte lines, so that each thread has elements of few rows. Where the `target` has accesses of 32
      bytes a thread, they are wanted in kernels in which no tile goes from threads to others: what goes
      through shared memory, goes by 16 bytes.
    - A load that is only an operand of FMAs, and lies along K, is turned on its way to shared memory: 8 lanes along a row, a sector, and 4 rows, an element a thread.
      Where the layout of shared tiles is pinned (`turn-operands=false`), it wants vectors as others do.
    - A load gets its own wish. Ops without a wish follow their operands. Where all that is made of a load, outside of
      loops, is needed in one other layout, it moves there if that takes no more cycles than a conversion would.
    - A store keeps the layout its value has, where that touches no more than twice the
      lines of its wish, and no more sectors; else the value is converted.
    - What costs nothing to compute again (constants, iota, splats and arithmetic of those) is
      made anew in each layout that is asked for, never converted. So are pointers: the numbers that they are made of
      are converted. Those that a loop or a branch hands on go as `i64`.
    - What a loop or a branch hands on has one layout at all places that it comes out of: that of what its regions
      make, or else of what goes in, or else what the first op that it leads to wants: an access, or what has a layout by
      other tiles.

    How the tiles of one op hang together the op says (`RegisterLayoutOpInterface`); one that takes or makes tiles and does
    not say so is an error.

    ```mlir
    %t = tile.load_view %a[%i, %j] : ... -> tensor<64x64xf32>
    %u = tile.trans %t [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store_view %u, %b[%j, %i] : tensor<64x64xf32>, ...
    ```
    becomes
    ```mlir
    %t = tile.load_view %a[%i, %j] : ... -> tensor<64x64xf32, #rows>
    %u = tile.trans %t [1, 0] : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    %v = tile.convert_layout %u : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    tile.store_view %v, %b[%j, %i] : tensor<64x64xf32, #rows>, ...
    ```

    A layout that is already written is kept: a placed program passes unchanged. A kernel in
    which only some tensors have one is an error.
  }];
  let options = [
    Option<"warpgroupDots", "warpgroup-dots", "bool", "true", "Accumulators of wgmma, where the target has it">,
    Option<"turnOperands", "turn-operands", "bool", "true",
           "Turn operands of FMAs that lie along K on their way to shared memory; its layout there is then to be chosen for that">,
  ];
}

def TileFillAtReads : TilePass<"tile-fill-at-reads"> {
  let summary = "Fill in what masks leave out after a conversion";
  let description = [{
    A load in a loop that has a number for where its mask is false, and whose result changes its layout, loads zeros there, as
    a copy does, so that it may run ahead. The number is chosen after the conversion, by the mask of that trip.

    ```mlir
    %t = tile.load %ps mask %m else %ones : tensor<64x32x!tile.ptr<f16>, #a>
    %u = tile.convert_layout %t : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    ```
    becomes
    ```mlir
    %t = tile.load %ps mask %m : tensor<64x32x!tile.ptr<f16>, #a>
    %c = tile.convert_layout %t : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    %u = arith.select %m_b, %c, %ones_b : tensor<64x32xi1, #b>, tensor<64x32xf16, #b>   // %m and %ones, made again
    ```
  }];
}

def TileRaiseConversions : TilePass<"tile-raise-conversions"> {
  let summary = "Compute where elements have fewer copies";
  let description = [{
    What is computed element by element, and only converted to a layout with fewer registers, is computed there. What was reduced along rows, which
    all threads of a row have, is computed on by each of them else.

    ```mlir
    %log = math.log %sums : tensor<16xf32, #copies>                    // of 4 registers
    %own = tile.convert_layout %log : tensor<16xf32, #copies> -> tensor<16xf32, #own>
    ```
    becomes
    ```mlir
    %parts = tile.convert_layout %sums : tensor<16xf32, #copies> -> tensor<16xf32, #own>
    %own = math.log %parts : tensor<16xf32, #own>                      // of one
    ```

    Conversions of one block to one layout are moved together, back to what is used elsewhere too, and only where they become no more.
  }];
}

def TileNarrowConversions : TilePass<"tile-narrow-conversions"> {
  let summary = "Convert layouts before elements become wider";
  let description = [{
    A `tile.convert_layout` of elements that a cast has just made wider, and perhaps an op such as `tile.trans` renamed,
    goes before the cast: fewer bytes change threads. A conversion for a `tile.dot` stays, so does one of elements that
    have another use in their wide form, and one after which threads have more copies of the elements.

    ```mlir
    %w = arith.extf %x : tensor<64x64xf16, #a> to tensor<64x64xf32, #a>
    %v = tile.convert_layout %w : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```
    becomes
    ```mlir
    %c = tile.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
    %v = arith.extf %c : tensor<64x64xf16, #b> to tensor<64x64xf32, #b>
    ```
  }];
}

def TileHoistConversions : TilePass<"tile-hoist-conversions"> {
  let summary = "Convert layouts once of what a loop does not change";
  let description = [{
    A `tile.convert_layout` of what is the same in all trips of a loop goes before it, and what that is computed by: threads exchange it once, and not
    behind barriers in each trip. A load for which such a tile is the mask can be copied ahead.

    ```mlir
    scf.for %k = ... {
      %m = tile.expand_dims %valid {axis = 1 : i32} : tensor<64xi1, #a> -> tensor<64x1xi1, #b>
      %c = tile.convert_layout %m : tensor<64x1xi1, #b> -> tensor<64x1xi1, #c>
    ```
    becomes
    ```mlir
    %m = tile.expand_dims %valid {axis = 1 : i32} : tensor<64xi1, #a> -> tensor<64x1xi1, #b>
    %c = tile.convert_layout %m : tensor<64x1xi1, #b> -> tensor<64x1xi1, #c>
    scf.for %k = ... {
    ```
  }];
}

def TileSplitReductions : TilePass<"tile-split-reductions"> {
  let summary = "Reduce in each warp, then across warps";
  let description = [{
    A `tile.reduce` of which several warps hold parts becomes one that each warp does by itself, and one of
    the warps' results, which each thread gathers.

    ```mlir
    %s = tile.reduce %x axis 1 : tensor<16x256xf32, #source> -> tensor<16xf32, #result> { ... }
    ```
    becomes
    ```mlir
    %w = tile.reduce %x axis 1 per_warp : tensor<16x256xf32, #source> -> tensor<16x4xf32, #warps> { ... }
    %g = tile.convert_layout %w : tensor<16x4xf32, #warps> -> tensor<16x4xf32, #gathered>
    %s = tile.reduce %g axis 1 : tensor<16x4xf32, #gathered> -> tensor<16xf32, #result> { ... }
    ```

    Where many threads would gather the same, each result is combined by one of them, and a second conversion
    hands it out, to where a conversion of the result already wants it if there is one. `AxisReduction` has the
    costs.

    ```mlir
    %w = tile.reduce %x axis 1 per_warp : tensor<64x256xf32, #source> -> tensor<64x8xf32, #warps> { ... }
    %g = tile.convert_layout %w : tensor<64x8xf32, #warps> -> tensor<64x8xf32, #spread>
    %r = tile.reduce %g axis 1 : tensor<64x8xf32, #spread> -> tensor<64xf32, #one_each> { ... }
    %s = tile.convert_layout %r : tensor<64xf32, #one_each> -> tensor<64xf32, #result>
    ```
  }];
}

def TileNarrowReductions : TilePass<"tile-narrow-reductions"> {
  let summary = "Take maxima and minima before elements become wider";
  let description = [{
    The largest, or the smallest, of elements that a cast has made wider is that of the narrow ones, made wider: which
    of two is larger does not change, with zeros of both signs, infinities and NaN. So a `tile.reduce` of f16 or bf16 that
    `arith.extf` has made wider, whose region is one of `arith.maxnumf`, `minnumf`, `maximumf` and `minimumf`, reduces what
    the cast takes: two elements an instruction, and none is made wide for it. Behind `tile-split-reductions`, which has
    results of warps exchanged while they are wide: blocks of a cluster send no less than 4 bytes.

    ```mlir
    %w = arith.extf %x : tensor<1024xbf16> to tensor<1024xf32>
    %m = tile.reduce %w axis 0 : tensor<1024xf32> -> f32 { ... arith.maxnumf ... }
    ```
    becomes
    ```mlir
    %n = tile.reduce %x axis 0 : tensor<1024xbf16> -> bf16 { ... arith.maxnumf ... }
    %m = arith.extf %n : bf16 to f32
    ```
  }];
}

def TileSplitScans : TilePass<"tile-split-scans"> {
  let summary = "Scan in each warp, then across warps";
  let description = [{
    A `tile.scan` along an axis of which several warps hold parts becomes one of what each warp has, one of the totals
    of these parts, and a `tile.carry` that combines what a thread has with what stands before its parts.

    ```mlir
    %s = tile.scan %x axis 0 : tensor<1024xf32, #l> -> tensor<1024xf32, #l> { ... }
    ```
    becomes
    ```mlir
    %p, %w = tile.scan %x axis 0 per_warp : tensor<1024xf32, #l> -> tensor<1024xf32, #l>, tensor<8xf32, #w> { ... }
    %t = tile.convert_layout %w : tensor<8xf32, #w> -> tensor<8xf32, #home>
    %e = tile.scan %t axis 0 exclusive : tensor<8xf32, #home> -> tensor<8xf32, #home> { ... }
    %b = tile.convert_layout %e : tensor<8xf32, #home> -> tensor<8xf32, #w>
    %s = tile.carry %p before %b axis 0 : (tensor<1024xf32, #l>, tensor<8xf32, #w>) -> tensor<1024xf32, #l> { ... }
    ```

    `AxisScan` says what the parts are and where their totals can be scanned: in registers of all threads that want them, by
    lanes that would have the same, or each total by one thread. Taken is what takes the fewest cycles, of which those with a
    second way through shared memory count three times.
  }];
}

def TileRunInFirstThread : TilePass<"tile-run-in-first-thread"> {
  let summary = "Let the first thread run programs without tiles alone";
  let description = [{
    All that a program without tiles stores its first thread stores. Where it does nothing but to compute numbers, and to load
    and store them through one pointer at a time, the other threads end where the program begins (`tile.first_thread`): nobody
    waits for anybody, and no access needs a predicate, which ptxas would make a branch of.

    ```mlir
    tile.kernel @count(%p: !tile.ptr<i32>, %by: i32) attributes {num_warps = 4 : i32} {
      %old = tile.load %p : !tile.ptr<i32>
    ```
    becomes
    ```mlir
    tile.kernel @count(%p: !tile.ptr<i32>, %by: i32) attributes {num_warps = 4 : i32, tile.first_thread} {
      %old = tile.load %p unshared : !tile.ptr<i32>
    ```

    Not where it prints, asserts, or has PTX of the user's, nor where a block has several programs, or several blocks one.
  }];
}

def TileLoadInFirstThread : TilePass<"tile-load-in-first-thread"> {
  let summary = "Let the first thread load what nobody else needs";
  let description = [{
    Through one pointer the first thread stores, and all threads load: what it stores would have to wait for all loads before
    it, and loads behind it for the store. A number that is loaded to be stored again, or to say where, it alone needs. So it
    alone loads it, in the order of the text, and `tile-insert-barriers` places no barrier between.

    ```mlir
    %count = tile.load %p : !tile.ptr<i32>
    %next = arith.addi %count, %one : i32
    tile.store %p, %next : !tile.ptr<i32>
    ```
    becomes
    ```mlir
    %count = tile.load %p unshared : !tile.ptr<i32>
    %next = arith.addi %count, %one : i32
    tile.store %p, %next : !tile.ptr<i32>
    ```

    A condition, the bounds of a loop and tiles all threads need. Loads of arrays that no such store changes stay.
  }];
}

def TileShareResults : TilePass<"tile-share-results"> {
  let summary = "Let all threads have what one of them found";
  let description = [{
    An atomic access is made once for each element, also where several threads hold it, and one through a single
    pointer by one thread; so is a volatile load through one. PTX of the user's that is not pure each thread runs, and may
    find something else than the others. Where the result is used, it goes through shared memory to
    the others. A scalar does so as a tile of one element.

    ```mlir
    %old = tile.atomic_rmw add %ps, %v : tensor<16x!tile.ptr<i32>, #copies>
    ```
    becomes
    ```mlir
    %one = tile.atomic_rmw add %ps, %v unshared : tensor<16x!tile.ptr<i32>, #copies>
    %s = tile.alloc_shared : !tile.shared<16xi32>
    tile.local_store %one, %s : tensor<16xi32, #copies>, !tile.shared<16xi32>
    %old = tile.local_load %s : !tile.shared<16xi32> -> tensor<16xi32, #copies>
    ```
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERPASSES
