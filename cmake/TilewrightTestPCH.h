//===- TilewrightTestPCH.h - Precompiled headers of unit tests --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As TilewrightPCH.h, for unit tests of what knows no MLIR.
//
//===----------------------------------------------------------------------===//

#include "TilewrightSupportPCH.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
