//===- KernelDescription.h - A kernel, as the Spec library sees it -*-C++-*-==//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H
#define TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Spec/KernelSpec.h"

namespace tilewright::tile {

/// What a kernel declares of itself: arguments, shapes, grid, reference. Fails,
/// without a diagnostic, on an argument of a type that a launch cannot pass.
llvm::FailureOr<spec::KernelDescription> describeClauses(KernelOp kernel);

/// The same with what its body, which must be legal, does to the arguments.
llvm::FailureOr<spec::KernelDescription> describeKernel(KernelOp kernel);

/// An argument of that type; nothing for a type that a launch cannot pass.
std::optional<spec::Argument> describeArgument(llvm::StringRef name,
                                               mlir::Type type);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_KERNELDESCRIPTION_H
