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
  ];
}

def Tile_SharedAccessOpInterface : OpInterface<"SharedAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ A load or store of a whole tile in shared memory. }];
  let methods = [
    InterfaceMethod<"The type of the tile in registers.", "::mlir::RankedTensorType", "getTileType">,
    InterfaceMethod<"The shared tile.", "::mlir::TypedValue<::tilewright::tile::SharedType>", "getSharedTile">,
    InterfaceMethod<"Whether shared memory is written.", "bool", "isStore">,
    InterfaceMethod<"Elements a thread moves with one instruction, where decided.",
                    "std::optional<int64_t>", "getVectorWidth">,
    InterfaceMethod<"Decides that.", "void", "setVectorWidth", (ins "int64_t":$width)>,
  ];
}

def Tile_SharedPartOpInterface : OpInterface<"SharedPartOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op through which parts of shared tiles are reached, such as a stage. Who follows a shared tile to its
    accesses goes on at the parts.
  }];
  let methods = [
    InterfaceMethod<"The parts of this tile, an operand of the op.",
                    "::llvm::SmallVector<::mlir::Value>", "getPartsOf", (ins "::mlir::OpOperand &":$tile)>,
    InterfaceMethod<"The tile that a result of the op is a part of, or null.",
                    "::mlir::Value", "getWholeOf", (ins "::mlir::OpResult":$part)>,
    InterfaceMethod<[{
      The op in the same block behind which the parts are no longer the program's to touch. None: they always are.
    }], "::mlir::Operation *", "getEnd", (ins), /*methodBody=*/"", "return nullptr;">,
  ];
}

def Tile_HandOverOpInterface : OpInterface<"HandOverOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ What filler and reader do to hand a slot of a channel over. }];
  let methods = [
    InterfaceMethod<"The channel.", "::mlir::TypedValue<::tilewright::tile::ChannelType>", "getChannel">,
    InterfaceMethod<"The number of the hand-over.", "::mlir::Value", "getCount">,
  ];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
