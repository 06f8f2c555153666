//===- TileMbarrierOps.td - Barriers of slots in memory ----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td. What the hand-overs of a channel with mbarriers
// become; each thread that comes by does what these say.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEMBARRIEROPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEMBARRIEROPS

def Tile_MbarrierInitOp : Tile_Op<"mbarrier_init", [Tile_TouchesMemory]> {
  let summary = "Begin to use mbarriers";
  let description = [{
    Each slot of a channel has two: `full`, on which the filler arrives, and `empty`, on which `readers` do. One thread of
    the program makes them, and a `tile.barrier` shows them to the others.

    ```mlir
    tile.mbarrier_init %bars {readers = 8 : i32} : !tile.shared<4x2xi64, #tile.shared_layout<2>>
    ```

    Constraints: (C1) the tile has a pair of i64 for each slot; (C2) `readers` is 1 to 2^20 - 1.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$barriers, I32Attr:$readers);
  let assemblyFormat = "$barriers attr-dict `:` qualified(type($barriers))";
  let hasVerifier = 1;
}

def Tile_MbarrierWaitOp : Tile_Op<"mbarrier_wait", [Tile_TouchesMemory]> {
  let summary = "Wait for a phase of an mbarrier";
  let description = [{
    Waits until the phase with this parity is over (`mbarrier.try_wait.parity`). What those who arrived did before is done.

    Example: `tile.mbarrier_wait %bar full, %parity : !tile.shared<2xi64, #tile.shared_layout<2>>`

    Constraint: (C1) the tile is the pair of a slot.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>:$barrier,
                       Tile_SlotBarrierAttr:$which, I1:$parity);
  let assemblyFormat = "$barrier $which `,` $parity attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def Tile_MbarrierArriveOp : Tile_Op<"mbarrier_arrive", [Tile_TouchesMemory, AttrSizedOperandSegments]> {
  let summary = "Arrive at an mbarrier";
  let description = [{
    With `bytes`, the phase ends when so many bytes of copies have landed, too, or as many `less` as are said. With `each_warp`, one lane of a warp arrives for all.
    Where `condition` is false, nobody does. With `of_cluster`, it arrives at the mbarrier of each block of the cluster.

    ```mlir
    tile.mbarrier_arrive %bar full {bytes = 49152 : i64} : !tile.shared<2xi64, #tile.shared_layout<2>>
    tile.mbarrier_arrive %bar empty if %notBefore {each_warp} : !tile.shared<2xi64, #tile.shared_layout<2>>
    ```

    Constraints: (C1) the tile is the pair of a slot; (C2) `bytes` are 1 to 2^20 - 1; (C3) `less` (i32), with `bytes` and without a condition, is 0 to as many.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>:$barrier,
                       Tile_SlotBarrierAttr:$which, Optional<I1>:$condition, Optional<I32>:$less, OptionalAttr<I64Attr>:$bytes,
                       UnitAttr:$each_warp, UnitAttr:$of_cluster);
  let assemblyFormat = "$barrier $which (`if` $condition^)? (`less` $less^)? attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEMBARRIEROPS
