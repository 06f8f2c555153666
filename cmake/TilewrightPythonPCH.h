//===- TilewrightPythonPCH.h - Precompiled headers of bindings --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As TilewrightPCH.h, for the bindings of Python: nanobind's headers.
//
//===----------------------------------------------------------------------===//

#include "TilewrightSupportPCH.h"
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
