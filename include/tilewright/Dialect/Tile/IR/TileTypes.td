//===- TileTypes.td - Pointer, view, shared tile, channel --*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILETYPES
#define TILEWRIGHT_DIALECT_TILE_IR_TILETYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/CommonTypeConstraints.td"
include "tilewright/Dialect/Tile/IR/TileAttrs.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "Pointer to elements in global memory";
  let description = [{
    `!tile.ptr<f32>`. A `tensor<128x!tile.ptr<f32>>` is a tensor of pointers, one
    an element, as `tile.load` and `tile.store` take it.

    Constraint: (C1) the element is an integer of 8, 16, 32 or 64 bits or a float of
    8 to 64 bits.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), elementType);
  }]>];
}

def Tile_ViewType : Tile_Type<"View", "view", [ShapedTypeInterface]> {
  let summary = "A strided matrix in global memory";
  let description = [{
    `!tile.view<?x?xf32, [?, 1]>` is a matrix of dynamic shape whose rows are
    contiguous: the list holds the strides in elements. A static stride of 1 is
    what lets an access be a vector.

    Constraints: (C1) an element type as for `!tile.ptr`; (C2) a stride for each
    dimension; (C3) rank 1 or more; (C4) static extents and strides are not negative.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    ViewType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const {
      return get(getContext(), shape.value_or(getShape()), elementType, getStrides());
    }
    /// The dimension whose static stride is 1, if there is one.
    std::optional<unsigned> getContiguousDim() const;
  }];
}

def Tile_SharedType : Tile_Type<"Shared", "shared", [ShapedTypeInterface]> {
  let summary = "A tile in shared memory";
  let description = [{
    `!tile.shared<64x64xf32>` before a layout is chosen,
    `!tile.shared<64x64xf32, #tile.shared_layout<64x64, pad 1 every 64>>` after.
    A leading dimension that the layout does not have counts stages:
    `!tile.shared<3x64x64xf32, #tile.shared_layout<64x64>>` is three tiles, one
    behind the other, and `tile.subview` picks one. With `every 24576` stages begin at multiples of so
    many bytes, and what is between them is another tile's.

    Constraints: (C1) an element type as for `!tile.ptr`; (C2) the extents of a
    tile are powers of two, the number of stages is any positive number; (C3) the layout, if
    there is one, has the shape of the type, with or without a leading dimension of stages; (C4)
    all stages together, with their padding, take less than 2^31 bytes; (C5) `every` is a multiple of 16, not
    less than the bytes of a stage, and stands behind a layout.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    OptionalParameter<"::tilewright::tile::SharedLayoutAttr">:$layout,
    DefaultValuedParameter<"int64_t", "0">:$every);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                     "::tilewright::tile::SharedLayoutAttr":$layout), [{
      return $_get($_ctxt, shape, elementType, layout, /*every=*/0);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    SharedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const {
      return get(getContext(), shape.value_or(getShape()), elementType, getLayout());
    }
    SharedType withLayout(SharedLayoutAttr layout) const {
      return get(getContext(), getShape(), getElementType(), layout);
    }
    /// One stage of a tile that has them as its first dimension.
    SharedType getStageType() const {
      return get(getContext(), getShape().drop_front(), getElementType(), getLayout());
    }
    /// 1 when the type has no leading dimension of stages.
    int64_t getNumStages() const;
    /// Bytes of one stage, padding included, rounded up to 16. Needs a layout.
    int64_t getStageBytes() const;
    /// From where a stage begins to where the next one does: the same, where nothing is between them.
    int64_t getStageStride() const { return getEvery() ? getEvery() : getStageBytes(); }
    SharedType withStageStride(int64_t bytes) const {
      return get(getContext(), getShape(), getElementType(), getLayout(), bytes);
    }
    /// From the first byte to the last one.
    int64_t getSizeInBytes() const { return (getNumStages() - 1) * getStageStride() + getStageBytes(); }
    /// Those that bulk copies write one stage by; none without a layout, or with one
    /// that they do not write.
    std::optional<TensorBoxes> getTensorBoxes() const;
  }];
}

def Tile_ChannelType : Tile_Type<"Channel", "channel"> {
  let summary = "Slots of shared memory, handed from who fills to who reads";
  let description = [{
    `!tile.channel<3>` has three slots. `tile.channel` makes one.

    Constraint: (C1) the stages are 1 to 8.
  }];
  let parameters = (ins "int64_t":$numStages);
  let assemblyFormat = "`<` $numStages `>`";
  let genVerifyDecl = 1;
}

def Tile_TensorMapType : Tile_Type<"TensorMap", "tensor_map"> {
  let summary = "What bulk copies know of a view";
  let description = [{ `!tile.tensor_map`: a parameter of the kernel that a launch makes. `tile.tensor_map` says of what. }];
}

//===----------------------------------------------------------------------===//
// Constraints on operands
//===----------------------------------------------------------------------===//

/// A tile: a tensor whose extents are powers of two.
class Tile_TileOf<list<Type> elements, string what> : Type<
    And<[TensorOf<elements>.predicate, CPred<"::tilewright::tile::isTileType($_self)">]>,
    "a tile (a tensor of 1 to 2^20 elements in one or more dimensions, whose extents are powers of two) of " # what,
    "::mlir::RankedTensorType">;

def Tile_AnyTile : Tile_TileOf<[AnyType], "integers of 1 to 64 bits, index, floats of 8 to 64 bits or pointers">;
def Tile_IntTile : Tile_TileOf<[AnySignlessInteger, Index], "integers">;
def Tile_BoolTile : Tile_TileOf<[I1], "i1">;
def Tile_PtrTile : Tile_TileOf<[Tile_PtrType], "pointers">;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, Index, AnyFloat, Tile_PtrType], "a scalar">;

//===----------------------------------------------------------------------===//
// Constraints on attributes, in words that a message can use
//===----------------------------------------------------------------------===//

def Tile_GridAxis : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]> {
  let summary = "0, 1 or 2, an axis of the grid";
}
def Tile_TileAxis : ConfinedAttr<I32Attr, [IntNonNegative]> {
  let summary = "the number of a dimension, such as 1 : i32";
}
def Tile_PendingGroups : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<63>]> {
  let summary = "a number of groups from 0 to 63";
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILETYPES
