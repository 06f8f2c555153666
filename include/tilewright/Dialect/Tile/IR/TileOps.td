//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "tilewright/Dialect/Tile/IR/TileInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileTypes.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

// How tiles of an op stand in registers: one that moves or computes ...
def Tile_StandsInRegisters : DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>;
// ... one that may be made again for each use ...
def Tile_IsMadeAgain : DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["isCheap"]>;
// ... and such a one whose result stands where its source does, under another name.
def Tile_RenamesElements :
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["isCheap", "inferOperandLayout"]>;

// Memory that ops of the dialect touch: a write to one does not order reads of the other.
def Tile_GlobalMemory : Resource<"::tilewright::tile::GlobalMemory">;
def Tile_SharedMemory : Resource<"::tilewright::tile::SharedMemory">;
// What is no memory, and changed by ops that must stay where they are, as often as they are written.
def Tile_Execution : Resource<"::tilewright::tile::Execution">;

// The op tells what it does to memory.
defvar Tile_TouchesMemory = DeclareOpInterfaceMethods<Tile_MemoryAccessOpInterface>;

// The op tells how its result counts up along each dimension.
defvar Tile_InfersAxisInfo = DeclareOpInterfaceMethods<Tile_AxisInfoOpInterface>;
// The op tells between which numbers its result lies.
defvar Tile_InfersRange = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

// The op can be done for several programs at once.
defvar Tile_Batches = DeclareOpInterfaceMethods<Tile_BatchOpInterface>;

// The elements of the result are elements of the first operand.
def Tile_MovesElements : NativeOpTrait<"MovesElements"> {
  let cppNamespace = "::tilewright::tile";
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface, SingleBlock, AffineScope,
    HasParent<"::mlir::ModuleOp">]> {
  let summary = "What one program of a grid does";
  let description = [{
    A kernel is run by a grid of programs, each a thread block. Arguments are
    pointers and scalars; their names are part of the kernel, since the command line
    and the clauses below refer to them.

    ```mlir
    tile.kernel @scale(%X: !tile.ptr<f32> {tile.divisibility = 16}, %Y: !tile.ptr<f32>,
                       %alpha: f32, %n: index)
        shapes ["X[n]", "Y[n]"]
        grid ["ceildiv(n, 1024)"]
        reference ["Y[i] = alpha * X[i]"]
        attributes {num_warps = 4 : i32} {
      ...
      tile.return
    }
    ```

    The three clauses say what a runner needs and are all optional. They are written in
    index notation ([language.md](../language.md#index-notation)): `shapes`, the extents of the matrix behind each
    pointer, dense and row-major; `grid`, the number of programs along up to three axes;
    `reference`, what each element of each output must be.

    `tile.divisibility = D` on an argument says that the code may rely on the value (for a
    pointer, its address) being a multiple of D; a launch checks it.

    `tile.disjoint` on a pointer says that the code may rely on it that no byte that is reached through it
    is reached through another argument too, where either of both is written; a launch checks it. A pointer
    of which only views are made gets it from `tile-specialize`, unless `tile.may_overlap` says that it may
    not ([the rule](../language.md#memory-and-overlapping-arguments)).

    `require` says what the code must be, where that is decided by the compiler: a kernel for which it is not is refused
    ([the words](../language.md#what-a-kernel-requires)).

    Constraints: (C1) an argument is a pointer, an integer, an index or a float; (C2)
    a divisibility is a power of two up to 2^30, and not that of a float, and only pointers are disjoint or may overlap,
    and not both; (C3) the clauses
    parse, and name only arguments; (C4) `num_warps` is a power of two from 1 to 32 and
    `num_stages` a number from 1 to 8; (C5) argument names are unique identifiers; (C6) there is no result; (C7) `shared_bytes` is not
    negative; (C8) other attributes of the kernel and of its arguments bear the name of a
    dialect, not of this one: a misspelt one is an error; (C9) each register layout numbers 32
    lanes and `num_warps` warps; (C10) `copy_warps`, which come behind these and only copy (`tile.roles`), are 1 to 4;
    (C11) a kernel that is `persistent`, whose blocks run one program after the other (`tile-persist`), has no `tile.program_id`;
    (C12) what is required are words that there are, each once;
    (C13) `block_programs`, which are the programs along each axis that a block runs at once (`tile-batch-programs`), are three powers
    of two, and not of a persistent kernel; (C14) `cluster_blocks`, the blocks of a cluster that run a program together (`tile-spread-programs`), are a
    power of two from 2 to 16, and `num_warps`, which are those of the program, are then up to 32 a block; such a kernel has no
    `block_programs`, and no copies to shared memory or products under way.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    StrArrayAttr:$arg_names,
    OptionalAttr<StrArrayAttr>:$shapes,
    OptionalAttr<StrArrayAttr>:$grid,
    OptionalAttr<StrArrayAttr>:$reference,
    OptionalAttr<I32Attr>:$num_warps,
    OptionalAttr<I32Attr>:$num_stages,
    OptionalAttr<I32Attr>:$copy_warps,
    OptionalAttr<I64Attr>:$shared_bytes,
    UnitAttr:$persistent,
    OptionalAttr<StrArrayAttr>:$require,
    OptionalAttr<DenseI32ArrayAttr>:$block_programs,
    OptionalAttr<I32Attr>:$cluster_blocks,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The name of the argument attribute that promises a multiple of its value.
    static constexpr ::llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
    /// Of those that say whether what is reached through a pointer is reached through others.
    static constexpr ::llvm::StringLiteral kDisjointAttr = "tile.disjoint";
    static constexpr ::llvm::StringLiteral kMayOverlapAttr = "tile.may_overlap";
    static constexpr int kDefaultNumWarps = 4;
    static constexpr int kDefaultNumStages = 3;
    static constexpr int kMaxNumStages = 8;
    /// The largest promise: more serves no access.
    static constexpr int64_t kMaxDivisibility = AxisInfo::kMaxDivisibility;
    static bool isLegalDivisibility(int64_t divisibility);
    static constexpr int kMaxWarpsPerBlock = 32;
    static constexpr int kMaxClusterBlocks = 16;
    static bool isLegalNumWarps(int64_t numWarps, int64_t clusterBlocks = 1);
    /// "wgmma, tma, roles and persistent", for messages.
    static ::std::string listRequirements();
    bool hasRequirement(Requirement requirement);
    /// Adds a word to `require`, unless it is there.
    void addRequirement(Requirement requirement);
    static bool isLegalNumStages(int64_t numStages) { return numStages >= 1 && numStages <= kMaxNumStages; }

    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::StringRef getArgName(unsigned index);
    /// Promised divisibility of an argument; 1 where nothing is promised.
    int64_t getArgDivisibility(unsigned index);
    /// Whether the code may rely on a pointer being disjoint from all others.
    bool isArgDisjoint(unsigned index) { return bool(getArgAttr(index, kDisjointAttr)); }
    int getNumWarpsOrDefault() { return getNumWarps().value_or(kDefaultNumWarps); }
    /// Blocks that run a program.
    int getClusterBlocksOrOne() { return getClusterBlocks().value_or(1); }
    int getWarpsPerBlock() { return getNumWarpsOrDefault() / getClusterBlocksOrOne(); }
    /// Of a program, in all its blocks: those that compute. Those of a block, with all that it has, are `countThreads` (Teams.h).
    int64_t getNumThreads();
    /// Programs along an axis that a block runs at once. Where these are several, `tile.program_id` is the first of them.
    int getBlockPrograms(unsigned axis) { return getBlockPrograms() ? (*getBlockPrograms())[axis] : 1; }
    int getNumStagesOrDefault() { return getNumStages().value_or(kDefaultNumStages); }

    static ::llvm::StringRef getDefaultDialect() { return "tile"; }
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "End of a kernel";
  let description = [{ Example: `tile.return`. }];
  let assemblyFormat = "attr-dict";
}

class Tile_ProgramOp<string opMnemonic, string what> : Tile_Op<opMnemonic, [Pure, Tile_InfersRange]> {
  let summary = what # " along an axis of the grid";
  // The line break keeps one indentation for all lines, which the documentation removes.
  let description = "\n    " # what # [{ along axis 0, 1 or 2 of the grid. The hardware allows 2^31 - 1
    programs along axis 0 and 65,535 along the others.

    ```mlir
    %p = tile.}] # opMnemonic # [{ 0
    ```

    Constraint: (C1) the axis is 0, 1 or 2.}];
  let arguments = (ins Tile_GridAxis:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}
def Tile_ProgramIdOp : Tile_ProgramOp<"program_id", "Number of this program">;
def Tile_NumProgramsOp : Tile_ProgramOp<"num_programs", "Number of programs">;

class Tile_BlockOp<string opMnemonic, string what> : Tile_Op<opMnemonic, [Pure, Tile_InfersRange]> {
  let summary = what # " of a persistent kernel";
  let description = "\n    " # what # [{, of as many as run at one time, each of which runs one program after the other.

    ```mlir
    %b = tile.}] # opMnemonic # [{
    ```

    Constraint: (C1) the kernel is `persistent`.}];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def Tile_BlockIdOp : Tile_BlockOp<"block_id", "Number of this block">;
def Tile_NumBlocksOp : Tile_BlockOp<"num_blocks", "Number of blocks">;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

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

include "tilewright/Dialect/Tile/IR/TilePointerOps.td"
include "tilewright/Dialect/Tile/IR/TileAtomicOps.td"

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Tile_ConstantOp : Tile_Op<"constant", [
    Pure, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["isCheap", "setLayout"]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "A number, infinity or NaN";
  let description = [{
    One number, as a scalar or everywhere in a tile.

    ```mlir
    %least = tile.constant -inf : tensor<128xf32>
    %none = tile.constant nan : f16
    %half = tile.constant 0.5 : f32
    %two = tile.constant 2 : tensor<64x64xf32>
    ```

    A number that the type does not have is rounded to nearest, ties to even. It folds to `arith.constant` at once, and a program may as well use that, which has no infinities and no NaN.

    Constraints: (C1) the type is an integer, an index or a float, or a tile of such; (C2) a number of integers has no
    fraction and fits the type, signed or unsigned; (C3) a float has decimal digits, since in `arith.constant` others are
    the bits of one, and does not overflow the type; (C4) `inf` is of a type that has infinities, `nan` of one that has NaN; (C5) a tile has one number everywhere.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyTypeOf<[Tile_Scalar, Tile_AnyTile]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, Tile_InfersAxisInfo, Tile_InfersRange, Tile_IsMadeAgain]> {
  let summary = "Consecutive integers";
  let description = [{
    ```mlir
    %i = tile.iota 0 : tensor<128xi32>    // 0, 1, ..., 127
    ```

    Constraints: (C1) the result is a one-dimensional tile of integers or index; (C2) every
    number fits the element type.
  }];
  let arguments = (ins I64Attr:$start);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_IsMadeAgain]> {
  let summary = "One scalar everywhere";
  let description = [{
    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x64xf32>
    ```

    Constraint: (C1) the tile has elements of the scalar's type.
  }];
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned) { return std::nullopt; }
  }];
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Insert a dimension of extent 1";
  let description = [{
    ```mlir
    %c = tile.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    ```

    Constraints: (C1) the result's shape is the source's with a 1 at `axis`; (C2) one element
    type; (C3) in a placed program the source's layout is the result's without that dimension.
  }];
  let arguments = (ins Tile_AnyTile:$source, Tile_TileAxis:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned dim) {
      return dim == getAxis() ? std::nullopt : std::optional<unsigned>(dim > getAxis() ? dim - 1 : dim);
    }
  }];
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Repeat along dimensions of extent 1";
  let description = [{
    ```mlir
    %t = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x32xf32>
    ```

    Constraints: (C1) one rank, and each extent is the same or 1 in the source; (C2) one element
    type; (C3) in a placed program each thread already holds the elements that it repeats.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_RenamesElements]> {
  let summary = "The same elements in row-major order, another shape";
  let description = [{
    ```mlir
    %t = tile.reshape %s : tensor<64x32xf32> -> tensor<2048xf32>
    ```

    Constraints: (C1) as many elements; (C2) one element type; (C3) in a placed program
    the result's layout is the source's, reshaped.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [
    Pure, Tile_Batches, Tile_MovesElements, Tile_DimensionMapOpInterface, Tile_RenamesElements]> {
  let summary = "Permute the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source. It moves no data: only
    the layout of the registers has another name.

    ```mlir
    %t = tile.trans %s [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```

    Constraints: (C1) a permutation of the dimensions; (C2) the result's shape is the permuted one;
    (C3) one element type; (C4) in a placed program the result's layout is the source's, permuted.
  }];
  let arguments = (ins Tile_AnyTile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    std::optional<unsigned> getSourceDim(unsigned dim) { return getPermutation()[dim]; }
  }];
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, Tile_MovesElements, Tile_DimensionMapOpInterface, AllShapesMatch<["source", "result"]>,
                                                      AllElementTypesMatch<["source", "result"]>]> {
  let summary = "The same tile in another register layout";
  let description = [{
    ```mlir
    %t = tile.convert_layout %s : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```

    What a thread already holds moves between its registers, what its warp holds by
    shuffles where these are cheaper; everything else goes through shared memory
    (`tile-lower-conversions`). Tiles of pointers only move inside of warps.

    Constraints: (C1) one shape and one element type; (C2) both tiles have a layout.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

include "tilewright/Dialect/Tile/IR/TileHalfOps.td"
include "tilewright/Dialect/Tile/IR/TileMatrixOps.td"
include "tilewright/Dialect/Tile/IR/TilePromiseOps.td"
include "tilewright/Dialect/Tile/IR/TileReduceOps.td"
include "tilewright/Dialect/Tile/IR/TileScanOps.td"

include "tilewright/Dialect/Tile/IR/TileSharedOps.td"
include "tilewright/Dialect/Tile/IR/TileAssertOps.td"
include "tilewright/Dialect/Tile/IR/TileInlineAsmOps.td"
include "tilewright/Dialect/Tile/IR/TileAsyncOps.td"
include "tilewright/Dialect/Tile/IR/TileChannelOps.td"
include "tilewright/Dialect/Tile/IR/TileMbarrierOps.td"
include "tilewright/Dialect/Tile/IR/TileTmaOps.td"
include "tilewright/Dialect/Tile/IR/TileRoleOps.td"
include "tilewright/Dialect/Tile/IR/TileRowOps.td"
include "tilewright/Dialect/Tile/IR/TileTeamOps.td"

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEOPS
