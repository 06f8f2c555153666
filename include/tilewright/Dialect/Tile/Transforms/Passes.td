//===- Passes.td - From a tile program to a placed one -----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which the pipeline (lib/Compiler/PassPipeline.cpp) runs them;
// those that say which thread has what, and who combines it, are in
// RegisterPasses.td, those about products by warpgroups in ProductPasses.td,
// those that write, fill and lower channels in ChannelPasses.td, those about
// programs that take rows in RowPasses.td, and those about when loads begin in
// LoadPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class TilePass<string name> : Pass<name, "::tilewright::tile::KernelOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

include "tilewright/Dialect/Tile/Transforms/ChannelPasses.td"
include "tilewright/Dialect/Tile/Transforms/LoadPasses.td"
include "tilewright/Dialect/Tile/Transforms/ProductPasses.td"
include "tilewright/Dialect/Tile/Transforms/RegisterPasses.td"
include "tilewright/Dialect/Tile/Transforms/RowPasses.td"

def TileSetTarget : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which GPU a module is compiled for";
  let description = [{
    Writes the target's name on the module, over what stood there. The passes below read from there what the GPU has;
    without it they rely on nothing: accesses have at most 16 bytes a thread, products are of FMA or `mma.sync`. The lowering
    then is for sm_90a.

    ```mlir
    module { tile.kernel @copy(...) { ... } }
    // --tile-set-target=target=sm_80
    module attributes {tile.target = "sm_80"} { tile.kernel @copy(...) { ... } }
    ```

    A target that there is not is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "GPU target, as sm_80">,
  ];
}

def TileCanonicalize : TilePass<"tile-canonicalize"> {
  let summary = "Leave out what has no effect, by the rules of tile and scf and by folding constants";
  let description = [{
    MLIR's `canonicalize` without the patterns of `arith` and `math`. Some of those change results: they take
    `truncf(sitofp(x))` for one rounding, and `index_cast` to a narrow integer and back for nothing.

    ```mlir
    scf.for %i = %c0 to %c0 step %c1 { ... }
    %n = arith.index_cast %k : index to i8
    %m = arith.index_cast %n : i8 to index
    ```
    becomes
    ```mlir
    %n = arith.index_cast %k : index to i8
    %m = arith.index_cast %n : i8 to index
    ```

    A tile of a known integer becomes a constant, by which arithmetic on tiles folds: `%rows * splat(1)`, where
    a stride turned out to be 1, is `%rows`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileSpecialize : TilePass<"tile-specialize"> {
  let summary = "Write down what of the arguments the code may rely on, and set the number of warps";
  let description = [{
    Makes the variant of a kernel for one class of launches. Each `NAME:D` is written as
    `tile.divisibility` on that argument, over what stood there; D = 1 takes a promise back.

    A pointer that `disjoint` names, or of which only views are made, is `tile.disjoint` from all others: no byte that
    is reached through it is reached through another argument, where either of both is written. For views the kernel
    takes that back by `tile.may_overlap`; what the launch says, in `disjoint`, goes over it.

    ```mlir
    tile.kernel @copy(%X: !tile.ptr<f32>, %n: index) { ... }
    // --tile-specialize="divisibility=X:16,n:4 disjoint=X num-warps=8"
    tile.kernel @copy(%X: !tile.ptr<f32> {tile.disjoint, tile.divisibility = 16 : i64},
                      %n: index {tile.divisibility = 4 : i64})
        attributes {num_warps = 8 : i32} { ... }
    ```

    Each `NAME:VALUE` of `constants` says that this integer argument has that value in all launches. Where the body uses
    it, it is a constant; it stays an argument, which launches pass and clauses go by.

    ```mlir
    tile.kernel @columns(%X: !tile.ptr<f32>, %n: index, %stride: index) {
      %x = tile.view %X, shape [%n, 64], strides [1, %stride] : !tile.ptr<f32> -> !tile.view<?x64xf32, [1, ?]>
      ...
    }
    // --tile-specialize="constants=stride:1"
    tile.kernel @columns(%X: !tile.ptr<f32> {tile.disjoint}, %n: index, %stride: index) {
      %c1 = arith.constant 1 : index
      %x = tile.view %X, shape [%n, 64], strides [1, %c1] : !tile.ptr<f32> -> !tile.view<?x64xf32, [1, ?]>
      ...
    }
    ```

    Each `NAME:LEAST:MOST` of `bounds` is written as `tile.bounds` on that integer: it is from LEAST to MOST in all launches. Where a row
    ends at it, masks of columns are then known for most registers of a thread (`KnownColumns`).

    ```mlir
    tile.kernel @softmax(%X: !tile.ptr<f16>, %n: i32) { ... }
    // --tile-specialize="bounds=n:49153:53248"
    tile.kernel @softmax(%X: !tile.ptr<f16>, %n: i32 {tile.bounds = array<i64: 49153, 53248>}) { ... }
    ```

    Each word of `require` is added to what the kernel requires (`tile-check-requirements`).

    An argument that the kernel does not have is an error, and so is a constant that its argument cannot be: of a pointer
    or a float, or a number that its type does not hold. An integer of N bits, which has no sign, holds -2^(N-1) to 2^N - 1.
  }];
  let options = [
    ListOption<"divisibility", "divisibility", "std::string", "NAME:D, comma-separated">,
    ListOption<"disjoint", "disjoint", "std::string", "Names of pointers that overlap no other, comma-separated">,
    ListOption<"constants", "constants", "std::string", "NAME:VALUE of integers, comma-separated">,
    ListOption<"bounds", "bounds", "std::string", "NAME:LEAST:MOST of integers, comma-separated">,
    Option<"numWarps", "num-warps", "int", "0", "Warps a program; 0 keeps what the kernel says">,
    ListOption<"require", "require", "std::string", "What the code must be, beside what the kernel says">,
  ];
}

def TileCheckProgram : TilePass<"tile-check-program"> {
  let summary = "Refuse what is not part of the language";
  let description = [{
    The door of the compiler: each op is known to the language, its values have types that the language has, and the
    region of each reduction combines in any order. It changes nothing, but that `tile.constant` becomes `arith.constant`,
    and that promises (`overflow<nsw>`, `exact`, `fastmath`) are dropped, before anything folds: what is left is `contract`
    of `addf`, `subf` and `mulf`, `arcp` of `divf` and `afn` of `exp2`.

    ```mlir
    %lane = nvvm.read.ptx.sreg.laneid : i32   // error: 'nvvm.read.ptx.sreg.laneid' op is not part of the language
    %x = arith.constant 1.0 : f80             // error: 'arith.constant' op makes a value of type 'f80'
    %s = tile.reduce %t axis 0 : tensor<128xf32> -> f32 { // error: 'tile.reduce' op has a region whose result depends on the order
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %a, %b : f32
      tile.yield %c : f32
    }
    ```

    Ops are known by what they are: those of the tile dialect, elementwise ops of arith and math with one result, constants,
    `scf.for`, `scf.while` and `scf.if`. They are the same in tile programs and placed ones.

    Whether a region combines in any order is tried with a few small numbers, by the folders of its ops: the error has
    numbers for which it does not. A region that passes may still not combine in any order; one with an op that does not
    fold is not tried. Floats may differ by rounding.

    A loaded or carried tile of which a thread would hold more than twice its 255 registers is a warning.
  }];
}

def TileCheckLoops : TilePass<"tile-check-loops"> {
  let summary = "Refuse loops that would never end";
  let description = [{
    An `scf.for` counts up. Where its step is a constant of 0 or less, that is an error at the loop:

    ```mlir
    %c0 = arith.constant 0 : index
    scf.for %i = %c0 to %n step %c0 { ... }  // error: 'scf.for' op has a step of 0, with which it never ends
    ```

    So are constant bounds between which the counter would wrap around, or that are further apart than its type counts.

    A step that only the launch knows is not checked here: the simulator ends a kernel at its limit of instructions, and
    names the loop.

    An `scf.while` without effects gets one, a `tile.assert true` in its body, of which no code is made: MLIR takes
    every loop for one that ends, and would leave out one whose results nobody asks for, or that are known.
  }];
}

def TileRewriteInductions : TilePass<"tile-rewrite-inductions"> {
  let summary = "Make what a loop adds up a function of its counter, which counts trips";
  let description = [{
    A pointer, an integer, or a tile of them that an `scf.for` carries and moves by the same amount in each trip is written as
    what it was at first plus the number of the trip times that amount. So where a load loads hangs on the counter alone, and it
    may run ahead. The loop then counts trips, in `index`, from 0 by 1.

    ```mlir
    scf.for %k = %c0 to %n step %c1 iter_args(%ps = %first) -> (tensor<64x!tile.ptr<f16>>) : i32 {
      %t = tile.load %ps : tensor<64x!tile.ptr<f16>>
      %next = tile.addptr %ps, %steps : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tile.ptr<f16>>
    }
    ```
    becomes
    ```mlir
    scf.for %trip = %c0 to %trips step %c1 {
      %moved = arith.muli %trip, %step : index              // what %steps is a splat of
      %offsets = tile.splat %moved : index -> tensor<64xindex>
      %ps = tile.addptr %first, %offsets : tensor<64x!tile.ptr<f16>>, tensor<64xindex>
      %t = tile.load %ps : tensor<64x!tile.ptr<f16>>
    }
    ```

    A loop that carries no such thing counts trips, too, where its counter, or what is computed ahead of it, might wrap around
    before it comes to the end: where neither the end is known to be far from that of the type, nor, of 64 bits, the beginning
    is and the step is of 24 bits at most.

    Integers keep their type, and wrap around as they did. Pointers are moved by 64 bits, to which each step is extended before
    it is multiplied: that is what moving them step by step gives. A program that says itself what is in shared memory or which
    thread holds what stays as it is.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileSettlePromises : TilePass<"tile-settle-promises"> {
  let summary = "Write down what code will rely on";
  let description = [{
    A `tile.assume` of a `tile.assume` becomes one promise. One that promises divisibility, and not of which groups, gets the
    contiguity that is known of its operand.

    Quotients and remainders of numbers that count up are taken to be of numbers that are not negative, where nothing but so many
    programs or trips that an integer of 32 bits wraps around could make them so, or a divisor that is not positive: numbers of
    programs, counters, what a loop carries that begins as such and grows by such, and sums and products of those and of
    constants. That is written as a promise too, where it makes runs: those that the dividend and the divisor both have.
    A divisor of 0 is a multiple of all, and what is divided by it is the dividend: nothing is promised but of products of
    constants and the arguments that `nonzero` names.

    ```mlir
    %rows = arith.remsi %offsets, %ms : tensor<128xi32>      // %offsets: 128 * block + iota, %ms: a multiple of 16
    ```
    becomes, where %ms is made of an argument that is not 0,
    ```mlir
    %rem = arith.remsi %offsets, %ms : tensor<128xi32>
    %rows = tile.assume %rem divisibility [16] contiguity [16] : tensor<128xi32>
    ```
  }];
  let options = [
    ListOption<"nonzero", "nonzero", "std::string", "Names of integers whose low 32 bits are 0 in no launch">,
  ];
}

def TileRecognizeBlocks : TilePass<"tile-recognize-blocks"> {
  let summary = "Load and store by views where pointers are a block of one";
  let description = [{
    A tile of pointers that is a base plus, for each dimension, the place in the tile times a stride, with a mask that says of
    each dimension between which places it is true, is a block of a view. The view begins where the tile does, or the mask, and
    has as many elements as the mask leaves; a dimension without a mask has those of the tile, and is not checked.

    ```mlir
    %i = arith.addi %starts, %iota : tensor<1024xi32>     // splat of 1024 * block, plus iota
    %in = arith.cmpi slt, %i, %ns : tensor<1024xi32>      // below %n
    %ps = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %t = tile.load %ps mask %in : tensor<1024x!tile.ptr<f32>>
    ```
    becomes
    ```mlir
    %first = tile.addptr %x, %start : !tile.ptr<f32>, i32
    %left = ...                                           // index: %n - %start, or 0
    %v = tile.view %first, shape [%left], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
    %t = tile.load_view %v[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
    ```

    Nothing is supposed: sums of fewer than 64 bits must be known not to wrap around within the tile, since they begin at a
    multiple of a power of two that the rest stays below. A view of these promises nothing about other arguments. What stands
    in the way is written on the access, and in the report.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def TileShareResults : TilePass<"tile-share-results"> {
  let summary = "Let all threads have what one of them found";
  let description = [{
    An atomic access is made once for each element, also where several threads hold it, and one through a single
    pointer by one thread; so is a volatile load through one. PTX of the user's that is not pure each thread runs, and may
    find something else than the others. Where the result is used, it goes through shared memory to
    the others. A scalar does so as a tile of one element.

    ```mlir
    %old = tile.atomic_rmw add %ps, %v : tensor<16x!tile.ptr<i32>, #copies>
    ```
    becomes
    ```mlir
    %one = tile.atomic_rmw add %ps, %v unshared : tensor<16x!tile.ptr<i32>, #copies>
    %s = tile.alloc_shared : !tile.shared<16xi32>
    tile.local_store %one, %s : tensor<16xi32, #copies>, !tile.shared<16xi32>
    %old = tile.local_load %s : !tile.shared<16xi32> -> tensor<16xi32, #copies>
    ```
  }];
}

def TileLowerConversions : TilePass<"tile-lower-conversions"> {
  let summary = "Make the way through shared memory explicit";
  let description = [{
    A `tile.convert_layout` that moves data between warps becomes a store into a new
    shared tile and a load from it. One that only renames registers of a thread stays, and so does
    one inside of warps where shuffles take fewer cycles than the best shared tile would (a remark
    has both numbers). Operands of products, and loads of a loop that may run ahead, are staged in any case:
    `ldmatrix` and `tile-pipeline` want them so.

    ```mlir
    %v = tile.convert_layout %u : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32>
    tile.local_store %u, %s : tensor<64x64xf32, #a>, !tile.shared<64x64xf32>
    %v = tile.local_load %s : !tile.shared<64x64xf32> -> tensor<64x64xf32, #b>
    ```

    A tile that needs more than `max-bytes`, less what products of the same loop read, is sent in halves, or quarters,
    through one smaller shared tile: `tile.split` and `tile.join` take it apart and put it together where each thread has
    its parts of both halves before and after. Where pieces cannot be so small, what loops
    before it read is not counted. Where there is no way to do that, a tile that is only stored to a view is
    stored as it lies in registers. What a loop of a kernel that combines rows leaves, as sums of columns, is stored by the warps that have it, if these need
    no more than shuffles for vectors of 16 bytes side by side: the loop has all of shared memory for its rows.

    Where the stages of a load in a loop that stores would leave no room for what the loop sends through shared memory, loops have
    fewer of them (`tile.most_stages` on the kernel). Where two are too many, the load is marked `tile.stays`: it does not run ahead.
  }];
  let options = [
    Option<"numStages", "num-stages", "int", "0", "Stages of loops that do not say; 0: as the kernel says; 1: none runs ahead">,
    Option<"maxBytes", "max-bytes", "int64_t", "0", "Shared bytes a block may have; 0: what the target says">,
  ];
}

def TileAssignSharedLayouts : TilePass<"tile-assign-shared-layouts"> {
  let summary = "Choose where each element of a shared tile stands";
  let description = [{
    For each `tile.alloc_shared` whose type has no layout: gathers every access to the tile, scores
    the candidates (as is, padded, XOR-swizzled) by exact wavefronts over all of them, and takes the
    cheapest.

    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32>
    ```
    becomes
    ```mlir
    %s = tile.alloc_shared : !tile.shared<64x64xf32, #tile.shared_layout<64x64, swizzle<3,2,6>>>
    ```

    Where the choice is free and no layout gives all accesses the widest vectors they could have, loads are
    tried as `ldmatrix` too, which transposes blocks of 8 x 8 on its way: a load that costs less so becomes
    `matrix`.

    A tile that a `tile.warpgroup_dot` reads has a layout of the hardware, the cheapest that the product can read; a
    `layout` attribute on it is an error.

    For other tiles the option, or the `layout` attribute of the tile, which wins over it, narrows the choice: `auto`,
    `none`, `pad`, `pad:N`, `swizzle`. A `vector_width` that no layout left can serve is an error at
    the access. With a `target`, a layout that leaves room for fewer blocks on an SM pays for it. Why a
    layout won is a remark at the tile, what it costs each access one there.
  }];
  let options = [
    Option<"layout", "layout", "std::string", "\"auto\"", "auto, none, pad, pad:N (elements) or swizzle">,
  ];
}

def TileCheckVectorWidth : TilePass<"tile-check-vector-width"> {
  let summary = "The widest legal vector of each access";
  let description = [{
    Writes `vector_width`, in elements, on each access to global and shared memory: the largest that
    the layout, the alignment of base, strides and coordinates, the extents, the mask and the 16 bytes of
    an instruction allow, or 32 of global memory where the `target` has such. A width below that is a remark
    that says what stands in the way.

    ```mlir
    %t = tile.load_view %a[%i, %j] : ... -> tensor<64x64xf32, #rows>
    ```
    becomes
    ```mlir
    %t = tile.load_view %a[%i, %j] {vector_width = 4 : i64} : ... -> tensor<64x64xf32, #rows>
    ```

    A width that is written already is kept if it is legal; if not, it is an error that
    names the condition.
  }];
}

def TileJoinExchanges : TilePass<"tile-join-exchanges"> {
  let summary = "Let warps meet once for what they combine apart";
  let description = [{
    Warps tell each other in shared memory what each has found of a row. Where a program combines two tiles, as a gradient does for the slope and the level of a row, and neither waits
    for the other, what is stored for the second is stored with the first.

    ```mlir
    tile.local_store %a, %s
    %x = tile.local_load %s                     // behind a barrier
    %b = tile.reduce %tile axis 1 per_warp ...   // of nothing that %x tells
    tile.local_store %b, %t
    %y = tile.local_load %t                     // behind another one
    ```
    becomes
    ```mlir
    %b = tile.reduce %tile axis 1 per_warp ...
    tile.local_store %a, %s
    tile.local_store %b, %t
    %x = tile.local_load %s
    %y = tile.local_load %t
    ```

    In a loop both tiles have two stages, which take turns in its iterations: the number of the stage is carried, 0 and 1 by turns. `tile-insert-barriers` sees that, and so warps meet once an iteration, and not a second time before they store again.

    Only tiles of an element a thread at the most, which have no bytes yet, and not across loops and branches, where others would be kept for long. Blocks of a cluster are left alone, and kernels with products.
  }];
}

def TileAllocateShared : TilePass<"tile-allocate-shared"> {
  let summary = "Give each shared tile its bytes";
  let description = [{
    Writes `offset` on each `tile.alloc_shared`, and the sum, `shared_bytes`, on the kernel. Tiles
    whose lives do not overlap share bytes, at the price of barriers between them: not where all tiles together
    have no more than `free-bytes`. More than the limit is an error that names the tiles, and how many
    stages there would be room for, and why, stays with the kernel (`tile.most_stages`, `tile.stages_reason`): who compiles it places it once more,
    with no more of them in any loop.

    Where a block has a multiprocessor alone anyhow, and there is room, a channel that copies of threads fill in a loop of products gets one slot more. Then copies begin in front of the wait for products, into a slot that
    the product before last has read, and one barrier an iteration orders all.

    ```mlir
    tile.kernel @transpose(...) {
      %s = tile.alloc_shared : !tile.shared<64x64xf32, #layout>
    ```
    becomes
    ```mlir
    tile.kernel @transpose(...) attributes {shared_bytes = 16384 : i64} {
      %s = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xf32, #layout>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "0", "Shared bytes a block may have; 0: what the target says">,
    Option<"freeBytes", "free-bytes", "int64_t", "0",
           "Shared bytes of a block that never keep another one off the SM; 0: what the target says">,
  ];
}

def TileInsertBarriers : TilePass<"tile-insert-barriers"> {
  let summary = "Order the accesses to memory";
  let description = [{
    Puts a `tile.barrier` before an access to shared bytes that another thread may have read or
    written since the last barrier, where one of the two is a write; around loops too. Accesses to
    disjoint bytes need none, nor do those in which each thread only meets itself. What orders a loop only behind
    what was before it stands in front of it, not in each iteration.

    In a kernel with `tile.warpgroup_dot`, whose reads go past the way that threads write, barriers become `async_proxy`:
    those that something written by threads comes to, and all where there are bulk copies.

    Global accesses are ordered in the same way where they come from one pointer argument, from two of which neither is
    `tile.disjoint`, or from what is not known. Of pointers that are a stride of the launch apart, threads may meet
    only where it is less than the elements along it; then the barrier hangs on that (`scf.if`):

    ```mlir
    %distance = arith.subi %stride, %c128 : i32
    %meet = arith.cmpi ugt, %distance, %c69273538 : i32     // less than 128, or 32 bits are too few
    scf.if %meet {
      tile.barrier
    }
    tile.store %pointers, %x : tensor<32x64x!tile.ptr<f16>, ...>
    ```

    A use of bytes into which a copy for another tile is under way is an error, and so is a store to global memory
    that a copy under way may still read. So is an op that touches memory and does not say what
    (`MemoryAccessOpInterface`).

    ```mlir
    tile.local_store %u, %s : ...
    %v = tile.local_load %s : ...
    ```
    becomes
    ```mlir
    tile.local_store %u, %s : ...
    tile.barrier
    %v = tile.local_load %s : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileCheckRequirements : TilePass<"tile-check-requirements"> {
  let summary = "Refuse kernels whose code is not what they require";
  let description = [{
    Stands behind all that decides, and changes nothing. What a kernel has in `require` is asked of the placed program:

    | word | holds where |
    | --- | --- |
    | `wgmma` | there are products, and each of them is made by it |
    | `tma` | there are products in loops, and what they multiply comes from global memory by bulk copies, as far as their loop loads it |
    | `roles` | warps of their own begin the copies |
    | `persistent` | blocks run one program after the other |

    Each op that fell back is an error, with the reason that the pass that declined has left on it (`tile.engine_reason`,
    `tile.copy_reason`, `tile.roles_reason`, `tile.persist_reason`).

    ```mlir
    tile.kernel @gemm(...) attributes {require = ["wgmma"]} {
      ...
      %d = tile.dot %a, %b, %c by mma.sync {tile.engine_reason = "wgmma takes 64 rows, and M is 32"} : ...
      // error: the kernel requires wgmma, and this product is made by mma.sync: wgmma takes 64 rows, and M is 32
    ```

    Code for launches that can have no tensor maps, because there is nothing to copy, is asked for `wgmma` only.
  }];
  let options = [
    Option<"lacksTensorMaps", "lacks-tensor-maps", "bool", "false", "For launches that can have none, and may do without">,
    Option<"numStages", "num-stages", "int", "0", "Stages of loops that do not say; 0: as the kernel says">,
  ];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
