//===- TileInterfaces.td - Interfaces of tile ops ----------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
#define TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES

include "mlir/IR/OpBase.td"

def Tile_RegisterLayoutOpInterface : OpInterface<"RegisterLayoutOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that takes tiles in registers or makes them. It stands in one register layout, from which those of all its
    tiles follow: that of the result of arithmetic, of what a store stores, of what a reduction reduces.

    In a tile program an op chooses that layout by the homes of its operands (Analysis/RegisterHomes.h). A cheap op that
    chooses none is made again wherever its result is needed. Elementwise ops of arith and math have the
    interface by their trait (`attachRegisterLayoutModels`).
  }];
  let methods = [
    InterfaceMethod<[{
      The layout for the op, of what is known of its operands; none where nothing speaks for one.
    }], "::tilewright::tile::RegisterLayoutAttr", "chooseLayout",
        (ins "const ::tilewright::tile::LayoutContext &":$context)>,
    InterfaceMethod<[{
      Whether the op, if none of its operands has a home, may be made again rather than have its result converted.
      Such an op is pure and has one result, in its own layout.
    }], "bool", "isCheap", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      The layout in which the op, itself in `layout`, takes a tile.
    }], "::tilewright::tile::RegisterLayoutAttr", "inferOperandLayout",
        (ins "unsigned":$operand, "::tilewright::tile::RegisterLayoutAttr":$layout), [{}], [{ return layout; }]>,
    InterfaceMethod<[{
      The layout in which the op, itself in `layout`, makes a tile.
    }], "::tilewright::tile::RegisterLayoutAttr", "inferResultLayout",
        (ins "unsigned":$result, "::tilewright::tile::RegisterLayoutAttr":$layout), [{}], [{ return layout; }]>,
    InterfaceMethod<[{
      Writes on the results that the op stands in `layout`.
    }], "void", "setLayout", (ins "::tilewright::tile::RegisterLayoutAttr":$layout), [{}], [{
      ::tilewright::tile::setResultLayouts($_op, layout);
    }]>,
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

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
