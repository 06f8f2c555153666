//===- MemoryBarrierTest.cpp - mbarrier objects ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <numeric>

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
    std::vector<uint32_t> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 0);
    return run(module, "test", {1}, {64},
               ArgumentBlock()
                   .add(out)
                   .add(upload(numbers))
                   .add(out)
                   .add(uint32_t(0)));
  }
  /// The only finding of a body, with its line in the text of the body.
  std::string findingOf(const std::string &body) {
    const LaunchReport report = runBody(body);
    EXPECT_EQ(report.findings.size(), 1u) << body;
    std::string all;
    for (const Finding &finding : report.findings)
      all += describe(finding) + "\n";
    return all;
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

TEST_F(MemoryBarrierTest, PendingCount) {
  EXPECT_TRUE(runBody(R"(
    @!%p2 bra DONE;
    mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd5, [%r10], 1;
    mbarrier.pending_count.b64 %r5, %rd5;
    sub.u32 %r6, 32, %r1;                  // lanes arrive in their order
    setp.ne.u32 %p4, %r5, %r6;
    setp.lt.u32 %p5, %r1, 31;
    and.pred %p4, %p4, %p5;
    @%p4 trap;
  DONE:
  )")
                  .findings.size() == 1);
  EXPECT_NE(findingOf(R"(
    @!%p2 bra DONE;
    mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd5, [%r10], 1;
  DONE:
  )")
                .find("completes the phase, and .noComplete says"),
            std::string::npos);
}

TEST_F(MemoryBarrierTest, RelaxedArrivalOrdersNothing) {
  EXPECT_EQ(kinds(runBody(handOver(
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd5, [%r10];",
                waitParity))),
            Kinds{FindingKind::Race});
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// Warp 0 copies the words and hands them over by `arrive`.
std::string copyOver(const std::string &arrive, const std::string &wait) {
  std::string text = handOver(arrive, wait);
  const std::string store = "st.shared.u32 [%r3], %r1;";
  text.replace(text.find(store), store.size(), R"(
    ld.param.u64 %rd8, [b];
    cvt.u64.u32 %rd9, %r2;
    add.u64 %rd8, %rd8, %rd9;
    cp.async.ca.shared.global [%r3], [%rd8], 4;
  )");
  return text;
}
constexpr char arriveNoinc[] =
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r10];";

TEST_F(MemoryBarrierTest, CopiesArrive) {
  std::vector<uint32_t> expected(32);
  std::iota(expected.begin(), expected.end(), 0);
  for (uint64_t seed : {0, 1, 2}) {
    if (seed != 0)
      options.seed = seed;
    EXPECT_TRUE(runBody(copyOver(arriveNoinc, waitParity)).clean());
    EXPECT_EQ(download<uint32_t>(out, 32), expected);
    // The count goes up and down again, and each thread arrives itself.
    EXPECT_TRUE(runBody(copyOver("cp.async.mbarrier.arrive.shared::cta.b64 "
                                 "[%r10];" +
                                     std::string(arriveOnce),
                                 waitParity))
                    .clean());
    EXPECT_EQ(download<uint32_t>(out, 32), expected);
  }
}

TEST_F(MemoryBarrierTest, CopiesThatTheirThreadWaitsForToo) {
  // Before or behind somebody else's wait, and counted twice.
  for (const char *more : {"", arriveNoinc}) {
    const std::string both = std::string(arriveNoinc) + R"(
      cp.async.wait_all;
      ld.shared.u32 %r7, [%r3];
      setp.ne.u32 %p6, %r7, %r1;
      @%p6 trap;
    )" + (*more ? "mbarrier.test_wait.parity.shared.b64 %p7, [%r10], 0;" : "");
    EXPECT_TRUE(runBody(copyOver(both, waitParity)).clean());
  }
}

TEST_F(MemoryBarrierTest, CopiesWithoutAnArrival) {
  EXPECT_EQ(kinds(runBody(copyOver("", waitParity))),
            Kinds{FindingKind::Deadlock});
  // Plain arrivals do not wait for copies.
  const Kinds early = kinds(runBody(copyOver(arriveOnce, waitParity)));
  EXPECT_TRUE(early.count(FindingKind::PendingCopy));
  EXPECT_TRUE(
      kinds(runBody(copyOver(arriveNoinc, ""))).count(FindingKind::Race));
  // Nobody learns of a copy behind the arrival.
  std::string late = copyOver(arriveNoinc, waitParity);
  const size_t at = late.find(arriveNoinc), copy = late.find("cp.async.ca");
  late.erase(at, strlen(arriveNoinc));
  late.insert(copy, arriveNoinc);
  EXPECT_TRUE(kinds(runBody(late)).count(FindingKind::PendingCopy));
}

TEST_F(MemoryBarrierTest, TooManyArrivalsOfCopies) {
  const LaunchReport report =
      runBody(copyOver(std::string(arriveNoinc) + arriveNoinc, waitParity));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].message,
            "one arrival, and the phase expects 0 more");
}

//===----------------------------------------------------------------------===//
// Misuse
//===----------------------------------------------------------------------===//

TEST_F(MemoryBarrierTest, OrdinaryAccesses) {
  const std::string text = findingOf("@!%p1 st.shared.u32 [%r10+4], %r1;");
  EXPECT_NE(text.find("writes the mbarrier at shared offset 0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("`@!%p1 st.shared.u32 [%r10+4], %r1`"),
            std::string::npos);
  EXPECT_EQ(kinds(runBody("@!%p1 ld.shared.u32 %r4, [%r10];")),
            Kinds{FindingKind::InvalidOperand});
  EXPECT_EQ(kinds(runBody("@!%p1 atom.shared.add.u32 %r4, [%r10], 1;")),
            Kinds{FindingKind::InvalidOperand});
  EXPECT_TRUE(runBody(R"(
    @%p1 bra DONE;
    mbarrier.inval.shared::cta.b64 [%r10];
    st.shared.u32 [%r10], %r1;
    mbarrier.init.shared::cta.b64 [%r10], 1;
    mbarrier.arrive.shared::cta.b64 %rd5, [%r10];
    mbarrier.test_wait.shared::cta.b64 %p3, [%r10], %rd5;
    @!%p3 trap;
  DONE:
  )")
                  .clean());
}

TEST_F(MemoryBarrierTest, BeginsTwice) {
  const std::string text = findingOf(R"(
    @!%p2 bra DONE;
    setp.ne.u32 %p4, %r1, 3;
    @%p4 bra DONE;
    mbarrier.arrive.shared::cta.b64 _, [%r10], 5;
    mbarrier.init.shared::cta.b64 [%r10], 32;
  DONE:
  )");
  EXPECT_NE(text.find("with 5 of 32 arrivals made, and no mbarrier.inval"),
            std::string::npos)
      << text;
  // While another warp waits.
  EXPECT_TRUE(kinds(runBody(handOver(std::string(R"(
    mbarrier.inval.shared::cta.b64 [%r10];
    mbarrier.init.shared::cta.b64 [%r10], 32;
  )") + arriveOnce,
                                     waitParity)))
                  .count(FindingKind::Race));
}

TEST_F(MemoryBarrierTest, WhatAWaitNames) {
  EXPECT_NE(
      findingOf("mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 2;")
          .find("a parity is 0 or 1, and not 2"),
      std::string::npos);
  EXPECT_NE(findingOf(R"(
    mov.b64 %rd5, 0x300000;
    mbarrier.test_wait.shared::cta.b64 %p3, [%r10], %rd5;
  )")
                .find("the state is of phase 3, and the mbarrier is in phase "
                      "0"),
            std::string::npos);
}

TEST_F(MemoryBarrierTest, TooManyBytes) {
  EXPECT_NE(findingOf(R"(
    @!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r10], 1048575;
    @!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r10], 1;
  )")
                .find("the transaction count becomes 1048576"),
            std::string::npos);
}

TEST_F(MemoryBarrierTest, DeadlockSaysWhatIsMissing) {
  const std::string text = findingOf(handOver(R"(
    setp.eq.u32 %p4, %r1, 0;
    @%p4 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 16;
  )",
                                              waitParity));
  EXPECT_NE(text.find("the mbarrier at shared offset 0, of which 0 phases are "
                      "over and the next needs 31 of 32 arrivals and 16 bytes"),
            std::string::npos)
      << text;
}

TEST(MemoryBarrierSyntax, Errors) {
  auto error = [](const std::string &body, const char *target = "sm_90a") {
    llvm::Expected<Module> module = Module::parse(wrapKernel(body, "", target));
    return module ? "" : llvm::toString(module.takeError());
  };
  auto expect = [&](const std::string &body, const std::string &part,
                    const char *target = "sm_90a") {
    EXPECT_NE(error(body, target).find(part), std::string::npos)
        << error(body, target);
  };
  expect("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;",
         "needs sm_90 or later, and the module is for sm_80", "sm_80");
  expect("mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16;",
         "needs sm_90 or later", "sm_86");
  expect("mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];", "gives no state");
  expect("mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1];",
         "noComplete needs a number of arrivals");
  expect("mbarrier.arrive.expect_tx.shared.b64 _, [%r1];",
         "expect_tx needs a number of bytes");
  expect("mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1;",
         "waits for mbarriers of .shared::cta");
  expect("fence.mbarrier_init.cluster;", "the fence is .release.cluster");
  EXPECT_EQ(error("mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;"
                  "cp.async.mbarrier.arrive.shared.b64 [%r1];",
                  "sm_80"),
            "");
}

} // namespace
