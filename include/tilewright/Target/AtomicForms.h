//===- AtomicForms.h - The atomic instructions of each target ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `atom` and `red` do to global memory, and to how many elements that
// follow one another at once. Each element is an access of its own, which PTX
// does not tie to its neighbours; but they go to the L2 cache as one request:
//
//   findAtomicForm(sm_90a, "add", "f32", 4)  "add.v4.f32"
//   findAtomicForm(sm_80, "add", "f16", 2)   "add.noftz.f16x2"
//   findAtomicForm(sm_80, "add", "f32", 4)   none
//   findAtomicForm(sm_80, "max", "f32", 1)   none: a loop around "cas.b32"
//
// Source: PTX ISA 9.0, "atom" and "red", with the notes on the targets and
// versions of each form.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_ATOMICFORMS_H
#define TILEWRIGHT_TARGET_ATOMICFORMS_H

#include "tilewright/Target/GpuTarget.h"

namespace tilewright {

/// What an instruction does to global memory.
struct AtomicForm {
  /// As tile.atomic_rmw calls it, or "cas".
  llvm::StringRef operation;
  /// The type of an element: "f32", "i64". What only moves bits is of integers.
  llvm::StringRef type;
  unsigned elements;
  /// What stands behind the order and scope: "add.noftz.v2.f16x2".
  llvm::StringRef instruction;
  /// What the target must have; null where all have it.
  bool GpuTarget::*needs = nullptr;
  /// Whether `red` does it, which gives nothing back.
  bool reduces = true;
};

/// The form for so many elements at once, or null. Where there is one, there
/// is one for half as many.
const AtomicForm *findAtomicForm(const GpuTarget &target,
                                 llvm::StringRef operation,
                                 llvm::StringRef type, unsigned elements);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_ATOMICFORMS_H
