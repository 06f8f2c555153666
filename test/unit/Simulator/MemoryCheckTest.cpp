//===- MemoryCheckTest.cpp - Planted memory faults and their clean twins --===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

/// Each test runs a kernel with a fault and its twin without.
class MemoryChecks : public DeviceTest {
protected:
  /// Runs `body` with a, b (64 words each, initialised) and c (64 words, not
  /// initialised) in %rd1 to %rd3, and %tid.x in %r1.
  LaunchReport runBody(const std::string &body, const std::string &globals = "",
                       unsigned threads = 32, unsigned blocks = 1) {
    const Module module = parseOrDie(wrapKernel(R"(
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      ld.param.u64 %rd3, [c];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd4, %r1, 4;
    )" + body,
                                                globals));
    a = upload(std::vector<uint32_t>(64, 7));
    b = upload(std::vector<uint32_t>(64, 9));
    c = blank<uint32_t>(64);
    return run(module, "test", {blocks}, {threads},
               ArgumentBlock().add(a).add(b).add(c).add(uint32_t(0)));
  }
  uint64_t a = 0, b = 0, c = 0;
};

using Kinds = std::set<FindingKind>;

TEST_F(MemoryChecks, GlobalOutOfBounds) {
  const LaunchReport bad = runBody(R"(
    add.u64 %rd5, %rd1, %rd4;
    ld.global.u32 %r2, [%rd5+132];
  )");
  ASSERT_EQ(kinds(bad), Kinds{FindingKind::OutOfBounds});
  // Thread 31 reads word 31 + 33 of 64, the first past the end.
  EXPECT_EQ(bad.findings[0].thread.x, 31u);
  EXPECT_EQ(bad.findings[0].address, a + 256);
  EXPECT_EQ(bad.findings[0].text, "ld.global.u32 %r2, [%rd5+132]");
  EXPECT_EQ(bad.findings[0].occurrences, 1u);
  EXPECT_NE(bad.findings[0].line, 0u);
  EXPECT_TRUE(runBody(R"(
    add.u64 %rd5, %rd1, %rd4;
    ld.global.u32 %r2, [%rd5+128];
  )")
                  .clean());
}

TEST_F(MemoryChecks, AllocationsMayBeginAtAnOffset) {
  for (uint64_t offset : {1u, 4u, 12u, 255u}) {
    const uint64_t address = llvm::cantFail(device.allocate(1030, offset));
    EXPECT_EQ(address % 256, offset);
    llvm::cantFail(device.fill(address, 1, 1030));
    auto access = [&](const std::string &what) {
      const Module module = parseOrDie(
          wrapKernel("ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n" + what));
      return kinds(run(module, "test", {1}, {1},
                       ArgumentBlock().add(address).add(a).add(a).add(0)));
    };
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1];"), Kinds{});
    EXPECT_EQ(access("st.global.u8 [%rd1+1029], %r1;"), Kinds{});
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1+-1];"),
              Kinds{FindingKind::OutOfBounds});
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1+1030];"),
              Kinds{FindingKind::OutOfBounds});
    EXPECT_EQ(access("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];"),
              Kinds{FindingKind::Misaligned});
    llvm::cantFail(device.free(address));
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1];"),
              Kinds{FindingKind::UseAfterFree});
  }
}

TEST_F(MemoryChecks, AllocationsMayBePlaced) {
  // Two in one piece of 256 bytes, below where others are, one twice; also
  // where addresses are as small as offsets in shared memory.
  for (const uint64_t first :
       {0x5555'0000'0010, 0x5555'0000'0010, 0x35e7'6910L, 0x410L}) {
    const uint64_t second = first + 44;
    llvm::cantFail(device.allocateAt(second, 40));
    llvm::cantFail(device.allocateAt(first, 40));
    llvm::cantFail(device.fill(first, 1, 40));
    auto access = [&](const std::string &what) {
      const Module module = parseOrDie(
          wrapKernel("ld.param.u64 %rd1, [a]; mov.u32 %r1, 7;\n" + what));
      return kinds(run(module, "test", {1}, {1},
                       ArgumentBlock().add(first).add(a).add(a).add(0)));
    };
    EXPECT_EQ(access("ld.global.u32 %r2, [%rd1+36];"), Kinds{});
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1+40];"),
              Kinds{FindingKind::OutOfBounds});
    EXPECT_EQ(access("ld.global.u8 %r2, [%rd1+-1];"),
              Kinds{FindingKind::OutOfBounds});
    // Global memory by generic addresses too.
    EXPECT_EQ(access("st.u32 [%rd1+44], %r1; ld.u32 %r2, [%rd1+44];"), Kinds{});
    EXPECT_EQ(access("atom.global.add.u32 %r2, [%rd1+44], %r1;"), Kinds{});
    EXPECT_EQ(download<uint32_t>(second, 1), std::vector<uint32_t>{14});
    EXPECT_EQ(access("isspacep.global %p1, %rd1; @!%p1 ld.global.u32 %r2, "
                     "[0];"),
              Kinds{});
    llvm::cantFail(device.free(first));
    EXPECT_EQ(access("ld.global.u32 %r2, [%rd1];"),
              Kinds{FindingKind::OutOfBounds});
    llvm::cantFail(device.free(second));
  }
}

TEST_F(MemoryChecks, PlacesThatAreTaken) {
  auto place = [&](uint64_t address, uint64_t bytes) {
    return llvm::toString(device.allocateAt(address, bytes));
  };
  llvm::cantFail(device.allocateAt(0x5555'0000'0100, 16));
  for (uint64_t address :
       {0x5555'0000'00f1, 0x5555'0000'0100, 0x5555'0000'010f})
    EXPECT_NE(place(address, 16).find("overlap allocation 1"),
              std::string::npos);
  EXPECT_EQ(place(0x5555'0000'00f0, 16), "");
  EXPECT_EQ(place(0x5555'0000'0110, 16), "");
  // Shared memory's window, null, and beyond the end.
  for (uint64_t address : {0x100'0000'1000L, 0xff'ffff'fff8L, 0L, -8L})
    EXPECT_NE(place(address, 16).find("do not lie in global memory"),
              std::string::npos);
  EXPECT_EQ(place(0x5555'0000'0200, 0),
            "no bytes are placed at 0x555500000200");
}

/// An array whose address is an offset in shared memory, too.
TEST_F(MemoryChecks, SmallAddressesAreNoOffsets) {
  const uint64_t low = 0x410;
  llvm::cantFail(device.allocateAt(low, 40));
  auto runWith = [&](const std::string &body, unsigned blocks = 1) {
    llvm::cantFail(device.fill(low, 0, 40));
    return run(parseOrDie(wrapKernel("ld.param.u64 %rd1, [a];\n"
                                     "mov.u32 %r1, %tid.x;\n"
                                     "mov.u32 %r2, %ctaid.x;\n" +
                                         body,
                                     ".shared .align 16 .b32 words[16];")),
               "test", {blocks}, {64},
               ArgumentBlock().add(low).add(low).add(low).add(0));
  };
  auto only = [](const LaunchReport &report) {
    return report.findings.empty() ? Finding() : report.findings[0];
  };
  const std::string inShared = "st.shared.u32 [words+16], %r1;",
                    inArray = "st.global.u32 [%rd1], %r1;";
  const Finding race = only(runWith(inShared)),
                globalRace = only(runWith(inArray));
  EXPECT_EQ(race.kind, FindingKind::Race);
  EXPECT_EQ(race.address, low);
  EXPECT_FALSE(race.isGlobalRace);
  EXPECT_EQ(describe(race).find("allocation"), std::string::npos);
  EXPECT_EQ(globalRace.kind, FindingKind::Race);
  EXPECT_EQ(globalRace.address, low);
  EXPECT_TRUE(globalRace.isGlobalRace);
  EXPECT_NE(describe(globalRace).find("byte 0 of allocation 1"),
            std::string::npos);
  // Other blocks hear of what an atomic changes, and a wait for nothing says
  // where.
  const std::string wait = "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra END;\n"
                           "WAIT: ld.acquire.gpu.u32 %r3, [%rd1];\n"
                           "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nEND:\n";
  EXPECT_TRUE(runWith(wait + "@%p1 atom.release.gpu.add.u32 %r4, [%rd1], 1;", 2)
                  .clean());
  const Finding stuck = only(runWith(wait, 2));
  EXPECT_EQ(stuck.kind, FindingKind::Deadlock);
  EXPECT_NE(describe(stuck).find("for address 0x410 (byte 0 of allocation 1)"),
            std::string::npos)
      << describe(stuck);
  device.allowRaces(low);
  EXPECT_EQ(kinds(runWith(inShared)), Kinds{FindingKind::Race});
  EXPECT_TRUE(runWith(inArray).clean());
}

TEST_F(MemoryChecks, NullAndWildPointers) {
  EXPECT_EQ(kinds(runBody("ld.global.u32 %r2, [0];")),
            Kinds{FindingKind::OutOfBounds});
  EXPECT_EQ(kinds(runBody("mov.u64 %rd5, 0; ld.u32 %r2, [%rd5];")),
            Kinds{FindingKind::OutOfBounds});
  EXPECT_EQ(kinds(runBody("mov.u64 %rd5, -8; st.u32 [%rd5], 1;")),
            Kinds{FindingKind::OutOfBounds});
}

TEST_F(MemoryChecks, VectorsOf32Bytes) {
  // Aligned to 32 bytes, all of which are moved.
  EXPECT_TRUE(runBody(R"(
    mul.wide.u32 %rd5, %r1, 32;
    and.b64 %rd5, %rd5, 224;
    add.u64 %rd6, %rd1, %rd5;
    add.u64 %rd7, %rd3, %rd5;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd6];
    @%p1 add.u32 %r9, %r9, %r1;
    @%p1 st.global.v8.b32 [%rd7], {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9};
    @%p1 ld.global.v4.b64 {%rd8, %rd9, %rd10, %rd11}, [%rd7];
    @%p1 st.global.v4.b64 [%rd6], {%rd11, %rd10, %rd9, %rd8};
  )")
                  .clean());
  std::vector<uint32_t> expectedC(64, 7), expectedA(64, 7);
  for (uint32_t thread = 0; thread < 8; ++thread)
    expectedC[8 * thread + 7] = expectedA[8 * thread + 1] = 7 + thread;
  EXPECT_EQ(download<uint32_t>(c, 64), expectedC);
  EXPECT_EQ(download<uint32_t>(a, 64), expectedA);
  // A multiple of 16 is not enough, in either direction.
  for (const char *access :
       {"ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd1+16];",
        "st.global.v4.b64 [%rd1+16], {%rd8, %rd8, %rd8, %rd8};"}) {
    const LaunchReport bad = runBody(access, "", /*threads=*/1);
    EXPECT_EQ(kinds(bad), Kinds{FindingKind::Misaligned}) << access;
  }
  // The last 32 bytes end with the buffer.
  EXPECT_EQ(kinds(runBody("ld.global.v4.b64 {%rd8, %rd9, %rd10, %rd11}, "
                          "[%rd1+256];",
                          "", /*threads=*/1)),
            Kinds{FindingKind::OutOfBounds});
}

TEST_F(MemoryChecks, Misaligned) {
  EXPECT_EQ(kinds(runBody("ld.global.u32 %r2, [%rd1+2];")),
            Kinds{FindingKind::Misaligned});
  EXPECT_EQ(kinds(runBody("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+8];")),
            Kinds{FindingKind::Misaligned});
  EXPECT_TRUE(
      runBody("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+16];").clean());
}

TEST_F(MemoryChecks, LongGoneAllocationsAreForgotten) {
  const uint64_t first = llvm::cantFail(device.allocate(64));
  llvm::cantFail(device.free(first));
  auto freeAgain = [&] { return llvm::toString(device.free(first)); };
  EXPECT_NE(freeAgain().find("was freed before"), std::string::npos);
  const uint64_t kept = llvm::cantFail(device.allocate(64));
  for (unsigned i = 0; i < 1000; ++i)
    llvm::cantFail(device.free(llvm::cantFail(device.allocate(64))));
  EXPECT_NE(freeAgain().find("is not an allocation"), std::string::npos);
  llvm::cantFail(device.fill(kept, 0, 64));
}

TEST_F(MemoryChecks, UseAfterFree) {
  const Module module = parseOrDie(
      wrapKernel("ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];"));
  const uint64_t memory = upload(std::vector<uint32_t>(1, 1));
  const ArgumentBlock arguments =
      ArgumentBlock().add(memory).add(memory).add(memory).add(uint32_t(0));
  EXPECT_TRUE(run(module, "test", {1}, {1}, arguments).clean());
  llvm::cantFail(device.free(memory));
  EXPECT_EQ(kinds(run(module, "test", {1}, {1}, arguments)),
            Kinds{FindingKind::UseAfterFree});
}

TEST_F(MemoryChecks, UninitializedGlobal) {
  EXPECT_EQ(kinds(runBody("ld.global.u32 %r2, [%rd3];")),
            Kinds{FindingKind::Uninitialized});
  EXPECT_TRUE(runBody(R"(
    add.u64 %rd5, %rd3, %rd4;
    st.global.u32 [%rd5], %r1;
    ld.global.u32 %r2, [%rd5];
  )")
                  .clean());
}

constexpr char sharedWords[] = ".shared .align 16 .b8 words[256];";

TEST_F(MemoryChecks, UninitializedShared) {
  const std::string store = R"(
    cvt.u64.u32 %rd6, %r1; shl.b64 %rd6, %rd6, 2; mov.u64 %rd7, words;
    add.u64 %rd7, %rd7, %rd6;
    st.shared.u32 [%rd7], %r1;
  )";
  EXPECT_EQ(
      kinds(runBody(store + "ld.shared.u32 %r2, [%rd7+128];", sharedWords)),
      Kinds{FindingKind::Uninitialized});
  EXPECT_TRUE(
      runBody(store + "ld.shared.u32 %r2, [%rd7];", sharedWords).clean());
}

TEST_F(MemoryChecks, SharedOutOfBounds) {
  EXPECT_EQ(kinds(runBody("mov.u64 %rd5, words; st.shared.u32 [%rd5+256], 1;",
                          sharedWords)),
            Kinds{FindingKind::OutOfBounds});
  // The same address through the generic window.
  EXPECT_EQ(kinds(runBody(R"(
    mov.u64 %rd5, words; cvta.shared.u64 %rd6, %rd5; st.u32 [%rd6+256], 1;
  )",
                          sharedWords)),
            Kinds{FindingKind::OutOfBounds});
  EXPECT_TRUE(runBody(R"(
    mov.u64 %rd5, words; cvta.shared.u64 %rd6, %rd5; st.u32 [%rd6+252], 1;
    ld.shared.u32 %r2, [words+252];
  )",
                      sharedWords, 1)
                  .clean());
}

TEST_F(MemoryChecks, AddressesOf32BitsWrapAround) {
  // As an H200 has it: before the words, and as far and 64 bytes behind that.
  const std::string begin = "mov.u32 %r2, words; sub.u32 %r2, %r2, 65536;\n";
  EXPECT_TRUE(runBody(begin + "st.shared.u32 [%r2+65600], 1; "
                              "ld.shared.u32 %r3, [words+64];",
                      sharedWords, 1)
                  .clean());
  EXPECT_EQ(kinds(runBody(begin + "st.shared.u32 [%r2+60], 1;", sharedWords)),
            Kinds{FindingKind::OutOfBounds});
}

TEST_F(MemoryChecks, LocalOutOfBounds) {
  EXPECT_EQ(kinds(runBody(R"(
    .local .align 8 .b8 frame[16];
    mov.u64 %rd5, frame;
    st.local.u32 [%rd5+16], 1;
  )")),
            Kinds{FindingKind::OutOfBounds});
}

TEST_F(MemoryChecks, ConstantIsReadOnly) {
  const std::string table = ".const .align 4 .b32 table[2] = {1, 2};";
  EXPECT_EQ(
      kinds(runBody("mov.u64 %rd5, table; st.global.u32 [%rd5], 1;", table)),
      Kinds{FindingKind::ReadOnlyWrite});
  EXPECT_TRUE(runBody("ld.const.u32 %r2, [table+4];", table).clean());
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

/// Each thread writes its word and reads that of its partner, `between` them.
std::string swapWords(const std::string &between, unsigned distance) {
  return R"(
    mov.u32 %r5, words;
    shl.b32 %r2, %r1, 2;
    add.u32 %r2, %r2, %r5;
    xor.b32 %r3, %r1, )" +
         std::to_string(distance) + R"(;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r5;
    st.shared.u32 [%r2], %r1;
  )" + between +
         R"(
    ld.shared.u32 %r4, [%r3];
  )";
}

TEST_F(MemoryChecks, SharedRaceBetweenWarps) {
  options.checkUninitialized = false;
  const LaunchReport bad = runBody(swapWords("", 32), sharedWords, 64);
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_EQ(bad.findings[0].kind, FindingKind::Race);
  EXPECT_TRUE(runBody(swapWords("bar.sync 0;", 32), sharedWords, 64).clean());
}

TEST_F(MemoryChecks, SharedRaceWithinAWarp) {
  EXPECT_EQ(kinds(runBody(swapWords("", 1), sharedWords)),
            Kinds{FindingKind::Race});
  EXPECT_TRUE(
      runBody(swapWords("bar.warp.sync 0xffffffff;", 1), sharedWords).clean());
  // A barrier of the even lanes alone orders nothing for the odd ones.
  EXPECT_EQ(kinds(runBody(swapWords(R"(
    and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0;
    @%p1 bar.warp.sync 0x55555555;
  )",
                                    1),
                          sharedWords)),
            Kinds{FindingKind::Race});
  // For the even lanes among themselves it is enough.
  EXPECT_TRUE(runBody(std::string(R"(
    and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0;
    @!%p1 exit;
  )") + swapWords("bar.warp.sync 0x55555555;", 2),
                      sharedWords)
                  .clean());
}

TEST_F(MemoryChecks, WriteAfterReadRace) {
  const std::string read = swapWords("bar.sync 0;", 32);
  const std::string overwrite = "st.shared.u32 [%r2], 5;";
  EXPECT_EQ(kinds(runBody(read + overwrite, sharedWords, 64)),
            Kinds{FindingKind::Race});
  EXPECT_TRUE(
      runBody(read + "bar.sync 0;" + overwrite, sharedWords, 64).clean());
}

TEST_F(MemoryChecks, EqualWritesDoNotRace) {
  EXPECT_TRUE(runBody("st.shared.u32 [words], 3;", sharedWords, 64).clean());
  EXPECT_EQ(kinds(runBody("st.shared.u32 [words], %r1;", sharedWords)),
            Kinds{FindingKind::Race});
}

TEST_F(MemoryChecks, NamedBarriersOrderTheirThreadsOnly) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
  const std::string meet = R"(
    shr.u32 %r6, %r1, 6; add.u32 %r6, %r6, 1; bar.sync %r6, 64;
  )";
  const std::string big = ".shared .align 16 .b8 words[512];";
  EXPECT_TRUE(runBody(swapWords(meet, 32), big, 128).clean());
  options.checkUninitialized = false;
  EXPECT_EQ(kinds(runBody(swapWords(meet, 64), big, 128)),
            Kinds{FindingKind::Race});
}

TEST_F(MemoryChecks, ProducerArrivesConsumerWaits) {
  auto body = [](const std::string &producer) {
    return R"(
      setp.lt.u32 %p1, %r1, 32;
      @!%p1 bra CONSUMER;
      st.shared.u32 [words], 1;
    )" + producer +
           R"(
      bra DONE;
    CONSUMER:
      bar.sync 1, 64;
      ld.shared.u32 %r2, [words];
    DONE:
    )";
  };
  EXPECT_TRUE(runBody(body("bar.arrive 1, 64;"), sharedWords, 64).clean());
  const std::string late = "bar.arrive 1, 64; st.shared.u32 [words], 2;";
  EXPECT_EQ(kinds(runBody(body(late), sharedWords, 64)),
            Kinds{FindingKind::Race});
}

TEST_F(MemoryChecks, GlobalRaceBetweenBlocks) {
  const std::string store = R"(
    mov.u32 %r2, %ctaid.x;
    st.global.u32 [%rd1], %r2;
  )";
  EXPECT_EQ(kinds(runBody(store, "", 1, 4)), Kinds{FindingKind::Race});
  EXPECT_TRUE(runBody(R"(
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd5, %rd5, %rd1;
    st.global.u32 [%rd5], %r2;
  )",
                      "", 1, 4)
                  .clean());
  EXPECT_TRUE(runBody("red.global.add.u32 [%rd1], 1;", "", 32, 4).clean());
}

TEST_F(MemoryChecks, VectorAtomics) {
  const std::string values = ", {%f1, %f1, %f1, %f1};";
  EXPECT_TRUE(runBody("mov.b32 %f1, 0f40000000; "
                      "red.global.add.v4.f32 [%rd1+16]" +
                          values,
                      "", 32, 4)
                  .clean());
  // 7 is subnormal, and so taken for 0.
  std::vector<uint32_t> expected(64, 7);
  std::fill_n(expected.begin() + 4, 4, 0x43800000); // 2 * 128
  EXPECT_EQ(download<uint32_t>(a, 64), expected);
  // All of the 16 bytes count.
  const std::string add = "mov.b32 %f1, 0; red.global.add.v4.f32 ";
  EXPECT_EQ(kinds(runBody(add + "[%rd1+8]" + values)),
            Kinds{FindingKind::Misaligned});
  EXPECT_EQ(kinds(runBody(add + "[%rd1+256]" + values)),
            Kinds{FindingKind::OutOfBounds});
  EXPECT_EQ(
      kinds(runBody(add + "[%rd1]" + values + " ld.global.u32 %r2, [%rd1+12];",
                    "", 64)),
      Kinds{FindingKind::Race});
  EXPECT_TRUE(
      runBody(add + "[%rd1]" + values + " ld.global.u32 %r2, [%rd1+16];", "",
              64)
          .clean());
}

TEST_F(MemoryChecks, AtomicAndPlainAccessRace) {
  EXPECT_EQ(kinds(runBody(R"(
    red.global.add.u32 [%rd1], 1;
    ld.global.u32 %r2, [%rd1];
  )",
                          "", 64)),
            Kinds{FindingKind::Race});
}

TEST_F(MemoryChecks, CountersInSharedMemory) {
  const std::string count = R"(
    st.shared.u32 [words], 0;
    bar.sync 0;
    red.relaxed.cta.shared.add.u32 [words], 1;
  )";
  const std::string read = R"(
    ld.shared.u32 %r4, [words];
    add.u64 %rd6, %rd3, %rd4;
    st.global.u32 [%rd6], %r4;
  )";
  EXPECT_EQ(kinds(runBody(count + read, sharedWords, 64)),
            Kinds{FindingKind::Race});
  EXPECT_TRUE(runBody(count + "bar.sync 0;" + read, sharedWords, 64).clean());
  EXPECT_EQ(download<uint32_t>(c, 64), std::vector<uint32_t>(64, 64));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

std::string asyncCopy(const std::string &wait) {
  return R"(
    mov.u32 %r5, words;
    shl.b32 %r2, %r1, 2;
    add.u32 %r2, %r2, %r5;
    add.u64 %rd5, %rd1, %rd4;
    cp.async.ca.shared.global [%r2], [%rd5], 4;
    cp.async.commit_group;
  )" + wait +
         R"(
    ld.shared.u32 %r4, [%r2];
    add.u64 %rd6, %rd3, %rd4;
    st.global.u32 [%rd6], %r4;
  )";
}

TEST_F(MemoryChecks, MissingWaitForAsyncCopy) {
  const LaunchReport bad =
      runBody(asyncCopy("cp.async.wait_group 1;"), sharedWords);
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_EQ(bad.findings[0].kind, FindingKind::PendingCopy);
  for (const char *wait : {"cp.async.wait_group 0;", "cp.async.wait_all;"}) {
    EXPECT_TRUE(runBody(asyncCopy(wait), sharedWords).clean());
    EXPECT_EQ(download<uint32_t>(c, 32), std::vector<uint32_t>(32, 7));
  }
}

TEST_F(MemoryChecks, AsyncCopyFillsWithZeros) {
  EXPECT_TRUE(runBody(R"(
    mov.u32 %r5, words;
    mov.u32 %r6, 8;
    cp.async.cg.shared.global [%r5], [%rd1], 16, %r6;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r5];
    st.global.v4.u32 [%rd3], {%r7, %r8, %r9, %r10};
  )",
                      sharedWords, 1)
                  .clean());
  EXPECT_EQ(download<uint32_t>(c, 4), (std::vector<uint32_t>{7, 7, 0, 0}));
}

TEST_F(MemoryChecks, AsyncCopyIsCountedOnceAndApart) {
  const LaunchReport report =
      runBody(asyncCopy("cp.async.wait_all;"), sharedWords);
  const LaunchCounts &counts = report.counts;
  EXPECT_EQ(counts.sharedCopyWavefronts, 1u);
  EXPECT_EQ(counts.sharedLoadWavefronts, 1u);
  EXPECT_EQ(counts.sharedStoreWavefronts, 0u);
  EXPECT_EQ(counts.globalLoadSectors, 4u);
  ASSERT_EQ(counts.accesses.size(), 3u);
  EXPECT_EQ(counts.accesses[0].warps, 1u);
  EXPECT_EQ(counts.accesses[0].threads, 32u);
}

TEST_F(MemoryChecks, AsyncCopyOverDataInUse) {
  const std::string copy = R"(
    mov.u32 %r5, words;
    xor.b32 %r7, %r1, 32; shl.b32 %r7, %r7, 2; add.u32 %r7, %r7, %r5;
    add.u64 %rd5, %rd1, %rd4;
    cp.async.ca.shared.global [%r7], [%rd5], 4;
    cp.async.wait_all;
  )";
  const std::string use = R"(
    mov.u32 %r5, words;
    shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, %r5;
    st.shared.u32 [%r2], %r1;
    ld.shared.u32 %r4, [%r2];
  )";
  EXPECT_EQ(kinds(runBody(use + copy, sharedWords, 64)),
            Kinds{FindingKind::Race});
  EXPECT_TRUE(runBody(use + "bar.sync 0;" + copy, sharedWords, 64).clean());
}

TEST_F(MemoryChecks, OptionsTurnChecksOff) {
  options.checkRaces = options.checkUninitialized = false;
  EXPECT_TRUE(runBody(swapWords("", 1), sharedWords).clean());
  EXPECT_TRUE(runBody("ld.global.u32 %r2, [%rd3];").clean());
}

} // namespace
