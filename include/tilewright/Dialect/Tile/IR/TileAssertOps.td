//===- TileAssertOps.td - Checks while a kernel runs -------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEASSERTOPS
#define TILEWRIGHT_DIALECT_TILE_IR_TILEASSERTOPS

def Tile_AssertOp : Tile_Op<"assert", [
    MemoryEffects<[MemWrite<Tile_Execution>]>, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>,
    TypesMatchWith<"mask has the shape and layout of the condition", "condition", "mask",
                   "getMaskType($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "Stop the kernel where a condition does not hold";
  let description = [{
    Where the condition is false, and the mask true, the launch ends with an error that has the message and the line:
    in the simulator as a finding, on a GPU on standard error.

    ```mlir
    tile.assert %is_positive, "n is positive" : i1
    tile.assert %in_table mask %is_there, "rows are in the table" : tensor<128xi1>
    ```

    Constraint: (C1) the mask has the shape and layout of the condition.
  }];
  let arguments = (ins Tile_BoolOrTile:$condition, Optional<Tile_BoolOrTile>:$mask, StrAttr:$message);
  let assemblyFormat = "$condition (`mask` $mask^)? `,` $message attr-dict `:` type($condition)";
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEASSERTOPS
