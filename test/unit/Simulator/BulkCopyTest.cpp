//===- BulkCopyTest.cpp - cp.async.bulk -----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault stands beside a program that is right.
//
//===----------------------------------------------------------------------===//

#include "BulkTest.h"

using namespace tilewright::sim;

namespace {

using Kind = FindingKind;

class BulkCopies : public BulkTest {
protected:
  void SetUp() override {
    first = blank<uint32_t>(256);
    second = upload(numbers(1024));
  }
  std::vector<uint32_t> result() { return download<uint32_t>(first, 256); }
};

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

const std::string load = expectText(1024) + bulkLoadText(1024);

TEST_F(BulkCopies, Load) {
  expectClean(load + waitText() + readTile + writeOut);
  EXPECT_EQ(result(), numbers(256));
  // Bytes may come in parts, before and after they are announced.
  expectClean(bulkLoadText(512) + expectText(1024) + bulkLoadText(512, 512) +
              waitText() + readTile + writeOut);
  EXPECT_EQ(result(), numbers(256));
}

TEST_F(BulkCopies, CacheHints) {
  expectClean(
      "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;\n" +
      expectText(1024) +
      "@!%p1 cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd2], 1024, "
      "%rd9;\n@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
      "complete_tx::bytes.L2::cache_hint [%r11], [%rd2], 1024, [%r10], "
      "%rd9;\n" +
      waitText() + readTile + writeOut);
  EXPECT_EQ(result(), numbers(256));
}

TEST_F(BulkCopies, LoadWithoutAWait) {
  const std::string early = load + barrier;
  expectFinding(Kind::Race, "what an asynchronous copy writes in PTX line",
                early + readTile + waitText() + writeOut);
  expectFinding(Kind::PendingCopy, "nobody has waited for the mbarrier", load);
  // A wait of one warp tells the other only what is handed on.
  const std::string oneWaits =
      "setp.ge.u32 %p4, %r1, 32; @%p4 bra OTHER;\n" + waitText() + "OTHER:\n";
  expectAmong(Kind::Race, "writes what thread 32,0,0 reads",
              load + oneWaits + readTile + writeOut);
  expectClean(load + oneWaits + barrier + readTile + writeOut);
}

TEST_F(BulkCopies, Bytes) {
  expectFinding(Kind::Deadlock, "and has 1024 bytes more than",
                "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r10];\n"
                "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r10], "
                "0;\n" +
                    waitText(0, "A") + bulkLoadText(1024) + waitText(1, "B"));
  expectFinding(Kind::Deadlock, "0 of 1 arrivals and 1024 bytes",
                expectText(2048) + bulkLoadText(1024) + waitText());
  // Announced too few: the phase ends before the second part.
  const LaunchReport few =
      runBody(expectText(512) + bulkLoadText(512) + bulkLoadText(512, 512) +
              waitText() + readTile + writeOut);
  ASSERT_EQ(kinds(few), std::set<Kind>{Kind::InvalidOperand});
  EXPECT_EQ(few.findings[0].message,
            "its 512 bytes come after the end of the mbarrier's phase in which "
            "it was issued: mbarrier.expect_tx has announced too few");
}

TEST_F(BulkCopies, OverwritesWhatIsRead) {
  const std::string once = load + waitText(0, "A") + readTile;
  const std::string again = expectText(1024) + bulkLoadText(1024) +
                            waitText(1, "B") + readTile + writeOut;
  expectClean(once + barrier + again);
  // The other warp may even miss the phase that it waits for.
  expectAmong(Kind::Race, "reads in PTX line", once + again);
}

TEST_F(BulkCopies, OverwritesWhatIsWritten) {
  const std::string rest = load + waitText() + readTile + writeOut;
  expectClean(writeTile + proxyFence + barrier + rest);
  expectFinding(Kind::MissingFence, "overwrites what thread 0,0,0 writes",
                writeTile + barrier + rest);
  expectFinding(Kind::Race, "writes in PTX line",
                writeTile + proxyFence + rest);
}

TEST_F(BulkCopies, InitMustBeVisible) {
  begin = "@!%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n" + barrier;
  expectFinding(Kind::MissingFence, "not visible to the async proxy",
                load + waitText() + readTile + writeOut);
  begin =
      "@!%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n" + proxyFence + barrier;
  expectClean(load + waitText() + readTile + writeOut);
}

TEST_F(BulkCopies, PlacesAndSizes) {
  auto copy = [](const std::string &to, const std::string &from,
                 const std::string &bytes, const std::string &at = "%r10") {
    return "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
           "::bytes [" +
           to + "], [" + from + "], " + bytes + ", [" + at + "];\n";
  };
  expectFinding(Kind::Misaligned, "the shared address is not a multiple of 16",
                copy("%r11+8", "%rd2", "32"));
  expectFinding(Kind::Misaligned, "the other address is not a multiple of 16",
                copy("%r11", "%rd2+4", "32"));
  expectFinding(Kind::Misaligned, "the number of bytes, 24, is not a multiple",
                copy("%r11", "%rd2", "24"));
  expectAmong(Kind::InvalidOperand, "no initialised mbarrier",
              copy("%r11", "%rd2", "32", "%r10+8"));
  expectAmong(Kind::InvalidOperand, "writes the mbarrier at shared offset",
              copy("%r10", "%rd2", "32"));
  const LaunchReport far = runBody(copy("%r11", "%rd2+4080", "32"));
  EXPECT_TRUE(kinds(far).count(Kind::OutOfBounds));
  EXPECT_TRUE(kinds(runBody(copy("%r11+32752", "%rd2", "1024")))
                  .count(Kind::OutOfBounds));
  second = blank<uint32_t>(1024);
  EXPECT_TRUE(kinds(runBody(load + waitText())).count(Kind::Uninitialized));
}

TEST_F(BulkCopies, SourceThatChanges) {
  // Who writes the source must know that the copy is over.
  const std::string write = "@!%p1 st.global.b32 [%rd2], %r1;\n";
  expectClean(load + waitText() + write);
  expectFinding(Kind::Race, "which an asynchronous copy reads",
                load + write + waitText());
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

const std::string store =
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r11], 1024;\n";
const std::string fill = writeTile + proxyFence + barrier;

TEST_F(BulkCopies, Store) {
  expectClean(fill + store + commitBulk + waitRead);
  EXPECT_EQ(result(), numbers(256));
  expectClean(fill + store + commitBulk + waitBulk);
  EXPECT_EQ(result(), numbers(256));
}

TEST_F(BulkCopies, StoreWithoutAFence) {
  const std::string rest = store + commitBulk + waitRead;
  expectFinding(Kind::MissingFence, "reads what thread 0,0,0 writes",
                writeTile + barrier + rest);
  // It is for one's own writes.
  expectFinding(Kind::MissingFence, "reads what thread 1,0,0 writes",
                writeTile + barrier + "@!%p1 " + proxyFence + rest);
  options.readersMayFenceProxy = true;
  expectClean(writeTile + barrier + "@!%p1 " + proxyFence + rest);
  options.readersMayFenceProxy = false;
  expectFinding(Kind::Race, "writes in PTX line",
                writeTile + proxyFence + rest);
}

TEST_F(BulkCopies, StoreWithoutAWait) {
  expectFinding(Kind::PendingCopy, "has not waited", fill + store + commitBulk);
  expectFinding(Kind::PendingCopy, "has not waited", fill + store + waitRead);
  EXPECT_EQ(result(), numbers(256));
  expectFinding(Kind::PendingCopy, "has not waited",
                fill + store + commitBulk +
                    "@!%p1 cp.async.bulk.wait_group.read 1;\n");
}

TEST_F(BulkCopies, OverwritesWhatIsStored) {
  const std::string again = "st.shared.v4.b32 [%r12], {%r1, %r1, %r1, %r1};\n";
  expectClean(fill + store + commitBulk + waitRead + barrier + again);
  expectFinding(Kind::Race, "what an asynchronous copy reads",
                fill + store + commitBulk + barrier + again + waitRead);
  EXPECT_NE(result(), numbers(256));
  // Another group is enough for none of the first.
  expectFinding(Kind::Race, "what an asynchronous copy reads",
                fill + store + commitBulk +
                    "@!%p1 cp.async.bulk.wait_group.read 1;\n" + barrier +
                    again + waitRead);
}

TEST_F(BulkCopies, ReadsWhatIsStored) {
  const std::string read = "@!%p1 ld.global.b32 %r24, [%rd1];\n";
  expectClean(fill + store + commitBulk + waitBulk + read);
  expectFinding(Kind::Race, "which an asynchronous copy writes",
                fill + store + commitBulk + waitRead + read);
  // wait_group, after it was told of the reads.
  expectClean(fill + store + commitBulk + waitRead + waitBulk + read);
}

TEST_F(BulkCopies, GroupsOfTwo) {
  const std::string halves[] = {
      "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r11], "
      "512;\n",
      "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], "
      "[%r11+512], 512;\n"};
  const std::string read = "ld.global.b32 %r24, [%rd1];\n";
  const std::string one = "@!%p1 cp.async.bulk.wait_group 1;\n";
  expectClean(fill + halves[0] + commitBulk + halves[1] + commitBulk + one +
              barrier + read + waitBulk);
  EXPECT_EQ(result(), numbers(256));
  const std::string late = "ld.global.b32 %r24, [%rd1+512];\n";
  expectFinding(Kind::Race, "which an asynchronous copy writes",
                fill + halves[0] + commitBulk + halves[1] + commitBulk + one +
                    barrier + late + waitBulk);
}

template <class T> std::string sumText(const char *type) {
  return "@!%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add." +
         std::string(type) + " [%rd1], [%r11], 1024;\n";
}

TEST_F(BulkCopies, Sums) {
  grid = {3};
  first = upload(std::vector<uint32_t>(256, 7));
  const LaunchReport report =
      runBody(fill + sumText<uint32_t>("u32") + commitBulk + waitRead);
  EXPECT_TRUE(report.clean());
  for (uint32_t i = 0; i != 256; ++i)
    ASSERT_EQ(result()[i], 7 + 3 * (1000 + i));
  std::vector<float> ones(256, 1.5f);
  first = upload(ones);
  second = upload(ones);
  EXPECT_TRUE(
      runBody(fill + sumText<float>("f32") + commitBulk + waitRead).clean());
  EXPECT_EQ(download<float>(first, 256), std::vector<float>(256, 6.0f));
  std::vector<uint16_t> halves(512, 0x3c00);
  first = upload(halves);
  second = upload(halves);
  EXPECT_TRUE(
      runBody(fill + sumText<uint16_t>("noftz.f16") + commitBulk + waitRead)
          .clean());
  EXPECT_EQ(download<uint16_t>(first, 512), std::vector<uint16_t>(512, 0x4400));
  // Stores race where sums do not.
  EXPECT_EQ(kinds(runBody(fill + store + commitBulk + waitRead)),
            std::set<Kind>{Kind::Race});
}

TEST(BulkSyntax, Errors) {
  auto expect = [](const std::string &body, const std::string &part,
                   const char *target = "sm_90a") {
    llvm::Expected<Module> module = Module::parse(wrapKernel(body, "", target));
    const std::string error = module ? "" : llvm::toString(module.takeError());
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::"
                           "complete_tx::bytes [%r1], [%rd1], 16, [%r2];";
  expect(copy, "needs sm_90 or later", "sm_89");
  expect("cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%rd1], 16;",
         "a bulk copy is to .shared with");
  expect("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16, %rd2;",
         "expected 3 operands");
  expect("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u16 [%rd1], "
         "[%r1], 16;",
         "there is no sum of .u16");
  expect("cp.async.bulk.wait_group %r1;", "not a constant integer");
  expect("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
         "::bytes [%r1], [%rd1, {%r1}], [%r2];",
         "a box is [map, {coordinates}]");
  expect("cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::"
         "complete_tx::bytes [%r1], [%rd1, {%r1, %r2}], [%r2];",
         "'.im2col' is not supported");
  expect("cp.async.bulk.tensor.2d.global.shared::cta [%rd1, {%r1, %r2}], "
         "[%r3];",
         "a tensor copy is from .global to .shared");
}

} // namespace
