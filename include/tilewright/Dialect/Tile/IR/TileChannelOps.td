//===- TileChannelOps.td - Order between filler and reader -*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILECHANNELOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILECHANNELOPS

def Tile_ChannelOp : Tile_Op<"channel", [Tile_SharedPartOpInterface, AttrSizedOperandSegments]> {
  let summary = "Hand tiles from who fills them to who reads them";
  let description = [{
    A channel owns staged shared tiles. Its *slot* is one stage of each of them; there are as many as stages. A
    *hand-over* is the life of a slot's content: the filler acquires a slot, starts copies into it and commits them;
    the reader waits for them, reads, and releases the slot.

    ```mlir
    %a = tile.alloc_shared : !tile.shared<3x64x32xf16>
    %b = tile.alloc_shared : !tile.shared<3x32x64xf16>
    %c = tile.channel %a, %b : !tile.shared<3x64x32xf16>, !tile.shared<3x32x64xf16> -> !tile.channel<3>

    scf.if %more {                                  // the filler, two hand-overs ahead
      %fa, %fb = tile.acquire %c[%ahead] : !tile.channel<3> -> !tile.shared<64x32xf16>, !tile.shared<32x64xf16>
      tile.copy_async ..., %fa ...
      tile.copy_async ..., %fb ...
      tile.commit %c[%ahead] : !tile.channel<3>
    }

    %ra, %rb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x32xf16>, !tile.shared<32x64xf16>
    %x = tile.local_load %ra ...                    // the reader
    %y = tile.local_load %rb ...
    tile.release %c[%n] : !tile.channel<3>
    ```

    Hand-overs are counted from 0 on, each by the filler and by the reader, and the count goes on as long as the
    channel lives: hand-over `n` is in slot `n mod stages`. So the count says all that an implementation
    needs, and neither slot nor phase is an operand. Each execution of `tile.channel` makes a new channel.

    Filler and reader do the same hand-overs, in order. One that is left out (`scf.if` above) is left out by both, and is
    followed by none that is not.

    `tile-pipeline` writes channels; `tile-lower-channels` makes them groups of copies (`tile.async_commit`,
    `tile.async_wait`). One with `mbarriers`, a pair of them for each slot, is filled by bulk copies (`tile-select-tma`), by a role of its own
    (`tile-split-roles`); `tile-lower-mbarriers` makes waits and arrivals of its hand-overs.

    ```mlir
    %c = tile.channel %a mbarriers %bars : !tile.shared<3x64x32xf16> mbarriers !tile.shared<3x2xi64, #tile.shared_layout<2>> -> !tile.channel<3>
    ```

    The blocks of a cluster have a channel each. Where one fills slots of others, too, it is `of_cluster` (`tile-share-boxes`): all do the same hand-overs, and who fills a slot waits for its readers in all blocks.

    Constraints: (C1) at least one tile; (C2) each is a `tile.alloc_shared` which nothing but this channel uses; (C3) and has
    the stages of the channel as its first dimension; (C4) the channel is no value to pass on: acquired, committed,
    waited for and released by name; (C5) mbarriers are 2xi64 a slot, with a layout, and used by nothing else.
  }];
  let arguments = (ins Variadic<Tile_SharedType>:$tiles, Optional<Tile_SharedType>:$mbarriers, UnitAttr:$of_cluster);
  let results = (outs Res<Tile_ChannelType, "", [MemAlloc<Tile_SharedMemory>]>:$result);
  let assemblyFormat = [{
    $tiles (`mbarriers` $mbarriers^)? attr-dict `:` qualified(type($tiles)) (`mbarriers` qualified(type($mbarriers))^)?
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::ValueRange":$tiles), [{
    build($_builder, $_state, type, tiles, /*mbarriers=*/nullptr);
  }]>];
  let extraClassDeclaration = [{
    /// The type of the slot's part of a tile.
    SharedType getSlotType(unsigned tile);

    ::llvm::SmallVector<::mlir::Value> getPartsOf(::mlir::OpOperand &tile);
    ::mlir::Value getWholeOf(::mlir::OpResult) { return nullptr; }
  }];
}

/// An end of a hand-over. What it orders is shared memory: no access moves over it.
class Tile_HandOverOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits # [
    Tile_HandOverOpInterface, Tile_MemoryOrderOpInterface,
    MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>]> {
  let hasVerifier = 1;
}

/// A hand-over's beginning for one of the two: it gets the slot.
class Tile_SlotOp<string mnemonic, string end> : Tile_HandOverOp<mnemonic, [Tile_SharedPartOpInterface]> {
  let arguments = (ins Tile_ChannelType:$channel, I32:$count);
  let results = (outs Variadic<Tile_SharedType>:$tiles);
  let assemblyFormat = [{
    $channel `[` $count `]` attr-dict `:` qualified(type($channel)) `->` qualified(type($tiles))
  }];
  let extraClassDeclaration = [{
    /// The op that ends what this one begins, or null. It stands in the same block, or where the next iteration does it,
    /// behind the loop: that of the last one.
    }] # end # "Op get" # end # [{();

    ::llvm::SmallVector<::mlir::Value> getPartsOf(::mlir::OpOperand &) { return {}; }
    ::mlir::Value getWholeOf(::mlir::OpResult tile);
    MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::HandOver}; }
    ::mlir::Operation *getEnd();
  }];
}

/// Its end.
class Tile_SlotEndOp<string mnemonic> : Tile_HandOverOp<mnemonic> {
  let arguments = (ins Tile_ChannelType:$channel, I32:$count);
  let assemblyFormat = "$channel `[` $count `]` attr-dict `:` qualified(type($channel))";
  let extraClassDeclaration = [{ MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::HandOver}; } }];
}

def Tile_AcquireOp : Tile_SlotOp<"acquire", "Commit"> {
  let summary = "Get a slot of a channel to fill";
  let description = [{
    Hand-over `count` begins: waits until the slot's reader has released it, `stages` hand-overs ago, and gives its tiles.

    ```mlir
    %fa, %fb = tile.acquire %c[%n] : !tile.channel<3> -> !tile.shared<64x32xf16>, !tile.shared<32x64xf16>
    ```

    Constraints: (C1) a tile for each of the channel's, one stage of it; (C2) the tiles are only written, before the
    `tile.commit` of the same count, which stands in the same block; (C3) the channel is made by a `tile.channel` in this kernel.
  }];
}

def Tile_CommitOp : Tile_SlotEndOp<"commit"> {
  let summary = "Hand a filled slot over";
  let description = [{
    The copies into the slot are all started. Who waits for the hand-over waits until they have landed.

    Example: `tile.commit %c[%n] : !tile.channel<3>`

    Constraints: (C1) ends a `tile.acquire` of the same channel and count in the same block; (C2) the channel is made by a
    `tile.channel` in this kernel.
  }];
}

def Tile_WaitOp : Tile_SlotOp<"wait", "Release"> {
  let summary = "Get a filled slot of a channel";
  let description = [{
    Waits until the copies of hand-over `count` have landed, for all threads, and gives their tiles. Until it releases them they are the reader's: it may
    write them too.

    ```mlir
    %ra, %rb = tile.wait %c[%n] : !tile.channel<3> -> !tile.shared<64x32xf16>, !tile.shared<32x64xf16>
    ```

    Constraints: (C1) a tile for each of the channel's, one stage of it; (C2) the tiles are only read and written, before the
    `tile.release` of the same count, and products and bulk stores that read them are waited for before it; (C3) that release stands in the same
    block, or in the next iteration of the loop that carries the count, and behind the loop; (C4) the channel is made by a `tile.channel` in this kernel.
  }];
}

def Tile_ReleaseOp : Tile_SlotEndOp<"release"> {
  let summary = "Give a slot back to be filled again";
  let description = [{
    All reads of the slot are done, and what the reader wrote there is of no use any more. An iteration of a loop that carries the count may release the slot of the one before, and the last one's
    is released behind the loop; before hand-over 0 there is nothing to release, and number -1 releases nothing.

    ```mlir
    %m = scf.for ... iter_args(%n = %c0) -> (i32) {
      %r = tile.wait %c[%n] : ...
      tile.release %c[%before] : !tile.channel<3>     // %n - 1
      scf.yield %after : i32                          // %n + 1
    }
    tile.release %c[%last] : !tile.channel<3>         // %m - 1
    ```

    Constraints: (C1) ends a `tile.wait` of the same channel and count in the same block, or as above; (C2) the channel is made by a
    `tile.channel` in this kernel.
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILECHANNELOPS
