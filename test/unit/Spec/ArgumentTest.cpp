//===- ArgumentTest.cpp - Parameters and their bytes ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/Argument.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::spec;

static Argument arguments[] = {
    scalar("flag", ElementType::I1), scalar("half", ElementType::F16),
    pointer("X", ElementType::F16, 16), scalar("n", ElementType::I32),
    scalar("x", ElementType::F64)};

TEST(ArgumentBlock, PutsEachArgumentAtItsAlignment) {
  ArgumentBlock block(arguments);
  EXPECT_EQ(block.size(), 5u);
  std::vector<size_t> offsets;
  offsets.reserve(block.size());
  for (unsigned index = 0; index < block.size(); ++index)
    offsets.push_back(static_cast<const uint8_t *>(block.getData(index)) -
                      block.getBytes().data());
  EXPECT_EQ(offsets, (std::vector<size_t>{0, 2, 8, 16, 24}));
  EXPECT_EQ(block.getBytes().size(), 32u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.getBytes().data()) % 8, 0u);
}

TEST(ArgumentBlock, ValuesLeaveTheirNeighboursAlone) {
  ArgumentBlock block(arguments);
  for (unsigned index : {4, 0, 2, 1, 3})
    block.set(index, ~uint64_t(0) << 8 | (index + 1));
  for (unsigned index = 0; index < block.size(); ++index) {
    unsigned bits = 8 * arguments[index].getByteSize();
    uint64_t all = ~uint64_t(0) << 8 | (index + 1);
    EXPECT_EQ(block.getBits(index), all << (64 - bits) >> (64 - bits));
  }
  block.set(1, 0);
  EXPECT_EQ(block.getBits(0), 1u);
  EXPECT_EQ(block.getBits(1), 0u);
}

TEST(ArgumentBlock, CopiesStandAlone) {
  ArgumentBlock block(arguments);
  block.set(3, 5);
  ArgumentBlock copy = block;
  copy.set(3, 6);
  EXPECT_EQ(block.getBits(3), 5u);
  EXPECT_EQ(copy.getBits(3), 6u);
  EXPECT_TRUE(ArgumentBlock().getBytes().empty());
}

TEST(Argument, IsDescribedForPrograms) {
  EXPECT_EQ(llvm::formatv("{0}", toJSON(arguments[2])).str(),
            R"({"alignment":8,"bounds":null,"bytes":8,"divisibility":16,)"
            R"("is_disjoint":false,"is_pointer":true,"is_written":true,)"
            R"("name":"X","type":"f16"})");
  Argument bounded = arguments[3];
  bounded.least = 1;
  bounded.most = 256;
  EXPECT_EQ(*toJSON(bounded).getAsObject()->get("bounds"),
            llvm::json::Value(llvm::json::Array{1, 256}));
  EXPECT_TRUE(arguments[2].hasDivisibility());
  EXPECT_TRUE(arguments[3].hasDivisibility());
  EXPECT_FALSE(arguments[4].hasDivisibility());
}
