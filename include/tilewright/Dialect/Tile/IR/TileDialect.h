//===- TileDialect.h - The tile dialect -------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything a user of the dialect includes: types, attributes, ops. The ops
// themselves are documented in TileOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT_H
#define TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/AxisInfo.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Layout/Algebra/LinearLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "tilewright/Layout/Shared/SharedLayout.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "tilewright/Target/AtomicForms.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright {

// What MLIR's uniquer needs of an attribute's parameters. Equality of linear
// layouts looks at neither the order of inputs nor at inputs without bits.
inline llvm::hash_code hash_value(const LinearLayout &layout) {
  size_t hash = llvm::hash_combine_range(layout.shape());
  for (const LinearLayout::Input &input : layout.inputs())
    for (const LinearLayout::Point &basis : input.bases)
      hash += llvm::hash_combine(llvm::StringRef(input.name),
                                 llvm::hash_combine_range(basis));
  return hash;
}
inline llvm::hash_code hash_value(const SharedLayout &layout) {
  return llvm::hash_combine(layout.linear(), layout.padInterval(),
                            layout.padAmount());
}

} // namespace tilewright

#include "tilewright/Dialect/Tile/IR/TileDialect.h.inc"

#include "tilewright/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.h.inc"

namespace tilewright::tile {

struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() override { return "tile.global"; }
};
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() override { return "tile.shared"; }
};
struct Execution : mlir::SideEffects::Resource::Base<Execution> {
  llvm::StringRef getName() override { return "tile.execution"; }
};

/// The most elements of a tile: far beyond what the registers of a block hold.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 20;

/// The most elements that a thread holds of a tile. It has 255 registers: this
/// is far beyond what it can use well, and bounds the size of the code.
inline constexpr int64_t kMaxElementsPerThread = 4096;

/// The most programs along an axis of a grid.
inline constexpr int64_t kMaxPrograms = std::numeric_limits<int32_t>::max();

/// The GPU that `op` is compiled for, as the module around it says; nothing
/// where that says nothing.
std::optional<GpuTarget> getTarget(mlir::Operation *op);

/// The same for what cannot do without one: the default where it says nothing.
GpuTarget getTargetOrDefault(mlir::Operation *op);

/// Whether a type is that of a tile: a tensor with at least one dimension,
/// whose extents are powers of two, of at most kMaxTileElements integers of 1
/// to 64 bits, index values, floats of 8 to 64 bits or pointers.
bool isTileType(mlir::Type type);

/// Whether a value of a program that was verified is a tile.
inline bool isTile(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

/// The extents of a tile.
inline llvm::ArrayRef<int64_t> getTileShape(mlir::Value tile) {
  return mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape();
}

/// Whether global and shared memory can hold elements of this type.
bool isMemoryElementType(mlir::Type type);

/// Bytes an element takes in memory, a power of two: pointers and index take 8,
/// i1 takes 1.
unsigned getElementBytes(mlir::Type elementType);
/// Bytes that all elements of a tile take, without padding.
int64_t getByteSize(mlir::ShapedType tile);

/// Bytes of what a pointer, or each of a tile of them, points to.
int64_t getPointeeBytes(mlir::Type pointers);

/// The register layout of a tile in a placed program, or null.
RegisterLayoutAttr getRegisterLayout(mlir::Type tileType);

/// The same tile in a register layout.
mlir::RankedTensorType withLayout(mlir::Type tile, RegisterLayoutAttr layout);

/// Writes on the results of an op with RegisterLayoutOpInterface, which stands
/// in `layout`, their layouts.
void setResultLayouts(mlir::Operation *op, RegisterLayoutAttr layout);

/// What an op asks when it chooses its layout (RegisterLayoutContext.h).
class LayoutContext;

/// Whether a tile is the pairs of mbarriers, i64 with a layout, of so many
/// slots.
bool areSlotBarriers(SharedType type, int64_t numSlots);

/// Whether the op takes tiles in registers or makes them.
bool hasTiles(mlir::Operation *op);

/// Whether a scalar, or each element of a tile, is known to be zero, all bits.
bool isZero(mlir::Value value);

/// The type of a mask for `type`: i1, or a tile of it of the same shape and
/// layout.
mlir::Type getMaskType(mlir::Type type);

/// What a pointer points to; for a tile of pointers the tile of that.
mlir::Type getPointee(mlir::Type pointers);

} // namespace tilewright::tile

#include "tilewright/Dialect/Tile/IR/TileInterfaces.h.inc"

namespace tilewright::tile {
/// Whether threads are to get the result that did not touch memory for it.
bool isHeldByOthers(OnceOpInterface op);
} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT_H
