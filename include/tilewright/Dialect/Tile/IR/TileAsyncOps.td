//===- TileAsyncOps.td - Copies that run ahead -------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEASYNCOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEASYNCOPS

def Tile_CopyAsyncOp : Tile_Op<"copy_async", [
    Tile_TouchesMemory, Tile_SharedAccessOpInterface, MemoryEffects<[MemRead<Tile_GlobalMemory>]>, AttrSizedOperandSegments]> {
  let summary = "Start copying a block of a view into a shared tile";
  let description = [{
    The copy goes past the registers (`cp.async`) and runs while the program goes on. Its data may
    be read after a `tile.async_wait` that covers its group, and a barrier. Elements outside of the
    view are zero. Where `mask` is false nothing is copied.

    `registers` says which thread copies which element, as if it were loaded into registers.

    ```mlir
    tile.copy_async %a[%i, %j], %s {registers = #rows, vector_width = 8 : i64}
        : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16>
    ```

    Constraints: (C1) view, coordinates and shared tile have one rank and one element type; (C2) the layout is
    one of the shared tile's shape; (C3) a vector has 4, 8 or 16 bytes.
  }];
  let arguments = (ins
    Arg<Tile_ViewType, "the matrix">:$view,
    Variadic<Index>:$offsets,
    Optional<I1>:$mask,
    Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$dest,
    Tile_RegisterLayoutAttr:$registers,
    OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`mask` $mask^)? `,` $dest attr-dict `:` qualified(type($view)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The least that an instruction copies, in bytes (PTX ISA, cp.async).
    static constexpr int64_t kMinBytes = 4;

    /// The tile as it would be in registers.
    ::mlir::RankedTensorType getTileType() {
      return ::mlir::RankedTensorType::get(getDest().getType().getShape(),
                                           getDest().getType().getElementType(), getRegisters());
    }
    bool isStore() { return true; }
    ::mlir::TypedValue<SharedType> getSharedTile() { return getDest(); }
    int64_t getMinBytes() { return kMinBytes; }
    std::optional<unsigned> getRunDim() { return getView().getType().getContiguousDim(); }
  }];
}

def Tile_AsyncCommitOp : Tile_Op<"async_commit", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Close a group of copies";
  let description = [{
    The `tile.copy_async` since the last one make a group, perhaps an empty one.

    Example: `tile.async_commit`
  }];
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{ MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::CloseGroup}; } }];
}

def Tile_AsyncWaitOp : Tile_Op<"async_wait", [
    Tile_MemoryOrderOpInterface, MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>]> {
  let summary = "Wait for groups of copies";
  let description = [{
    Waits until at most `pending` groups, the latest ones, are under way. Each thread waits for its own
    copies; a barrier makes those of the others visible.

    Example: `tile.async_wait 1`

    Constraint: (C1) `pending` is 0 to 63.
  }];
  let arguments = (ins Tile_PendingGroups:$pending);
  let assemblyFormat = "$pending attr-dict";
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::WaitForGroups, getPending()}; }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEASYNCOPS
