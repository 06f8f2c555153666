//===- TileAtomicOps.td - Atomic accesses ------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEATOMICOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEATOMICOPS

class Tile_Enum<string name, string what, list<I32EnumAttrCase> cases> : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic access does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"UMax", 3, "umax">, I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Xchg", 8, "xchg">]>;
def Tile_AtomicOrder : Tile_Enum<"AtomicOrder", "what an atomic access orders", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Tile_AtomicScope : Tile_Enum<"AtomicScope", "for whom an access is atomic", [
    I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Sys", 2, "sys">]>;

def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind">;
def Tile_AtomicOrderAttr : EnumAttr<Tile_Dialect, Tile_AtomicOrder, "atomic_order">;
def Tile_AtomicScopeAttr : EnumAttr<Tile_Dialect, Tile_AtomicScope, "atomic_scope">;

defvar Tile_AtomicText = [{

    The result is what stood there before; 0 where the mask is false, and there nothing is touched. Through one pointer
    there is one access, whose result all threads have. Of a tile each element is one access, however many threads hold it.
    In which order elements with one address go is not said.

    `scope` says for whom it is atomic: for the threads of the program (`cta`), of the GPU (`gpu`, where nothing is
    written), or of the system (`sys`). `order` says what it orders, of all that the program does to memory: `release`
    what stands before it, `acquire` what stands behind it, `acq_rel` (where nothing is written) both, `relaxed` neither.
    So a lock that one program takes by `acquire` and gives back by `release` guards loads and stores of all of its threads.

    `unshared`, which `tile-share-results` writes, says that of the threads that hold an element one has the result.

    `vector_width` is the number of elements a thread moves with one instruction, as of loads and stores. Each is still
    an access of its own: others may come between them. What the target has is in `Target/AtomicForms.cpp`.
}];

class Tile_AtomicOp<string mnemonic, list<Trait> traits> : Tile_Op<mnemonic, [
    Tile_TouchesMemory, Tile_GlobalAccessOpInterface, Tile_StandsInRegisters, Tile_OnceOpInterface,
    MemoryEffects<[MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>,
    TypesMatchWith<"mask has the shape and layout of the pointers", "ptr", "mask",
                   "getMaskType($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"result has the pointers' element type, shape and layout", "ptr", "result",
                   "getPointee($_self)">] # traits> {
  let results = (outs Tile_ScalarOrTile:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isOnce() { return true; }
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    bool isStore() { return true; }
    /// The instruction for so many elements at once. Null: there is none, not even for one where others compute.
    const AtomicForm *getForm(const GpuTarget &target, unsigned elements = 1);
    int64_t getMaxElements(const GpuTarget &target);
    /// Whether what stands before it is seen by who sees it, and the other way round.
    bool releases() { return getOrder() == AtomicOrder::Release || getOrder() == AtomicOrder::AcqRel; }
    bool acquires() { return getOrder() == AtomicOrder::Acquire || getOrder() == AtomicOrder::AcqRel; }
  }];
}

def Tile_AtomicRMWOp : Tile_AtomicOp<"atomic_rmw", [
    TypesMatchWith<"value has the pointers' element type, shape and layout", "ptr", "value", "getPointee($_self)">]> {
  let summary = "Read, change and write as one access";
  let description = !strconcat([{
    ```mlir
    %old = tile.atomic_rmw add %ps, %v mask %m : tensor<128x!tile.ptr<f32>>
    %turn = tile.atomic_rmw add %counter, %one order relaxed scope sys : !tile.ptr<i32>
    %held = tile.atomic_rmw xchg %lock, %zero order release : !tile.ptr<i32>
    ```

    | kind | elements |
    | --- | --- |
    | `add` | `i16 i32 i64`, `f16 bf16 f32 f64`; sums are rounded once, and `f32` takes subnormal numbers for 0 |
    | `max` `min` | `i16 i32 i64`, signed; `f16 bf16 f32 f64`, as `arith.maximumf` and `minimumf` |
    | `umax` `umin` `and` `or` `xor` | `i16 i32 i64` |
    | `xchg` | of 16, 32 and 64 bits |}], Tile_AtomicText, [{
    Constraints: (C1) value and mask have the shape and layout of the pointers; (C2) the element type is one of the
    kind's; (C3) `unshared` is of a placed program; (C4) `vector_width` is a power of two up to 32, of a tile.
  }]);
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PtrOrTile:$ptr, Tile_ScalarOrTile:$value,
                       Optional<Tile_BoolOrTile>:$mask,
                       DefaultValuedAttr<Tile_AtomicOrderAttr, "::tilewright::tile::AtomicOrder::AcqRel">:$order,
                       DefaultValuedAttr<Tile_AtomicScopeAttr, "::tilewright::tile::AtomicScope::Gpu">:$scope,
                       UnitAttr:$unshared,
                       OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = [{
    $kind $ptr `,` $value (`mask` $mask^)? (`order` $order^)? (`scope` $scope^)? (`unshared` $unshared^)? attr-dict
    `:` qualified(type($ptr))
  }];
}

def Tile_AtomicCASOp : Tile_AtomicOp<"atomic_cas", [
    TypesMatchWith<"expected value has the pointers' element type, shape and layout", "ptr", "expected", "getPointee($_self)">,
    TypesMatchWith<"desired value has the pointers' element type, shape and layout", "ptr", "desired", "getPointee($_self)">]> {
  let summary = "Write where an expected value stands, as one access";
  let description = !strconcat([{
    Bits are compared: -0 is not 0, and a NaN may be equal to itself.

    ```mlir
    %old = tile.atomic_cas %lock, %zero, %one order acquire : !tile.ptr<i32>
    %olds = tile.atomic_cas %ps, %es, %ds mask %m : tensor<128x!tile.ptr<i64>>
    ```}], Tile_AtomicText, [{
    Constraints: (C1) values and mask have the shape and layout of the pointers; (C2) elements have 16, 32 or 64 bits;
    (C3) `unshared` is of a placed program; (C4) `vector_width` is a power of two up to 32, of a tile.
  }]);
  let arguments = (ins Tile_PtrOrTile:$ptr, Tile_ScalarOrTile:$expected, Tile_ScalarOrTile:$desired,
                       Optional<Tile_BoolOrTile>:$mask,
                       DefaultValuedAttr<Tile_AtomicOrderAttr, "::tilewright::tile::AtomicOrder::AcqRel">:$order,
                       DefaultValuedAttr<Tile_AtomicScopeAttr, "::tilewright::tile::AtomicScope::Gpu">:$scope,
                       UnitAttr:$unshared,
                       OptionalAttr<I64Attr>:$vector_width);
  let assemblyFormat = [{
    $ptr `,` $expected `,` $desired (`mask` $mask^)? (`order` $order^)? (`scope` $scope^)? (`unshared` $unshared^)?
    attr-dict `:` qualified(type($ptr))
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEATOMICOPS
