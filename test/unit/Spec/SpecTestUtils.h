//===- SpecTestUtils.h - Shared by the tests of Spec ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SPEC_SPECTESTUTILS_H
#define TILEWRIGHT_TEST_UNIT_SPEC_SPECTESTUTILS_H

#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/ReferenceProgram.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"
#include <random>

namespace tilewright::spec {

/// A generator that gives the same numbers in every run.
inline std::mt19937_64 makeRandom(uint64_t seed) {
  return std::mt19937_64(seed);
}

/// The error's text; "no error" for a success.
template <typename T> std::string getError(llvm::Expected<T> value) {
  if (value)
    return "no error";
  return llvm::toString(value.takeError());
}

/// Fails the test and ends it where there is no value.
#define ASSERT_VALUE(expected)                                                 \
  ASSERT_TRUE(static_cast<bool>(expected))                                     \
      << llvm::toString((expected).takeError())

/// A kernel with the references to test and tensors of many ranks and types.
inline KernelDescription describeKernel(std::vector<std::string> references) {
  KernelDescription description;
  description.name = "test";
  description.arguments = {
      pointer("A", ElementType::F32), pointer("B", ElementType::F32),
      pointer("C", ElementType::F32), pointer("X", ElementType::F32),
      pointer("Y", ElementType::F32), pointer("I", ElementType::I32),
      pointer("J", ElementType::I32), pointer("H", ElementType::F16),
      pointer("D", ElementType::F64), pointer("E", ElementType::F64),
      scalar("M", ElementType::I32),  scalar("N", ElementType::I32),
      scalar("K", ElementType::I64),  scalar("alpha", ElementType::F32),
  };
  description.shapes = {"A[M, K]", "B[K, N]", "C[M, N]", "X[N]", "Y[N]",
                        "I[N]",    "J[N]",    "H[N]",    "D[N]", "E[N]"};
  description.grid = {"1"};
  description.references = std::move(references);
  return description;
}

} // namespace tilewright::spec

#endif // TILEWRIGHT_TEST_UNIT_SPEC_SPECTESTUTILS_H
