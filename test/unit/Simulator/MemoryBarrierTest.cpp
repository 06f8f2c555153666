//===- MemoryBarrierTest.cpp - mbarrier objects ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

using Kinds = std::set<FindingKind>;

class MemoryBarrierTest : public DeviceTest {
protected:
  /// Runs `body` in 64 threads, after thread 0 has initialised an mbarrier at
  /// [%r10] for 32 arrivals, with 256 shared bytes at [%r11].
  LaunchReport runBody(const std::string &body) {
    const Module module = parseOrDie(wrapKernel(R"(
      .shared .align 8 .b8 barrier[8];
      .shared .align 16 .b8 words[256];
      mov.u32 %r1, %tid.x;
      mov.u32 %r10, barrier;
      mov.u32 %r11, words;
      ld.param.u64 %rd1, [a];
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra READY;
      mbarrier.init.shared::cta.b64 [%r10], 32;
      fence.mbarrier_init.release.cluster;
    READY:
      bar.sync 0;
      setp.lt.u32 %p2, %r1, 32;
    )" + body));
    out = blank<uint32_t>(64);
    return run(module, "test", {1}, {64},
               ArgumentBlock().add(out).add(out).add(out).add(uint32_t(0)));
  }
  uint64_t out = 0;
};

/// Warp 0 fills the words and arrives, warp 1 waits and reads them.
std::string handOver(const std::string &arrive, const std::string &wait) {
  return R"(
    and.b32 %r2, %r1, 31;
    shl.b32 %r2, %r2, 2;
    add.u32 %r3, %r2, %r11;
    @!%p2 bra CONSUMER;
    st.shared.u32 [%r3], %r1;
  )" + arrive +
         R"(
    bra DONE;
  CONSUMER:
  )" + wait +
         R"(
    ld.shared.u32 %r4, [%r3];
    cvt.u64.u32 %rd2, %r2;
    add.u64 %rd2, %rd2, %rd1;
    st.global.u32 [%rd2], %r4;
  DONE:
  )";
}

constexpr char arriveOnce[] = "mbarrier.arrive.shared::cta.b64 %rd5, [%r10];";
constexpr char waitParity[] = R"(
  WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], 0;
    @!%p3 bra WAIT;
)";

TEST_F(MemoryBarrierTest, HandsOverData) {
  for (uint64_t seed : {0, 1, 2}) {
    if (seed != 0)
      options.seed = seed;
    EXPECT_TRUE(runBody(handOver(arriveOnce, waitParity)).clean());
    std::vector<uint32_t> expected(32);
    for (uint32_t i = 0; i != 32; ++i)
      expected[i] = i;
    EXPECT_EQ(download<uint32_t>(out, 32), expected);
  }
}

TEST_F(MemoryBarrierTest, MissingWaitIsARace) {
  options.checkUninitialized = false;
  EXPECT_EQ(kinds(runBody(handOver(arriveOnce, ""))), Kinds{FindingKind::Race});
}

TEST_F(MemoryBarrierTest, WriteAfterArrivalIsARace) {
  const std::string late = std::string(arriveOnce) + "st.shared.u32 [%r3], 99;";
  EXPECT_EQ(kinds(runBody(handOver(late, waitParity))),
            Kinds{FindingKind::Race});
}

TEST_F(MemoryBarrierTest, MissingArrivalIsADeadlock) {
  const LaunchReport report = runBody(handOver("", waitParity));
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(kinds(report), Kinds{FindingKind::Deadlock});
}

TEST_F(MemoryBarrierTest, TransactionsHoldThePhase) {
  // The arrivals are complete, 16 bytes are not.
  EXPECT_TRUE(runBody(R"(
    @!%p2 bra DONE;
    setp.eq.u32 %p4, %r1, 0;
    @%p4 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 16;
    @!%p4 mbarrier.arrive.shared::cta.b64 _, [%r10];
    mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 0;
    @%p3 trap;
    bar.warp.sync -1;
    @%p4 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r10], 16;
    bar.warp.sync -1;
    mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 0;
    @!%p3 trap;
    mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 1;
    @%p3 trap;
  DONE:
  )")
                  .clean());
}

TEST_F(MemoryBarrierTest, StatesNameTheirPhase) {
  EXPECT_TRUE(runBody(R"(
    @!%p2 bra DONE;
    mbarrier.arrive.shared::cta.b64 %rd5, [%r10];
    mbarrier.test_wait.shared::cta.b64 %p3, [%r10], %rd5;
    @!%p3 trap;
    mbarrier.arrive.shared::cta.b64 %rd6, [%r10], 1;
    mbarrier.test_wait.shared::cta.b64 %p3, [%r10], %rd6;
    @!%p3 trap;
  DONE:
  )")
                  .clean());
}

TEST_F(MemoryBarrierTest, MisuseIsReported) {
  EXPECT_EQ(kinds(runBody("mbarrier.arrive.shared::cta.b64 _, [%r11];"))
                .count(FindingKind::InvalidOperand),
            1u);
  EXPECT_EQ(kinds(runBody("mbarrier.arrive.shared::cta.b64 _, [%r10], 33;")),
            Kinds{FindingKind::InvalidOperand});
  EXPECT_EQ(kinds(runBody(R"(
    mbarrier.inval.shared::cta.b64 [%r10];
    mbarrier.arrive.shared::cta.b64 _, [%r10];
  )")),
            Kinds{FindingKind::InvalidOperand});
}

} // namespace
