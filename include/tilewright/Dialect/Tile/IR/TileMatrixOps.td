//===- TileMatrixOps.td - Products of tiles ----------------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS

/// Elements of K that may be added up with fewer bits.
def Tile_ImpreciseAttr : ConfinedAttr<I64Attr, [IntPositive]>;

def Tile_DotOp : Tile_Op<"dot", [
    Pure, Tile_ProductOpInterface, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferOperandLayout"]>,
    TypesMatchWith<"result has the type of the accumulator", "c", "result", "$_self">]> {
  let summary = "Matrix product, added to an accumulator";
  let description = [{
    `result = a * b + c`.

    | operands | accumulator | by | targets |
    | --- | --- | --- | --- |
    | f16, bf16 | f32 | tensor cores | all |
    | f32 | f32 | FMA, each rounded as IEEE 754 asks | all |
    | f32, with `tf32` | f32 | tensor cores, which do not look at the low 13 bits of operands | all |
    | f64 | f64 | tensor cores, rounded as FMA | all |
    | i8 | i32 | tensor cores | all |
    | f8E4M3FN, f8E5M2, in any pair | f32 | tensor cores | sm_89 and newer |

    Sums over K are taken in some order, tensor cores' sums with at least the accumulator's precision. `tf32(x)` says
    in a reference what `tf32` does to an operand.

    `imprecise N`, of 8-bit floats, lets tensor cores add up N elements of K with fewer bits than f32 has: then `wgmma` may make it. Sums of N elements each are added in f32; where N is more than K, those of the products that follow go on with the sum.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    %e = tile.dot %f, %g, %h tf32 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    %p = tile.dot %q, %r, %s : tensor<4x16x32xf16>, tensor<4x32x16xf16>, tensor<4x16x16xf32>
    %v = tile.dot %t, %u, %c imprecise 128 : tensor<64x256xf8E4M3FN>, tensor<256x128xf8E5M2>, tensor<64x128xf32>
    ```

    Tiles of three dimensions are as many products as the first one has elements. Warps share these out first, then
    the rows and columns of each.

    `by FMA`, `by mma.sync` or `by wgmma` says which instruction makes it; one that cannot is an error. Where nothing is
    written, `tile-assign-register-layouts` decides and writes it.

    Constraints: (C1) `a` is M x K, `b` K x N, `c` M x N, or all three have one more dimension of one extent in front; (C2) M and K are at least 16, N at least 8; (C3) one of the pairs of
    types above, `tf32` with f32 only, made by an engine that makes such products; (C4) in a placed program `c` has an
    accumulator layout of its engine, and `a` and `b` the operand layouts that follow from it; (C5) `imprecise` with 8-bit floats only, a multiple of 32.
  }];
  let arguments = (ins Tile_AnyTile:$a, Tile_AnyTile:$b, Tile_AnyTile:$c, UnitAttr:$tf32,
                       OptionalAttr<Tile_ImpreciseAttr>:$imprecise, OptionalAttr<Tile_EngineAttr>:$engine);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`tf32` $tf32^)? (`imprecise` $imprecise^)? (`by` `` $engine^)? attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What is written, or what its types say: FMA or `mma.sync`.
    Engine getEngineOrDefault();
    ::mlir::Type getOperandType() { return ::mlir::getElementTypeOrSelf(getA().getType()); }
    bool roundsToTf32() { return getTf32(); }
    /// How many products it is: 1, or the first extent of three.
    int64_t getBatch();
    /// The extents of one of its products.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// The type of an operand, or with 2 of the sums, of one of its products.
    ::mlir::RankedTensorType getMatrixType(unsigned operand);
  }];
}

def Tile_WarpgroupDotOp : Tile_Op<"warpgroup_dot", [
    Tile_TouchesMemory, Tile_ProductOpInterface, Tile_SharedProductOpInterface,
    DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface, ["inferOperandLayout"]>,
    TypesMatchWith<"result has the type of the accumulator", "c", "result", "$_self">]> {
  let summary = "Matrix product of shared tiles, added to an accumulator";
  let description = [{
    `result = a * b + c` by `wgmma`: warpgroups, four warps each, read `b` from shared memory, and `a` from there or from their
    registers. It is done when
    the op is, or, with `async`, under way until a `tile.dot_wait` that covers it: till then nothing may be done with the result but
    to add another `async` product to it, or to carry it on in a loop, and the operands, registers of `a` too, may not be written. `a_transposed` says that
    `a` is stored as K x M, `b_transposed` that `b` is stored as N x K. One that is `joined` is made by the instructions of the product
    in front of it, which have its columns too: N is a power of two for a tile, but not for `wgmma`.

    | operands | accumulator | rows of the shared tiles |
    | --- | --- | --- |
    | f16, bf16 | f32 | along K, M or N |
    | f32, of which 19 bits are looked at | f32 | along K |
    | i8 | i32 | along K |
    | f8E4M3FN, f8E5M2, in any pair | f32 | along K |

    Of 8-bit floats it is `imprecise`, as `tile.dot` says.

    ```mlir
    %d = tile.warpgroup_dot %a, %b, %c
        : !tile.shared<128x64xf16, #a>, !tile.shared<64x128xf16, #b>, tensor<128x128xf32, #accumulator>
    %e = tile.warpgroup_dot %weights, %b, %d
        : tensor<128x64xf16, #left>, !tile.shared<64x128xf16, #b>, tensor<128x128xf32, #accumulator>
    %f = tile.warpgroup_dot %a, %b, %g {async} : ..., !tile.shared<64x128xf16, #b>, tensor<128x128xf32, #accumulator>
    %h = tile.warpgroup_dot %a, %c, %i {async, joined} : ..., !tile.shared<64x64xf16, #c>, tensor<128x64xf32, #narrow>
    ```

    Constraints: (C1) as of `tile.dot`, with the shapes that `a_transposed` and `b_transposed` leave; (C2) M is at
    least 64, N at least 8, K at least 32 bytes; (C3) in a placed program `c` has the accumulator layout of `wgmma`,
    the shared tiles have a layout of the hardware, with rows along K where the table says so, and `a` in registers has the
    layout that `tile.dot` asks beside the accumulator; (C4) the kernel has
    four warps or a multiple; (C5) sm_90a; (C6) an `async` result is only added to by another `async` product, carried by a
    loop, or waited for by `tile.dot_wait 0`; (C7) with `a` in registers, no `a_transposed`;
    (C8) `joined` stands directly behind a product with the same `a` and a `b` of its type, transposed alike, both `async`; in a placed program each warpgroup has all columns of both, whose number is one of
    `wgmma`'s, at most 256, and `b` continues the tile in front of it, in whose stages it has its bytes; (C9) 8-bit floats, and no others, are `imprecise`, by a multiple of 32,
    and one that adds in f32 within K is not `async`.
  }];
  let arguments = (ins Arg<AnyTypeOf<[Tile_SharedType, Tile_AnyTile]>, "", [MemRead<Tile_SharedMemory>]>:$a,
                       Arg<Tile_SharedType, "", [MemRead<Tile_SharedMemory>]>:$b,
                       Tile_AnyTile:$c, Variadic<Tile_AnyTile>:$beside,
                       UnitAttr:$a_transposed, UnitAttr:$b_transposed, UnitAttr:$async, UnitAttr:$joined,
                       OptionalAttr<Tile_ImpreciseAttr>:$imprecise);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`beside` $beside^)? attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` type($c)
    (`,` type($beside)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c, "bool":$aTransposed, "bool":$bTransposed,
                   "::mlir::IntegerAttr":$imprecise), [{
      build($_builder, $_state, c.getType(), a, b, c, /*beside=*/{}, aTransposed, bTransposed, /*async=*/false,
            /*joined=*/false, imprecise);
    }]>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Null for `a` in registers.
    ::mlir::TypedValue<SharedType> getOperandTile(unsigned operand) {
      return ::llvm::dyn_cast<::mlir::TypedValue<SharedType>>(getOperand(operand));
    }
    bool isAInRegisters() { return !getOperandTile(0); }
    ::mlir::Type getOperandType() { return getB().getType().getElementType(); }
    /// The dimension of operand 0 or 1 that is summed over.
    unsigned getSummedDim(unsigned operand) {
      return operand == 0 ? (getATransposed() ? 0 : 1) : (getBTransposed() ? 1 : 0);
    }
    /// Operand 0 or 1 as wgmma finds it, once its tile has a layout.
    WarpgroupOperand describe(unsigned operand);
    int64_t getAlignment(unsigned operand) { return describe(operand).getAlignment(); }
    ::mlir::Value getSums() { return getC(); }
    void setUnderWay() { setAsync(true); }
    bool mayBeUnderWay() { return !addsWithinK(); }
    /// Whether sums of parts of K are added in f32.
    bool addsWithinK() { return static_cast<int64_t>(getImprecise().value_or(INT64_MAX)) <= getK(); }
    SharedProductOpInterface getProductBefore();
    bool canJoin(SharedProductOpInterface before);
    void join() { setJoined(true); }
    int64_t getK() { return getB().getType().getShape()[getSummedDim(1)]; }
    Engine getEngineOrDefault() { return Engine::Wgmma; }
    bool roundsToTf32() { return getOperandType().isF32(); }
    int64_t countOperandWavefronts();
  }];
}

def Tile_DotWaitOp : Tile_Op<"dot_wait", [
    Tile_MemoryOrderOpInterface, Tile_StandsInRegisters,
    MemoryEffects<[MemRead<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>,
    RangedTypesMatchWith<"results have the types of the sums", "sums", "results", "$_self">]> {
  let summary = "Wait for products under way";
  let description = [{
    Waits until at most `pending` products, the latest `async` ones, are under way. What the others read may be overwritten
    after it, by other threads after a barrier. The sums of a product that is waited for are there as a result.

    ```mlir
    %next = tile.warpgroup_dot %a, %b, %sum {async} : ...
    tile.dot_wait 1                                             // the one before has read its operands
    %total = tile.dot_wait 0, %last : tensor<128x128xf32, #accumulator>
    ```

    Constraints: (C1) `pending` is 0 to 7; (C2) and 0 where there are sums; (C3) which are of f32 or i32, in a placed program in an
    accumulator layout of `wgmma`.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$pending, Variadic<Tile_AnyTile>:$sums);
  let results = (outs Variadic<Tile_AnyTile>:$results);
  let assemblyFormat = "$pending (`,` $sums^ `:` type($sums))? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemoryOrder getMemoryOrder() { return {MemoryOrder::Kind::WaitForProducts, static_cast<int64_t>(getPending())}; }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEMATRIXOPS
