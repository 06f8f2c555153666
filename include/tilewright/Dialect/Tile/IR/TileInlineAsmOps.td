//===- TileInlineAsmOps.td - PTX that the user writes ------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINLINEASMOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINLINEASMOPS

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [
    Tile_TouchesMemory, Tile_StandsInRegisters, Tile_OnceOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "PTX, element by element";
  let description = [{
    A thread runs the text for `pack` of its elements at a time. `$0`, `$1` and so on are the registers of the results, then
    those of the operands; `$$` is a dollar. Elements of less than 32 bits are packed into registers of up to 32 bits, the first one
    lowest: four of `i8` with `pack 4`, or two of `f16` with `pack 2` or more, stand in one register. So an operand is `pack` registers,
    or fewer where they hold several elements.

    ```mlir
    // Bits that are set in one of two bytes and not in the other, four bytes at a time.
    %d = tile.inline_asm "lop3.b32 $0, $1, $2, 0, 0x3c;" constraints "=r,r,r" pack 4 pure (%a, %b)
        : (tensor<128xi8>, tensor<128xi8>) -> tensor<128xi8>
    %s, %c = tile.inline_asm "{ sin.approx.f32 $0, $2; cos.approx.f32 $1, $2; }" constraints "=f,=f,f" pure (%x)
        : (tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>)
    ```

    `constraints` are LLVM's, one for each register: results with `=`, operands, then what is clobbered (`~{memory}`).

    | letter | register | elements in it |
    | --- | --- | --- |
    | `h` | 16 bits | up to 16 bits |
    | `r` | 32 bits | up to 32 bits; what is less is extended by zeros, of results the low bits are taken |
    | `l` | 64 bits | up to 64 bits, and pointers |
    | `f` | f32 | 32 bits |
    | `d` | f64 | 64 bits |
    | a number | that of the result with this number | of the same width |

    Which elements are run together is not said. An element that several threads hold is computed by each of them; where a thread
    has fewer than `pack` elements, the last one is repeated. Without `pure` the text may do anything to global memory, runs
    where it stands, and as often as it is written; `pure` text only computes, and may be moved or left out. Threads that compute
    one element without `pure` may find different things, such as a clock: it is what the first of them found. `unshared`, which
    `tile-share-results` writes, says that only that one has it yet.

    Constraints: (C1) there is a result, and operands and results have one shape, all scalars or all tiles; (C2) `pack` is a power of two up to 64; (C3)
    elements are of 8, 16, 32 or 64 bits; (C4) the constraints are those of the table, as many as there are registers,
    and each has room for its elements; (C5) the text refers to no other registers; (C6) `unshared` is of text that is not `pure`.
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, DefaultValuedAttr<I32Attr, "1">:$pack, UnitAttr:$pure,
                       UnitAttr:$unshared,
                       Variadic<Tile_ScalarOrTile>:$sources);
  let results = (outs Variadic<Tile_ScalarOrTile>:$results);
  let assemblyFormat = [{
    $text `constraints` $constraints (`pack` $pack^)? (`pure` $pure^)? (`unshared` $unshared^)? `(` $sources `)` attr-dict
    `:` functional-type($sources, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int kMaxPack = 64;
    /// Whether holders of an element could find different things, and more than the first of them use it.
    bool isOnce();
    /// How many elements of that type stand in one register.
    int64_t getElementsPerRegister(::mlir::Type element);
    /// The bits of a register that its elements take.
    int64_t getRegisterBits(::mlir::Type element);
    /// For each result, then for each operand, the letter of its registers, one after the other.
    ::llvm::SmallVector<::llvm::SmallVector<char>> getRegisterLetters();
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEINLINEASMOPS
