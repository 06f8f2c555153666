//===- DivisibilityTest.cpp - What compiled code may assume ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Divisibility.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

TEST(Divisibility, Picks) {
  EXPECT_EQ(pickDivisibility(0), 16u);
  EXPECT_EQ(pickDivisibility(1), 1u);
  EXPECT_EQ(pickDivisibility(6), 2u);
  EXPECT_EQ(pickDivisibility(12), 4u);
  EXPECT_EQ(pickDivisibility(24), 8u);
  EXPECT_EQ(pickDivisibility(16), 16u);
  EXPECT_EQ(pickDivisibility(4096), 16u);
  EXPECT_EQ(pickDivisibility(~uint64_t(0) - 7), 8u);
  EXPECT_EQ(pickDivisibility(0, 32), 32u);
  EXPECT_EQ(pickDivisibility(96, 32), 32u);
  EXPECT_EQ(pickDivisibility(48, 32), 16u);
}

TEST(Divisibility, Verifies) {
  spec::KernelDescription description;
  description.name = "copy";
  description.arguments = {spec::pointer("A", ElementType::F16, 16),
                           spec::scalar("N", ElementType::I32, 16),
                           spec::scalar("alpha", ElementType::F32)};
  description.shapes = {"A[N]"};
  description.grid = {"1"};
  spec::KernelSpec spec = llvm::cantFail(spec::KernelSpec::create(description));
  auto verify = [&](DeviceAddress address, int64_t n) {
    spec::ArgumentBlock arguments(description.arguments);
    arguments.set(0, address);
    arguments.set(1, encodeInteger(ElementType::I32, n));
    arguments.set(2, 0x3f800001);
    return llvm::toString(verifyDivisibility(spec, arguments));
  };
  EXPECT_EQ(verify(0x1000, 64), "");
  EXPECT_EQ(verify(0x1000, 0), "");
  EXPECT_EQ(verify(0x1000, -32), "");
  EXPECT_EQ(verify(0x1000, 1000),
            "'N' is 1000, no multiple of 16, on which the compiled code "
            "relies; compile 'copy' with divisibility 8 for it");
  EXPECT_EQ(verify(0x1000, -6),
            "'N' is -6, no multiple of 16, on which the compiled code relies; "
            "compile 'copy' with divisibility 2 for it");
  EXPECT_EQ(verify(0x1004, 64),
            "'A' is at 0x1004, 4 bytes past a multiple of 16, on which the "
            "compiled code relies; compile 'copy' with divisibility 4 for "
            "it");
}

TEST(Divisibility, VerifiesBounds) {
  spec::Argument arguments[] = {spec::scalar("n", ElementType::I32)};
  arguments[0].least = -3;
  arguments[0].most = 16;
  auto verify = [&](int64_t n) {
    spec::ArgumentBlock values(arguments);
    values.set(0, encodeInteger(ElementType::I32, n));
    return llvm::toString(verifyDivisibility("k", arguments, values));
  };
  EXPECT_EQ(verify(-3), "");
  EXPECT_EQ(verify(16), "");
  EXPECT_EQ(verify(-4), "'n' is -4, and the compiled code of 'k' relies on it "
                        "being from -3 to 16");
  EXPECT_EQ(verify(17), "'n' is 17, and the compiled code of 'k' relies on it "
                        "being from -3 to 16");
}

} // namespace
