//===- LoadPasses.td - Passes about when loads begin -------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of Passes.td, which includes it: ptxas orders loads, and gives them
// registers, by what it sees of a program. These put loads, or say things, so
// that it has more of them under way.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES

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

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_LOADPASSES
