//===- TargetOption.h - The GPU that a pass is told of ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright::tile {

/// The GPU of that name; nothing where the name is empty. An unknown name is an
/// error at `kernel`.
inline mlir::FailureOr<std::optional<GpuTarget>>
parseTargetOption(KernelOp kernel, llvm::StringRef name) {
  if (name.empty())
    return std::optional<GpuTarget>();
  llvm::Expected<GpuTarget> known = GpuTarget::parse(name);
  if (!known)
    return kernel.emitError(llvm::toString(known.takeError()));
  return std::optional<GpuTarget>(*known);
}

/// What an access to global memory can move a thread at most.
inline int64_t getGlobalVectorBytes(const std::optional<GpuTarget> &target) {
  return target ? target->globalVectorBytes() : kMaxVectorBytes;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TARGETOPTION_H
