//===- WaitTest.cpp - Blocks that wait for other blocks -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

using Kinds = std::set<FindingKind>;

/// %rd1: a lock or a flag, %rd2: data, %rd3: more data, %r1: thread, %r2:
/// block, %r3: number of blocks.
class Waits : public DeviceTest {
protected:
  static std::string wrap(const std::string &body,
                          const std::string &globals = "") {
    return wrapKernel(R"(
      ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
      mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
    )" + body,
                      globals);
  }
  /// Runs with a zeroed lock and `words` zeroed words of data.
  LaunchReport runBody(const std::string &body, unsigned blocks,
                       unsigned threads = 64, unsigned words = 64) {
    lock = upload(std::vector<uint32_t>(1024));
    data = upload(std::vector<uint32_t>(words));
    more = upload(std::vector<uint32_t>(words));
    return run(parseOrDie(wrap(body)), "test", {blocks}, {threads},
               ArgumentBlock().add(lock).add(data).add(more).add(0));
  }
  void expectClean(const std::string &body, unsigned blocks,
                   unsigned threads = 64) {
    const LaunchReport report = runBody(body, blocks, threads);
    EXPECT_TRUE(report.completed);
    for (const Finding &finding : report.findings)
      ADD_FAILURE() << describe(finding);
  }
  uint32_t word(unsigned index = 0) {
    return download<uint32_t>(data, index + 1)[index];
  }
  uint64_t lock = 0, data = 0, more = 0;
};

struct LockText {
  std::string take = "atom.acquire.gpu.global.cas.b32";
  std::string give = "atom.release.gpu.global.exch.b32";
  std::string afterTake = "bar.sync 0;";
  std::string beforeGive = "bar.sync 0;";
};

/// Thread 0 takes the lock; then each thread adds 1 to its word, as the blocks
/// of layer norm's gradient do.
std::string lockedSum(const LockText &lock = {}) {
  return R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra HELD;
  TAKE:
    )" + lock.take +
         R"( %r4, [%rd1], 0, 1;
    setp.ne.u32 %p2, %r4, 0;
    @%p2 bra TAKE;
  HELD:
    )" + lock.afterTake +
         R"(
    mul.wide.u32 %rd5, %r1, 4;
    add.u64 %rd5, %rd5, %rd2;
    ld.global.u32 %r5, [%rd5];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd5], %r5;
    )" + lock.beforeGive +
         R"(
    @%p1 bra DONE;
    )" + lock.give +
         R"( %r6, [%rd1], 0;
  DONE:
  )";
}

TEST_F(Waits, Lock) {
  for (unsigned seed = 0; seed != 6; ++seed) {
    if (seed != 0)
      options.seed = seed;
    expectClean(lockedSum(), 40);
    EXPECT_EQ(word(), 40u);
    EXPECT_EQ(word(63), 40u);
  }
}

TEST_F(Waits, LockByFences) {
  LockText lock;
  lock.take = "atom.relaxed.gpu.global.cas.b32";
  lock.give = "atom.relaxed.gpu.global.exch.b32";
  lock.afterTake = "fence.acq_rel.gpu; bar.sync 0;";
  lock.beforeGive = "bar.sync 0; fence.acq_rel.gpu;";
  expectClean(lockedSum(lock), 8);
  // Each thread fences what it has written, and the barrier gathers that.
  lock.beforeGive = "membar.gl; bar.sync 0;";
  expectClean(lockedSum(lock), 8);
}

/// What the other warps do before they come to the wait, too, is no part of
/// what repeats: it costs few attempts of the first one.
TEST_F(Waits, WarpsThatComeLate) {
  const LaunchReport report = runBody(R"(
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra SET;
    mov.u32 %r4, 0;
  WORK:
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 200;
    @%p2 bra WORK;
  POLL:
    ld.acquire.gpu.global.u32 %r5, [%rd1];
    setp.eq.u32 %p3, %r5, 0;
    @%p3 bra POLL;
    bra DONE;
  SET:
    mov.u32 %r6, 1;
    st.release.gpu.global.u32 [%rd1], %r6;
  DONE:
  )",
                                      /*blocks=*/2, /*threads=*/256);
  EXPECT_TRUE(report.completed);
  EXPECT_TRUE(report.findings.empty());
  constexpr uint64_t work = uint64_t(8) * 3 * 200;
  EXPECT_LT(report.counts.warpInstructions, work + 1024);
}

/// What is left out of a lock shows as a race on what it guards.
TEST_F(Waits, WrongLocksRace) {
  for (unsigned seed = 0; seed != 3; ++seed) {
    if (seed != 0)
      options.seed = seed;
    LockText lock;
    lock.take = "atom.relaxed.gpu.global.cas.b32";
    EXPECT_EQ(kinds(runBody(lockedSum(lock), 4)), Kinds{FindingKind::Race});
    lock = {};
    lock.give = "atom.relaxed.gpu.global.exch.b32";
    EXPECT_EQ(kinds(runBody(lockedSum(lock), 4)), Kinds{FindingKind::Race});
    lock = {};
    lock.beforeGive = "";
    EXPECT_EQ(kinds(runBody(lockedSum(lock), 4)), Kinds{FindingKind::Race});
    lock = {};
    lock.afterTake = "";
    EXPECT_EQ(kinds(runBody(lockedSum(lock), 4)), Kinds{FindingKind::Race});
    lock = {};
    lock.take = "atom.acquire.cta.global.cas.b32";
    EXPECT_EQ(kinds(runBody(lockedSum(lock), 4)), Kinds{FindingKind::Race});
  }
  // Of one warp, too: lane 0 gives back what other lanes have written.
  LockText lock;
  lock.beforeGive = "";
  EXPECT_EQ(kinds(runBody(lockedSum(lock), 4, 32)), Kinds{FindingKind::Race});
  lock.beforeGive = "bar.warp.sync 0xffffffff;";
  expectClean(lockedSum(lock), 4, 32);
}

/// Two locks do not order what the other one guards.
TEST_F(Waits, AnotherLockGuardsNothing) {
  const std::string other = "add.u64 %rd1, %rd1, 64;\n";
  const std::string ownLock = R"(
    mul.wide.u32 %rd6, %r2, 64; add.u64 %rd1, %rd1, %rd6;
  )";
  EXPECT_EQ(kinds(runBody(ownLock + lockedSum(), 4)), Kinds{FindingKind::Race});
  expectClean(other + lockedSum(), 4);
}

/// A scalar that thread 0 reads and hands to the others by shared memory: each
/// attempt stores something, and is a wait all the same.
TEST_F(Waits, LockByAllThreads) {
  const std::string body = R"(
    setp.ne.u32 %p1, %r1, 0;
  TAKE:
    @%p1 bra MEET;
    atom.acq_rel.gpu.global.cas.b32 %r4, [%rd1], 0, 1;
    st.shared.u32 [seen], %r4;
  MEET:
    bar.sync 0;
    ld.shared.u32 %r5, [seen];
    bar.sync 0;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 bra TAKE;
    ld.global.u32 %r6, [%rd2];
    bar.sync 0;
    add.u32 %r6, %r6, 1;
    st.global.u32 [%rd2], %r6;
    bar.sync 0;
    @!%p1 atom.acq_rel.gpu.global.exch.b32 %r7, [%rd1], 0;
  )";
  for (unsigned seed = 0; seed != 4; ++seed) {
    if (seed != 0)
      options.seed = seed;
    lock = upload(std::vector<uint32_t>(1));
    data = upload(std::vector<uint32_t>(1));
    runClean(parseOrDie(wrap(body, ".shared .u32 seen;")), "test", {20}, {128},
             ArgumentBlock().add(lock).add(data).add(data).add(0));
    EXPECT_EQ(word(), 20u);
  }
}

/// Blocks write one after the other: turns of split-K, here from the last one
/// to the first, so that all but one wait.
std::string turns(const std::string &wait, const std::string &pass) {
  return R"(
    sub.u32 %r8, %r3, %r2;
    sub.u32 %r8, %r8, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra MINE;
  WAIT:
    )" + wait +
         R"(
    setp.ne.u32 %p2, %r4, %r8;
    @%p2 bra WAIT;
  MINE:
    bar.sync 0;
    mul.wide.u32 %rd5, %r1, 4;
    add.u64 %rd5, %rd5, %rd2;
    ld.global.u32 %r5, [%rd5];
    mad.lo.u32 %r5, %r5, 3, %r2;
    st.global.u32 [%rd5], %r5;
    bar.sync 0;
    add.u32 %r8, %r8, 1;
    )" + pass;
}

TEST_F(Waits, Turns) {
  uint32_t expected = 0;
  for (uint32_t block = 30; block != 0; --block)
    expected = expected * 3 + block - 1;
  const std::string pass = "@!%p1 st.release.gpu.global.u32 [%rd1], %r8;";
  for (const char *wait :
       {"ld.acquire.gpu.global.u32 %r4, [%rd1];",
        "ld.volatile.global.u32 %r4, [%rd1]; fence.acq_rel.gpu;",
        "nanosleep.u32 100; ld.acquire.sys.u32 %r4, [%rd1];",
        "ld.relaxed.gpu.global.u32 %r4, [%rd1]; membar.gl;",
        "atom.acquire.gpu.global.cas.b32 %r4, [%rd1], 0, 0;",
        "atom.acq_rel.gpu.global.or.b32 %r4, [%rd1], 0;"}) {
    expectClean(turns(wait, pass), 30);
    EXPECT_EQ(word(5), expected) << wait;
  }
  expectClean(turns("ld.acquire.gpu.global.u32 %r4, [%rd1];",
                    "@%p1 bra OUT; membar.gl; st.volatile.global.u32 [%rd1], "
                    "%r8; OUT:"),
              30);
  expectClean(turns("ld.acquire.gpu.global.u32 %r4, [%rd1];",
                    "@!%p1 red.release.gpu.global.add.u32 [%rd1], 1;"),
              30);
  // It ends without an acquire, too, and what it guards is not ordered.
  EXPECT_EQ(
      kinds(runBody(turns("ld.volatile.global.u32 %r4, [%rd1];", pass), 9)),
      Kinds{FindingKind::Race});
}

/// A barrier of all blocks, twice.
const std::string gridBarriers = R"(
    setp.ne.u32 %p1, %r1, 0;
    mov.u32 %r9, %r3;
  AGAIN:
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd5, %rd5, %rd2;
    @!%p1 st.global.u32 [%rd5], %r9;
    bar.sync 0;
    @%p1 bra MET;
    atom.release.gpu.global.add.u32 %r4, [%rd1], 1;
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd1];
    setp.lt.u32 %p2, %r4, %r9;
    @%p2 bra WAIT;
  MET:
    bar.sync 0;
    add.u32 %r5, %r2, 1;
    rem.u32 %r5, %r5, %r3;
    mul.wide.u32 %rd6, %r5, 4;
    add.u64 %rd6, %rd6, %rd2;
    ld.global.u32 %r6, [%rd6];
    setp.ne.u32 %p3, %r6, %r9;
    @%p3 trap;
    add.u32 %r9, %r9, %r3;
    mul.lo.u32 %r7, %r3, 2;
    setp.le.u32 %p3, %r9, %r7;
)";

TEST_F(Waits, GridBarrier) {
  for (unsigned seed = 0; seed != 4; ++seed) {
    if (seed != 0)
      options.seed = seed;
    expectClean(gridBarriers, 50);
  }
}

/// Each block adds the sum of those before it, which it looks for one by one:
/// flags 1 (own sum there) and 2 (all sums up to here there).
const std::string lookBack = R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd6, %rd5, %rd2;
    add.u64 %rd7, %rd5, %rd3;
    add.u64 %rd8, %rd5, %rd1;
    add.u32 %r5, %r2, 1;
    st.global.u32 [%rd6], %r5;
    st.release.gpu.global.u32 [%rd8], 1;
    mov.u64 %rd9, 0;
  LOOK:
    setp.eq.u64 %p2, %rd9, %rd5;
    @%p2 bra SUM;
    add.u64 %rd9, %rd9, 4;
    sub.u64 %rd10, %rd8, %rd9;
  WAIT:
    ld.acquire.gpu.global.u32 %r6, [%rd10];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra WAIT;
    setp.eq.u32 %p3, %r6, 2;
    sub.u64 %rd11, %rd6, %rd9;
    @%p3 sub.u64 %rd11, %rd7, %rd9;
    ld.global.u32 %r7, [%rd11];
    add.u32 %r5, %r5, %r7;
    @!%p3 bra LOOK;
  SUM:
    st.global.u32 [%rd7], %r5;
    st.release.gpu.global.u32 [%rd8], 2;
  DONE:
)";

TEST_F(Waits, DecoupledLookBack) {
  for (unsigned seed = 0; seed != 6; ++seed) {
    if (seed != 0)
      options.seed = seed;
    expectClean(lookBack, 60);
    EXPECT_EQ(download<uint32_t>(more, 60)[59], 60u * 61 / 2);
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Which block comes when: each takes a ticket.
const std::string tickets = R"(
    atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd5, %rd5, %rd2;
    st.global.u32 [%rd5], %r4;
)";

TEST_F(Waits, OrderIsTheSameForASeed) {
  auto order = [&](std::optional<uint64_t> seed) {
    options.seed = seed;
    runBody(tickets, 40, 1);
    return download<uint32_t>(data, 40);
  };
  std::vector<uint32_t> inOrder(40);
  for (uint32_t block = 0; block != 40; ++block)
    inOrder[block] = block;
  EXPECT_EQ(order(std::nullopt), inOrder);
  const auto first = order(7);
  EXPECT_NE(first, inOrder);
  EXPECT_EQ(first, order(7));
  EXPECT_NE(first, order(8));
}

/// Sums of floats depend on their order.
TEST_F(Waits, SumsOfFloatsAreTheSameEachTime) {
  const std::string sum = R"(
    cvt.rn.f32.u32 %f1, %r2;
    rcp.rn.f32 %f2, %f1;
    red.global.add.f32 [%rd2], %f2;
  )";
  runBody("add.u32 %r2, %r2, 3;" + sum, 64, 32);
  const uint32_t first = word();
  for (int repeat = 0; repeat != 5; ++repeat) {
    runBody("add.u32 %r2, %r2, 3;" + sum, 64, 32);
    EXPECT_EQ(word(), first);
  }
}

//===----------------------------------------------------------------------===//
// Waits without an end
//===----------------------------------------------------------------------===//

const std::string waitForFlag = R"(
    .loc 1 12 4
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd1];
    setp.ne.u32 %p2, %r4, 5;
    @%p2 bra WAIT;
)";

TEST_F(Waits, DeadlockSaysWhatIsWaitedFor) {
  for (unsigned seed = 0; seed != 3; ++seed) {
    if (seed != 0)
      options.seed = seed;
    const LaunchReport report = runBody(R"(
      setp.eq.u32 %p1, %r2, 1;
      @%p1 st.relaxed.gpu.global.u32 [%rd1], 3;
    )" + waitForFlag,
                                        12, 32);
    EXPECT_FALSE(report.completed);
    ASSERT_EQ(kinds(report), Kinds{FindingKind::Deadlock});
    const std::string text = describe(report.findings[0]);
    EXPECT_EQ(report.findings[0].address, lock);
    for (const char *part :
         {"all 12 blocks that are left wait for memory to change",
          "; block 1,0,0 waits at PTX line ", "(byte 0 of allocation ",
          "where it read 0x3, which block 1,0,0 wrote last, at PTX line ",
          "`@%p1 st.relaxed.gpu.global.u32 [%rd1], 3`", "; and 8 more"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

/// A lock that one block never gives back.
TEST_F(Waits, LockThatIsNotGivenBack) {
  LockText lock;
  lock.give = "@%p1 atom.release.gpu.global.exch.b32";
  const LaunchReport report = runBody(lockedSum(lock), 3);
  ASSERT_EQ(kinds(report), Kinds{FindingKind::Deadlock});
  const std::string text = describe(report.findings[0]);
  EXPECT_NE(text.find("which block 0,0,0 wrote last"), std::string::npos)
      << text;
  EXPECT_NE(text.find("all 2 blocks"), std::string::npos) << text;
}

/// It counts its attempts and gives up: no deadlock, however long it takes.
TEST_F(Waits, WaitThatGivesUp) {
  const std::string body = R"(
    mov.u32 %r9, 0;
  WAIT:
    add.u32 %r9, %r9, 1;
    ld.relaxed.gpu.global.u32 %r4, [%rd1];
    setp.eq.u32 %p2, %r4, 5;
    setp.eq.or.u32 %p2, %r9, 100000, %p2;
    @!%p2 bra WAIT;
  )";
  expectClean(body, 3, 1);
}

/// The same by the clock, which goes on while a thread sleeps.
TEST_F(Waits, WaitByTheClock) {
  expectClean(R"(
    mov.u64 %rd5, %globaltimer;
  WAIT:
    nanosleep.u32 1000;
    ld.volatile.global.u32 %r4, [%rd1];
    mov.u64 %rd6, %globaltimer;
    sub.u64 %rd6, %rd6, %rd5;
    setp.lt.u64 %p2, %rd6, 10000000;
    @%p2 bra WAIT;
  )",
              3, 32);
}

TEST_F(Waits, CountedWaitEndsAtTheLimit) {
  options.maximumInstructionsPerBlock = 1 << 18;
  options.limitOption = "--limit";
  for (unsigned blocks : {1, 50}) {
    const LaunchReport report = runBody(R"(
          mov.u32 %r9, 0;
        WAIT:
          add.u32 %r9, %r9, 1;
          ld.relaxed.gpu.global.u32 %r4, [%rd1];
          setp.ne.u32 %p2, %r4, 5;
          @%p2 bra WAIT;
        )",
                                        blocks, 1);
    EXPECT_FALSE(report.completed);
    ASSERT_EQ(kinds(report), Kinds{FindingKind::InstructionLimit});
    const std::string text = describe(report.findings[0]);
    for (const char *part :
         {"--limit allows", " waits at PTX line ", " for address 0x",
          "where it read 0x0, and no block has written it",
          blocks == 1 ? "in the loop of PTX line " : "none has changed any"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

//===----------------------------------------------------------------------===//
// Blocks that a device does not keep resident
//===----------------------------------------------------------------------===//

/// Each waits for the next one.
const std::string waitForNext = R"(
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd6, %rd5, %rd1;
    st.release.gpu.global.u32 [%rd6], 1;
    add.u32 %r5, %r2, 1;
    setp.ge.u32 %p1, %r5, %r3;
    @%p1 bra DONE;
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd6+4];
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra WAIT;
  DONE:
)";

TEST_F(Waits, WaitForABlockThatIsNotResident) {
  GpuLimits limits;
  limits.multiprocessors = 4;
  limits.blocksPerMultiprocessor = 2;
  device = Gpu(limits);
  // One after the other, or all within what is resident: no matter.
  expectClean(waitForNext, 100, 32);
  expectClean(gridBarriers, 8);
  expectClean(lookBack, 60);
  for (unsigned seed = 0; seed != 3; ++seed) {
    if (seed != 0)
      options.seed = seed;
    const LaunchReport report = runBody(gridBarriers, 9);
    EXPECT_TRUE(report.completed);
    ASSERT_EQ(kinds(report), Kinds{FindingKind::NotResident});
    const std::string text = describe(report.findings[0]);
    EXPECT_NE(text.find("not-resident: "), std::string::npos);
    EXPECT_NE(text.find("than the 8 that a device keeps resident"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("before block 8,0,0 could write this"),
              std::string::npos)
        << text;
  }
}

TEST_F(Waits, ResidentBlocksByTheirResources) {
  GpuLimits limits;
  limits.multiprocessors = 1;
  device = Gpu(limits);
  auto most = [&](unsigned threads) {
    unsigned blocks = 1;
    while (runBody(gridBarriers, blocks + 1, threads).clean())
      ++blocks;
    return blocks;
  };
  EXPECT_EQ(most(512), 4u); // 2048 threads
  EXPECT_EQ(most(32), 32u); // 32 blocks
  options.residentBlocksPerMultiprocessor = 3;
  EXPECT_EQ(most(32), 3u);
}

//===----------------------------------------------------------------------===//
// Threads of one block
//===----------------------------------------------------------------------===//

/// Warp 1 writes, warp 0 waits for its flag in shared memory.
std::string flagInShared(const std::string &give, const std::string &wait) {
  return R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra READER;
    st.shared.u32 [words], 7;
    )" + give +
         R"(
    bra DONE;
  READER:
    )" + wait +
         R"(
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra READER;
    ld.shared.u32 %r5, [words];
  DONE:
  )";
}

TEST_F(Waits, FlagInSharedMemory) {
  const std::string shared = ".shared .align 16 .b8 words[64];";
  auto launchText = [&](const std::string &give, const std::string &wait) {
    const std::string clear = R"(
      setp.eq.u32 %p4, %r1, 0;
      @%p4 st.shared.u32 [words+16], 0;
      bar.sync 0;
    )";
    lock = upload(std::vector<uint32_t>(4));
    return run(parseOrDie(wrap(clear + flagInShared(give, wait), shared)),
               "test", {2}, {64},
               ArgumentBlock().add(lock).add(lock).add(lock).add(0));
  };
  const std::string give = "st.release.cta.shared.u32 [words+16], 1;",
                    wait = "ld.acquire.cta.shared.u32 %r4, [words+16];";
  EXPECT_TRUE(launchText(give, wait).clean());
  EXPECT_TRUE(launchText("membar.cta; st.volatile.shared.u32 [words+16], 1;",
                         "ld.volatile.shared.u32 %r4, [words+16]; membar.cta;")
                  .clean());
  EXPECT_EQ(kinds(launchText("st.volatile.shared.u32 [words+16], 1;", wait)),
            Kinds{FindingKind::Race});
  EXPECT_EQ(kinds(launchText(give, "ld.volatile.shared.u32 %r4, [words+16];")),
            Kinds{FindingKind::Race});
  const LaunchReport stuck = launchText("", wait);
  EXPECT_FALSE(stuck.completed);
  ASSERT_EQ(kinds(stuck), Kinds{FindingKind::Deadlock});
  const std::string text = describe(stuck.findings[0]);
  EXPECT_NE(text.find("for shared offset 16, where it read 0x0"),
            std::string::npos)
      << text;
}

} // namespace
