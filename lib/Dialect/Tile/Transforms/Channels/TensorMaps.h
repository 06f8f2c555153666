//===- TensorMaps.h - Maps for what bulk copies move ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch makes a map, and knows arguments only. A block of a view that hangs
// on the program is a box of such a map all the same where
//
//   base      an argument plus offsets      the map moves, by the offsets
//   strides   numbers of the launch
//   extents   numbers of the launch, or any, of a block that begins at 0
//
// The last are of blocks that were pointers with a mask: of 64 places `left`
// are inside. The map has 64, which are the tile's, and is moved back, so that
// the box begins as far from the beginning as it is to reach over the end:
//
//   left = 40      map   0 ............................. 63
//                  box   24 ................................ 87
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"

namespace tilewright::tile {

/// What bases and strides of a map are multiples of, in bytes (CUDA Driver API,
/// cuTensorMapEncodeTiled).
inline constexpr int64_t kMapBytes = 16;

/// A block of a view, as bulk copies have it.
class MappedBlock {
public:
  /// The map of a block of these extents. The error says why a launch cannot
  /// make one of the view.
  static llvm::Expected<MappedBlock> of(mlir::Value view,
                                        mlir::ValueRange offsets,
                                        llvm::ArrayRef<int64_t> extents);

  /// The map by which such boxes are copied, the one that there is or a new
  /// one.
  TensorMapOp getMap(const TensorBoxes &boxes);
  /// Where the block begins in the map, and by how much the map is moved; null
  /// for one that is not.
  llvm::SmallVector<mlir::Value> getOffsets(mlir::OpBuilder &builder);
  mlir::Value getMoved(mlir::OpBuilder &builder);

private:
  explicit MappedBlock(ViewOp view) : view(view) {}

  llvm::Error findBase();
  llvm::Error checkDim(unsigned dim, mlir::Value offset);
  bool moves();
  ViewOp makeView();
  mlir::Value getOverhang(mlir::OpBuilder &builder, unsigned dim);
  mlir::Value getZero(mlir::OpBuilder &builder);

  ViewOp view;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<int64_t> extents;
  /// The ops from the argument to the base.
  llvm::SmallVector<mlir::Value> steps;
  mlir::BlockArgument argument;
  /// Dimensions whose extents no launch knows.
  llvm::SmallVector<unsigned> openDims;
  /// Dimensions that have no end: the map has the places of the block, and is
  /// moved to where it begins, but not to before the beginning of the view.
  llvm::SmallVector<unsigned> endlessDims;
};

/// Whether what the op loads or stores is a block of a view that a launch can
/// make a map of, whatever the layout of the shared tile.
bool mayHaveTensorMap(GlobalAccessOpInterface access,
                      const AxisInfoAnalysis &axes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H
