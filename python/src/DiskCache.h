//===- DiskCache.h - The cache on disk, for Python -------------*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_DISKCACHE_H
#define TILEWRIGHT_PYTHON_DISKCACHE_H

#include "tilewright/Jit/DiskCache.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// That of the environment. Throws ValueError where a variable makes no sense.
std::optional<jit::DiskCache> openDiskCache();

/// Adds what keys are made of, and what the command shows.
void bindDiskCache(nanobind::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_DISKCACHE_H
