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
    interface by their trait (`attachRegisterLayoutModels`). On scalars alone no op has it.
  }];
  let extraClassOf = [{ return ::tilewright::tile::hasTiles($_op); }];
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

def Tile_DimensionMapOpInterface : OpInterface<"DimensionMapOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op whose result has the elements of its one operand under other coordinates: each dimension of the result is one
    of the operand, or a new one. Elements are repeated along new dimensions, and along those that were of extent 1.
    What is known of the operand's dimensions is so of the result's (Analysis/AxisInfoAnalysis.h, PointerBlocks.h).
  }];
  let methods = [
    InterfaceMethod<"The dimension of the operand that a dimension of the result is; none: it is new.",
                    "std::optional<unsigned>", "getSourceDim", (ins "unsigned":$dim), [{}], [{ return dim; }]>,
  ];
  let extraClassDeclaration = [{
    /// The dimension of the operand that each of the result is, where nothing is repeated: they only change places.
    std::optional<::llvm::SmallVector<int64_t>> findPermutation();
  }];
}

def Tile_AxisInfoOpInterface : OpInterface<"AxisInfoOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op of which is known how its result counts up: runs, multiples and repetitions along each dimension (AxisInfo.h).
    Ops that map dimensions need it not. Of the others, without it, nothing is known.
  }];
  let methods = [
    InterfaceMethod<"What is known of the result, by what is known of each operand.",
                    "::tilewright::tile::AxisInfo", "inferAxisInfo",
                    (ins "::llvm::ArrayRef<::tilewright::tile::AxisInfo>":$operands)>,
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
  let description = [{
    A load or store of a tile in global memory, or an atomic access, which is both. One of a scalar is none.
  }];
  let extraClassOf = [{ return ::tilewright::tile::hasTiles($_op); }];
  let methods = [
    InterfaceMethod<"The type of the tile that is loaded or stored.",
                    "::mlir::RankedTensorType", "getTileType">,
    InterfaceMethod<"Whether global memory is written.", "bool", "isStore">,
    InterfaceMethod<"Elements that one instruction of the target moves a thread at the most, whatever their addresses.",
                    "int64_t", "getMaxElements", (ins "const ::tilewright::GpuTarget &":$target),
                    /*methodBody=*/"", [{
      return ::std::max<int64_t>(1, target.globalVectorBytes() /
                                        ::tilewright::tile::getElementBytes($_op.getTileType().getElementType()));
    }]>,
    InterfaceMethod<"Elements a thread moves with one instruction, where decided.",
                    "std::optional<int64_t>", "getVectorWidth">,
    InterfaceMethod<"Decides that.", "void", "setVectorWidth", (ins "int64_t":$width)>,
    InterfaceMethod<"Whether `tile.copy_async` can do what this load does, into a shared tile.",
                    "bool", "isCopyable", (ins), /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Whether places of the tile can have its elements in turn, beginning anywhere (`rotated`), and do not yet.",
                    "bool", "mayRotate", (ins), /*methodBody=*/"", "return false;">,
    InterfaceMethod<[{
      Lets them, which changes what the tile is. `isShifted`: its vectors are none of memory then, as a rule.
    }], "void", "setRotation", (ins "::mlir::Value":$by, "bool":$isShifted), /*methodBody=*/"",
                    [{ llvm_unreachable("cannot be rotated"); }]>,
  ];
}

def Tile_OnceOpInterface : OpInterface<"OnceOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that touches memory once for each element of its result, whoever holds copies of that, or whose holders could
    find different things. What one found must come to all who hold it (`tile-share-results`).
  }];
  let methods = [
    InterfaceMethod<"Whether it does, and not each holder for itself, whatever it finds.", "bool", "isOnce">,
    InterfaceMethod<"Whether only the holder that touches memory has the result.", "bool", "getUnshared">,
    InterfaceMethod<"Decides that.", "void", "setUnshared", (ins "bool":$isUnshared)>,
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

def Tile_ProductOpInterface : OpInterface<"ProductOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ The product of two matrices, M x K and K x N, added to a third one; the result has its type. }];
  let methods = [
    InterfaceMethod<"What makes it.", "::tilewright::tile::Engine", "getEngineOrDefault">,
    InterfaceMethod<"The type of the operands' elements.", "::mlir::Type", "getOperandType">,
    InterfaceMethod<"Whether these are f32, rounded to tf32.", "bool", "roundsToTf32">,
    InterfaceMethod<"Elements of an operand that are summed over.", "int64_t", "getK">,
    InterfaceMethod<"Wavefronts by which its instructions read operands from shared memory, beside all loads.",
                    "int64_t", "countOperandWavefronts", (ins), /*methodBody=*/"", "return 0;">,
  ];
  let extraClassDeclaration = [{
    /// Elements of the result that a thread of the kernel around has.
    int64_t countSumsOfThread();
  }];
}

def Tile_SharedProductOpInterface : OpInterface<"SharedProductOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{ A product that reads operands where they lie in shared memory, in a layout of the hardware. }];
  let methods = [
    InterfaceMethod<"The shared tile of an operand, or null where that is in registers.",
                    "::mlir::TypedValue<::tilewright::tile::SharedType>", "getOperandTile", (ins "unsigned":$operand)>,
    InterfaceMethod<"The sums that the product is added to; its one result has the sums.",
                    "::mlir::Value", "getSums">,
    InterfaceMethod<"Whether it could be under way when the op is done.", "bool", "mayBeUnderWay">,
    InterfaceMethod<"Lets the product be under way until a wait covers it.", "void", "setUnderWay">,
    InterfaceMethod<"The dimension of the shared tile of an operand that is summed over.",
                    "unsigned", "getSummedDim", (ins "unsigned":$operand)>,
    InterfaceMethod<"What the offset of the shared tile of an operand is a multiple of, once the tile has a layout.",
                    "int64_t", "getAlignment", (ins "unsigned":$operand)>,
    InterfaceMethod<"The product whose instructions make this one too, or null.",
                    "::tilewright::tile::SharedProductOpInterface", "getProductBefore">,
    InterfaceMethod<[{
      Whether the instructions of the product `before` could make this one too, if it stood directly behind, and its right tile behind
      that one's; all tiles have layouts.
    }], "bool", "canJoin", (ins "::tilewright::tile::SharedProductOpInterface":$before)>,
    InterfaceMethod<"Decides that.", "void", "join">,
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
    InterfaceMethod<"The number of the stage that a result is, an index; null where it is not known as one.",
                    "::mlir::Value", "getStageOf", (ins "::mlir::OpResult":$part), /*methodBody=*/"", "return nullptr;">,
    InterfaceMethod<[{
      The op behind which the parts are no longer the program's to touch, in the same block or around. None: they always are.
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

def Tile_CombineOpInterface : OpInterface<"CombineOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that combines the elements of its tiles along an axis by a region of its own (CombineRegion.h).
  }];
  let methods = [
    InterfaceMethod<"The region that makes one element of two.", "::mlir::Region &", "getCombineRegion">,
    InterfaceMethod<"The axis along which elements are combined.", "uint32_t", "getAxis">,
    InterfaceMethod<[{
      Whether elements are combined in any order, so that the region must be commutative as well as associative.
    }], "bool", "combinesInAnyOrder">,
  ];
}

def Tile_BatchOpInterface : OpInterface<"BatchOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An op that a block can do for several programs at once: on tiles that have one more dimension in front, that of the
    programs (Batching.h). Elementwise ops of arith and math have the interface by their trait (`attachBatchModels`).
    What an op without it does cannot be batched.
  }];
  let methods = [
    InterfaceMethod<[{
      Writes the op for several programs, at the builder's place, and returns its results. Each operand has the dimension of
      programs in front: what was a scalar is a tile of one dimension. Memory is touched only for programs for which
      `active`, a tile of i1, is true.
    }], "::llvm::SmallVector<::mlir::Value>", "batch",
        (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$operands, "::mlir::Value":$active)>,
  ];
}

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEINTERFACES
