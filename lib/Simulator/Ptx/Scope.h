//===- Scope.h - Whom a strong access or a fence concerns -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_SCOPE_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_SCOPE_H

#include <cstdint>

namespace tilewright::sim {

/// PTX's .cta, .cluster, and .gpu and .sys as one. None: a plain access, which
/// concerns nobody.
enum class Scope : uint8_t { None, Block, Cluster, Gpu };

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_SCOPE_H
