//===- Passes.h - From a placed program to threads --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_TILETONVVM_PASSES_H
#define TILEWRIGHT_CONVERSION_TILETONVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright {

/// On a kernel's function: bytes of shared memory that its program has, and
/// dynamic ones of the launch, where `keep-in-slots` needs more.
inline constexpr llvm::StringLiteral kSharedBytesAttr =
    "tilewright.shared_bytes";
inline constexpr llvm::StringLiteral kSlotBytesAttr = "tilewright.slot_bytes";
/// On a kernel's function: shared memory has room for one block at a time, of
/// no more than a warpgroup.
inline constexpr llvm::StringLiteral kOneWarpgroupAttr =
    "tilewright.one_warpgroup";
/// On an instruction that loads: the kernel does not write that array.
inline constexpr llvm::StringLiteral kReadOnlyAttr = "tilewright.read_only";
/// On one with a predicate: only where that holds is its address one of a
/// vector. True where nobody looks at what it has not loaded.
inline constexpr llvm::StringLiteral kVectorOfRowAttr =
    "tilewright.vector_of_row";
/// On a loop that has too few registers for addresses that it would keep.
inline constexpr llvm::StringLiteral kFewRegistersAttr =
    "tilewright.few_registers";

/// On the text of a product whose left operand is in registers: the first of
/// its operands that is a word of it, and how many there are.
inline constexpr llvm::StringLiteral kLeftWordsAttr = "tilewright.left_words";

#define GEN_PASS_DECL
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETONVVM_PASSES_H
