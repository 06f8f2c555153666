//===- ReferenceFixture.h - Tensors, and references to them -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_SPEC_REFERENCEFIXTURE_H
#define TILEWRIGHT_TEST_UNIT_SPEC_REFERENCEFIXTURE_H

#include "SpecTestUtils.h"
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace tilewright::spec {

/// Tensors and scalars of describeKernel(), and what references make of them.
class ReferenceValueTest : public testing::Test {
protected:
  ReferenceValueTest() {
    std::mt19937_64 random = makeRandom(7);
    std::normal_distribution<float> normal;
    for (auto *tensor : {&A, &B, &C, &X})
      for (float &value : *tensor)
        value = normal(random);
    std::iota(I.begin(), I.end(), -3);
    std::fill(J.begin(), J.end(), 2);
    for (size_t i = 0; i < N; ++i)
      D[i] = normal(random);
  }

  std::vector<ReferenceValue> evaluate(llvm::StringRef reference) {
    KernelDescription description = describeKernel({reference.str()});
    if (!rangeOfJ.empty())
      description.shapes[6] += " in " + rangeOfJ;
    KernelSpec spec = llvm::cantFail(KernelSpec::create(description));
    ScalarValues scalars = llvm::cantFail(ScalarValues::parse(
        spec, "M=" + std::to_string(M) + " N=" + std::to_string(N) +
                  " K=" + std::to_string(K) + " alpha=2.5"));
    Binding binding = llvm::cantFail(spec.bind(scalars));
    llvm::Expected<ReferenceProgram> program =
        ReferenceProgram::compile(spec, spec.getReferences()[0], binding);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    elementWork = program->getElementWork();
    rowWork = program->getRowWork();
    std::vector<const void *> tensors = {
        A.data(), B.data(), C.data(), X.data(), nullptr, I.data(), J.data(),
        H.data(), D.data(), nullptr,  nullptr,  nullptr, nullptr,  nullptr};
    ReferenceEvaluator evaluator(*program, tensors);
    std::vector<uint64_t> elements(program->getElementCount());
    std::iota(elements.begin(), elements.end(), 0);
    std::vector<ReferenceValue> values(elements.size());
    evaluator.evaluate(elements, values);

    // In any order and size of batches, the values are the same.
    std::vector<uint64_t> shuffled = elements;
    std::shuffle(shuffled.begin(), shuffled.end(), makeRandom(3));
    std::vector<ReferenceValue> again(elements.size());
    evaluator.evaluate(shuffled, again);
    for (size_t i = 0; i < shuffled.size(); ++i) {
      const ReferenceValue &value = values[shuffled[i]];
      EXPECT_EQ(again[i].integer, value.integer);
      EXPECT_TRUE(again[i].real == value.real ||
                  (std::isnan(again[i].real) && std::isnan(value.real)));
      EXPECT_EQ(again[i].uncertainty, value.uncertainty);
    }
    return values;
  }

  double evaluateOne(llvm::StringRef right) {
    return evaluate("Y[i] = " + right.str())[0].real;
  }

  template <typename Fn> void expectReals(llvm::StringRef reference, Fn fn) {
    std::vector<ReferenceValue> values = evaluate(reference);
    ASSERT_FALSE(values.empty());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i].real, fn(i), 1e-12 * (1 + std::fabs(fn(i))))
          << reference.str() << " at " << i;
  }

  static constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr size_t M = 5, N = 70, K = 9;
  std::vector<float> A = std::vector<float>(M * K);
  std::vector<float> B = std::vector<float>(K * N);
  std::vector<float> C = std::vector<float>(M * N);
  std::vector<float> X = std::vector<float>(N);
  std::vector<int32_t> I = std::vector<int32_t>(N);
  std::vector<int32_t> J = std::vector<int32_t>(N);
  std::vector<uint16_t> H = std::vector<uint16_t>(N, 0x3e00);
  std::vector<double> D = std::vector<double>(N);
  /// Of the shape of J.
  std::string rangeOfJ;
  double elementWork = 0;
  double rowWork = 0;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_TEST_UNIT_SPEC_REFERENCEFIXTURE_H
