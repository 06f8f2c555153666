//===- WarpgroupCheckTest.cpp - Faults around wgmma -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault stands beside a program that is right.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupTest.h"

using namespace tilewright::sim;

namespace {

using Kinds = std::set<FindingKind>;

/// A of 64 x 64 and B of 16 x 64 elements of f16, K-major with 128B, one after
/// the other.
constexpr int64_t bytesA = 8192, tileBytes = bytesA + 2048;
const CanonicalLayout layout = {3, false, 2, 16, 1024};

/// "wgmma.mma_async" of the first 16 of K, and its variants.
std::string multiply(const std::string &a = "%rd1",
                     const std::string &shape = "m64n8k16.f32",
                     int registers = 4, const std::string &constants = "0, 0") {
  return "wgmma.mma_async.sync.aligned." + shape + ".f16.f16 " +
         registerList("%acc", 0, registers) + ", " + a + ", %rd2, 1, 1, 1, " +
         constants + ";\n";
}
const std::string product = multiply();
const std::string productOfRegisters =
    multiply("{%a0, %a1, %a2, %a3}", "m64n8k16.f32", 4, "0");
const std::string fence = "wgmma.fence.sync.aligned;\n";
const std::string commit = "wgmma.commit_group.sync.aligned;\n";
const std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
const std::string proxyFence = "fence.proxy.async.shared::cta;\n";
const std::string barrier = "bar.sync 0;\n";
const std::string storeSum = "st.global.b32 [%rd52], %acc0;\n";

class WarpgroupChecks : public DeviceTest {
protected:
  /// Runs `text` after the descriptors are in %rd1 and %rd2, the registers
  /// %acc0 to 15 and %a0 to 3 are zero, and %rd52 is where a thread may write
  /// 4 bytes. With `fills`, the tile is ready for use.
  LaunchReport launchText(const std::string &text, bool fills = true,
                          unsigned threads = 128) {
    std::string body = productDeclarations(tileBytes);
    for (int i = 0; i != 16; ++i)
      body += "mov.b32 %acc" + std::to_string(i) + ", 0;\n";
    for (int i = 0; i != 4; ++i)
      body += "mov.b32 %a" + std::to_string(i) + ", 0;\n";
    body += descriptorText(1, layout.fields(), 0) +
            descriptorText(2, layout.fields(), bytesA) +
            (fills ? fillText(tileBytes) : "") + ownWordsText("c", 1) +
            "mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 4; "
            "add.u32 %r3, %r3, %r2;\n";
    image.assign(tileBytes / 2, 0x3c00); // 1.0
    out = upload(std::vector<uint32_t>(threads, 0));
    return run(
        parseOrDie(wrapKernel(body + text, ".file 1 \"kernel.py\"")), "test",
        {1}, {threads},
        ArgumentBlock().add(upload(image)).add(out).add(out).add(uint32_t(0)));
  }
  /// Expects these kinds of findings, and no others.
  void expect(const Kinds &expected, const std::string &text, bool fills = true,
              unsigned threads = 128) {
    const LaunchReport report = launchText(text, fills, threads);
    EXPECT_EQ(kinds(report), expected) << text;
    for (const Finding &finding : report.findings) {
      EXPECT_NE(finding.line, 0u);
      if (!expected.count(finding.kind))
        ADD_FAILURE() << describe(finding);
    }
  }
  void expectClean(const std::string &text, bool fills = true,
                   unsigned threads = 128) {
    for (int seed = 0; seed != 3; ++seed) {
      expect({}, text, fills, threads);
      options.seed = seed;
    }
    options.seed.reset();
  }

  std::vector<uint16_t> image;
  uint64_t out = 0;
};

const Kinds pendingProduct = {FindingKind::PendingProduct};
const Kinds missingFence = {FindingKind::MissingFence};
const Kinds race = {FindingKind::Race};
const Kinds invalid = {FindingKind::InvalidOperand};

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST_F(WarpgroupChecks, AccumulatorBeforeTheWait) {
  expectClean(fence + product + commit + wait + storeSum);
  EXPECT_EQ(download<float>(out, 1)[0], 16);
  expect(pendingProduct, fence + product + commit + storeSum + wait);
  // Whichever warp goes on first sees that the product is not there yet.
  EXPECT_TRUE(llvm::is_contained(download<float>(out, 128), 0));
  expect(pendingProduct,
         fence + product + commit + "mov.b32 %acc1, 0;\n" + wait);
  expectClean(fence + product + commit + "mov.b32 %acc4, 0;\n" + wait);
  // In no group, or in one that the wait does not cover.
  expect(pendingProduct, fence + product + wait + storeSum);
  expect(pendingProduct, fence + product + commit +
                             "wgmma.wait_group.sync.aligned 1;\n" + storeSum);
  expectClean(fence + product + commit + commit +
              "wgmma.wait_group.sync.aligned 1;\n" + storeSum);
}

TEST_F(WarpgroupChecks, InputBeforeTheWait) {
  expectClean(fence + productOfRegisters + commit + wait + "mov.b32 %a2, 1;\n");
  expect(pendingProduct,
         fence + productOfRegisters + commit + "mov.b32 %a2, 1;\n" + wait);
  expect(pendingProduct,
         fence + productOfRegisters + commit + "mov.b32 %r9, %a2;\n" + wait);
  // Two products may read A, and D is not A.
  expectClean(fence + productOfRegisters + productOfRegisters + commit + wait);
  expect(pendingProduct,
         fence + product +
             multiply("{%acc0, %acc1, %acc2, %acc3}", "m64n16k16.f16", 4, "0") +
             commit + wait);
}

TEST_F(WarpgroupChecks, RegistersBeforeTheProduct) {
  expect(missingFence, product + commit + wait);
  expect(missingFence, fence + "mov.b32 %acc3, 0;\n" + product + commit + wait);
  expect(missingFence, fence + storeSum + product + commit + wait);
  expect(missingFence,
         fence + "mov.b32 %a1, 0;\n" + productOfRegisters + commit + wait);
  expectClean(fence + "mov.b32 %r9, %a1;\n" + productOfRegisters + commit +
              wait);
  expectClean(fence + "mov.b32 %a1, 0;\n" + product + commit + wait);
  // After a wait, an access needs a new fence.
  const std::string first = fence + product + commit + wait;
  expectClean(first + product + commit + wait);
  expect(missingFence, first + storeSum + product + commit + wait);
  expectClean(first + storeSum + fence + product + commit + wait);
}

TEST_F(WarpgroupChecks, ShapesOfOneAccumulator) {
  const std::string wide = multiply("%rd1", "m64n16k16.f16");
  expectClean(fence + product + product + commit + wait);
  expect(pendingProduct, fence + product + wide + commit + wait);
  expect(pendingProduct, fence + product + fence + wide + commit + wait);
  expect(missingFence, fence + product + commit + wait + wide + commit + wait);
  expectClean(fence + product + commit + wait + fence + wide + commit + wait);
}

/// A kernel in a loop, whose registers are used in every round.
TEST_F(WarpgroupChecks, Loops) {
  auto loop = [](const std::string &body) {
    return "mov.u32 %r9, 0;\nLOOP:\n" + body +
           "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 3; @%p3 bra LOOP;\n";
  };
  expectClean(loop(fence + product + commit + wait + storeSum));
  expectClean(loop(fence + product + commit +
                   "wgmma.wait_group.sync.aligned 1;"
                   "\n") +
              wait + storeSum);
  EXPECT_EQ(download<float>(out, 1)[0], 48);
  expect(missingFence, fence + loop(product + commit + wait + storeSum));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// A write of 16 bytes by each thread, to A.
const std::string write = "st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};\n";
const std::string finish = fence + product + commit + wait;

TEST_F(WarpgroupChecks, ProxyFence) {
  expectClean(write + proxyFence + barrier + finish);
  expectClean(write + "fence.proxy.async;\n" + barrier + finish);
  expect(missingFence, write + barrier + finish);
  expect(missingFence,
         write + "fence.proxy.async.global;\n" + barrier + finish);
  expect(missingFence, write + "fence.proxy.alias;\n" + barrier + finish);
  expect(missingFence, proxyFence + write + barrier + finish);
  // It is for each thread's own writes: not for those of others.
  const std::string half = "setp.lt.u32 %p3, %r1, 64;\n";
  expect(missingFence, half + "@%p3 " + write + barrier + "@!%p3 " +
                           proxyFence + barrier + finish);
  expectClean(half + "@%p3 " + write + "@%p3 " + proxyFence + barrier + finish);
  expect(missingFence, write + "setp.lt.u32 %p3, %r1, 64;\n@%p3 " + proxyFence +
                           barrier + finish);
  // Reads need none.
  expectClean("ld.shared.b32 %r9, [%r3];\n" + barrier + finish);
}

TEST_F(WarpgroupChecks, WritesBeforeTheProduct) {
  expect(race, write + proxyFence + finish);
  expect(race, write + proxyFence + "bar.warp.sync 0xffffffff;\n" + finish);
}

TEST_F(WarpgroupChecks, WritesBeforeTheWait) {
  const std::string begin = fence + product + commit;
  expectClean(begin + wait + barrier + write);
  expect(race, begin + write + wait);
  // A barrier before the wait orders nothing, and neither does a wait alone.
  expect(race, begin + barrier + write + wait);
  // The last 128 threads overwrite A.
  auto byOthers = [&](const std::string &products, const std::string &writes) {
    return "setp.ge.u32 %p3, %r1, 128;\n@%p3 bra OTHERS;\n" + products +
           "bra END;\nOTHERS:\n" + writes + "END:\n";
  };
  const std::string late = "sub.u32 %r3, %r3, 2048;\n" + write;
  expectClean(byOthers(begin + wait + "bar.arrive 1, 256;\n",
                       "bar.sync 1, 256;\n" + late),
              true, 256);
  expect(race,
         byOthers(begin + "bar.arrive 1, 256;\n" + wait,
                  "bar.sync 1, 256;\n" + late),
         true, 256);
  expect(race, byOthers(begin + wait, late), true, 256);
  // Bytes that the product does not read: the next 16 of K.
  const std::string besides = "and.b32 %r9, %r1, 7; shl.b32 %r9, %r9, 7; "
                              "add.u32 %r3, %r2, %r9; xor.b32 "
                              "%r9, %r9, 512; bfe.u32 %r9, %r9, 7, 3; shl.b32 "
                              "%r9, %r9, 4; add.u32 %r3, "
                              "%r3, %r9; setp.lt.u32 %p4, %r1, 8;\n@%p4 " +
                              write;
  expectClean(begin + besides + wait);
}

/// One thread of the warpgroup tells a writer, by an mbarrier, that the product
/// is complete: its wait speaks for the four warps.
TEST_F(WarpgroupChecks, OneArrivalForTheWarpgroup) {
  auto text = [](const std::string &first, const std::string &second) {
    return ".shared .align 8 .b64 done;\nmov.u32 %r20, done;\n"
           "setp.eq.u32 %p4, %r1, 0;\n@%p4 mbarrier.init.shared.b64 [%r20], 1;"
           "\nbar.sync 0;\nsetp.ge.u32 %p3, %r1, 128;\n@%p3 bra OTHERS;\n" +
           first + "@%p4 mbarrier.arrive.shared.b64 %rd9, [%r20];\n" + second +
           "bra END;\nOTHERS:\n"
           "TRY: mbarrier.try_wait.parity.shared.b64 %p5, [%r20], 0;\n"
           "@!%p5 bra TRY;\nsub.u32 %r3, %r3, 2048;\n" +
           write + "END:\n";
  };
  expectClean(text(fence + product + commit + wait, ""), true, 256);
  expect(race, text(fence + product + commit, wait), true, 256);
}

TEST_F(WarpgroupChecks, AsynchronousCopies) {
  const std::string copy = "ld.param.u64 %rd5, [a];\n"
                           "cp.async.cg.shared.global [%r3], [%rd5], 16;\n"
                           "cp.async.commit_group;\n";
  const std::string land = "cp.async.wait_group 0;\n";
  expectClean(copy + land + proxyFence + barrier + finish);
  expect(missingFence, copy + land + barrier + finish);
  expect(missingFence, copy + proxyFence + land + barrier + finish);
  EXPECT_TRUE(kinds(launchText(copy + proxyFence + barrier + finish + land))
                  .count(FindingKind::PendingCopy));
  expect(race, fence + product + commit + copy + wait + land);
}

TEST_F(WarpgroupChecks, Uninitialized) {
  expect({FindingKind::Uninitialized}, finish, /*fills=*/false);
}

//===----------------------------------------------------------------------===//
// Descriptors and warpgroups
//===----------------------------------------------------------------------===//

TEST_F(WarpgroupChecks, Descriptors) {
  auto with = [](const std::string &change) { return change + finish; };
  expectClean(with("add.u64 %rd1, %rd1, 2;\n")); // 32 bytes along K
  for (int bit : {14, 15, 30, 31, 46, 48, 52, 61})
    expect(invalid, with("or.b64 %rd1, %rd1, " +
                         std::to_string(int64_t(1) << bit) + ";\n"));
  // A product of 32 bytes along K does not fit behind byte 112 of 128.
  expect(invalid, with("add.u64 %rd2, %rd2, 7;\n"));
  // No swizzle, and a base offset.
  const std::string none = "and.b64 %rd1, %rd1, 0x3fffffffffffffff;\n";
  expectClean(with(none));
  expect(invalid, with(none + "or.b64 %rd1, %rd1, 0x2000000000000;\n"));
  // Groups of rows so far apart that they leave shared memory.
  expect({FindingKind::OutOfBounds},
         with("or.b64 %rd1, %rd1, 0x100000000000;\n"));
  expect(invalid,
         with("setp.lt.u32 %p3, %r1, 32;\n@%p3 add.u64 %rd1, %rd1, 2;\n"));
  expect(invalid,
         with("setp.lt.u32 %p3, %r1, 3;\n@%p3 add.u64 %rd1, %rd1, 2;\n"));
}

TEST_F(WarpgroupChecks, Warpgroups) {
  expectClean(finish, true, 256);
  expect(invalid, finish, true, 96);
  expect(invalid, finish, true, 120);
  // One warp leaves before the product, or executes another one.
  const std::string first = "setp.lt.u32 %p3, %r1, 32;\n";
  expect({FindingKind::Deadlock, FindingKind::InvalidOperand},
         first + fence + "@!%p3 " + product);
  expect({FindingKind::DivergentBarrier},
         first + fence + "@!%p3 bra OTHER;\n" + product + "bra END;\nOTHER:\n" +
             product + "END:\n" + commit + wait);
  // Part of a warp.
  EXPECT_TRUE(kinds(launchText("setp.lt.u32 %p3, %r1, 3;\n" + fence + "@%p3 " +
                               product))
                  .count(FindingKind::InvalidOperand));
  // scale-d of the warps differs.
  const std::string scaled = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"
                             " {%acc0, %acc1, %acc2, %acc3}, %rd1, %rd2, %p3, "
                             "1, 1, 0, 0;\n";
  expect(invalid, first + fence + scaled + commit + wait);
}

TEST_F(WarpgroupChecks, Refused) {
  auto messageOf = [](std::string text) {
    llvm::Expected<Module> module = Module::parse(std::move(text));
    return module ? std::string() : llvm::toString(module.takeError());
  };
  auto refused = [&](const std::string &shape, int registers,
                     const std::string &constants, const std::string &a) {
    return messageOf(wrapKernel(productDeclarations(16) +
                                "wgmma.mma_async.sync.aligned." + shape + " " +
                                registerList("%acc", 0, registers) + ", " + a +
                                ", %rd2, %p1" + constants + ";"));
  };
  auto expectMessage = [&](const std::string &message,
                           const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const std::string rd1 = "%rd1";
  EXPECT_EQ(refused("m64n8k16.f32.f16.f16", 4, ", 1, 1, 0, 1", rd1), "");
  const char *combination = "combination of shape and types";
  for (const char *shape :
       {"m64n12k16.f32.f16.f16", "m64n264k16.f32.f16.f16",
        "m64n8k8.f32.f16.f16", "m64n8k16.f16.bf16.bf16",
        "m64n8k16.f32.f16.bf16", "m64n8k8.f16.tf32.tf32", "m64n40k32.s32.s8.s8",
        "m64n8k32.f32.s8.s8", "m64n8k32.s32.e4m3.e4m3",
        "m64n8k16.f32.f16.f16.satfinite", "m64n8k4.f32.f64.f64"})
    expectMessage(refused(shape, 4, ", 1, 1, 0, 0", rd1), combination);
  expectMessage(refused("m32n8k16.f32.f16.f16", 4, ", 1, 1, 0, 0", rd1),
                "shape");
  expectMessage(refused("m64n8k16.f32.f16.f16", 2, ", 1, 1, 0, 0", rd1),
                "needs 4 registers");
  expectMessage(refused("m64n8k8.f32.tf32.tf32", 4, ", 1, 1, 0, 0", rd1),
                "operands");
  expectMessage(refused("m64n8k16.f32.f16.f16", 4, ", 1, 2, 0, 0", rd1),
                "1 or -1");
  expectMessage(refused("m64n8k16.f32.f16.f16", 4, ", 1, 1, 2, 0", rd1),
                "0 or 1");
  expectMessage(refused("m64n8k16.f32.f16.f16", 4, ", 1, 1, 0", "{%a0, %a1}"),
                "needs 4 registers");
  std::string other = wrapKernel("wgmma.fence.sync.aligned;");
  other.replace(other.find("sm_90a"), 6, "sm_90");
  expectMessage(messageOf(other), "needs .target sm_90a");
}

TEST_F(WarpgroupChecks, Counts) {
  const LaunchReport report =
      launchText(fence + product + product + commit + wait);
  const auto &byKind = report.counts.warpInstructionsByKind;
  EXPECT_EQ(byKind[size_t(InstrKind::Matrix)], 8u); // of four warps each
  for (const AccessCount &access : report.counts.accesses)
    EXPECT_EQ(access.text.find("wgmma"), std::string::npos);
}

/// Findings carry the source line, and name the other side.
TEST_F(WarpgroupChecks, Places) {
  const LaunchReport report =
      launchText(".loc 1 7 0\n" + write + ".loc 1 9 0\n" + barrier + finish);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].sourceLine, 9u);
  EXPECT_NE(report.findings[0].message.find("st.shared.v4.b32"),
            std::string::npos);
}

} // namespace
