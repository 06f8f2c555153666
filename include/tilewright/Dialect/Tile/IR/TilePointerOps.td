//===- TilePointerOps.td - Pointers and what is behind them *- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEPOINTEROPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEPOINTEROPS

def Tile_PtrOrTile : AnyTypeOf<[Tile_PtrType, Tile_PtrTile], "a pointer or a tile of pointers">;
def Tile_BoolOrTile : AnyTypeOf<[I1, Tile_BoolTile], "i1 or a tile of it">;
def Tile_ScalarOrTile : AnyTypeOf<[Tile_Scalar, Tile_AnyTile], "a scalar or a tile">;
def Tile_I64OrTile : AnyTypeOf<[I64, Tile_TileOf<[I64], "i64">], "i64 or a tile of it">;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

def Tile_AddPtrOp : Tile_Op<"addptr", [
    Pure, Tile_Batches, ViewLikeOpInterface, Tile_InfersAxisInfo, Tile_IsMadeAgain,
    TypesMatchWith<"result has the type of the pointer", "ptr", "result", "$_self">]> {
  let summary = "Pointer plus elements";
  let description = [{
    Moves pointers by signed numbers of elements, not bytes; scalars, or tiles of one shape.

    ```mlir
    %q = tile.addptr %p, %i : !tile.ptr<f32>, index
    %r = tile.addptr %ps, %is : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
    ```

    Constraint: (C1) pointers and offsets have one shape and one layout.
  }];
  let arguments = (ins Tile_PtrOrTile:$ptr, AnyTypeOf<[AnySignlessInteger, Index, Tile_IntTile]>:$offset);
  let results = (outs Tile_PtrOrTile:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` qualified(type($ptr)) `,` type($offset)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{ ::mlir::Value getViewSource() { return getPtr(); } }];
}

// The same addresses as something else.
class Tile_AddressOp<string opMnemonic, list<Trait> traits = []> : Tile_Op<opMnemonic, [Pure, Tile_Batches, Tile_InfersAxisInfo, Tile_IsMadeAgain] # traits> {
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_AddressOp<"ptr_cast", [ViewLikeOpInterface]> {
  let summary = "The same address, of other elements";
  let description = [{
    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
    %r = tile.ptr_cast %ps : tensor<128x!tile.ptr<f16>> -> tensor<128x!tile.ptr<i32>>
    ```

    Constraint: (C1) one shape and one layout.
  }];
  let arguments = (ins Tile_PtrOrTile:$source);
  let results = (outs Tile_PtrOrTile:$result);
  let hasFolder = 1;
  let extraClassDeclaration = [{ ::mlir::Value getViewSource() { return getSource(); } }];
}

def Tile_PtrToIntOp : Tile_AddressOp<"ptr_to_int"> {
  let summary = "The address in bytes";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    %j = tile.ptr_to_int %ps : tensor<128x!tile.ptr<f32>> -> tensor<128xi64>
    ```

    Constraint: (C1) one shape and one layout.
  }];
  let arguments = (ins Tile_PtrOrTile:$source);
  let results = (outs Tile_I64OrTile:$result);
}

def Tile_IntToPtrOp : Tile_AddressOp<"int_to_ptr"> {
  let summary = "The pointer with this address";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    %ps = tile.int_to_ptr %j : tensor<128xi64> -> tensor<128x!tile.ptr<f32>>
    ```

    The address lies in global memory, in any argument or in none.

    Constraint: (C1) one shape and one layout.
  }];
  let arguments = (ins Tile_I64OrTile:$source);
  let results = (outs Tile_PtrOrTile:$result);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load", [
    Tile_TouchesMemory, Tile_GlobalAccessOpInterface, Tile_StandsInRegisters, Tile_OnceOpInterface, Tile_Batches, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"mask has the shape and layout of the pointers", "ptr", "mask",
                   "getMaskType($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"result has the pointers' element type, shape and layout", "ptr", "result",
                   "getPointee($_self)">,
    TypesMatchWith<"padding has the type of the result", "ptr", "other",
                   "getPointee($_self)", "!getOther() || std::equal_to<>()">]> {
  let summary = "Load through a tile of pointers, or through one";
  let description = !strconcat([{
    Loads the element behind each pointer. Where the mask is false nothing is read, and the
    result is `other`, or zero.

    ```mlir
    %v = tile.load %ps : tensor<128x!tile.ptr<f32>>
    %w = tile.load %ps mask %m : tensor<128x!tile.ptr<f32>>
    %x = tile.load %ps mask %m else %zeros : tensor<128x!tile.ptr<f32>>
    %y = tile.load %p mask %is_first else %one : !tile.ptr<f32>
    ```

    What is behind one pointer is a scalar, which all threads have.

    `volatile` says that others write there meanwhile: each such load reads memory anew. Behind one pointer it reads once for
    all threads, which so have the same. `unshared`, which `tile-load-in-first-thread` and `tile-share-results` write, says that only
    the first one loads, and has it yet.

    Constraints: (C1) mask, `other` and result have the shape and layout of the pointers; (C2) the
    result and `other` have the pointers' element type; (C3) `other` needs a mask; (C4) `vector_width` is a power of two
    up to 32, of a tile; (C5) `unshared` is of loads through one pointer.}], Tile_VectorWidthText);
  let arguments = (ins
    Tile_PtrOrTile:$ptr,
    Optional<Tile_BoolOrTile>:$mask,
    Optional<Tile_ScalarOrTile>:$other,
    UnitAttr:$is_volatile,
    UnitAttr:$unshared,
    OptionalAttr<I64Attr>:$vector_width);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ )? (`else` $other^)? (`volatile` $is_volatile^)? (`unshared` $unshared^)? attr-dict `:` qualified(type($ptr))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    bool isStore() { return false; }
    // A copy leaves zeros where the mask is false.
    bool isCopyable() { return hasTiles(*this) && !getIsVolatile() && (!getOther() || isZero(getOther())); }
    bool isOnce() { return getIsVolatile() && !isTile(getResult()); }
  }];
}

def Tile_StoreOp : Tile_Op<"store", [
    Tile_TouchesMemory, Tile_GlobalAccessOpInterface, Tile_StandsInRegisters, Tile_Batches, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>,
    TypesMatchWith<"value has the pointers' element type, shape and layout", "ptr", "value",
                   "getPointee($_self)">,
    TypesMatchWith<"mask has the shape and layout of the pointers", "ptr", "mask",
                   "getMaskType($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "Store through a tile of pointers, or through one";
  let description = !strconcat([{
    Stores each element behind its pointer; where the mask is false, nothing. Through one pointer one thread stores.

    ```mlir
    tile.store %ps, %v mask %m : tensor<128x!tile.ptr<f32>>
    tile.store %p, %x volatile : !tile.ptr<f32>
    ```

    `volatile` says that others read there meanwhile.

    Constraints: (C1) pointers, mask and value have one shape and one layout; (C2) the value has
    the pointers' element type; (C3) `vector_width` is a power of two up to 32, of a tile.}], Tile_VectorWidthText);
  let arguments = (ins
    Tile_PtrOrTile:$ptr,
    Tile_ScalarOrTile:$value,
    Optional<Tile_BoolOrTile>:$mask,
    UnitAttr:$is_volatile,
    OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? (`volatile` $is_volatile^)? attr-dict `:` qualified(type($ptr))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    bool isStore() { return true; }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEPOINTEROPS
