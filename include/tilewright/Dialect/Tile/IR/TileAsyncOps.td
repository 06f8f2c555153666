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
  let summary = "Start copying into a shared tile";
  let description = [{
    Copies a block of a view, or what a tile of pointers points to. The copy goes past the registers (`cp.async`) and runs
    while the program goes on. Its data may be read after a `tile.async_wait` that covers its group, and a barrier.
    Elements outside of the view, and those for which `inside` is false, are zero. Where `mask` is false nothing is copied.

    `registers` says which thread copies which element, as if it were loaded into registers; `axis` along which
    dimension the pointers of an instruction follow one another.

    ```mlir
    tile.copy_async %a[%i, %j], %s {registers = #rows, vector_width = 8 : i64}
        : !tile.view<?x?xf16, [?, 1]>, !tile.shared<64x64xf16>
    tile.copy_async %ps inside %m : tensor<64x64xi1, #rows>, %s {registers = #rows, axis = 1 : i64, vector_width = 8 : i64}
        : tensor<64x64x!tile.ptr<f16>, #rows>, !tile.shared<64x64xf16>
    ```

    Constraints: (C1) source, coordinates and shared tile have one rank and one element type, and the layout is one of
    the shared tile's shape; (C2) pointers and `inside` have that layout, and have no coordinates; (C3) a view has
    neither `inside` nor `axis`, which is one of the dimensions; (C4) a vector has 4, 8 or 16 bytes.
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[Tile_ViewType, Tile_PtrTile]>, "the matrix, or pointers">:$source,
    Variadic<Index>:$offsets,
    Optional<Tile_BoolTile>:$inside,
    Optional<I1>:$mask,
    Arg<Tile_SharedType, "", [MemWrite<Tile_SharedMemory>]>:$dest,
    Tile_RegisterLayoutAttr:$registers,
    OptionalAttr<I64Attr>:$axis,
    OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = [{
    $source (`[` $offsets^ `]`)? (`inside` $inside^ `:` type($inside))? (`mask` $mask^)? `,` $dest
    attr-dict `:` qualified(type($source)) `,` qualified(type($dest))
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
    /// The view, or null.
    ViewType getViewType() { return ::llvm::dyn_cast<ViewType>(getSource().getType()); }
    std::optional<unsigned> getRunDim() {
      if (ViewType view = getViewType())
        return view.getContiguousDim();
      return getAxis() ? std::optional<unsigned>(*getAxis()) : std::nullopt;
    }
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
