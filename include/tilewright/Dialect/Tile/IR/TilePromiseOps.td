//===- TilePromiseOps.td - What a program promises ---------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEPROMISEOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEPROMISEOPS

def Tile_AssumeOp : Tile_Op<"assume", [
    Pure, Tile_Batches, SameOperandsAndResultType, Tile_MovesElements, Tile_InfersAxisInfo, Tile_IsMadeAgain]> {
  let summary = "A promise about integers or pointers";
  let description = [{
    Gives its operand, of which the compiler may take it that, along each dimension,

    - `contiguity`: aligned groups of so many elements are consecutive numbers;
    - `divisibility`: the first number of each such group is a multiple of so much, of pointers the address in bytes. Without
      `contiguity` the groups are those that the compiler finds by itself; where it finds none, every element is;
    - `constancy`: aligned groups of so many elements are all the same number.

    A list has a number for each dimension, and one for a scalar. 1 promises nothing.

    ```mlir
    %s = tile.assume %stride divisibility [16] : i32
    %r = tile.assume %rows divisibility [16] contiguity [16] : tensor<128xi32>
    %p = tile.assume %ps divisibility [1, 16] contiguity [1, 8] : tensor<64x64x!tile.ptr<f16>>
    ```

    A promise of a promise is one: divisibility and contiguity that are promised one after the other belong together.
    The simulator reports a promise that does not hold, with its line, where code relies on it; a GPU does not look.

    Constraints: (C1) there is one of the lists, and each has as many numbers as the operand has dimensions; (C2) the
    numbers are powers of two up to 2^30, and groups no longer than the dimension; (C3) no dimension has groups of both kinds.
  }];
  let arguments = (ins
    AnyTypeOf<[AnySignlessInteger, Index, Tile_PtrType, Tile_IntTile, Tile_PtrTile]>:$source,
    OptionalAttr<DenseI64ArrayAttr>:$divisibility,
    OptionalAttr<DenseI64ArrayAttr>:$contiguity,
    OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs AnyTypeOf<[AnySignlessInteger, Index, Tile_PtrType, Tile_IntTile, Tile_PtrTile]>:$result);
  let assemblyFormat = [{
    $source (`divisibility` $divisibility^)? (`contiguity` $contiguity^)? (`constancy` $constancy^)?
    attr-dict `:` qualified(type($source))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What a list promises of a dimension; 1 where it is not there.
    static int64_t getPromise(std::optional<::llvm::ArrayRef<int64_t>> list, unsigned dim) {
      return list ? (*list)[dim] : 1;
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEPROMISEOPS
