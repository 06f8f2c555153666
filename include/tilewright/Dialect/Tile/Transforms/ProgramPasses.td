//===- ProgramPasses.td - Passes about whole programs ------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program may rely on, whether it is one, which blocks run it, and what
// of it is a block of a view.
// The passes are in lib/Dialect/Tile/Transforms/Programs/; Passes.td includes this.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMPASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMPASSES

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

    Bits that are loaded only to be taken for another type are loaded as that:

    ```mlir
    %b = tile.load %ps : tensor<128x!tile.ptr<i8>>
    %f = arith.bitcast %b : tensor<128xi8> to tensor<128xf8E4M3FN>
    ```
    becomes
    ```mlir
    %qs = tile.ptr_cast %ps : tensor<128x!tile.ptr<i8>> -> tensor<128x!tile.ptr<f8E4M3FN>>
    %f = tile.load %qs : tensor<128x!tile.ptr<f8E4M3FN>>
    ```

    A tile of a known integer becomes a constant, by which arithmetic on tiles folds: `%rows * splat(1)`, where
    a stride turned out to be 1, is `%rows`. So does an iota of one number.
    An integer without a sign, as a float, times zero is zero: filters have such weights.

    The counter of a loop is below the loop's end, and need not be compared with it:

    ```mlir
    scf.for %i = %first to %m step %programs {      // %m = arith.index_cast %M : i32 to index
      %row = arith.index_cast %i : index to i32
      %rows = tile.splat %row : i32 -> tensor<1x1xi32>
      %inside = arith.cmpi slt, %rows, %Ms : tensor<1x1xi32>    // %Ms = tile.splat %M
    ```
    becomes
    ```mlir
      %inside = arith.constant dense<true> : tensor<1x1xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def TileSpecialize : TilePass<"tile-specialize"> {
  let summary = "Write down what of the arguments the code may rely on, and set the numbers of warps and stages";
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

    A `tile.assume` whose result nobody uses, as `tl.multiple_of(pointers, 16)` that stands alone, is one about what it is of wherever
    that is used behind it.

    An argument that the kernel does not have is an error, and so is a constant that its argument cannot be: of a pointer
    or a float, or a number that its type does not hold. An integer of N bits, which has no sign, holds -2^(N-1) to 2^N - 1.
  }];
  let options = [
    ListOption<"divisibility", "divisibility", "std::string", "NAME:D, comma-separated">,
    ListOption<"disjoint", "disjoint", "std::string", "Names of pointers that overlap no other, comma-separated">,
    ListOption<"constants", "constants", "std::string", "NAME:VALUE of integers, comma-separated">,
    ListOption<"bounds", "bounds", "std::string", "NAME:LEAST:MOST of integers, comma-separated">,
    Option<"numWarps", "num-warps", "int", "0", "Warps a program; 0 keeps what the kernel says">,
    Option<"numStages", "num-stages", "int", "0", "Stages of loops that do not say; 0 keeps what the kernel says">,
    ListOption<"require", "require", "std::string", "What the code must be, beside what the kernel says">,
  ];
}

def TileSpreadPrograms : TilePass<"tile-spread-programs"> {
  let summary = "Let several blocks run a program together";
  let description = [{
    A program that takes a long row has more elements than the registers of a block. Where the GPU has clusters, a cluster of blocks runs it: the program has
    more warps, which are spread over them.

    ```mlir
    tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 16 : i32} {
      %x = tile.load %row : tensor<65536x!tile.ptr<f32>>
      %sum = tile.reduce %x axis 0 : tensor<65536xf32> -> f32 { ... }
    ```
    becomes
    ```mlir
    tile.kernel @sums(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) attributes {num_warps = 32 : i32, cluster_blocks = 2 : i32} {
    ```

    A kernel that asks for 32 warps, all that a block has, wants a row to fit into it, and has blocks as one that asks for 8; where it combines parts of a row in a loop, as one that asks for 16, if elements have
    2 bytes or less.
    A block takes 64 elements for each thread that the kernel asks for, from 8192 to 32768; more, and with more warps, only where there would be more than eight blocks. Where bounds of an argument (`tile.bounds`)
    say that a row leaves a part of its tile, so that half the warps would have 80 elements of the row a thread or fewer, a block has half as many. Blocks of 16 warps would have a multiprocessor
    alone: of a program that loads its row alone there are twice as many blocks in place of that, with 8 warps, but where it stores rows that may begin between vectors of memory, and threads have room for those ahead (`tile-combine-rows-ahead`); of one that loads more, blocks of 32 warps, whose threads have 64 registers, have 16. All only of elements of 2 bytes or less, and where the kernel asks for no more warps.

    All that comes behind knows of more warps only. A shared tile is there once in each block: what is stored to it is stored to all, and `tile.barrier`
    is one of the cluster.

    Only where it serves: tiles have one dimension, the largest has more than 16384 elements, and something is combined along it. And
    only where warps meet at small tiles alone, those by which they reduce: no op but these takes elements of other threads, all that is loaded and stored has
    elements of one size, which have one layout, and nobody sees programs while they run. A remark says what stands in the way.
  }];
}

def TileCheckProgram : TilePass<"tile-check-program"> {
  let summary = "Refuse what is not part of the language";
  let description = [{
    The door of the compiler: each op is known to the language, its values have types that the language has, and the
    region of each reduction combines in any order. It changes nothing, but that `tile.constant` becomes `arith.constant`,
    and that promises (`overflow<nsw>`, `exact`, `fastmath`) are dropped, before anything folds: what is left is `contract`
    of `addf`, `subf` and `mulf`, `arcp` of `divf` and `afn` of `exp2` and `sqrt`.

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
    A divisor that an argument named by `negative` takes part in, or a number in memory, is not taken to be positive, nor one that is
    turned negative, as `-n` is.
    A divisor of 0 is a multiple of all, and what is divided by it is the dividend: nothing is promised but of products of
    constants and the arguments that `nonzero` and `nonzero-halves` name, which end with too few zeros to wrap around to 0.

    ```mlir
    %rows = arith.remsi %offsets, %ms : tensor<128xi32>      // %offsets: 128 * block + iota, %ms: a multiple of 16
    ```
    becomes, where %ms is made of an argument that is not 0,
    ```mlir
    %rem = arith.remsi %offsets, %ms : tensor<128xi32>
    %rows = tile.assume %rem divisibility [16] contiguity [16] : tensor<128xi32>
    ```

    Extents of views are taken as numbers without a sign. One that may be negative, and not only where an argument is that
    `negative` does not name, becomes `arith.maxsi` of it and 0.
  }];
  let options = [
    ListOption<"nonzero", "nonzero", "std::string", "Names of integers whose low 32 bits are 0 in no launch">,
    ListOption<"nonzeroHalves", "nonzero-halves", "std::string", "Names of integers whose low 16 bits are 0 in no launch">,
    ListOption<"negative", "negative", "std::string", "Names of integers that are negative">,
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

    With `short-arrays`, all arrays are of less than 2^31 bytes. Then neighbours in a tile, both inside of one array, are as far apart as the stride of 32 bits says: by any other
    number that wraps around to it, one of them would be outside. So in kernels whose products are of nothing but such blocks, as they are loaded, such sums are blocks too, where the mask is true from the first element of the tile on, and the
    sum alone adds along its dimensions. Others were not measured.

    Kernels whose short rows are moved as runs of memory (`tile-move-runs`) keep their pointers.
  }];
  let options = [Option<"shortArrays", "short-arrays", "bool", /*default=*/"false",
                        "All arrays are of less than 2^31 bytes">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def TileOrderPrograms : TilePass<"tile-order-programs"> {
  let summary = "Run programs along rows of memory one after the other";
  let description = [{
    Blocks of a grid begin in the order of its first axis. Where programs along it store what lies below one another, and those along the second axis what lies side by side, the sectors
    and lines in which blocks meet are completed long after they were begun, and rows that several programs read are read again each time. So the kernel has `tile.second_axis_first`: the lowering
    numbers programs along the second axis first, where a launch has more of them along the first one. Which programs there are, and what each does, is the same.

    ```mlir
    tile.kernel @copy(...) {
      %i = tile.program_id 0   // rows
      %j = tile.program_id 1   // columns
      ...
      tile.store_view %x, %v[%i, %j] : ..., !tile.view<?x?xi8, [?, 1]>
    ```
    becomes
    ```mlir
    tile.kernel @copy(...) attributes {tile.second_axis_first} {
    ```

    All stores must lie so. Not where blocks run several programs or are of clusters, products are made, or programs may wait for one another or tell somebody what they do.
  }];
}

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
      %d = tile.dot %a, %b, %c by mma.sync {tile.engine_reason = "wgmma takes 64 rows or columns, and the tile is 32x32"} : ...
      // error: the kernel requires wgmma, and this product is made by mma.sync: wgmma takes 64 rows or columns, and the tile is 32x32
    ```

    Code for launches that can have no tensor maps, because there is nothing to copy, is asked for `wgmma` only.
  }];
  let options = [
    Option<"lacksTensorMaps", "lacks-tensor-maps", "bool", "false", "For launches that can have none, and may do without">,
  ];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMPASSES
