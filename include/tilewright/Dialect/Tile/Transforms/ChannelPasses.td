//===- ChannelPasses.td - Passes about channels ------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots of shared memory that are filled, handed over and lowered, by whom, and
// in which programs.
// The passes are in lib/Dialect/Tile/Transforms/Channels/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_CHANNELPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_CHANNELPASSES

def TilePersist : TilePass<"tile-persist"> {
  let summary = "Let blocks run one program after the other";
  let description = [{
    The copies of a program's first tiles can run while the block before stores its results, if both are one block. So a kernel becomes
    `persistent`: its launch has as many blocks as run at one time.

    ```mlir
    tile.kernel @gemm(...) {
      %m = tile.program_id 0
      %n = tile.program_id 1
      ...
    }
    ```
    becomes
    ```mlir
    tile.kernel @gemm(...) attributes {persistent} {
      %block = tile.block_id
      %blocks = tile.num_blocks
      %programs = ...                              // of all axes that have numbers
      scf.for %program = %block to %programs step %blocks {
        %m, %n = ...
        ...
      } {tile.programs}
    }
    ```

    Where programs are numbered along two axes, those that run at one time are a group of rows, 16 high, so that they share what they read
    of the L2 cache; numbers along one axis stay in their order.

    Why a kernel with products by `wgmma` is left alone is a remark, and stays with it as `tile.persist_reason`.

    Only where it serves: loops of products by `wgmma`, which are in no other loop, whose operands bulk copies can fetch, so large that a
    multiprocessor has room for one block's. And only where programs do not talk to each other or to anybody else: no access is
    atomic or volatile, and nothing is printed or checked.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all kernels alone">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileStageOperands : TilePass<"tile-stage-operands"> {
  let summary = "Send what operands are computed from through shared memory";
  let description = [{
    What a loop multiplies as it is loaded goes through shared memory anyhow, and `tile-pipeline` lets it run ahead. What an operand is computed from, such as weights of few bits and their scales,
    would be loaded in the iteration that needs it. It goes through a shared tile too, and back to the threads that compute with it.

    ```mlir
    %q = tile.load_view %w[%k, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8, #r>
    %h = arith.sitofp %q : tensor<64x64xi8, #r> to tensor<64x64xf16, #r>
    ```
    becomes
    ```mlir
    %q = tile.load_view %w[%k, %n] : !tile.view<?x?xi8, [?, 1]> -> tensor<64x64xi8, #r>
    %s = tile.alloc_shared : !tile.shared<64x64xi8>
    tile.local_store %q, %s
    %p = tile.local_load %s : !tile.shared<64x64xi8> -> tensor<64x64xi8, #r>
    %h = arith.sitofp %p : tensor<64x64xi8, #r> to tensor<64x64xf16, #r>
    ```

    In such a loop what is loaded for rows or columns goes the same way, whether operands or results are computed with it. Not what cannot be copied ahead, what an operand is computed from together with another product, nor in loops of one stage.
  }];
}

def TilePipeline : TilePass<"tile-pipeline"> {
  let summary = "Let the loads of a loop run ahead of its arithmetic";
  let description = [{
    A block load in a loop that is stored into a shared tile becomes an asynchronous copy, `num_stages - 1`
    iterations ahead, into a shared tile of that many stages, and a channel hands it over. The kernel's `num_stages`
    says how many (default 3), the option goes over it, and `tile.num_stages` on the loop over both.

    ```mlir
    scf.for %k = ... {
      %t = tile.load_view %a[%m, %k] : ...
      %s = tile.alloc_shared : !tile.shared<64x32xf16>
      tile.local_store %t, %s
      %u = tile.local_load %s
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<3x64x32xf16>
    %c = tile.channel %s : !tile.shared<3x64x32xf16> -> !tile.channel<3>
    // for each of the first two iterations:
    scf.if %any0 {
      %f = tile.acquire %c[%c0] : ...
      tile.copy_async %a[%m, %k0], %f ...
      tile.commit %c[%c0] : ...
    }
    scf.for %k = ... iter_args(%n = %c0) -> (i32) {
      %r = tile.wait %c[%n] : ...
      scf.if %more {                  // %k + 2 * step is still in the loop
        %f = tile.acquire %c[%n + 2] : ...
        tile.copy_async %a[%m, %k + 2 * step], %f ...
        tile.commit %c[%n + 2] : ...
      }
      %u = tile.local_load %r
      tile.release %c[%n] : ...
      scf.yield %n + 1
    ```

    The tiles of all loads of one loop have one channel.

    With one stage nothing runs ahead: an iteration begins with its copies, and waits for them. Only what nobody but products reads is copied so, past the registers that sums need; the rest stays
    as it is, and so does all where there was no room for more than one stage, since tiles of loads may take turns in the same bytes.

    Where a load's coordinates hang on numbers that the loop loads, as pages of a cache do, the loop carries these: it loads them an
    iteration before the copy, where there is such an iteration.

    ```mlir
    scf.for %k = ... iter_args(%n = %c0, %page = %third) -> (i32, i32) {
      scf.if %more {
        tile.copy_async %a[%page, %c0], %f ...
      }
      %next = scf.if %evenMore -> (i32) { %p = tile.load %list ... } else { %page }
    ```

    A load stays as it is where its coordinates depend on what the loop computes otherwise, where it has another
    use or a value for elements outside, where its vectors have fewer than the 4 bytes of a copy, and where
    the loop writes global memory that a later iteration may read: through the same argument, or through another
    one where neither is `tile.disjoint`. And where the loop asserts something (`tile.assert`): a later
    iteration may load what is there only where that holds.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def TileSelectTmaStores : TilePass<"tile-select-tma-stores"> {
  let summary = "Let the hardware store what was put into shared memory";
  let description = [{
    A tile that changes its layout through shared memory, only to be stored into a view that a launch can make a tensor map of, is stored from
    there, while the program goes on.

    ```mlir
    %s = tile.alloc_shared : !tile.shared<128x64xf16>
    tile.local_store %t, %s
    %r = tile.local_load %s
    tile.store_view %r, %c[%m, %n]
    ```
    becomes
    ```mlir
    %map = tile.tensor_map %c {box = array<i64: 128, 64>, row_bytes = 128 : i64} : ...
    ...
    %s = tile.alloc_shared : !tile.shared<128x64xf16, #hw>
    tile.store_tma_wait
    tile.local_store %t, %s
    tile.store_tma %s, %map[%m, %n] : ...
    ...
    tile.store_tma_wait {read}        // before the kernel ends
    ```

    So too where a large tile goes in pieces. The layout is one of the hardware's: only where threads write it by as few wavefronts as any.
    In a loop over programs, which have no order, the wait is `{read}`: the next program needs the tile, not what was written.

    All stores of an argument or none, and only where nothing else in the kernel may touch its bytes, nobody else is told that they
    are written (an atomic access, a volatile one), and base and strides are known to be multiples of 16 bytes.
  }];
}

def TileSelectTma : TilePass<"tile-select-tma"> {
  let summary = "Let bulk copies fill the slots of channels";
  let description = [{
    Where products read all tiles of a channel where they lie, and each of its copies is of a block of a view that a launch can make a tensor map
    of, the channel gets mbarriers and its copies become `tile.copy_tma`.

    ```mlir
    %c = tile.channel %s : !tile.shared<3x64x64xf16, #hw> -> !tile.channel<3>
    ...
    tile.copy_async %a[%m, %k], %f ...
    ```
    becomes
    ```mlir
    %map = tile.tensor_map %a {box = array<i64: 64, 64>, row_bytes = 128 : i64} : ...
    %bars = tile.alloc_shared : !tile.shared<3x2xi64, #tile.shared_layout<2>>
    %c = tile.channel %s mbarriers %bars : ...
    ...
    tile.copy_tma %map[%m, %k], %f : ...
    ```

    A launch knows strides and extents, but not where a matrix of a batch begins. So the map is of the argument, and is moved by what the program adds to
    it. Nor does a launch know how much a mask leaves of a block of pointers, which begins at 0: that box reaches over the end of a map that has as many places
    as the tile.

    ```mlir
    %base = tile.addptr %A, %step : ...
    %a = tile.view %base, shape [%left, 64], strides [%K, 1] : ...
    tile.copy_async %a[%c0, %c0], %f ...
    ```
    becomes
    ```mlir
    %whole = tile.view %A, shape [64, 64], strides [%K, 1] : ...
    %map = tile.tensor_map %whole {box = array<i64: 64, 64>, row_bytes = 128 : i64, moves} : ...
    ...
    tile.copy_tma %map[%over, %c0] moved by %step - %over * %K, %f : ...      // %over = 64 - min(%left, 64)
    ```

    An extent that no map can have, such as that of a view whose loads have no mask, is no end: the map has as many places as the
    block, and is moved to where it begins.

    All copies of a channel, or none. Why not is a remark, and stays with the channel's tiles as `tile.copy_reason`, for the report: one
    stage, threads that read, a tile that is not in a layout of the hardware, a base or strides that are not known to be multiples of
    16 bytes, a stride, an extent or a base that is none of the above, and what keeps `tile-split-roles` from giving the copies a role of their own.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all copies alone">,
  ];
}

def TileSelectTmaLoads : TilePass<"tile-select-tma-loads"> {
  let summary = "Let the hardware fetch what is read behind a loop of products";
  let description = [{
    A tile that is loaded behind a loop whose slots bulk copies fill, and goes through shared memory only to change its layout, comes by a
    bulk copy, in a channel of one slot. `tile-split-roles` gives the copy to the role that copies, which is done with the loop's slots earlier than who
    reads them: what the epilogue reads is there when the sums are.

    ```mlir
    scf.for %k = ... { ... tile.wait %operands[%n] ... }
    %t = tile.load_view %r[%i, %j]
    %s = tile.alloc_shared : !tile.shared<128x256xf16, #any>
    tile.local_store %t, %s
    %u = tile.local_load %s
    ...
    tile.local_store %v, %o
    tile.store_tma %o, %to[%i, %j]
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<1x128x256xf16, #hw>          // before all loops
    %c = tile.channel %s mbarriers %bars : ...
    ...
    scf.for %k = ... { ... tile.wait %operands[%n] ... }
    %f = tile.acquire %c[%p] : ...                                      // %p: of this program
    tile.copy_tma %from[%i, %j], %f : ...
    tile.commit %c[%p] : ...
    %own = tile.wait %c[%p] : ...
    %u = tile.local_load %own
    ...
    tile.local_store %v, %own
    tile.store_tma %own, %to[%i, %j]
    tile.store_tma_wait {read}
    tile.release %c[%p] : ...
    ```

    A result of the same type that a bulk copy stores is written in place of what was read, as above: it needs no bytes of its own. Else the slot
    is released when it was read.

    Only where the layout of the hardware is read by as few wavefronts as any, the view can have a tensor map, nothing may write what is fetched, and as many
    blocks run on a multiprocessor as before. Why not is a remark, and `tile.copy_reason` on the tile, for the report.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all loads alone">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileLowerChannels : TilePass<"tile-lower-channels"> {
  let summary = "Make hand-overs groups of copies";
  let description = [{
    For targets and kernels in which all threads both copy and compute. A `tile.commit` closes a group of copies, and a
    `tile.wait` waits until only the groups of later hand-overs are under way; how many there are at the least follows
    from the counts. Slots become subviews, whose numbers loops carry. A `tile.acquire` and a `tile.release` are left to
    `tile-insert-barriers`, which sees who reads and who writes.

    A hand-over in a branch closes its group in any case, so that groups and counts agree; its copies are masked.

    ```mlir
    %c = tile.channel %s : !tile.shared<3x64x32xf16, #layout> -> !tile.channel<3>
    ...
    scf.for %k = ... iter_args(%n = %c0) -> (i32) {
      %r = tile.wait %c[%n] : ...
      scf.if %more {
        %f = tile.acquire %c[%n + 2] : ...
        tile.copy_async %a[%m, %ahead], %f ...
        tile.commit %c[%n + 2] : ...
      }
      %u = tile.local_load %r
      tile.release %c[%n] : ...
      scf.yield %n + 1
    }
    ```
    becomes
    ```mlir
    scf.for %k = ... iter_args(%read = %c0, %write = %c2) -> (i32, i32) {
      tile.async_wait 1
      tile.copy_async %a[%m, %ahead] mask %more, %s[%write] ...
      tile.async_commit
      %u = tile.local_load %s[%read]
      scf.yield %next, %read          // %next: %read + 1, or 0 after the last stage
    }
    tile.async_wait 0                 // only groups without copies are left
    ```

    A hand-over that is bound to wait for ever, since the filler or the reader is too far behind, is an error.
  }];
}

def TileSplitRoles : TilePass<"tile-split-roles"> {
  let summary = "Give copies warps of their own";
  let description = [{
    Channels with mbarriers are filled by one thread of a warp that does nothing else. What it has to do is written once more: the hand-overs with
    their copies, and the scalars, loops and branches that they hang on. The others keep all the rest as it is, layouts and
    numbers of threads too.

    ```mlir
    %c = tile.channel %s mbarriers %bars : ...
    scf.for %k = ... iter_args(%sum, %n) {
      %r = tile.wait %c[%n] : ...
      scf.if %more { %f = tile.acquire %c[%n + 2] ...  tile.copy_tma ...  tile.commit %c[%n + 2] }
      ...
      tile.release %c[%n] : ...
    }
    ```
    becomes, in a kernel with `copy_warps = 1`,
    ```mlir
    %c = tile.channel %s mbarriers %bars : ...
    tile.roles main {
      scf.for %k = ... iter_args(%sum, %n) {
        %r = tile.wait %c[%n] : ...
        ...
        tile.release %c[%n] : ...
      }
    } copy {
      scf.for %k = ... iter_args(%n) {
        scf.if %more { %f = tile.acquire %c[%n + 2] ...  tile.copy_tma ...  tile.commit %c[%n + 2] }
      }
    }
    ```

    Registers are given to warps by fours. Where sums of products leave too few for that, four warps copy (one thread of them), and their registers go to
    those that compute: `main_registers`, `copy_registers` and `blocks` of `tile.roles`.

    A persistent kernel of four warps gets a second team of four, each of which does every other program (ping-pong): while one stores its results, the products
    of the other are made. One team at a time has a part of its program, in the order of programs; it counts on behind the hand-overs of the other one, and
    releases all slots of its own.

    ```mlir
    %team = tile.team
    %first = arith.addi %block, %team * %blocks
    scf.for %program = %first to %programs step 2 * %blocks iter_args(%n = %team * %trips) {
      tile.team_enter 0
      %end = scf.for %k = ... iter_args(%i = %n) { tile.wait %c[%i] ...  scf.if %later { tile.release %c[%i - 1] } }
      tile.team_leave 0
      tile.team_enter 1
      tile.dot_wait 0
      scf.if %any { tile.release %c[%end - 1] }
      ...
      tile.store_tma_wait {read}
      tile.team_leave 1
      scf.yield %end + %trips
    } {tile.programs}
    ```

    Only where a thread has registers for all sums, all that the loop over programs carries are numbers of hand-overs, on which each program counts equally far,
    and what stands behind the first loop of products has no bytes of slots.

    A loop that makes something of each product before the next one is hidden by the loops of other blocks. Where a multiprocessor runs more blocks without
    warps that copy, by what shared memory and registers for the sums allow, the program stays as it is, and a thread that computes starts the copies. How many
    blocks were counted on stands on the kernel (`tile.blocks_per_sm`), as far as each thread keeps 128 registers.

    So too where all 32 warps of a block compute. Why is a remark, and `tile.roles_reason` on the kernel, for the report.

    What cannot be a role is an error: copies that hang on tiles or on memory, a channel that is made in a loop, and a kernel that
    may write what the copies read, asserts something (`tile.assert`), or hears of others in front of a copy or in a loop with it (a volatile load, or
    an atomic, whose result is used), since these run ahead of all else.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TileShareBoxes : TilePass<"tile-share-boxes"> {
  let summary = "Have the blocks of a cluster copy together what all of them read";
  let description = [{
    Where the blocks of a cluster run programs that are neighbours (`tile-cluster-programs`), a bulk copy that is the same in all that differ along an axis is divided among these: each
    copies a part of the tile to the slots of all. It takes half of the requests where it is shared by two. The channel is one `of_cluster` then: a slot is filled when its readers in all blocks have given it back.

    ```mlir
    %m = tile.tensor_map %view {box = array<i64: 64, 64>, row_bytes = 128 : i64} : ...
    %s = tile.acquire %c[%n] : ...
    tile.copy_tma %m[%k, %j], %s : !tile.shared<64x256xf16, #layout>
    ```
    becomes
    ```mlir
    %m = tile.tensor_map %view {box = array<i64: 32, 64>, row_bytes = 128 : i64} : ...
    %s = tile.acquire %c[%n] : ...
    tile.copy_tma %m[%k, %j], %s {shared_along = 0 : i64} : !tile.shared<64x256xf16, #layout>
    ```

    Only of channels with two slots or more that the kernel has from its beginning on, and of whose hand-overs all blocks do the same.
  }];
}

def TileLeaveOutRows : TilePass<"tile-leave-out-rows"> {
  let summary = "Copy no rows that are not there";
  let description = [{
    Rows of a box that are outside of the view cost bulk copies more than others do ([decision](../decisions/0115-rows-that-are-not-there.md)). They
    are zero, and stay so: when a program has filled each slot once, it copies only what there is of its last block, by a map whose boxes are as high as that.
    Most programs have all rows, and go on as before. What a branch marked `tile.rare` does first is in no report.

    ```mlir
    scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
      %s = tile.acquire %c[%n] : ...
      tile.copy_tma %m[%i, %k], %s : !tile.shared<128x64xf16, #layout>
      tile.commit %c[%n] : ...
    ```
    becomes
    ```mlir
    %last = tile.tensor_map %view {box = array<i64: 128, 64>, last, row_bytes = 128 : i64} : ...
    %rows = ...                                                 // 0, %M % 128 or 128
    scf.for %k = %c0 to %K step %c64 iter_args(%n = %first) -> (i32) {
      %some = ...                                               // less than 128, and each slot has been filled
      scf.if %some {
        %s = tile.acquire %c[%n] : ...
        tile.copy_tma %m[%i, %k] rows %rows by %last, %s : !tile.shared<128x64xf16, #layout>
        tile.commit %c[%n] : ...
      } else {
        %s = tile.acquire %c[%n] : ...
        tile.copy_tma %m[%i, %k], %s : !tile.shared<128x64xf16, #layout>
        tile.commit %c[%n] : ...
      } {tile.rare}
    ```

    Only where programs have clusters (`tile-cluster-programs`), and of slots that one loop of the role that copies fills, with what it fills of them before it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TilePrefetchBoxes : TilePass<"tile-prefetch-boxes"> {
  let summary = "Ask for what is copied behind a loop while the loop runs";
  let description = [{
    What an epilogue reads is copied when the loop's own copies have been started. All blocks come there at about the same time, and memory takes longer than
    what is left of the loop. So the role that copies asks the L2 cache for these boxes before: one box after the other, the last one eight steps before
    the end, each four steps after the one before it. In a loop that has fewer steps they are not asked for.

    ```mlir
    scf.for %k = %c0 to %K step %c64 { ... }
    %slot = tile.acquire %c[%n] : ...
    tile.copy_tma %m[%i, %j], %slot : !tile.shared<128x64xf16, #layout>
    ```
    becomes
    ```mlir
    scf.for %k = %c0 to %K step %c64 {
      ...
      %is_now = arith.cmpi eq, %k, %then : index
      scf.if %is_now { tile.prefetch_tma %m[%i, %j] }
    }
    ...
    ```

    A program without roles stays as it is.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileCheckChannels : TilePass<"tile-check-channels"> {
  let summary = "Refuse hand-overs that hang, or that overwrite what is read";
  let description = [{
    Stands at the end of placement, and changes nothing. What each role does to the channels with mbarriers is followed for all loops of few trips:
    0 to one more than there are slots, 0 to 2 for a loop around others. Loops and branches of both roles that hang on the same numbers go the same way.

    ```mlir
    tile.roles main {
      scf.for %k = %c0 to %K ... iter_args(%n = %zero) {
        %r = tile.wait %c[%n] : ...       // error: 'tile.wait' op waits for ever: hand-over 1 is not filled
        tile.release %c[%n] : ...         // note: where this loop runs 2 times
      }
    } copy {
      scf.if %any {
        %f = tile.acquire %c[%zero] : ...
        tile.copy_tma ..., %f : ...
        tile.commit %c[%zero] : ...       // note: copy is over
      }
    }
    ```

    An error: what waits for ever; a hand-over that does not follow the one before; a wait, or a release, of what is not handed over, or twice; slots that are filled
    and not waited for, or not released, when the kernel ends; teams that do not take turns; copies that bring other bytes than those of the slot, for which the reader would wait for ever,
    or go on too early.
  }];
}

def TileLowerMbarriers : TilePass<"tile-lower-mbarriers"> {
  let summary = "Make hand-overs waits and arrivals at mbarriers";
  let description = [{
    Of channels with mbarriers. Each slot has two: on `full` the filler arrives, with the bytes that its copies will bring, and readers
    wait; on `empty` each warp of the readers arrives, and the filler waits. The slot and the parity of the phase follow from the
    count: hand-over `n` of `s` stages has slot `n mod s` and parity `(n / s) mod 2`. Loops carry `n mod 2s` in place of `n`.

    ```mlir
    %r = tile.wait %c[%n] : ...
    tile.release %c[%n] : ...
    %f = tile.acquire %c[%m] : ...
    tile.copy_tma %map[%i, %k], %f : ...
    tile.commit %c[%m] : ...
    ```
    becomes
    ```mlir
    tile.mbarrier_wait %bars[%slotOfN] full, %parityOfN
    tile.mbarrier_arrive %bars[%slotOfN] empty {each_warp}
    tile.mbarrier_wait %bars[%slotOfM] empty, not %parityOfM
    tile.mbarrier_arrive %bars[%slotOfM] full {bytes = 8192 : i64}
    tile.copy_tma %map[%i, %k], %s[%slotOfM] on %bars[%slotOfM]
    ```

    What fills a slot outside of `tile.roles` is done by one thread (`tile.one_thread`), with the scalars that only it needs.

    Where a program ends with a wait until the hardware has read a stored slot, and gives that back, the only one of its channel, the next
    program of the block does both, behind the first iteration of the loop of products that it begins with: these run meanwhile. Not where
    teams take turns.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_CHANNELPASSES
