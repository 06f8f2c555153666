//===- KernelDescription.h - A kernel, as the Spec library sees it -*-C++-*-==//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch, the runner and the simulator know of a kernel is no IR: its
// clauses, and what its body does to its arguments, are written as
// spec::KernelDescription (Spec/KernelSpec.h).
//
//   tile.kernel @copy(%x: !tile.ptr<f32>, %n: i32) shapes ["x[n]"] grid ["n"]
//     name "copy", a pointer to f32 and an i32, shapes, grid, ...
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H
#define TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/TensorMap.h"

namespace tilewright::tile {

/// What a kernel declares of itself: arguments, shapes, grid, reference. Fails,
/// without a diagnostic, on an argument of a type that a launch cannot pass.
llvm::FailureOr<spec::KernelDescription> describeClauses(KernelOp kernel);

/// The same with what its body, which must be legal, does to the arguments.
llvm::FailureOr<spec::KernelDescription> describeKernel(KernelOp kernel);

/// Describes anew what code of the kernel relies on: what is promised of
/// arguments, whether it writes through them, what it requires of launches.
void describeReliance(KernelOp kernel, spec::KernelDescription &description);

/// A number that each launch knows: a constant, an integer argument or a
/// product of those; none otherwise.
std::optional<spec::LaunchNumber> describeNumber(mlir::OpFoldResult value);

/// What a launch makes the map of a view of; nothing where it does not know
/// enough. `box`: an extent for each dimension; rows go along the contiguous
/// one. `moves`: copies say where the view stands.
std::optional<spec::TensorMap> describeTensorMap(mlir::Value view,
                                                 llvm::ArrayRef<int64_t> box,
                                                 int64_t rowBytes, bool moves,
                                                 bool last);

/// The tensor maps of a kernel, in the order of its parameters.
std::vector<spec::TensorMap> describeTensorMaps(KernelOp kernel);

/// An argument of that type; nothing for a type that a launch cannot pass.
std::optional<spec::Argument> describeArgument(llvm::StringRef name,
                                               mlir::Type type);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H
