//===- ClusterTest.cpp - Clusters of blocks -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkTest.h"

using namespace tilewright::sim;

namespace {

using Kind = FindingKind;

/// A cluster of two blocks; %r30 is the rank, %r31 that of the other block,
/// %r32 and %r33 are %r12 and the mbarrier there.
class Clusters : public BulkTest {
protected:
  const std::string sync = "barrier.cluster.arrive.release.aligned;\n"
                           "barrier.cluster.wait.acquire.aligned;\n";
  void SetUp() override {
    attributes = ".reqnctapercluster 2, 1, 1";
    grid = {2};
    begin += "mov.u32 %r30, %cluster_ctarank;\nxor.b32 %r31, %r30, 1;\n"
             "mapa.shared::cluster.u32 %r32, %r12, %r31;\n"
             "mapa.shared::cluster.u32 %r33, %r10, %r31;\n"
             "mul.lo.u32 %r34, %r30, 1024; cvt.u64.u32 %rd7, %r34;\n"
             "add.u64 %rd4, %rd4, %rd7; add.u64 %rd5, %rd5, %rd7;\n" +
             sync;
    first = blank<uint32_t>(512);
    second = upload(numbers(512));
  }
  std::vector<uint32_t> result() { return download<uint32_t>(first, 512); }
  /// The numbers, those of the two blocks exchanged.
  std::vector<uint32_t> exchanged() {
    std::vector<uint32_t> values = numbers(512);
    std::rotate(values.begin(), values.begin() + 256, values.end());
    return values;
  }
};

TEST_F(Clusters, SpecialRegisters) {
  attributes = ".reqnctapercluster 2, 3, 1";
  grid = {4, 6, 2};
  begin = "";
  const char *names[] = {
      "%clusterid.x",      "%clusterid.y",      "%clusterid.z",
      "%nclusterid.x",     "%nclusterid.y",     "%nclusterid.z",
      "%cluster_ctaid.x",  "%cluster_ctaid.y",  "%cluster_ctaid.z",
      "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
      "%cluster_ctarank",  "%cluster_nctarank", "%ctaid.x",
      "%ctaid.y",          "%ctaid.z"};
  constexpr size_t count = std::size(names);
  std::string body = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 "
                     "%r4, %ctaid.z; mad.lo.u32 %r3, %r4, 6, %r3; mad.lo.u32 "
                     "%r2, %r3, 4, %r2; mul.lo.u32 %r2, %r2, " +
                     std::to_string(count * 4) +
                     "; cvt.u64.u32 %rd9, %r2; add.u64 %rd9, %rd9, %rd1;\n";
  for (size_t i = 0; i != count; ++i)
    body += "mov.u32 %r5, " + std::string(names[i]) +
            "; @!%p1 st.global.u32 [%rd9+" + std::to_string(4 * i) +
            "], %r5;\n";
  first = blank<uint32_t>(48 * count);
  expectClean(body);
  const std::vector<uint32_t> all = download<uint32_t>(first, 48 * count);
  for (uint32_t block = 0; block != 48; ++block) {
    const uint32_t x = block % 4, y = block / 4 % 6, z = block / 24;
    const std::vector<uint32_t> expected = {
        x / 2, y / 3, z, 2, 2, 2, x % 2, y % 3, 0, 2, 3, 1, x % 2 + 2 * (y % 3),
        6,     x,     y, z};
    ASSERT_EQ(std::vector<uint32_t>(all.begin() + block * count,
                                    all.begin() + (block + 1) * count),
              expected);
  }
}

TEST_F(Clusters, Launches) {
  const Module module = parseOrDie(kernelText(""));
  auto error = [&](const Module &module, Dim3 grid) {
    auto report = launch(
        module, "test", device, grid, {64}, 0,
        ArgumentBlock().add(map).add(first).add(second).bytes(), options);
    return report ? "" : llvm::toString(report.takeError());
  };
  EXPECT_EQ(error(module, {3}),
            "kernel 'test': a grid of 3 x 1 x 1 blocks does not divide into "
            "clusters of 2 x 1 x 1");
  options.cluster = Dim3{4};
  EXPECT_EQ(error(module, {4}),
            "kernel 'test': the kernel requires clusters of 2 x 1 x 1 blocks");
  attributes = ".explicitcluster";
  const Module open = parseOrDie(kernelText(""));
  EXPECT_EQ(error(open, {4}), "");
  options.cluster.reset();
  EXPECT_EQ(error(open, {4}),
            "kernel 'test': the kernel must be launched in clusters");
  options.cluster = Dim3{17};
  EXPECT_EQ(error(open, {17}),
            "kernel 'test': a cluster has 1 to 16 blocks, not 17");
}

//===----------------------------------------------------------------------===//
// Shared memory of each other
//===----------------------------------------------------------------------===//

const std::string readOther =
    "ld.shared::cluster.v4.b32 {%r20, %r21, %r22, %r23}, [%r32];\n";

TEST_F(Clusters, ReadEachOther) {
  expectClean(writeTile + sync + readOther + writeOut + sync);
  EXPECT_EQ(result(), exchanged());
  // By generic addresses, too.
  expectClean(writeTile + sync +
              "mov.u64 %rd9, tile; cvta.shared.u64 %rd9, %rd9; add.u64 %rd9, "
              "%rd9, %rd6; mapa.u64 %rd9, %rd9, %r31; getctarank.u64 %r35, "
              "%rd9; setp.ne.u32 %p6, %r35, %r31; @%p6 trap; ld.v4.b32 {%r20, "
              "%r21, %r22, %r23}, [%rd9];\n" +
              writeOut + sync);
  EXPECT_EQ(result(), exchanged());
}

TEST_F(Clusters, ReadEachOtherWithoutOrder) {
  EXPECT_TRUE(kinds(runBody(writeTile + readOther + writeOut + sync))
                  .count(Kind::Race));
  expectFinding(Kind::Race, "of block",
                writeTile +
                    "barrier.cluster.arrive.relaxed.aligned;\n"
                    "barrier.cluster.wait.acquire.aligned;\n" +
                    readOther + writeOut + sync);
  // Nobody keeps the other block until it has been read.
  expectAmong(Kind::UseAfterFree, "of the cluster",
              writeTile + sync + readOther + writeOut);
}

TEST_F(Clusters, WriteEachOther) {
  const std::string writeOther =
      "ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd5];\n"
      "st.shared::cluster.v4.b32 [%r32], {%r20, %r21, %r22, %r23};\n";
  expectClean(writeOther + sync + readTile + writeOut);
  EXPECT_EQ(result(), exchanged());
  EXPECT_TRUE(
      kinds(runBody(writeOther + readTile + writeOut)).count(Kind::Race));
}

TEST_F(Clusters, Atomics) {
  expectClean("@!%p1 st.shared.b32 [%r11], 5;\n" + sync +
              "mapa.shared::cluster.u32 %r36, %r11, 0;\n"
              "atom.shared::cluster.add.u32 %r20, [%r36], 1;\n" +
              sync +
              "ld.shared::cluster.u32 %r20, [%r36];\n"
              "st.global.u32 [%rd4], %r20;\n" +
              sync);
  EXPECT_EQ(result()[0], 5u + 128);
  EXPECT_EQ(result()[256], 5u + 128);
}

TEST_F(Clusters, Addresses) {
  expectFinding(Kind::OutOfBounds, "shared memory of block 2 of a cluster",
                "mapa.shared::cluster.u32 %r36, %r12, 0;\n"
                "add.u32 %r36, %r36, 0x2000000;\n"
                "ld.shared::cluster.u32 %r20, [%r36];\n");
  expectFinding(Kind::InvalidOperand, "names block 2 of a cluster that has 2",
                "mapa.shared::cluster.u32 %r36, %r12, 2;\n");
  expectFinding(Kind::OutOfBounds, "which needs .shared::cluster",
                "ld.shared::cta.u32 %r20, [%r32];\n");
  expectFinding(Kind::OutOfBounds, "a bulk copy reads its own",
                "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd4], "
                "[%r32], 16;\n");
}

/// A block's own addresses have its rank, too: no address means another byte
/// in .shared::cluster than in .shared::cta.
TEST_F(Clusters, OwnAddresses) {
  auto trapUnless = [](const std::string &condition) {
    return condition + "; @!%p6 trap;\n";
  };
  const std::string generic = "mov.u64 %rd9, tile; cvta.shared.u64 %rd9, %rd9;"
                              "\n",
                    other = "mapa.u64 %rd10, %rd9, %r31;\n";
  expectClean(
      "shr.u32 %r36, %r11, 24;\n" + trapUnless("setp.eq.u32 %p6, %r36, %r30") +
      "mapa.shared::cluster.u32 %r36, %r11, %r30;\n" +
      trapUnless("setp.eq.u32 %p6, %r36, %r11") +
      "getctarank.shared::cluster.u32 %r36, %r11;\n" +
      trapUnless("setp.eq.u32 %p6, %r36, %r30") + generic + other +
      trapUnless("isspacep.shared::cta %p6, %rd9") +
      trapUnless("isspacep.shared::cluster %p6, %rd10") +
      "isspacep.shared::cta %p6, %rd10; @%p6 trap;\n" + writeTile + sync +
      "ld.shared::cluster.v4.b32 {%r20, %r21, %r22, %r23}, [%r12];\n" +
      writeOut + sync);
  EXPECT_EQ(result(), numbers(512));
  // Without the rank it is the first block that is written to.
  expectClean("@!%p1 st.shared.b32 [tile], 5;\n" + sync +
              "and.b32 %r36, %r11, 0xffffff;\n"
              "setp.ne.u32 %p6, %r30, 0;\n@%p1 bra OUT;\n"
              "@%p6 st.shared::cluster.u32 [%r36], 7;\nOUT:\n" +
              sync +
              "ld.shared.u32 %r20, [tile];\nst.global.u32 [%rd4], %r20;\n" +
              sync);
  EXPECT_EQ(result()[0], 7u);
  EXPECT_EQ(result()[256], 5u);
}

/// Which a descriptor of wgmma has no room for: there are other fields.
TEST_F(Clusters, Descriptors) {
  threads = 128;
  // Each 16 bytes have halves of their own, from 1 up.
  std::string fill;
  for (unsigned at = 0; at != 8192; at += 2048)
    fill += "add.u32 %r37, %r13, " + std::to_string(at) +
            "; shr.u32 %r37, %r37, 4; add.u32 %r37, %r37, 0x3c00;\n"
            "st.shared.v4.b32 [%r12+" +
            std::to_string(at) + "], {%r37, %r37, %r37, %r37};\n";
  auto product = [&](const std::string &address) {
    return fill + "fence.proxy.async;\nbar.sync 0;\n" + address +
           "shr.b32 %r37, %r37, 4; cvt.u64.u32 %rd9, %r37;\n"
           "or.b64 %rd9, %rd9, 0x1000080000;\nwgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%acc0, %acc1, "
           "%acc2, %acc3}, %rd9, %rd9, 0, 1, 1, 0, 0;\n"
           "wgmma.commit_group.sync.aligned;\n"
           "wgmma.wait_group.sync.aligned 0;\n"
           "@!%p1 st.global.b32 [%rd4], %acc0;\n";
  };
  expectClean(product("and.b32 %r37, %r11, 0x3ffff;\n"));
  EXPECT_EQ(result()[0], result()[256]);
  expectClean(product("mov.b32 %r37, %r11;\n"));
  EXPECT_NE(result()[0], result()[256]);
}

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

TEST_F(Clusters, Barrier) {
  expectFinding(Kind::Deadlock, "waits for the cluster",
                "setp.eq.u32 %p6, %r30, 0; @%p6 bra END;\n" + sync +
                    "END: setp.eq.u32 %p6, %r30, 1; @%p6 bra OUT;\n"
                    "LOOP: mbarrier.test_wait.parity.shared::cta.b64 %p7, "
                    "[%r10], 0; @!%p7 bra LOOP;\nOUT:\n");
  expectAmong(Kind::InvalidOperand, "at which it has not arrived",
              "barrier.cluster.wait.aligned;\n");
  expectAmong(Kind::InvalidOperand, "and not waited since",
              "barrier.cluster.arrive.aligned;\n" + sync);
  // Those that have left count as arrived.
  expectClean("setp.eq.u32 %p6, %r30, 0; @%p6 exit;\n" + sync);
  // Apart, and with one block of its own.
  expectClean("barrier.cluster.arrive;\nadd.u32 %r5, %r5, 1;\n"
              "barrier.cluster.wait;\n");
  attributes = "";
  begin = "";
  grid = {1};
  expectClean(sync + sync);
}

//===----------------------------------------------------------------------===//
// mbarriers and copies
//===----------------------------------------------------------------------===//

TEST_F(Clusters, ArriveAtEachOther) {
  const std::string arrive =
      "bar.sync 0;\n@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 "
      "_, [%r33];\n";
  const std::string wait = "W: mbarrier.try_wait.parity.acquire.cluster.shared"
                           "::cta.b64 %p3, [%r10], 0; @!%p3 bra W;\n";
  const std::string writeOther =
      "ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd5];\n"
      "st.shared::cluster.v4.b32 [%r32], {%r20, %r21, %r22, %r23};\n";
  expectClean(writeOther + arrive + wait + readTile + writeOut);
  EXPECT_EQ(result(), exchanged());
  expectFinding(Kind::Deadlock, "no thread of the cluster can go on",
                writeOther + wait + readTile + writeOut);
  std::string late = arrive + writeOther + wait + readTile + writeOut + sync;
  EXPECT_TRUE(kinds(runBody(late)).count(Kind::Race));
}

/// Each block announces what the other one copies to both.
TEST_F(Clusters, Multicast) {
  const std::string copy =
      "cvt.u16.u32 %h1, 3;\nadd.u32 %r36, %r11, %r34;\n"
      "@!%p1 add.u64 %rd8, %rd2, %rd7;\n"
      "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%r36], [%rd8], 1024, [%r10], %h1;\n";
  const std::string read = "add.u32 %r12, %r12, 1024; sub.u32 %r12, %r12, "
                           "%r34;\n" +
                           readTile + writeOut;
  expectClean(expectText(2048) + copy + waitText() + read + sync);
  EXPECT_EQ(result(), exchanged());
  expectAmong(Kind::Deadlock, "1024 bytes",
              expectText(3072) + copy + waitText() + read + sync);
  // One that leaves and does not wait for what comes.
  expectAmong(Kind::PendingCopy, "the block leaves",
              expectText(2048) + copy +
                  "setp.eq.u32 %p6, %r30, 1; @%p6 exit;\n" + waitText() + read);
  // The other block must be ready to receive.
  const std::string use =
      "st.shared.v4.b32 [%r12], {%r1, %r1, %r1, %r1};\n" + proxyFence;
  EXPECT_TRUE(
      kinds(runBody(use + expectText(2048) + copy + waitText() + read + sync))
          .count(Kind::Race));
  expectClean(use + sync + expectText(2048) + copy + waitText() + read + sync);
}

TEST_F(Clusters, AsynchronousStores) {
  const std::string store =
      "ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd5];\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
      "[%r32], {%r20, %r21, %r22, %r23}, [%r33];\n";
  expectClean(expectText(1024) + store + waitText() + readTile + writeOut);
  EXPECT_EQ(result(), exchanged());
  EXPECT_TRUE(
      kinds(runBody(expectText(1024) + store + sync + readTile + waitText()))
          .count(Kind::Race));
  expectFinding(Kind::InvalidOperand, "not of the block that is written to",
                "@!%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes"
                ".b32 [%r12], %r1, [%r33];\n" +
                    sync);
}

/// Blocks of several clusters, and a wait for another cluster.
TEST_F(Clusters, WaitForOtherClusters) {
  grid = {8};
  first = upload(std::vector<uint32_t>(1, 0));
  begin += "mov.u32 %r40, %clusterid.x;\n";
  const std::string turn =
      "W: ld.acquire.gpu.global.u32 %r41, [%rd1]; setp.ne.u32 %p6, %r41, %r40; "
      "@%p6 bra W;\n" +
      sync +
      "setp.eq.u32 %p7, %r30, 0; not.pred %p8, %p1; and.pred %p7, %p7, %p8;\n"
      "@%p7 atom.add.release.gpu.global.u32 %r42, [%rd1], 1;\n";
  for (int seed = 0; seed != 4; ++seed) {
    const LaunchReport report = runBody(turn);
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(download<uint32_t>(first, 1)[0], 4u);
    first = upload(std::vector<uint32_t>(1, 0));
    options.seed = seed;
  }
  options.seed.reset();
  expectFinding(Kind::Deadlock, "wait for memory to change",
                "W: ld.acquire.gpu.global.u32 %r41, [%rd1]; setp.ne.u32 %p6, "
                "%r41, 9; @%p6 bra W;\n");
}

} // namespace
