//===- BlockOrderTest.cpp - Accesses of two blocks, in a forced order -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks run on several host threads, so a launch does not say which of them
// comes first. Here one thread carries out the accesses of two blocks, one by
// one.
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

class BlockOrder : public DeviceTest {
protected:
  /// A store of one lane of the block, from its mark to its value in memory.
  template <class T>
  void store(Block &block, uint64_t address, const T &value,
             bool isStrong = false) {
    LaneAccess lanes;
    lanes.kind = AccessKind::Store;
    lanes.space = Space::Global;
    lanes.bytes = sizeof(T);
    lanes.strong = isStrong ? Scope::Gpu : Scope::None;
    lanes.mask = 1;
    lanes.addresses[0] = address;
    lanes.data = reinterpret_cast<const uint8_t *>(&value);
    block.counts = counts;
    EXPECT_EQ(block.warps[0].access(lanes), 1u);
  }
  std::vector<Finding> takeFindings() { return context.findings.take(); }

  Module module = parseOrDie(wrapKernel("st.global.u32 [%rd1], %r1;"));
  std::vector<InstrCount> counts =
      std::vector<InstrCount>(module.program().code.size());
  uint64_t words = upload(std::vector<uint64_t>(16, 7));
  LaunchContext context{module.program(), 0, device.memory(), {2}, {32},
                        options};
  Block first{context, 0}, second{context, 1};

  void SetUp() override { device.memory().prepareRaceChecks(); }
};

/// The second block compares its value with that of the first one. The store
/// of the first has made its mark, so its value must be there as well.
TEST_F(BlockOrder, EqualValuesAreNoRace) {
  store<uint32_t>(first, words, 5);
  EXPECT_EQ(download<uint32_t>(words, 1)[0], 5u);
  store<uint32_t>(second, words, 5);
  EXPECT_TRUE(takeFindings().empty());
}

TEST_F(BlockOrder, EqualPartsAreNoRace) {
  store(first, words, std::array<uint64_t, 4>{1, 2, 3, 4});
  store<uint16_t>(second, words + 8, 2);
  store<uint8_t>(second, words + 15, 0);
  store(second, words + 16, std::array<uint64_t, 2>{3, 4});
  EXPECT_TRUE(takeFindings().empty());
  EXPECT_EQ(download<uint64_t>(words, 5),
            (std::vector<uint64_t>{1, 2, 3, 4, 7}));
}

/// Also the value that was there before the first store.
TEST_F(BlockOrder, OtherValuesRace) {
  store<uint32_t>(first, words, 5);
  store<uint32_t>(second, words, 7);
  const std::vector<Finding> findings = takeFindings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::Race);
  EXPECT_EQ(findings[0].block.x, 1u);
  EXPECT_EQ(findings[0].address, words);
  EXPECT_EQ(download<uint32_t>(words, 1)[0], 7u);
}

TEST_F(BlockOrder, StrongStoresDoNotRace) {
  store<uint32_t>(first, words, 5, /*isStrong=*/true);
  store<uint32_t>(second, words, 6, /*isStrong=*/true);
  EXPECT_TRUE(takeFindings().empty());
  store<uint32_t>(first, words, 8);
  EXPECT_EQ(takeFindings().size(), 1u);
}

} // namespace
