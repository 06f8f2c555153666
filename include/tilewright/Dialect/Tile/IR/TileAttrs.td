//===- TileAttrs.td - Layout attributes --------------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEATTRS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "tilewright/Dialect/Tile/IR/TileDialect.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

/// A map that is looked at where it is stored, not copied.
class Tile_MapParameter<string type> : AttrParameter<type, "the map"> {
  let cppAccessorType = "const " # type # " &";
}

def Tile_RegisterLayoutAttr : Tile_Attr<"RegisterLayout", "register_layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which thread holds which element of a tile";
  let description = [{
    The encoding of a tensor in a placed program: a linear map over bits from
    (`register`, `lane`, `warp`) to the coordinates of the tile.

    It is written as a product of blocks, innermost first. A block says over
    which extents an input repeats what stands before it, last dimension
    fastest:

    ```mlir
    #tile.register_layout<register[1,4] lane[4,8] warp[8,1] register[2,2]>
    ```

    A thread holds 1x4 elements; the lanes of a warp cover 4x8 of those, 4x32
    elements; 8 warps stand below one another, 32x32; and each thread repeats
    that 2x2 times: the tile is 64x64, and a thread holds 16 elements.

    `lane*2` (or `warp*2`, `register*2`) is a bit that changes nothing: two
    lanes hold the same elements, as when a tile has fewer elements than the
    block has threads.

    A layout that is no product of blocks is written by the images of its bits,
    after the shape of the tile:

    ```mlir
    #tile.register_layout<8x8, register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 1], [2, 0], [4, 0]]>
    ```

    Constraints: (C1) extents are powers of two, one or more; (C2) inputs are
    `register`, `lane` and `warp`, with at most 4096 registers, 32 lanes and 32
    warps; (C3) every element of the tile is held by some thread; (C4) the tensor
    has the shape of its layout. In a kernel (C5) a layout numbers 32 lanes and
    as many warps as the kernel has: what holds copies says so, with `warp*2`.
  }];
  let parameters = (ins Tile_MapParameter<"::tilewright::LinearLayout">:$layout);
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const { return getLayout().shape(); }
    int64_t getNumRegisters() const;
    int64_t getNumWarps() const;
  }];
}

def Tile_SharedLayoutAttr : Tile_Attr<"SharedLayout", "shared_layout"> {
  let summary = "Where each element of a tile stands in shared memory";
  let description = [{
    A linear map over bits between offsets and coordinates, and padding after
    it. Offsets and paddings count elements.

    ```mlir
    #tile.shared_layout<64x64>                              // row-major
    #tile.shared_layout<64x64, order [0, 1]>                // column-major: dimension 0 is the fastest
    #tile.shared_layout<64x64, pad 4 every 64>              // each row of 64 is followed by 4 elements of padding
    #tile.shared_layout<64x64, swizzle<3,2,5>>            // bits [2,5) of the offset ^= bits [7,10)
    #tile.shared_layout<64x64, bits [c5, r5, c2..4+r2..4, c0..4, r0..1]> // any bijective linear map
    #tile.shared_layout<2x4, offset = [[0, 1], [0, 2], [1, 1]]> // one by the images of its bits
    ```

    `bits` says what each bit of the offset is, the lowest first: `cN` is bit `N` of the column, `rN`
    of the row, and `+` is the sum of bits without carry, their XOR. `c2..4+r2..4` is short for `c2+r2, c3+r3,
    c4+r4`. Tiles of three or more dimensions have `d0.N`, `d1.N`, ... A map that is an order with a `swizzle`
    is printed as such, any other one with `bits`.

    `swizzle<B, M, S>` is CuTe's notation: `B` bits of the offset, from bit `M`
    up, are XORed with the `B` bits that stand `S` higher.

    Constraints: (C1) extents, one or more, and padding intervals are powers of
    two; (C2) the map is a bijection; (C3) a tile has at most 2^31 elements.
  }];
  let parameters = (ins Tile_MapParameter<"::tilewright::SharedLayout">:$layout);
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const { return getLayout().linear().shape(); }
  }];
}

def Tile_Engine : I32EnumAttr<"Engine", "what multiplies", [
    I32EnumAttrCase<"Fma", 0, "FMA">,
    I32EnumAttrCase<"MmaSync", 1, "mma.sync">,
    I32EnumAttrCase<"Wgmma", 2, "wgmma">]> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

/// What a kernel may ask of its code (`require`), each word a promise that the compiler keeps or refuses.
def Tile_Requirement : I32EnumAttr<"Requirement", "what a kernel requires", [
    I32EnumAttrCase<"Wgmma", 0, "wgmma">,
    I32EnumAttrCase<"Tma", 1, "tma">,
    I32EnumAttrCase<"Roles", 2, "roles">,
    I32EnumAttrCase<"Persistent", 3, "persistent">]> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_SlotBarrier : I32EnumAttr<"SlotBarrier", "which mbarrier of a slot", [
    I32EnumAttrCase<"Full", 0, "full">,
    I32EnumAttrCase<"Empty", 1, "empty">]> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_SlotBarrierAttr : EnumAttr<Tile_Dialect, Tile_SlotBarrier, "slot_barrier">;

def Tile_EngineAttr : EnumAttr<Tile_Dialect, Tile_Engine, "engine">;

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEATTRS
