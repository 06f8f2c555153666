//===- LoadPasses.td - Passes about loads ------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is loaded once, and when: before loops, before what combines, together
// or alone. ptxas orders loads, and gives them registers, by what it sees of a
// program; these put loads, or say things, so that it has more of them under
// way.
// The passes are in lib/Dialect/Tile/Transforms/Loads/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES

def TileReuseLoads : TilePass<"tile-reuse-loads"> {
  let summary = "Read from memory once what is loaded again";
  let description = [{
    A load that reads what an earlier one has read is that one's tile, in the type of memory. Both have the same pointers, or the same block of the same
    view, and the earlier one no mask or the same, or one that the later mask is a part of; where the mask or `else` differs, a select fills in.

    ```mlir
    %x = tile.load %ps mask %inside else %zeros : tensor<1024x!tile.ptr<f16>>
    tile.store %qs, %z : tensor<64x!tile.ptr<f32>>                              // of an array that is disjoint from others
    %y = tile.load %ps mask %inside else %ones : tensor<1024x!tile.ptr<f16>>
    // becomes
    %x = tile.load %ps mask %inside else %zeros : tensor<1024x!tile.ptr<f16>>
    tile.store %qs, %z : tensor<64x!tile.ptr<f32>>
    %y = arith.select %inside, %x, %ones : tensor<1024xi1>, tensor<1024xf16>
    ```

    Not where anything between both may write those bytes, in a loop or a branch too, or orders what others do: a barrier, an atomic
    or volatile access. Volatile loads stay. A tile of more than 256 bytes a thread is loaded again.
  }];
}

def TileAddOnce : TilePass<"tile-add-once"> {
  let summary = "Let blocks stay, and add once for all of their programs to places that all programs share";
  let description = [{
    Programs that add up what they load, as counts or the gradient of a bias, add each to the same places of memory, which then take one addition after the other. Blocks run
    programs one after the other, as those of `tile-persist-rows` do, keep the sum, and add it behind their loop:

    ```mlir
    tile.kernel @sum(...) {
      %block = tile.program_id 0
      ...
      %sum = tile.reduce %x axis 0 : tensor<1024xf32> -> f32 { ... }             // of f32
      tile.atomic_rmw add %total, %sum : !tile.ptr<f32>
    }
    ```
    becomes
    ```mlir
    tile.kernel @sum(...) attributes {persistent} {
      %sums = scf.for %block = ... iter_args(%so_far = %nothing) -> (tensor<1024xf32>) {
        ...
        %next = arith.addf %so_far, %x : tensor<1024xf32>
        scf.yield %next : tensor<1024xf32>
      } {tile.programs}
      %sum = tile.reduce %sums axis 0 : tensor<1024xf32> -> f32 { ... }
      tile.atomic_rmw add %total, %sum : !tile.ptr<f32>
    }
    ```

    What is reduced by a sum is added up before it is, where that takes at most 16 registers of a thread and elements have 4 bytes or more; of a larger tile, far parts along its first dimension are added up
    in each trip, in one thread. Counters of `tile.local_count` stay as they are in shared memory until all programs have counted; a thread counts at most 64 elements in each.

    Only where nothing else is written, results of additions are not used, their pointers and masks are the same in all programs, and no program loads what is added to, has a loop, or knows how many programs there are; and where
    a thread loads more than one vector, of halves or to be counted, or elements of 4 bytes or more. Programs along axes that none asks for add, too: they are a loop around this one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileHoistLoads : TilePass<"tile-hoist-loads"> {
  let summary = "Load once what all programs of a block load";
  let description = [{
    In a loop over programs (`tile-persist-rows`) tiles that do not depend on the number of the program, from arrays that the kernel does not write, are loaded in front of the loop: weights of a norm.

    ```mlir
    scf.for %row = %block to %programs step %blocks {
      %v = tile.view %weight, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
      %w = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<32768xf16>
      ...
    } {tile.programs}
    ```
    becomes
    ```mlir
    %v = tile.view %weight, shape [%n], strides [1] : !tile.ptr<f16> -> !tile.view<?xf16, [1]>
    %w = tile.load_view %v[%c0] : !tile.view<?xf16, [1]> -> tensor<32768xf16>
    scf.for %row = %block to %programs step %blocks {
      ...
    } {tile.programs}
    ```

    As many as three quarters of a block's shared memory would hold, where `keep-in-slots` keeps them.
  }];
}

def TileLoadGroups : TilePass<"tile-load-groups"> {
  let summary = "Load once what neighbours of an operand have in common";
  let description = [{
    Weights of few bits lie several in a word. A kernel that computes an operand from them may load the word once for each, by pointers that are the same for groups of neighbours. It is loaded once for each group, and
    repeated afterwards.

    ```mlir
    %r = arith.divsi %i, %c8 : tensor<128x1xi32>
    ...
    %w = tile.load %p : tensor<128x32x!tile.ptr<i32>>
    ```
    becomes
    ```mlir
    %j = arith.muli %iota16, %c8
    %r = arith.divsi %j, %c8 : tensor<16x1xi32>
    ...
    %g = tile.load %p : tensor<16x32x!tile.ptr<i32>>
    %e = tile.expand_dims %g {axis = 1 : i32} : tensor<16x32xi32> -> tensor<16x1x32xi32>
    %b = tile.broadcast %e : tensor<16x1x32xi32> -> tensor<16x8x32xi32>
    %w = tile.reshape %b : tensor<16x8x32xi32> -> tensor<128x32xi32>
    ```

    Only of loads of more elements than a block has threads, in the body of a loop, that operands of its products are computed from.
  }];
}

def TileIssueLoadsFirst : TilePass<"tile-issue-loads-first"> {
  let summary = "Load by what was loaded before anything is combined";
  let description = [{
    The logit of a label waits for its label. Where both are loaded behind the row's reductions, as ptxas does it with whatever is used late, a program ends with two latencies of memory.
    In a program that combines rows, a load by what was loaded, of no more than an element a thread, comes behind the last load of a row before anything is combined. `tile.in_order` has the
    lowering put a `bar.warp.sync` on both sides of it, over which ptxas moves no load.

    ```mlir
    %label = tile.load %l : !tile.ptr<i32>
    %row = tile.load %r : tensor<1024x!tile.ptr<f16>>
    %max = tile.reduce %row axis 0 : tensor<1024xf16> -> f16 { ... }
    %p = tile.addptr %logits, %label : !tile.ptr<f16>, i32
    %logit = tile.load %p : !tile.ptr<f16>
    ```
    becomes
    ```mlir
    %label = tile.load %l : !tile.ptr<i32>
    %row = tile.load %r : tensor<1024x!tile.ptr<f16>>
    %p = tile.addptr %logits, %label : !tile.ptr<f16>, i32
    %logit = tile.load %p {tile.in_order} : !tile.ptr<f16>
    %max = tile.reduce %row axis 0 : tensor<1024xf16> -> f16 { ... }
    ```

    Behind a store to memory that it may read it stays, and behind what other programs may see.

    In a program that combines nothing, and multiplies no matrices, a row may be loaded behind what waits for another load, which is a mask of its label for one. There loads that wait for none come in front of the first op that
    uses what was loaded, those of an element a thread before those of rows:

    ```mlir
    %label = tile.load %l : !tile.ptr<i32>
    %known = arith.cmpi slt, %label, %n : i32
    %row = tile.load %r : tensor<1024x!tile.ptr<f16>>
    ```
    becomes
    ```mlir
    %label = tile.load %l : !tile.ptr<i32>
    %row = tile.load %r : tensor<1024x!tile.ptr<f16>>
    %known = arith.cmpi slt, %label, %n : i32
    ```

    `tile.load_run` waits itself, for what it copies: loads that wait for none come in front of the first one, too.

    A function of a number that is loaded takes long, and ptxas begins with it: a row that is loaded before it, and used behind it, would be loaded late. In a program
    without loops and products such a row is `tile.in_order`.
  }];
}

def TileLoadAtTripStart : TilePass<"tile-load-at-trip-start"> {
  let summary = "Load at the start of a trip what is used behind its products";
  let description = [{
    What a trip of a loop of products loads into registers, to add it to sums or to scale operands by it, stands where it is used: behind
    products, and behind barriers, over which nobody moves it. Then each trip waits for products, and for memory after that. Such loads come to the start of the
    trip, where what they load from is computed of its number.

    ```mlir
    scf.for %k = ... {
      tile.local_store %state, %s
      %p = tile.warpgroup_dot %w, %s, %zero
      %v = tile.load_view %values[%k, %c0]
      %d = arith.subf %v, %p
    ```
    becomes
    ```mlir
    scf.for %k = ... {
      %v = tile.load_view %values[%k, %c0]
      tile.local_store %state, %s
      %p = tile.warpgroup_dot %w, %s, %zero
      %d = arith.subf %v, %p
    ```

    What goes to shared memory as it is stays, and so does a load behind a store to memory that it may read, behind what other programs may see, and behind an assertion
    that may be about it. A thread has at most 16 registers of what is loaded so.
  }];
}

def TileOrderAddresses : TilePass<"tile-order-addresses"> {
  let summary = "Add to pointers first what is the same for most elements";
  let description = [{
    `w + row * size + column + tap` adds in the order in which it is written: what is the same for all elements is added to each of them, since pointers of
    a row, and then of a tile, stand before it. Sums of addresses are the same in any order. Each time what
    leaves the fewest different sums is added: scalars to the pointer that all begin with, then what few registers differ by. Only where a thread accesses eight elements or more one at a time, and
    that saves it an addition for every two of them. What is the same in all trips of a loop costs nothing there, and what is accessed itself is computed anyway. In a loop of products that loads elements of
    operands one at a time, what is the same in all trips is computed in front of it.

    ```mlir
    %p = tile.addptr %rows, %columns : tensor<64x32x!tile.ptr<f16>, #t>, tensor<64x32xi32, #t>   // 16 registers differ
    %s = tile.splat %tap : i32 -> tensor<64x32xi32, #t>
    %q = tile.addptr %p, %s : tensor<64x32x!tile.ptr<f16>, #t>, tensor<64x32xi32, #t>            // 16 more additions
    ```
    becomes
    ```mlir
    %a = tile.addptr %w, %tap : !tile.ptr<f16>, i32                                              // one
    %b = tile.splat %a : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>, #t>
    ...                                                                                          // rows and columns
    ```

    Constants come last, where they are part of the instruction that accesses memory. So does, without products beside it, how far a place is behind the first
    one of its thread: `first + iota` is taken apart where `first` is a multiple of so many that no number wraps around.
  }];
}

def TileLoadTogether : TilePass<"tile-load-together"> {
  let summary = "Load one behind the other in branches what is computed with one after the other";
  let description = [{
    ptxas puts loads of straight code in front of what they are for. Behind a branch it leaves them where they stand, so that each waits for the one before. In a
    region of a branch, loads that only computation stands between follow one another.

    ```mlir
    %w = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %a = arith.addf %x, %w : tensor<1024xf32>
    %b = tile.load %q : tensor<1024x!tile.ptr<f32>>
    ```
    becomes
    ```mlir
    %w = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %b = tile.load %q : tensor<1024x!tile.ptr<f32>>
    %a = arith.addf %x, %w : tensor<1024xf32>
    ```

    In a loop with products, too, where what was loaded is written to shared memory in between: otherwise an operand's loads wait until the other one's have come.

    A load by what the one before it has loaded stays where it is. In a kernel that waits for other programs, as for a lock, `tile.blocks_per_sm` is 1 then, if nobody
    wants more: ptxas, which keeps to fewer registers for another block, would let the loads wait again.
  }];
}

def TileLoadAlone : TilePass<"tile-load-alone"> {
  let summary = "Ask for blocks as far as registers hold what threads load by elements";
  let description = [{
    Where a thread loads many elements, each by an instruction of its own, ptxas keeps to fewer registers than as many blocks would have anyway, and puts the addresses of
    one load after the other into the same two: each waits until the one before has been read. Told how many blocks are to have room (`tile.blocks_per_sm`), it has
    addresses in all registers that are left.

    In a program without loops, products and reductions that loads 48 registers of single elements or more, and only moves or chooses and stores them, that is as many blocks as have these, and 16 more, if
    nobody has asked yet.

    ```mlir
    tile.kernel @halves(...) {
      %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #each>      // 64 registers a thread
      tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<8192xf16, #each>, !tile.view<?xf16, [1]>
    ```
    becomes
    ```mlir
    tile.kernel @halves(...) attributes {tile.blocks_per_sm = 6 : i32} {        // 65536 registers, 128 threads, 64 + 16 each
      %t = tile.load_view %v[%i] {vector_width = 1 : i64} : !tile.view<?xf16, [1]> -> tensor<8192xf16, #each>
      tile.store_view %t, %o[%i] {vector_width = 1 : i64} : tensor<8192xf16, #each>, !tile.view<?xf16, [1]>
    ```
  }];
}

def TileLoadAtOnce : TilePass<"tile-load-at-once"> {
  let summary = "Ask for blocks as far as registers hold what an iteration loads";
  let description = [{
    ptxas orders a loop by a number of registers that it has in mind, and has all warps in mind that a multiprocessor can run. So it puts a load behind the arithmetic on the one before, and both wait for
    memory. Told how many blocks are to have room (`tile.blocks_per_sm`), it has the loads in front.

    That is as many blocks as have registers for what a loop carries and loads, and 24 more, in a program without products that combines something behind the loop, if nobody has asked yet; the loop that needs most
    counts. Only loops that load tiles by vectors, store none and combine nothing, and where few blocks do: where threads compute at most six instructions for each element that they load, ten for a function, or where
    the loop is in another, of one of few programs. Where more is computed, threads are busy while others wait, and more of them have room in fewer registers. Of single elements many are in front anyway.

    Where more is computed of several vectors a trip, it is as many blocks as have room anyway, for what is carried, one vector and 16 more: if all that is loaded, and 24 more, have room in as many. Where that costs a block, nobody is asked.

    Where what such a loop loads names one tile that it loads in the same trip, as a row by its number, ptxas has four trips in one, and asks for numbers behind rows where registers are few: it is as many as have registers for four trips. Two rows a trip have both numbers in front of them.

    Down columns a block has few bytes under way, and programs are few: such a loop, of tiles with rows whose vectors go along columns, in a program that combines nothing along these, does up to as many trips at once as load 32 KB a block, or 64 registers a thread, and loads all of them first. Trips that are left over follow in the loop that was there.

    Of a loop that stores, in a program that combines nothing, it is as many as have one for each element that a thread loads in a trip, if these are 32 or more: ptxas takes more than it needs there, and fewer blocks have room.

    ```mlir
    tile.kernel @sum(...) {
      %sum = scf.for %i = %c0 to %n step %c4096 iter_args(%so_far = %zeros) -> (tensor<4096xf32, #rows>) {      // 32 registers a thread
        %x = tile.load_view %v[%i] : !tile.view<?xf16, [1]> -> tensor<4096xf16, #rows>                          // 16
        ...
      }
      %all = tile.reduce %sum axis 0 : tensor<4096xf32, #rows> -> f32 { ... }
    ```
    becomes
    ```mlir
    tile.kernel @sum(...) attributes {tile.blocks_per_sm = 7 : i32} {           // 65536 registers, 128 threads, 72 each
    ```
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES
