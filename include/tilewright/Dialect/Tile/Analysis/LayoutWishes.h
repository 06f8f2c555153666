//===- LayoutWishes.h - The register layouts that accesses want -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access to global memory says which register layout it would like, as if
// it were alone: neighbouring lanes on neighbouring vectors, as wide as
// AxisInfo allows. tile-assign-register-layouts reconciles the wishes of all.
//
//   LayoutWishes wishes(kernel, maxBytes, turnsOperands);
//   wishes.get(load);                     // lanes along the contiguous dim
//   wishes.servesLoad(load, ofProduct);   // or as well as the product wants?
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H

#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

/// Tiles that meet, as operands and results of an op or in what a region op
/// carries, want the same, so that they are in one layout.
class TileMeetings {
public:
  explicit TileMeetings(KernelOp kernel);

  /// Whether threads should rather have elements of few rows of an access'
  /// tiles. Each row costs an address and a mask in each iteration of a loop
  /// that goes on with what it carries, and shuffles where it is reduced; and
  /// what is multiplied goes other ways than along rows.
  bool wantFewRows(mlir::Operation *access) const;
  bool anyWantFewRows() const { return !ofFewRows.empty(); }

  /// Another access of a tile of that shape which this one's tiles meet, for
  /// which the question is true; null where there is none.
  GlobalAccessOpInterface
  findOther(GlobalAccessOpInterface access,
            llvm::function_ref<bool(GlobalAccessOpInterface)> isWanted) const;

  /// The axis along which an access' tiles are scanned, where it is one.
  std::optional<unsigned> getScannedAxis(GlobalAccessOpInterface access) const;

private:
  void noteIfCheap(mlir::Operation *op);
  mlir::Value meet(llvm::ArrayRef<mlir::Value> tiles);
  /// The tiles that an op takes or makes in registers.
  static llvm::SmallVector<mlir::Value> getTiles(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> cheap;
  llvm::EquivalenceClasses<mlir::Value> meeting;
  /// Leaders.
  llvm::DenseSet<mlir::Value> ofFewRows;
  /// Accesses by the leaders of what they meet.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<GlobalAccessOpInterface>>
      accesses;
  /// Tiles that are scanned, each with the axis.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> scanned;
};

/// The layouts that accesses to memory and products would like.
class LayoutWishes : public LayoutPreferences {
public:
  /// `maxBytes`: what an access to global memory may move a thread.
  /// `turnsOperands`: whether shared tiles may have layouts for operands that
  /// are turned on their way there.
  LayoutWishes(KernelOp kernel, int64_t maxBytes, bool turnsOperands);

  RegisterLayoutAttr get(GlobalAccessOpInterface access) const override;

  RegisterLayoutAttr get(DotOp dot) const override;

  /// How many elements an access may move at once along a dimension.
  int64_t getWidth(GlobalAccessOpInterface access, unsigned dim) const {
    const AddressVector &vector = getVector(access);
    return vector.dim == dim ? vector.width.elements : 1;
  }

  /// The last dimension is taken as the contiguous one.
  RegisterLayoutAttr getDefault(mlir::RankedTensorType tile) const override;

  bool makesOperand(mlir::Operation *op) const override {
    return making.contains(op);
  }

  /// For one that is scanned, and made in any layout as well.
  RegisterLayoutAttr getForScan(mlir::RankedTensorType tile,
                                unsigned axis) const;

  bool serves(GlobalAccessOpInterface store,
              RegisterLayoutAttr layout) const override;

  /// Whether a load whose tile is needed in `layout` may as well use that,
  /// rather than have the tile converted.
  bool servesLoad(GlobalAccessOpInterface load,
                  RegisterLayoutAttr layout) const;

private:
  /// What the addresses of an access allow.
  struct Addresses {
    AddressVector vector;
    bool goByWords;
  };
  const AddressVector &getVector(GlobalAccessOpInterface access) const {
    return addresses.find(access)->second.vector;
  }
  GlobalAccessOpInterface findWider(GlobalAccessOpInterface load,
                                    const AddressVector &vector) const;
  GlobalAccessCost getCost(GlobalAccessOpInterface access,
                           RegisterLayoutAttr layout) const;
  /// Whether neighbours in a tile of pointers are the same, as many as a thread
  /// can have of the tile's elements.
  bool repeats(GlobalAccessOpInterface access, unsigned dim) const;
  RegisterLayoutAttr getByBits(GlobalAccessOpInterface access,
                               unsigned dim) const;
  RegisterLayoutAttr coalesced(mlir::RankedTensorType tile, unsigned dim,
                               int64_t vector, bool wantsFewRows,
                               std::optional<unsigned> scannedAxis = {}) const;

  AxisInfoAnalysis axes;
  int numWarps;
  /// Whether a block runs several programs, each of which has a row.
  bool isBatch;
  bool turnsOperands;
  int64_t batchedPrograms;
  TileMeetings meetings;
  RunsOfKernel runs;
  llvm::SetVector<mlir::Operation *> making;
  /// What is known of all accesses: each is asked for by those that it meets.
  llvm::DenseMap<mlir::Operation *, Addresses> addresses;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H
