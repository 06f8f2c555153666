//===- TileRoleOps.td - Warps that do different things -----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEROLEOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEROLEOPS

def Tile_RolesOp : Tile_Op<"roles", [HasParent<"KernelOp">, NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Let warps of their own fill the slots of channels";
  let description = [{
    `main` is done by the kernel's `num_warps` warps, as if there were no others: tiles and their layouts are only there. `copy` is done
    by one thread of the kernel's `copy_warps`, which come behind them; it computes with scalars. They meet at the hand-overs of channels only.

    ```mlir
    %c = tile.channel %s with %bars : ...
    tile.roles main {
      scf.for ... { tile.wait %c[%n] ...  tile.release %c[%n] ... }
    } copy {
      scf.for ... { tile.acquire %c[%n] ...  tile.copy_tma ...  tile.commit %c[%n] ... }
    }
    ```

    Who copies needs few registers. With `main_registers` and `copy_registers` each thread of a role gets so many (`setmaxnreg`), out of what
    a multiprocessor has for `blocks` of them:

    ```mlir
    tile.roles main { ... } copy { ... } {main_registers = 232 : i32, copy_registers = 40 : i32, blocks = 1 : i32}
    ```

    Constraints: (C1) the kernel has `copy_warps`; (C2) `copy` has no tiles in registers and no barrier; (C3) a barrier in `main` says that it is
    one of its `warps`; (C4) one in a kernel, behind which nothing is done; (C5) numbers of registers are multiples of 8 from 24 to 240, both or
    none, with `blocks` of 1 and more, and the warps of each role are multiples of 4.
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$main_registers, OptionalAttr<I32Attr>:$copy_registers,
                       OptionalAttr<I32Attr>:$blocks);
  let regions = (region SizedRegion<1>:$main, SizedRegion<1>:$copy);
  let assemblyFormat = "`main` $main `copy` $copy attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Of a thread (PTX ISA, setmaxnreg; ptxas takes no more than 240).
    static constexpr int32_t kLeastRegisters = 24;
    static constexpr int32_t kMostRegisters = 240;
  }];
}

def Tile_OneThreadOp : Tile_Op<"one_thread", [NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "What one thread of those that compute does";
  let description = [{
    The first of them; the others go on. It waits for free slots and starts copies, where no warp is there for that:

    ```mlir
    tile.one_thread {
      tile.mbarrier_wait %bar empty, %parity : ...
      tile.mbarrier_arrive %bar full {bytes = 8192 : i64} : ...
      tile.copy_tma %map[%i, %k], %slot on %bar : ...
    }
    ```

    Constraint: (C1) no tiles in registers and no barrier.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEROLEOPS
