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

    `begins_early` lets a kernel begin before the kernel in front of it on a stream has ended. It waits for that one before it does
    anything else, and once all of its blocks run, the next kernel may begin early too. It changes no result, and does nothing where
    the target has no such launches ([decision](../decisions/0135-kernels-that-begin-early.md)).

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
    UnitAttr:$begins_early,
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

include "tilewright/Dialect/Tile/IR/TileViewOps.td"
include "tilewright/Dialect/Tile/IR/TilePointerOps.td"
include "tilewright/Dialect/Tile/IR/TileAtomicOps.td"

include "tilewright/Dialect/Tile/IR/TileElementOps.td"
include "tilewright/Dialect/Tile/IR/TileHalfOps.td"
include "tilewright/Dialect/Tile/IR/TileMatrixOps.td"
include "tilewright/Dialect/Tile/IR/TilePromiseOps.td"
include "tilewright/Dialect/Tile/IR/TileReduceOps.td"
include "tilewright/Dialect/Tile/IR/TileScanOps.td"

include "tilewright/Dialect/Tile/IR/TileSharedOps.td"
include "tilewright/Dialect/Tile/IR/TileSortOps.td"
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
