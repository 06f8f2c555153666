//===- ControlCheckTest.cpp - Barriers, deadlocks and limits --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

using Kinds = std::set<FindingKind>;

class ControlChecks : public DeviceTest {
protected:
  LaunchReport runBody(const std::string &body, unsigned threads = 64,
                       unsigned blocks = 1, const std::string &globals = "") {
    const Module module = parseOrDie(wrapKernel(
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a];" + body, globals));
    a = upload(std::vector<uint32_t>(64, 0));
    return run(module, "test", {blocks}, {threads},
               ArgumentBlock().add(a).add(a).add(a).add(uint32_t(0)));
  }
  uint64_t a = 0;
};

TEST_F(ControlChecks, DivergentBarrier) {
  const LaunchReport bad = runBody(R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra OTHER;
    bar.sync 0;
    bra DONE;
  OTHER:
    bar.sync 0;
  DONE:
  )",
                                   32);
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_EQ(bad.findings[0].kind, FindingKind::DivergentBarrier);
  // Whole warps may part.
  EXPECT_TRUE(runBody(R"(
    setp.lt.u32 %p1, %r1, 32;
    @!%p1 bra OTHER;
    bar.sync 0;
    bra DONE;
  OTHER:
    bar.sync 0;
  DONE:
  )")
                  .clean());
  // And barrier.sync need not be aligned.
  EXPECT_TRUE(runBody(R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra OTHER;
    barrier.sync 0;
    bra DONE;
  OTHER:
    barrier.sync 0;
  DONE:
  )")
                  .clean());
}

TEST_F(ControlChecks, BarrierAfterEarlyExit) {
  EXPECT_TRUE(runBody(R"(
    setp.ge.u32 %p1, %r1, 40;
    @%p1 exit;
    bar.sync 0;
  )")
                  .clean());
}

TEST_F(ControlChecks, DeadlockSaysWhoWaits) {
  const LaunchReport report = runBody(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    bar.sync 2, 64;
    bra DONE;
  FIRST:
    bar.sync 1, 64;
  DONE:
  )");
  EXPECT_FALSE(report.completed);
  ASSERT_EQ(kinds(report), Kinds{FindingKind::Deadlock});
  const std::string &message = report.findings[0].message;
  EXPECT_NE(message.find("warp 0 waits at barrier 1 (32 of 64"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("warp 1 waits at barrier 2"), std::string::npos)
      << message;
}

TEST_F(ControlChecks, ShuffleThatLanesNeverReach) {
  const LaunchReport report = runBody(R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra WAIT;
    shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;
    bra DONE;
  WAIT:
    bar.sync 1, 64;
  DONE:
  )",
                                      32);
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(report.findings.back().kind, FindingKind::Deadlock);
}

TEST_F(ControlChecks, DivergentShuffleMeets) {
  EXPECT_TRUE(runBody(R"(
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EVEN;
    bar.warp.sync 0xffffffff;
    bra DONE;
  EVEN:
    bar.warp.sync 0xffffffff;
  DONE:
    shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffffffff;
    xor.b32 %r4, %r1, 1;
    setp.ne.u32 %p2, %r3, %r4;
    @%p2 trap;
  )",
                      32)
                  .clean());
}

TEST_F(ControlChecks, ShuffleFromAbsentLane) {
  EXPECT_EQ(
      kinds(runBody("shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;", 16)),
      Kinds{FindingKind::InvalidOperand});
  EXPECT_TRUE(
      runBody("shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff;", 16).clean());
}

TEST_F(ControlChecks, EndlessLoopEnds) {
  options.maximumInstructionsPerBlock = 100000;
  const LaunchReport report = runBody("LOOP: bra LOOP;");
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(kinds(report), Kinds{FindingKind::InstructionLimit});
  EXPECT_FALSE(report.interrupted);
}

TEST_F(ControlChecks, EndlessLoopIsNamed) {
  options.maximumInstructionsPerBlock = 1000;
  options.limitOption = "--limit";
  const std::string file = ".file 1 \"kernel.py\"\n";
  auto messageOf = [&](const std::string &body) {
    const LaunchReport report = runBody(body, 32, 1, file);
    EXPECT_EQ(kinds(report), Kinds{FindingKind::InstructionLimit});
    return report.findings.empty() ? "" : report.findings[0].message;
  };
  const std::string limit = "the block has executed 1000 warp instructions, "
                            "the most that --limit allows, and has not "
                            "finished";
  const std::string hint =
      " (a loop whose step is 0 never ends, nor one whose condition always "
      "holds; a wait for memory takes volatile loads or atomics)";
  EXPECT_EQ(messageOf(R"(
    .loc 1 9 1
    OUTER: mov.u32 %r2, 0;
    .loc 1 17 5
    INNER: add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 0xffffffff;
    .loc 1 18 5
    @%p1 bra INNER;
    .loc 1 9 1
    bra OUTER;
  )"),
            limit + ", in the loop of line 18, which is in that of line 9" +
                hint);
  EXPECT_EQ(messageOf("LOOP: bra LOOP;"),
            limit + ", in the loop of PTX line 13" + hint);
  // Long, and without a loop.
  std::string straight;
  for (int i = 0; i != 1200; ++i)
    straight += "add.u32 %r2, %r2, 1;\n";
  options.maximumInstructionsPerBlock = 100;
  options.seed = 1; // short turns, between which the limit is looked at
  const LaunchReport report = runBody(straight);
  ASSERT_EQ(kinds(report), Kinds{FindingKind::InstructionLimit});
  EXPECT_NE(report.findings[0].message.find("has not finished"),
            std::string::npos);
  EXPECT_EQ(report.findings[0].message.find("loop"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Interrupts
//===----------------------------------------------------------------------===//

/// Kernels that would run for good: of whatever they are busy with, the launch
/// ends when its thread says so.
TEST_F(ControlChecks, InterruptEndsTheLaunch) {
  for (const char *body :
       {"LOOP: bra LOOP;", "LOOP: bar.sync 0; bra LOOP;",
        // Lanes apart from each other.
        "setp.lt.u32 %p1, %r1, 7; @%p1 bra ODD;\nLOOP: bra LOOP;\n"
        "ODD: bra ODD;",
        // A block that stores as it polls is never taken for deadlocked.
        "LOOP: st.volatile.global.u32 [%rd1], %r1;"
        "ld.volatile.global.u32 %r3, [%rd1]; bra LOOP;"})
    for (unsigned threads : {1, 4}) {
      unsigned asked = 0;
      options.threads = threads;
      options.isInterrupted = [&] { return ++asked == 2; };
      const LaunchReport report = runBody(body, 64, 3);
      EXPECT_FALSE(report.completed);
      EXPECT_TRUE(report.interrupted);
      EXPECT_EQ(asked, 2u);
      ASSERT_EQ(kinds(report), Kinds{FindingKind::Interrupted}) << body;
      EXPECT_EQ(report.findings.size(), 1u);
      EXPECT_EQ(report.findings[0].message.find("stood here, after "), 0u);
      EXPECT_NE(report.findings[0].message.find(", in the loop of PTX line "),
                std::string::npos);
    }
}

TEST_F(ControlChecks, LaunchesThatAreNotInterruptedFinish) {
  options.isInterrupted = [] { return false; };
  const LaunchReport report = runBody("bar.sync 0;", 64, 20);
  EXPECT_TRUE(report.clean());
  EXPECT_FALSE(report.interrupted);
}

/// Blocks that never finish show signs of life, too.
TEST_F(ControlChecks, ProgressIsToldWhileBlocksRun) {
  unsigned told = 0;
  uint64_t last = 0;
  options.progress = [&](uint64_t finished, uint64_t total) {
    EXPECT_EQ(total, 2u);
    ++told;
    last = finished;
  };
  options.isInterrupted = [&] { return told >= 3; };
  EXPECT_FALSE(runBody("LOOP: bra LOOP;", 32, 2).completed);
  EXPECT_GE(told, 3u);
  EXPECT_EQ(last, 2u); // the end is told in any case
}

TEST_F(ControlChecks, Trap) {
  const LaunchReport report = runBody("setp.eq.u32 %p1, %r1, 37; @%p1 trap;");
  EXPECT_FALSE(report.completed);
  ASSERT_EQ(kinds(report), Kinds{FindingKind::Trap});
  EXPECT_EQ(report.findings[0].thread.x, 37u);
}

TEST_F(ControlChecks, AssertionOfDeviceCode) {
  const Module module = parseOrDie(R"(
.version 8.0
.target sm_90a
.address_size 64
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,
                           .param .b64 n, .param .b64 c);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};
.visible .entry test() {
  .reg .b64 %rd<3>;
  {
    .param .b64 p0; .param .b64 p1; .param .b32 r0;
    call.uni (r0), vprintf, (p0, p1);
  }
  {
    .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3;
    .param .b64 p4;
    mov.u64 %rd1, message;
    st.param.b64 [p0], %rd1;
    mov.u64 %rd2, file;
    st.param.b64 [p1], %rd2;
    st.param.b32 [p2], 17;
    call.uni __assertfail, (p0, p1, p2, p3, p4);
  }
  ret;
}
)");
  const LaunchReport report = run(module, "test", {1}, {32}, ArgumentBlock());
  EXPECT_FALSE(report.completed);
  ASSERT_EQ(kinds(report), Kinds{FindingKind::Trap});
  EXPECT_EQ(report.findings[0].message, "assertion `x > 0` failed in k.cu:17");
}

TEST_F(ControlChecks, BarrierReduction) {
  EXPECT_TRUE(runBody(R"(
    setp.lt.u32 %p1, %r1, 40;
    bar.red.popc.u32 %r2, 0, %p1;
    setp.ne.u32 %p2, %r2, 40;
    @%p2 trap;
    bar.red.and.pred %p3, 0, %p1;
    @%p3 trap;
    bar.red.or.pred %p4, 0, %p1;
    @!%p4 trap;
    bar.red.and.pred %p5, 1, 64, !%p2;
    @!%p5 trap;
  )")
                  .clean());
}

TEST_F(ControlChecks, WrongBarrierCount) {
  const LaunchReport report = runBody("bar.sync 1, 48;");
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, FindingKind::InvalidOperand);
}

TEST_F(ControlChecks, RunawayRecursion) {
  const Module module = parseOrDie(R"(
.version 8.0
.target sm_90a
.address_size 64
.func deeper() {
  .local .b8 frame[4096];
  call deeper, ();
  ret;
}
.visible .entry test() { call deeper, (); ret; }
)");
  const LaunchReport report = run(module, "test", {1}, {32}, ArgumentBlock());
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(kinds(report), Kinds{FindingKind::Trap});
}

TEST_F(ControlChecks, SourceLocation) {
  const Module module = parseOrDie(wrapKernel(R"(
    .loc 1 42 7
    ld.global.u32 %r2, [0];
  )") + ".file 1 \"folder\" \"kernel.py\"\n");
  const uint64_t p = 0;
  const LaunchReport report =
      run(module, "test", {1}, {1},
          ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0)));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].sourceFile, "folder/kernel.py");
  EXPECT_EQ(report.findings[0].sourceLine, 42u);
  EXPECT_NE(describe(report.findings[0])
                .find("test: folder/kernel.py:42: "
                      "out-of-bounds: PTX line"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Launches that cannot start
//===----------------------------------------------------------------------===//

class LaunchErrors : public DeviceTest {
protected:
  std::string errorOf(Dim3 grid, Dim3 block, uint64_t dynamicShared,
                      size_t argumentBytes, llvm::StringRef kernel = "test") {
    const std::vector<uint8_t> arguments(argumentBytes);
    auto report =
        launch(module, kernel, device, grid, block, dynamicShared, arguments);
    return report ? "" : llvm::toString(report.takeError());
  }
  const Module module = parseOrDie(wrapKernel(""));
};

TEST_F(LaunchErrors, EachHasItsMessage) {
  EXPECT_EQ(errorOf({1}, {32}, 0, 28), "");
  EXPECT_EQ(errorOf({1}, {32}, 0, 28, "nothing"),
            "the module has no kernel 'nothing'");
  EXPECT_EQ(errorOf({0}, {32}, 0, 28),
            "kernel 'test': an extent of the grid or the block is zero");
  EXPECT_EQ(errorOf({1}, {1025}, 0, 28),
            "kernel 'test': a block of 1025 threads is over the limit of 1024, "
            "64 in z");
  EXPECT_EQ(errorOf({1}, {32}, 0, 24),
            "kernel 'test': the kernel takes 28 bytes of arguments, not 24");
  EXPECT_EQ(errorOf({1}, {32}, 300000, 28),
            "kernel 'test': the block needs 300000 bytes of shared memory and "
            "the device has 232448");
}

} // namespace
