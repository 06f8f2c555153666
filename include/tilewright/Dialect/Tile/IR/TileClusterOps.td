//===- TileClusterOps.td - Programs of a cluster -----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from TileOps.td, as TileProductPartOps.td is (ClusterPrograms.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILECLUSTEROPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILECLUSTEROPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileTypes.td"

class Tile_ClusterOp<string opMnemonic, list<Trait> traits> : Op<Tile_Dialect, opMnemonic, traits> {
  let hasVerifier = 1;
}

def Tile_PlaceInClusterOp : Tile_ClusterOp<"place_in_cluster", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Place of this block's program among those of its cluster";
  let description = [{
    A kernel with `tile.cluster_programs` (`tile-cluster-programs`) has a cluster of blocks for as many programs that are neighbours, one a block. `tile.program_id` is that of the first of them; how far behind
    it this block's program is along an axis says its place.

    ```mlir
    %i = tile.program_id 0
    %place = tile.place_in_cluster 0
    %mine = arith.addi %i, %place : index
    ```

    Constraint: (C1) the kernel has `tile.cluster_programs`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ClusterBarrierOp : Tile_ClusterOp<"cluster_barrier", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemRead<Resource<"::tilewright::tile::SharedMemory">>,
                                                MemWrite<Resource<"::tilewright::tile::SharedMemory">>,
                                                MemRead<Resource<"::tilewright::tile::GlobalMemory">>,
                                                MemWrite<Resource<"::tilewright::tile::GlobalMemory">>]>]> {
  let summary = "Wait for all threads of all blocks of a cluster";
  let description = [{
    A `tile.barrier` of the blocks of a cluster (`barrier.cluster`). Threads that are over have arrived.

    Example: `tile.cluster_barrier`

    Constraint: (C1) the kernel has `tile.cluster_programs`.
  }];
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::Barrier}; }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILECLUSTEROPS
