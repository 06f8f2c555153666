//===- CopyRole.h - What warps that only copy would do ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hand-overs of channels hang on little: counts, bounds of loops,
// conditions, coordinates. That is all a role that copies must do of a kernel:
//
//   %pid = tile.program_id 0                     yes
//   %x = tile.load_view %bias ...                no
//   scf.for %k = ... iter_args(%sum, %n) {       the loop, %k and %n, not %sum
//     %r = tile.wait %c[%n]                      no
//     scf.if %more {                             yes
//       %f = tile.acquire %c[%n + 2]             yes, with the copies
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_COPYROLE_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_COPYROLE_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

class CopyRole {
public:
  /// What fills these channels. Nothing is changed; where it cannot be a role
  /// of its own, whyNot() says why.
  CopyRole(KernelOp kernel, llvm::ArrayRef<ChannelOp> channels);

  bool isPossible() const { return reason.empty(); }
  llvm::StringRef whyNot() const { return reason; }

  /// Whether the role does the op, and needs the value, which may be what a
  /// loop carries or the result of a loop or a branch.
  bool does(mlir::Operation *op) const { return ops.contains(op); }
  bool needs(mlir::Value value) const { return values.contains(value); }

private:
  void need(mlir::Operation *op);
  void need(mlir::Value value);
  void needCarried(mlir::Value value);
  bool isBeforeCopy(mlir::Operation *op) const;
  void checkOrder(KernelOp kernel);
  void decline(const llvm::Twine &why);

  llvm::SetVector<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> values;
  std::string reason;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_COPYROLE_H
