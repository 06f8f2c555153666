//===- TileViewOps.td - Matrices in global memory ----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEVIEWOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEVIEWOPS

def Tile_ViewOp : Tile_Op<"view", [Pure, AttrSizedOperandSegments, ViewLikeOpInterface]> {
  let summary = "A strided matrix in global memory";
  let description = [{
    Element (i, j) stands `i * strides[0] + j * strides[1]` elements behind the base.
    Extents and strides are `index` values, or constants, which the type repeats.

    ```mlir
    %a = tile.view %A, shape [%M, %N], strides [%N, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
    ```

    Constraints: (C1) pointer and view have the same element type; (C2) extents and
    strides are as many as the rank; (C3) what is constant in the lists is the same
    constant in the type, what is a value is `?`.

    Elements stand side by side along a dimension whose stride in the type is 1. Where the type says so of none, `tile-canonicalize`
    writes there the last stride that is a constant 1.
  }];
  let arguments = (ins
    Tile_PtrType:$base,
    Variadic<Index>:$shape,
    Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_shape,
    DenseI64ArrayAttr:$static_strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base `,` `shape` custom<DynamicIndexList>($shape, $static_shape)
    `,` `strides` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedShape();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
    ::mlir::Value getViewSource() { return getBase(); }
  }];
}

defvar Tile_VectorWidthText = [{

    `vector_width` is the number of elements a thread moves with one instruction.
    `tile-check-vector-width` picks the widest legal one; one that is written and not
    legal is an error there.}];

defvar Tile_RotatedText = [{

    `rotated %s` is of tiles of one dimension, of C elements: place p of the tile has element `(p - s) mod C` of the block, so that vectors of the
    tile are vectors of memory although the block begins anywhere (`tile-rotate-rows`). A thread moves a vector at once where its elements are
    consecutive, aligned and all inside of the view, and one by one elsewhere. With `shifted`, vectors are expected to begin between those of memory, and each
    is put together of the words that it is in.}];

def Tile_LoadViewOp : Tile_Op<"load_view", [
    Tile_TouchesMemory, Tile_GlobalAccessOpInterface, Tile_StandsInRegisters, AttrSizedOperandSegments, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
  let summary = "Load a block of a view";
  let description = !strconcat([{
    Loads the block whose first element is at the given coordinates. Elements outside of
    the view read as `other`, or zero. Coordinates may be negative or beyond the end.

    ```mlir
    %t = tile.load_view %a[%i, %j] : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    %u = tile.load_view %a[%i, %j] else %one : f32 : !tile.view<?x?xf32, [?, 1]> -> tensor<64x64xf32>
    ```

    Constraints: (C1) view, coordinates and tile have one rank; (C2) the tile has the
    view's element type; (C3) `other` too; (C4) `vector_width` is a power of two up to 32; (C5) what is rotated has one dimension, and its elements stand side by
    side.}], Tile_RotatedText, Tile_VectorWidthText);
  let arguments = (ins
    Arg<Tile_ViewType, "the matrix">:$view,
    Variadic<Index>:$offsets,
    Optional<Index>:$rotation,
    Optional<Tile_Scalar>:$other,
    UnitAttr:$shifted,
    OptionalAttr<I64Attr>:$vector_width);
  let results = (outs Tile_AnyTile:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view, "::mlir::ValueRange":$offsets,
                   "::mlir::Value":$other, "::mlir::IntegerAttr":$vector_width), [{
      build($_builder, $_state, result, view, offsets, /*rotation=*/::mlir::Value(), other, /*shifted=*/false, vector_width);
    }]>,
  ];
  let assemblyFormat = [{
    $view `[` $offsets `]` (`rotated` $rotation^)? (`else` $other^ `:` type($other))? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    bool isStore() { return false; }
    bool mayRotate();
    void setRotation(::mlir::Value by, bool isShifted) {
      getRotationMutable().assign(by);
      setShifted(isShifted);
    }
    // A copy leaves zeros outside of the view.
    bool isCopyable() { return !getRotation() && (!getOther() || isZero(getOther())); }
  }];
}

def Tile_StoreViewOp : Tile_Op<"store_view", [
    Tile_TouchesMemory, Tile_GlobalAccessOpInterface, Tile_StandsInRegisters, AttrSizedOperandSegments, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "Store a block into a view";
  let description = !strconcat([{
    Stores the block whose first element is at the given coordinates. Elements outside of
    the view are not written.

    ```mlir
    tile.store_view %t, %b[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32, [?, 1]>
    ```

    Constraints: (C1) view, coordinates and tile have one rank; (C2) the tile has the
    view's element type; (C3) `vector_width` is a power of two up to 32; (C4) what is rotated has one dimension, and its elements stand side by side.}],
    Tile_RotatedText, Tile_VectorWidthText);
  let arguments = (ins
    Tile_AnyTile:$value,
    Arg<Tile_ViewType, "the matrix">:$view,
    Variadic<Index>:$offsets,
    Optional<Index>:$rotation,
    OptionalAttr<I64Attr>:$vector_width);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view, "::mlir::ValueRange":$offsets,
                   "::mlir::IntegerAttr":$vector_width), [{
      build($_builder, $_state, value, view, offsets, /*rotation=*/::mlir::Value(), vector_width);
    }]>,
  ];
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` (`rotated` $rotation^)? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() { return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType()); }
    bool isStore() { return true; }
    bool mayRotate();
    void setRotation(::mlir::Value by, bool isShifted) {
      getRotationMutable().assign(by);
      if (isShifted)
        setVectorWidth(1);
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEVIEWOPS
