//===- Divisibility.h - What compiled code may assume of values -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wide accesses need aligned addresses and row lengths. A kernel is compiled in
// variants that assume of each argument a power of two that divides it; a
// launch takes the best variant that its values allow:
//
//   pickDivisibility(4096) == 16    pickDivisibility(12) == 4
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_DIVISIBILITY_H
#define TILEWRIGHT_RUNTIME_DIVISIBILITY_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Spec/KernelSpec.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::runtime {

/// What accesses of a thread use: 16 bytes of most GPUs, 32 of some
/// (GpuTarget::globalVectorBytes in Target/).
inline constexpr unsigned maxDivisibility = 16;

/// The largest power of two up to \p most that divides \p value; 0 is divided
/// by all.
inline unsigned pickDivisibility(uint64_t value,
                                 unsigned most = maxDivisibility) {
  return llvm::MinAlign(value, most);
}

/// Fails where an argument is no multiple of what the compiled code assumes.
/// \p arguments are those of the launch, in the order of the kernel's.
llvm::Error verifyDivisibility(const spec::KernelSpec &spec,
                               const spec::ArgumentBlock &arguments);

/// The same for a kernel that may declare nothing but its arguments.
llvm::Error verifyDivisibility(llvm::StringRef kernel,
                               llvm::ArrayRef<spec::Argument> declared,
                               const spec::ArgumentBlock &arguments);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DIVISIBILITY_H
