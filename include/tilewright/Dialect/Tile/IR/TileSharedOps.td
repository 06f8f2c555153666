//===- TileSharedOps.td - Tiles in shared memory -----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILESHAREDOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILESHAREDOPS

def Tile_AllocSharedOp : Tile_Op<"alloc_shared"> {
  let summary = "A tile in shared memory";
  let description = [{
    Its life ends with its last use: `tile-allocate-shared` gives it an `offset` in bytes, and
    may give the same bytes to another tile later.

    `layout` pins the choice of `tile-assign-shared-layouts` for this tile: `auto`, `none`, `pad`,
    `pad:N` (N elements) or `swizzle`. A layout written in the type is final.

    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32>
    %p = tile.alloc_shared {layout = "pad:1"} : !tile.shared<64x64xf32>
    %q = tile.alloc_shared {offset = 1024 : i64} : !tile.shared<64x64xf32, #tile.shared_layout<64x64>>
    ```

    Constraints: (C1) `offset` is a multiple of 16, not negative and less than 2^31; (C2) `layout` is
    one of those words.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, OptionalAttr<StrAttr>:$layout);
  let builders = [
    // Of a tile whose layout and bytes others choose.
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
      build($_builder, $_state,
            SharedType::get($_builder.getContext(), shape, elementType, SharedLayoutAttr()),
            /*offset=*/::mlir::IntegerAttr(), /*layout=*/::mlir::StringAttr());
    }]>,
  ];
  let results = (outs Res<Tile_SharedType, "", [MemAlloc<Tile_SharedMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_SubviewOp : Tile_Op<"subview", [Pure, Tile_SharedPartOpInterface]> {
  let summary = "One stage of a shared tile";
  let description = [{
    ```mlir
    %s = tile.subview %stages[%i] : !tile.shared<3x64x64xf32> -> !tile.shared<64x64xf32>
    ```

    The number of the stage must be in range: it is not checked when the kernel runs.

    Constraints: (C1) the result is the source without its first dimension, in the same layout; (C2) the
    source is all stages, no stage itself.
  }];
  let arguments = (ins Tile_SharedType:$source, Index:$stage);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$source `[` $stage `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> getPartsOf(::mlir::OpOperand &) { return {getResult()}; }
    ::mlir::Value getWholeOf(::mlir::OpResult) { return getSource(); }
    ::mlir::Value getStageOf(::mlir::OpResult) { return getStage(); }
  }];
}

def Tile_LocalStoreOp : Tile_Op<"local_store", [Tile_TouchesMemory, Tile_SharedAccessOpInterface, Tile_StandsInRegisters]> {
  let summary = "Store a tile into shared memory";
  let description = !strconcat([{
    ```mlir
    tile.local_store %t, %s : tensor<64x64xf32, #regs>, !tile.shared<64x64xf32>
    ```

    Constraints: (C1) one shape and one element type; (C2) of a tile with stages one is taken by
    `tile.subview`; (C3) `vector_width` is a power of two up to 16.}], Tile_VectorWidthText);
  let arguments = (ins Tile_AnyTile:$value,
                       Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$dest,
                       OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `,` qualified(type($dest))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    bool isStore() { return true; }
    ::mlir::TypedValue<SharedType> getSharedTile() { return getDest(); }
  }];
}

def Tile_LocalLoadOp : Tile_Op<"local_load", [Tile_TouchesMemory, Tile_SharedAccessOpInterface, Tile_StandsInRegisters]> {
  let summary = "Load a tile from shared memory";
  let description = !strconcat([{
    ```mlir
    %t = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #regs>
    ```

    `matrix` asks for `ldmatrix`, which reads 8x8 blocks of 16-bit elements straight into the layout of
    an `mma.sync` operand, or transposes them.

    Constraints: (C1) one shape and one element type; (C2) of a tile with stages one is taken by
    `tile.subview`; (C3) `vector_width` is a power of two up to 16.}], Tile_VectorWidthText);
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>]>:$source,
                       OptionalAttr<I64Attr>:$vector_width,
                       UnitAttr:$matrix);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    bool isStore() { return false; }
    ::mlir::TypedValue<SharedType> getSharedTile() { return getSource(); }
    bool mayLoadMatrices() { return true; }
  }];
}

def Tile_LocalGatherOp : Tile_Op<"local_gather", [
    Tile_TouchesMemory, Tile_StandsInRegisters,
    TypesMatchWith<"the result has the shape and the layout of the index", "result", "index",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).clone(::mlir::IntegerType::get($_ctxt, 32))">]> {
  let summary = "Load elements of a shared tile by their numbers";
  let description = [{
    Each element is that of the shared tile whose number the index says, or zero where there is none.

    ```mlir
    %t = tile.local_gather %s[%i] : !tile.shared<1024xf16>, tensor<512xi32> -> tensor<512xf16>
    ```

    Constraints: (C1) the shared tile has one dimension, along which its elements lie in order, padded or not; (C2) it has
    the result's element type.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>]>:$source, Tile_TileOf<[I32], "i32">:$index);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $source `[` $index `]` attr-dict `:` qualified(type($source)) `,` type($index) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_LocalCountOp : Tile_Op<"local_count", [Tile_TouchesMemory, Tile_StandsInRegisters]> {
  let summary = "Count numbers in a shared tile";
  let description = [{
    Each element adds 1 to one of the counters in the row of the shared tile that it is the number of; one that is the
    number of no row adds nothing. A row has several counters so that lanes of a warp seldom meet in one, or in its bank:
    which one an element takes is not said, and only the sum of a row is known.

    Elements with one number are counted atomically, each once, however many threads hold it.

    ```mlir
    tile.local_count %numbers, %counts : tensor<4096xi32>, !tile.shared<256x8xi32>
    ```

    Constraints: (C1) the shared tile has two dimensions, and rows of counters that lie in order; (C2) counters are of i32.
  }];
  let arguments = (ins Tile_TileOf<[I32], "i32">:$numbers,
                       Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>:$counts);
  let assemblyFormat = "$numbers `,` $counts attr-dict `:` type($numbers) `,` qualified(type($counts))";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>,
                                                MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "Wait for all threads of the program";
  let description = [{
    Orders the accesses to memory, shared and global, by threads of the program before it and after it.
    `tile-insert-barriers` writes as many as are needed; one that is written by hand is kept.

    With `async_proxy`, what threads have written before it is seen by `tile.warpgroup_dot` after it, too: the units
    that read shared memory there do not go the way of threads (`fence.proxy.async`).

    With `warps`, it is one of that many warps, the first of the program: those that compute, where others only copy (`tile.roles`).
    With `each_warpgroup`, the threads of a warpgroup wait for one another, and for nobody else; with `each_warp`, those of a warp.

    Example: `tile.barrier`

    Constraints: (C1) `warps` are 1 to 32; (C2) `each_warpgroup` stands without `warps`, in a kernel of four warps or a multiple; (C3) `each_warp` stands alone.
  }];
  let arguments = (ins UnitAttr:$async_proxy,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<32>]>>:$warps,
                       UnitAttr:$each_warpgroup, UnitAttr:$each_warp);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() {
      return {getEachWarp() ? MemoryOrder::Kind::WarpBarrier
                            : getEachWarpgroup() ? MemoryOrder::Kind::WarpgroupBarrier : MemoryOrder::Kind::Barrier};
    }
    /// Whether all threads that compute wait, not those of a warp or a warpgroup only.
    bool isOfAll() { return !getEachWarpgroup() && !getEachWarp(); }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILESHAREDOPS
