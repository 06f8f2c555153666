//===- AtomicForms.cpp - The atomic instructions of each target -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/AtomicForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilewright;

static constexpr bool GpuTarget::*bf16 = &GpuTarget::bf16Arithmetic;
static constexpr bool GpuTarget::*vectors = &GpuTarget::vectorAtomics;

/// Maxima and minima of floats are left out: what PTX makes of NaN is not what
/// arith.maximumf does.
static constexpr AtomicForm forms[] = {
    {"add", "i32", 1, "add.u32"},
    {"add", "i64", 1, "add.u64"},
    {"add", "f64", 1, "add.f64"},
    {"add", "f32", 1, "add.f32"},
    {"add", "f32", 2, "add.v2.f32", vectors},
    {"add", "f32", 4, "add.v4.f32", vectors},
    {"add", "f16", 1, "add.noftz.f16"},
    {"add", "f16", 2, "add.noftz.f16x2"},
    {"add", "f16", 4, "add.noftz.v2.f16x2", vectors},
    {"add", "f16", 8, "add.noftz.v4.f16x2", vectors},
    {"add", "bf16", 1, "add.noftz.bf16", bf16},
    {"add", "bf16", 2, "add.noftz.bf16x2", bf16},
    {"add", "bf16", 4, "add.noftz.v2.bf16x2", vectors},
    {"add", "bf16", 8, "add.noftz.v4.bf16x2", vectors},
    {"max", "i32", 1, "max.s32"},
    {"max", "i64", 1, "max.s64"},
    {"min", "i32", 1, "min.s32"},
    {"min", "i64", 1, "min.s64"},
    {"umax", "i32", 1, "max.u32"},
    {"umax", "i64", 1, "max.u64"},
    {"umin", "i32", 1, "min.u32"},
    {"umin", "i64", 1, "min.u64"},
    {"and", "i32", 1, "and.b32"},
    {"and", "i64", 1, "and.b64"},
    {"or", "i32", 1, "or.b32"},
    {"or", "i64", 1, "or.b64"},
    {"xor", "i32", 1, "xor.b32"},
    {"xor", "i64", 1, "xor.b64"},
    {"xchg", "i32", 1, "exch.b32", nullptr, false},
    {"xchg", "i64", 1, "exch.b64", nullptr, false},
    {"cas", "i16", 1, "cas.b16", nullptr, false},
    {"cas", "i32", 1, "cas.b32", nullptr, false},
    {"cas", "i64", 1, "cas.b64", nullptr, false},
};

const AtomicForm *tilewright::findAtomicForm(const GpuTarget &target,
                                             StringRef operation,
                                             StringRef type,
                                             unsigned elements) {
  const auto *found = find_if(forms, [&](const AtomicForm &form) {
    return form.operation == operation && form.type == type &&
           form.elements == elements && (!form.needs || target.*form.needs);
  });
  return found == std::end(forms) ? nullptr : found;
}
