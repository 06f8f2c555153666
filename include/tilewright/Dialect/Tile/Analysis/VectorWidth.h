//===- VectorWidth.h - How wide an access may be, and why -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction moves 1, 2, 4, 8 or 16 bytes a thread, and to or from global
// memory 32 where the target has such; its address must be a multiple of that.
// Two things bound the width of an access:
//
//   the addresses   what is known of base, strides, coordinates, extents, mask
//   the registers   which consecutive elements one thread holds
//
// The first chooses a register layout; both together are what is legal. Each
// bound comes with its reason, for the report and for errors:
//
//   %A : !tile.ptr<f32> {tile.divisibility = 8}
//     -> 2 elements: base A is only known to be a multiple of 8 bytes
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_VECTORWIDTH_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_VECTORWIDTH_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright::tile {

/// The widest instruction, in bytes a thread. Of global memory some targets
/// have wider ones (GpuTarget::globalVectorBytes), whose width is then
/// `maxBytes`.
inline constexpr int64_t kMaxVectorBytes = maxBytesPerLane;

/// What an access to global memory can move a thread at most on the target; 16
/// bytes where that is not known.
int64_t getGlobalVectorBytes(mlir::Operation *op);
/// Elements of a tile of one dimension that a thread could move at once, if
/// nothing of the address kept it: no more than it has of the tile.
int64_t getWidestVector(GlobalAccessOpInterface access);
/// The widest of any target.
inline constexpr int64_t kMaxWideVectorBytes = maxGlobalBytesPerLane;
/// The least that an asynchronous copy moves.
inline constexpr int64_t kMinCopyBytes = CopyAsyncOp::kMinBytes;

/// The widest vector, in elements, and what stands in the way of a wider one: a
/// clause without a full stop, empty at the widest there is.
struct VectorWidth {
  int64_t elements = 1;
  std::string limit;
};

/// The dimension along which addresses are consecutive, and the widest vector
/// that the addresses allow along it, whatever the registers.
struct AddressVector {
  unsigned dim = 0;
  VectorWidth width;
  /// Whether whole rows of the tile along `dim` are known to be consecutive.
  bool hasConsecutiveRows = true;
};
AddressVector getAddressVector(GlobalAccessOpInterface access,
                               const AxisInfoAnalysis &axes,
                               int64_t maxBytes = kMaxVectorBytes);

/// The same for the side of a copy that reads global memory.
AddressVector getAddressVector(SharedAccessOpInterface copy,
                               const AxisInfoAnalysis &axes);

/// The widest legal vector of an access of a placed program. The tile of a
/// shared access has its shared layout; of a copy both sides count.
VectorWidth getVectorWidth(GlobalAccessOpInterface access,
                           const AxisInfoAnalysis &axes,
                           int64_t maxBytes = kMaxVectorBytes);
VectorWidth getVectorWidth(SharedAccessOpInterface access,
                           const AxisInfoAnalysis &axes);

/// What the layout library is told of a shared access. `trips` is how often it
/// runs.
SharedAccess describeSharedAccess(SharedAccessOpInterface access,
                                  int64_t trips = 1);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_VECTORWIDTH_H
