//===- TileAssertOps.td - What a running kernel says -------*- tablegen -*-===//
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

def Tile_PrintOp : Tile_Op<"print", [
    MemoryEffects<[MemWrite<Tile_Execution>]>, DeclareOpInterfaceMethods<Tile_RegisterLayoutOpInterface>]> {
  let summary = "Print while the kernel runs";
  let description = [{
    A line for each element of the value, once, whoever holds copies of it; without a value, one line. On a GPU `vprintf` writes it
    to standard output when the host next waits; the simulator does at the end of the launch.

    ```mlir
    tile.print " sum: " %sum : f32
    tile.print " row: " %row hex : tensor<128xi32>
    tile.print " begins"
    ```

    ```
    pid (0, 0, 0) idx () sum: 1.500000
    pid (0, 0, 0) idx (17) row: 0x00000011
    pid (0, 0, 0) begins
    ```

    Integers are shown with a sign, but for `unsigned`; floats as `%f` shows them, pointers as `%p`. `hex` shows the bits of
    integers and pointers, and is not for floats.

    Which thread prints first is not said on a GPU. The simulator prints the lines of a program together, programs in the order of
    their numbers, and those of one program in the order in which its threads came to them.

    Constraints: (C1) what is printed is no view and no shared tile; (C2) `unsigned` is of integers, `hex` not of floats.
  }];
  let arguments = (ins StrAttr:$prefix, Optional<Tile_ScalarOrTile>:$value, UnitAttr:$hex, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $prefix ($value^)? (`hex` $hex^)? (`unsigned` $is_unsigned^)? attr-dict (`:` type($value)^)?
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEASSERTOPS
