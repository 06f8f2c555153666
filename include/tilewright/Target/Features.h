//===- Features.h - Which GPUs have which instructions ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first compute capability, as 10 * major + minor, that has an instruction;
// later ones have it too. Source: "Target ISA Notes" of the instruction in the
// PTX ISA manual. What is a matter of the target's architecture rather than of
// its age is in GpuTarget.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_FEATURES_H
#define TILEWRIGHT_TARGET_FEATURES_H

namespace tilewright::features {

/// `cvt` and `mma.sync` of e4m3 and e5m2.
inline constexpr int kFloat8 = 89;
/// `ld.global` and `st.global` of 32 bytes a thread (`.v8.b32`, `.v4.b64`).
inline constexpr int kWideGlobalAccess = 100;
/// `mma.sync` of f64 as m16n8k8; m8n8k4 is older than all targets.
inline constexpr int kF64ProductsOf16x8x8 = 90;

} // namespace tilewright::features

#endif // TILEWRIGHT_TARGET_FEATURES_H
