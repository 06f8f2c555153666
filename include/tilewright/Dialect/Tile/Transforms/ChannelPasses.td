//===- ChannelPasses.td - Slots filled, handed over, lowered -*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by Passes.td. In the order in which the pipeline runs them; passes
// of other kinds stand between.
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

    Only where it serves: loops of products by `wgmma`, which are in no other loop, whose operands bulk copies can fetch, so large that a
    multiprocessor has room for one block's. And only where programs do not talk to each other or to anybody else: no access is
    atomic or volatile, and nothing is printed or checked.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all kernels alone">,
    Option<"numStages", "num-stages", "int", "0", "Stages of loops that do not say; 0: as the kernel says">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TilePipeline : TilePass<"tile-pipeline"> {
  let summary = "Let the loads of a loop run ahead of its arithmetic";
  let description = [{
    A block load in a loop that is stored into a shared tile becomes an asynchronous copy, `num_stages - 1`
    iterations ahead, into a shared tile of that many stages, and a channel hands it over. The kernel's `num_stages`
    says how many (default 3; 1 leaves the loop alone), the option goes over it, and `tile.num_stages` on the loop over both.

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

    A load stays as it is where its coordinates depend on what the loop computes, where it has another
    use or a value for elements outside, where its vectors have fewer than the 4 bytes of a copy, and where
    the loop writes global memory that a later iteration may read: through the same argument, or through another
    one where neither is `tile.disjoint`.
  }];
  let options = [
    Option<"numStages", "num-stages", "int", "0", "Stages of loops that do not say; 0: as the kernel says">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
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

    All copies of a channel, or none. Why not is a remark, and stays with the channel's tiles as `tile.copy_reason`, for the report: one
    stage, threads that read, a tile that is not in a layout of the hardware, a base or strides that are not known to be multiples of
    16 bytes, a view that hangs on more than the arguments, and what keeps `tile-split-roles` from giving the copies a role of their own.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all copies alone">,
  ];
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

    What cannot be a role is an error: copies that hang on tiles or on memory, a channel that is made in a loop, and a kernel that
    may write what the copies read, since these run ahead of all else.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
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

    All stores of an argument or none, and only where nothing else in the kernel may touch its bytes, nobody else is told that they
    are written (an atomic access, a volatile one), and base and strides are known to be multiples of 16 bytes.
  }];
  let options = [
    Option<"enable", "enable", "bool", "true", "Off: leaves all stores alone">,
  ];
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
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_CHANNELPASSES
