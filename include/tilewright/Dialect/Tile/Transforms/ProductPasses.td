//===- ProductPasses.td - Passes about products ------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What warpgroups multiply, and what is done while their products are under
// way.
// The passes are in lib/Dialect/Tile/Transforms/Products/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PRODUCTPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PRODUCTPASSES

def TileAddInProducts : TilePass<"tile-add-in-products"> {
  let summary = "Let products add to what a loop carries";
  let description = [{
    A product that begins at 0, and is then added to a tile which the loop carries on, begins at that tile. Written apart, the loop has the sums twice, and adds an element at a time what
    tensor cores add anyhow; no product could be under way while the next one is issued.

    ```mlir
    %p = tile.dot %a, %b, %zero : ...
    %next = arith.addf %acc, %p
    scf.yield %next
    ```
    becomes
    ```mlir
    %next = tile.dot %a, %b, %acc : ...
    scf.yield %next
    ```

    The sums are rounded in another order, as those over K may be. Sums outside of loops, such as with a bias, stay as they are: the product would wait for what is added. So do
    products of 8-bit floats, which some tensor cores sum with fewer bits than f32 has.
  }];
}

def TileMultiplyHalves : TilePass<"tile-multiply-halves"> {
  let summary = "Multiply halves as halves that were made wider";
  let description = [{
    Who loads halves often makes them f32 at once, and multiplies that as tf32. An f16 and a bf16 is a tf32, and a product of two
    of them is exact either way: so halves are multiplied, which are half the bytes and half the instructions. What permutes or repeats the
    elements on their way to the product is done to halves.

    ```mlir
    %x = arith.extf %a : tensor<32x64xf16> to tensor<32x64xf32>
    %y = arith.extf %b : tensor<64x32xf16> to tensor<64x32xf32>
    %z = tile.dot %x, %y, %c tf32 : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
    ```
    becomes
    ```mlir
    %z = tile.dot %a, %b, %c : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
    ```

    Products of f32 without `tf32` stay: they are rounded after each step, and tensor cores' are not.
  }];
}

def TileExchangeOperands : TilePass<"tile-exchange-operands"> {
  let summary = "Give few rows to warpgroups as columns";
  let description = [{
    `wgmma` makes 64 rows at a time, but as few as 8 columns. So a product of fewer rows and 64 columns or more is made the other way round, as
    `C^T = B^T A^T`, where `wgmma` can make it so: a loop carries the sums transposed. And it reads a right operand of tf32 along K alone, but a left one from
    registers, so that one whose right operand does not lie along K, and whose left one does, is made so too.

    ```mlir
    %sum = scf.for ... iter_args(%acc = %zero) -> (tensor<16x128xf32>) {
      %x = tile.load_view %a[%m, %k] : ... -> tensor<16x64xf16>
      %y = tile.load_view %b[%k, %n] : ... -> tensor<64x128xf16>
      %next = tile.dot %x, %y, %acc : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
      scf.yield %next : tensor<16x128xf32>
    }
    ```
    becomes
    ```mlir
    %turned = scf.for ... iter_args(%acc = %zero) -> (tensor<128x16xf32>) {
      %x = tile.load_view %a[%m, %k] : ... -> tensor<16x64xf16>
      %y = tile.load_view %b[%k, %n] : ... -> tensor<64x128xf16>
      %xt = tile.trans %x [1, 0] : tensor<16x64xf16> -> tensor<64x16xf16>
      %yt = tile.trans %y [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
      %next = tile.dot %yt, %xt, %acc : tensor<128x64xf16>, tensor<64x16xf16>, tensor<128x16xf32>
      scf.yield %next : tensor<128x16xf32>
    }
    %sum = tile.trans %turned [1, 0] : tensor<128x16xf32> -> tensor<16x128xf32>
    ```

    Of sums that a loop carries and only adds to by products, all of which are better made so, of operands that are loaded: nothing but names changes for what
    stands behind the loop, and for bulk copies. What threads make of a load in the loop, or of the sums, as in attention, would have to go through shared
    memory. Products of other engines, and those with another one written on them, stay as they are.
  }];
  let options = [Option<"warpgroupDots", "warpgroup-dots", "bool", "true", "Products by wgmma, where the target has it">];
}

def TileDivideProducts : TilePass<"tile-divide-products"> {
  let summary = "Let several blocks sum parts of a program's products";
  let description = [{
    Where a launch has few programs with many steps along K, the blocks of a cluster run each of them (`parts`). Each makes some trips of the loop of products, and those behind the first one
    store their sums in shared memory, where the first one reads them behind a barrier of the cluster. It adds them to its own in the order of their numbers, so that the bits are the same in each run, and does alone what follows the loop.

    ```mlir
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) { ... }
    tile.store_view %sum, %c[%m, %n]
    ```
    becomes
    ```mlir
    %part = tile.part_id
    %mine = scf.for %k = %from to %to step %c64 iter_args(%acc = %zero) { ... }    // of this block
    %s = tile.alloc_shared
    %r = tile.rename_registers %mine
    scf.if %is_other { tile.local_store %r, %s }
    tile.part_barrier
    scf.if %is_first {
      %other = tile.load_part %s of %c1
      %sum = arith.addf %r, %other
      tile.store_view %sum, %c[%m, %n]
    }
    tile.part_barrier
    ```

    From three blocks on each adds up a slice of what all have stored, in the same order, where the first one would read all of it (`tile.add_parts`):
    ```mlir
    tile.local_store %r, %s
    tile.part_barrier
    tile.add_parts %s by 4
    tile.part_barrier
    scf.if %is_first {
      %all = tile.local_load %s
      tile.store_view %all, %c[%m, %n]
    }
    ```

    Of kernels with one loop of products, on a target with `wgmma` or of whole f32 or f64, outside of other loops and of branches, that carries nothing but sums of f32, f64 or i32, which are zero before it: of products, or of what is computed from these, such as products with scales. Nothing behind it may hang on what all programs do: prints,
    checks, and atomic or volatile accesses. Nothing is stored to global memory in front of it or in it, where each block would do so.
  }];
  let options = [Option<"parts", "parts", "int", /*default=*/"1", "blocks that run a program; 1: one runs it alone">];
}

def TileClusterPrograms : TilePass<"tile-cluster-programs"> {
  let summary = "Give programs that multiply one tile a cluster";
  let description = [{
    Programs that are neighbours along an axis often read the same tile of an operand in each trip. Two of them along each of the `paired-axes`, or four along one, are run by a cluster, one a block, so that its blocks can
    copy such a tile together (`tile-share-boxes`). What a program is told as its number becomes that of the first one of its cluster.

    ```mlir
    %m = tile.program_id 0
    ```
    becomes
    ```mlir
    %first = tile.program_id 0
    %place = tile.place_in_cluster 0
    %m = arith.addi %first, %place : index
    ```

    Only where programs along the axis make the same trips and bulk copies may fetch what they share, and where nobody else is told what they do: not of kernels with prints,
    checks, or atomic or volatile accesses. A launch has a multiple of these programs along such an axis, or one less of two along the first one: then what stands behind the loop of products is done
    by blocks that have a program, and the other one only copies for its neighbour. What is read in front of that and in the loop is inside of views.
  }];
  let options = [Option<"pairedAxes", "paired-axes", "int", /*default=*/"0",
                        "axes along which a cluster has two programs: 1: the first, 2: the second, 3: both; 4 more: the last one of the first axis may be missing; 9, 10: four along one">];
}

def TileSelectWarpgroupDots : TilePass<"tile-select-warpgroup-dots"> {
  let summary = "Let warpgroups multiply what lies in shared memory";
  let description = [{
    A `tile.dot` whose accumulator has the layout of `wgmma`, and whose operands are loaded from shared tiles that
    have no layout yet, becomes a `tile.warpgroup_dot` of these tiles. A `tile.trans` in between becomes part of it.
    A left operand that is not, such as the weights of attention, stays in its registers.

    ```mlir
    %x = tile.local_load %a : ... -> tensor<128x64xf16, #left>
    %y = tile.local_load %b : ... -> tensor<64x128xf16, #right>
    %d = tile.dot %x, %y, %c : ..., tensor<128x128xf32, #accumulator>
    ```
    becomes
    ```mlir
    %d = tile.warpgroup_dot %a, %b, %c : !tile.shared<128x64xf16>, !tile.shared<64x128xf16>, tensor<128x128xf32, #accumulator>
    ```

    Operands that are not stored as `wgmma` reads them (`tile.turned`) are turned by threads: the left one on its way to registers, the right one on its way to a shared tile of its own.

    ```mlir
    %d = tile.dot %x, %y, %c imprecise 128 by wgmma {tile.turned = array<i64: 1>} : tensor<128x128xf8E4M3FN, #left>, tensor<128x128xf8E4M3FN, #right>, ...
    ```
    becomes
    ```mlir
    %z = tile.local_load %b : ... -> tensor<128x128xf8E4M3FN, #tile.register_layout<register[16,4] lane[4,2] lane[1,4] warp[2,2] ...>>
    %t = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
    tile.local_store %z, %t : ...
    %d = tile.warpgroup_dot %a, %t, %c {imprecise = 128 : i64, tile.turned = array<i64: 1>} : ...
    ```

    A product stays as it is, by `mma.sync`, where something is stored into the right operand's tile after the load, where that tile has a `layout`
    attribute, or where the right operand is made in registers.
  }];
}

def TileIssueDots : TilePass<"tile-issue-dots"> {
  let summary = "Keep the products of a loop under way while the next ones are issued";
  let description = [{
    The products of a loop that only add to sums which the loop carries become `async`: those of one iteration are under way until those of
    the next are issued, and what they read, slots of channels, is released an iteration later. Copies that want
    such a slot are started behind that release. A left operand that each iteration reads from shared memory to registers may be read
    meanwhile, where a thread has registers for those of two iterations (`alternate-fragments`).

    ```mlir
    scf.for %k = ... iter_args(%sum = %zero, %n = %c0) {
      %ra, %rb = tile.wait %c[%n] : ...
      // an acquire, copies and a commit of %n + 2
      %next = tile.warpgroup_dot %ra, %rb, %sum : ...
      tile.release %c[%n] : ...
      scf.yield %next, %n + 1
    }
    ```
    becomes
    ```mlir
    %last, %m = scf.for %k = ... iter_args(%sum = %zero, %n = %c0) {
      %ra, %rb = tile.wait %c[%n] : ...
      %next = tile.warpgroup_dot %ra, %rb, %sum {async} : ...
      tile.dot_wait 1
      tile.release %c[%n - 1] : ...
      // an acquire, copies and a commit of %n + 2
      scf.yield %next, %n + 1
    }
    %total = tile.dot_wait 0, %last : ...
    tile.release %c[%m - 1] : ...
    ```

    Where threads use the sums of the first products, as those of scores in attention, the last ones can be under way all the same: whoever waits
    for the first product of the next iteration has waited for them. Their sums may be used behind that wait. Where all sums and
    the left operands of the last products fit in registers, but leave less than 56 for the rest, each product is waited for in its iteration.

    ```mlir
    scf.for %k = ... iter_args(%sum = %zero, %n = %c0) {
      %ra, %rb = tile.wait %c[%n] : ...
      %scores = tile.warpgroup_dot %q, %ra, %zero : ...
      %done = tile.dot_wait 0, %sum : ...
      tile.release %c[%n - 1] : ...
      // what becomes of %scores: %weights, and %scaled of %done
      %next = tile.warpgroup_dot %weights, %rb, %scaled {async} : ...
      scf.yield %next, %n + 1
    }
    ```

    Other loops stay as they are: those with sums that are used before such a wait, with a left operand whose registers are written before it, or with a shared tile that
    is no slot of a channel and is written in the loop.
  }];
}

def TileJoinDots : TilePass<"tile-join-dots"> {
  let summary = "Make several products by one instruction";
  let description = [{
    Tiles have powers of two columns, `wgmma` any multiple of 8 up to 256. Products under way that follow one another and have one left
    operand are made together, so that it is read once: their right operands stand in a row, in each stage.

    ```mlir
    %b = tile.alloc_shared : !tile.shared<4x64x128xf16, #wide>
    %c = tile.alloc_shared : !tile.shared<4x64x64xf16, #narrow>
    ...
    %d = tile.warpgroup_dot %a, %r, %sum {async} : ...
    %e = tile.warpgroup_dot %a, %s, %rest {async} : ...
    ```
    becomes
    ```mlir
    %b = tile.alloc_shared : !tile.shared<4x64x128xf16, #wide, every 24576>
    %c = tile.alloc_shared : !tile.shared<4x64x64xf16, #narrow, every 24576>
    ...
    %d = tile.warpgroup_dot %a, %r, %sum {async} : ...
    %e = tile.warpgroup_dot %a, %s, %rest {async, joined} : ...
    ```

    Only where each warpgroup has all columns, an instruction has as many, both right operands are the same stage of theirs, and one descriptor serves
    both (`WarpgroupOperand::continues`). A wait goes on counting products.
  }];
}

def TileLoadOperandsAhead : TilePass<"tile-load-operands-ahead"> {
  let summary = "Load operands that no copy can bring an iteration early";
  let description = [{
    Rows that begin anywhere have elements of two bytes and less that no asynchronous copy brings. Threads load and store them to shared memory, where
    `wgmma` reads them, and each iteration waits for memory. In a loop that several blocks divide, each alone on its multiprocessor, threads load what the next iteration
    multiplies as soon as they have stored what this one does, if they have registers for it beside the sums. The loop carries what is loaded; where there is no next
    iteration, zeros.

    ```mlir
    scf.for %k = ... iter_args(%sum = %zero) {
      %x = tile.load_view %a[%m, %k]
      tile.local_store %x, %s
      %next = tile.warpgroup_dot %s, %b, %sum
      scf.yield %next
    }
    ```
    becomes
    ```mlir
    %first = scf.if %enters { tile.load_view %a[%m, %begin] }
    scf.for %k = ... iter_args(%sum = %zero, %x = %first) {
      tile.local_store %x, %s
      %ahead = scf.if %goes_on { tile.load_view %a[%m, %k + step] }
      %next = tile.warpgroup_dot %s, %b, %sum
      scf.yield %next, %ahead
    }
    ```
  }];
}

def TileLoadUnderProducts : TilePass<"tile-load-under-products"> {
  let summary = "Load while the last products run what is used behind them";
  let description = [{
    Behind a loop of products that read slots of channels with mbarriers, what may as well stand in front of the wait for the last products is moved there:
    loads of global memory that nothing in between may write, what takes them from one layout to another through shared memory, slots of other channels
    and their reads, and waits for stored tiles.

    ```mlir
    %sums = scf.for ... { ... tile.warpgroup_dot ... {async} ... }
    %total = tile.dot_wait 0, %sums
    %b = tile.load_view %bias[%n]
    tile.local_store %b, %s
    %c = tile.local_load %s
    %d = arith.addf %total, %c
    ```
    becomes
    ```mlir
    %sums = scf.for ... { ... tile.warpgroup_dot ... {async} ... }
    %b = tile.load_view %bias[%n]
    tile.local_store %b, %s
    %c = tile.local_load %s
    %total = tile.dot_wait 0, %sums
    %d = arith.addf %total, %c
    ```

    Only as far as a thread has registers for both, and only where as many blocks run on a multiprocessor as before: what is filled while products run
    cannot have the bytes that they read.
  }];
}

def TileReadLate : TilePass<"tile-read-late"> {
  let summary = "Read shared memory behind loads that take many registers";
  let description = [{
    Behind a loop of products, ptxas has all loads of global memory under way before it makes anything of the sums. What was read from shared
    memory to be added to them, as a bias that all rows have, waits in registers meanwhile. Where sums, such values and what is loaded are more than a thread
    has registers for, these values are read, and used, behind the store that takes what is loaded to shared memory.

    ```mlir
    %c = tile.local_load %s
    %d = arith.addf %total, %c
    %r = tile.load_view %residual[%m, %n]
    tile.local_store %r, %t
    %e = tile.local_load %t
    %f = arith.addf %d, %e
    ```
    becomes
    ```mlir
    %r = tile.load_view %residual[%m, %n]
    tile.local_store %r, %t
    %c = tile.local_load %s
    %d = arith.addf %total, %c
    %e = tile.local_load %t
    %f = arith.addf %d, %e
    ```

    Only where as many blocks run on a multiprocessor as before: both tiles of shared memory are in use at once.

    What a loop of products reads of shared memory and does not change, such as the queries of attention, waits in registers through all of the loop. Where
    they, the sums of its products and what its threads load on its way to shared memory are more than a thread has, each iteration reads it, if the tile is not
    written any more and there is room for it.

    ```mlir
    %q = tile.local_load %s
    %sums = scf.for ... { %scores = tile.dot %q, %k, %zero ... }
    ```
    becomes
    ```mlir
    %sums = scf.for ... { %q = tile.local_load %s; %scores = tile.dot %q, %k, %zero ... }
    ```
  }];
}

def TileSinkScalars : TilePass<"tile-sink-scalars"> {
  let summary = "Compute while products run what their results need";
  let description = [{
    Where a result is stored is not needed before its products are made; the divisions that give a program its numbers take as long as a
    few products. Scalars that only what is behind a loop of products under way uses are computed there, in front of the wait.

    ```mlir
    %n = arith.divui %program, %rows : index
    %sums = scf.for ... { ... tile.warpgroup_dot ... {async} ... }
    %total = tile.dot_wait 0, %sums
    ... tile.store_tma %s, %map[%m, %n] ...
    ```
    becomes
    ```mlir
    %sums = scf.for ... { ... tile.warpgroup_dot ... {async} ... }
    %n = arith.divui %program, %rows : index
    %total = tile.dot_wait 0, %sums
    ... tile.store_tma %s, %map[%m, %n] ...
    ```
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PRODUCTPASSES
