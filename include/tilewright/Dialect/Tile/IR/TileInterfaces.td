//===- TileInterfaces.td - Interfaces of tile ops ----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES

include "mlir/IR/OpBase.td"

def Tile_LayoutTransferOpInterface : OpInterface<"LayoutTransferOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op with one source tile and one result tile that moves no data between threads: a
    layout on one side says the layout on the other.
  }];
  let methods = [
    InterfaceMethod<[{
      The layout the source must have so that the result has `result`.
    }], "::tilewright::LinearLayout", "inferSourceLayout", (ins "const ::tilewright::LinearLayout &":$result)>,
    InterfaceMethod<[{
      The layout the result gets from `source`; none where more than one would do.
    }], "std::optional<::tilewright::LinearLayout>", "inferResultLayout", (ins "const ::tilewright::LinearLayout &":$source)>,
  ];
}

def Tile_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that touches memory. It tells of each thing that it does there; its effects are no more than
    that (`tile-insert-barriers` refuses an op that has others).
  }];
  let methods = [
    InterfaceMethod<"What the op does to memory, in the order in which it does it.",
                    "::llvm::SmallVector<::tilewright::tile::MemoryAccess, 2>", "getMemoryAccesses">,
  ];
}

def Tile_MemoryOrderOpInterface : OpInterface<"MemoryOrderOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that touches no memory itself, but orders what others do to it: a barrier, the end of a group of
    copies, a wait for groups. Its effects keep accesses from moving over it.
  }];
  let methods = [
    InterfaceMethod<"What it orders.", "::tilewright::tile::MemoryOrder", "getMemoryOrder">,
  ];
}

def Tile_GlobalAccessOpInterface : OpInterface<"GlobalAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ A load or store of a tile in global memory. }];
  let methods = [
    InterfaceMethod<"The type of the tile that is loaded or stored.",
                    "::mlir::RankedTensorType", "getTileType">,
    InterfaceMethod<"Whether global memory is written.", "bool", "isStore">,
    InterfaceMethod<"Elements a thread moves with one instruction, where decided.",
                    "std::optional<int64_t>", "getVectorWidth">,
    InterfaceMethod<"Decides that.", "void", "setVectorWidth", (ins "int64_t":$width)>,
    InterfaceMethod<"Whether `tile.copy_async` can do what this load does, into a shared tile.",
                    "bool", "isCopyable", (ins), /*methodBody=*/"", "return false;">,
  ];
}

def Tile_SharedAccessOpInterface : OpInterface<"SharedAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    A load or store of a whole tile in shared memory, by threads that have, or would have, its elements in
    registers. One that touches global memory too (`findMemoryAccess`) is a copy.
  }];
  let methods = [
    InterfaceMethod<"The type of the tile in registers.", "::mlir::RankedTensorType", "getTileType">,
    InterfaceMethod<"The shared tile.", "::mlir::TypedValue<::tilewright::tile::SharedType>", "getSharedTile">,
    InterfaceMethod<"Whether shared memory is written.", "bool", "isStore">,
    InterfaceMethod<"Elements a thread moves with one instruction, where decided.",
                    "std::optional<int64_t>", "getVectorWidth">,
    InterfaceMethod<"Decides that.", "void", "setVectorWidth", (ins "int64_t":$width)>,
    InterfaceMethod<"Bytes that an instruction moves a thread, at the least.",
                    "int64_t", "getMinBytes", (ins), /*methodBody=*/"", "return 1;">,
    InterfaceMethod<"The dimension along which the elements of an instruction follow one another, or none.",
                    "std::optional<unsigned>", "getRunDim", (ins), /*methodBody=*/"", "return std::nullopt;">,
    InterfaceMethod<"Whether the op could be done by matrix loads (`ldmatrix`), for all that it knows.",
                    "bool", "mayLoadMatrices", (ins), /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Whether it is.", "bool", "getMatrix", (ins), /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Decides that, where it could.", "void", "setMatrix", (ins "bool":$isMatrix),
                    /*methodBody=*/"", "assert(!isMatrix);">,
  ];
}

def Tile_SharedProductOpInterface : OpInterface<"SharedProductOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ A product that reads operands where they lie in shared memory, in a layout of the hardware. }];
  let methods = [
    InterfaceMethod<"The dimension of the shared tile of an operand that is summed over.",
                    "unsigned", "getSummedDim", (ins "unsigned":$operand)>,
    InterfaceMethod<"What the offset of the shared tile of an operand is a multiple of, once the tile has a layout.",
                    "int64_t", "getAlignment", (ins "unsigned":$operand)>,
  ];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
