//===- RolesTest.cpp - Warps with different parts -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkTest.h"

using namespace tilewright::sim;

namespace {

using Kind = FindingKind;

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

class Registers : public BulkTest {
protected:
  void SetUp() override {
    begin = "setp.lt.u32 %p4, %r1, 128;\n";
    threads = 384;
    attributes = ".reqntid 384";
    first = blank<uint32_t>(512);
  }
};

std::string roles(const std::string &copies, const std::string &multiplies) {
  return "@!%p4 bra MULTIPLY;\n" + copies + "bra DONE;\nMULTIPLY:\n" +
         multiplies + "DONE:\n";
}
std::string change(const std::string &how) {
  return "setmaxnreg." + how + ";\n";
}

TEST_F(Registers, AreHandedOn) {
  // 168 each to begin with.
  expectClean(roles(change("dec.sync.aligned.u32 40"),
                    change("inc.sync.aligned.u32 232")));
  expectClean(roles(change("dec.sync.aligned.u32 24"),
                    change("inc.sync.aligned.u32 240")));
  expectClean(roles(change("dec.sync.aligned.u32 24"),
                    change("dec.sync.aligned.u32 160") +
                        change("inc.sync.aligned.u32 240")));
  attributes = ".maxntid 384 .maxnreg 160";
  expectClean(roles(change("dec.sync.aligned.u32 40"),
                    change("inc.sync.aligned.u32 216")));
}

TEST_F(Registers, AreNotMoreThanThereAre) {
  expectFinding(Kind::Deadlock,
                "waits for 9216 registers, to have 240 a thread, and 7168 of "
                "the block's 64512 are free",
                roles(change("dec.sync.aligned.u32 40"),
                      change("inc.sync.aligned.u32 240")));
  expectFinding(Kind::Deadlock, "and 0 of the block's 64512 are free",
                change("inc.sync.aligned.u32 176"));
}

TEST_F(Registers, AreTakenWhereTheyWereGivenBack) {
  expectFinding(Kind::InvalidOperand,
                "takes, by setmaxnreg.inc, any of the 16384 registers",
                roles(change("dec.sync.aligned.u32 40"), ""));
  // Who has nothing to do leaves first.
  expectClean(roles(change("dec.sync.aligned.u32 40"),
                    "setp.eq.u32 %p5, %r1, %r1; @%p5 bra DONE;\n" +
                        change("inc.sync.aligned.u32 232")));
}

TEST_F(Registers, GoTheRightWay) {
  expectFinding(Kind::InvalidOperand,
                "has 168 registers a thread, which 176 does not decrease",
                change("dec.sync.aligned.u32 176"));
  expectFinding(Kind::InvalidOperand,
                "has 168 registers a thread, which 160 does not increase",
                change("inc.sync.aligned.u32 160"));
}

TEST_F(Registers, AreOfWholeWarpgroups) {
  const std::string dec = change("dec.sync.aligned.u32 40");
  expectFinding(Kind::Deadlock, "waits for the other warps of its warpgroup",
                "setp.ge.u32 %p5, %r1, 96; @%p5 bra OTHER;\n" + dec +
                    "OTHER: bar.sync 0;\n");
  expectAmong(Kind::InvalidOperand, "and warp 3 has left",
              "setp.eq.u32 %p5, %r1, 96; setp.ge.u32 %p5, %r1, 96;\n"
              "@%p5 exit;\nmov.u32 %r5, 0;\nSPIN: add.u32 %r5, %r5, 1; "
              "setp.lt.u32 %p6, %r5, 40000; @%p6 bra SPIN;\n" +
                  dec);
  expectAmong(Kind::DivergentBarrier, "another warp of the warpgroup",
              "setp.ge.u32 %p5, %r1, 96; @%p5 bra OTHER;\n" + dec +
                  "bra END; OTHER:" + dec + "END:\n");
  expectFinding(Kind::InvalidOperand, "all 32 threads of the warp",
                "@%p1 bra OTHER;\n" + dec + "OTHER:\n" +
                    "setp.ne.u32 %p5, %r1, %r1; @%p5 bra OTHER;\n");
  threads = 160;
  attributes = ".reqntid 160";
  expectFinding(Kind::InvalidOperand, "and warp 5 does not exist", dec);
}

TEST_F(Registers, NeedABound) {
  attributes = "";
  expectFinding(Kind::InvalidOperand,
                "ptxas ignores setmaxnreg in a kernel without .maxnreg or "
                ".reqntid",
                change("dec.sync.aligned.u32 40"));
  auto error = [&](const std::string &text) {
    llvm::Expected<Module> module = Module::parse(kernelText(change(text)));
    return module ? "" : llvm::toString(module.takeError());
  };
  for (const char *count : {"16", "36", "264"})
    EXPECT_NE(error("dec.sync.aligned.u32 " + std::string(count))
                  .find("a multiple of 8 from 24 to 256"),
              std::string::npos);
  EXPECT_NE(error("dec.u32 40").find("is .inc or .dec, with .sync.aligned"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

class NamedBarriers : public BulkTest {
protected:
  void SetUp() override {
    begin = "setp.lt.u32 %p4, %r1, 32;\nand.b32 %r2, %r1, 31;\n"
            "shl.b32 %r2, %r2, 2;\nadd.u32 %r3, %r2, %r11;\n";
    first = blank<uint32_t>(512);
  }
  /// Warp 0 writes what warp 1 reads.
  static std::string handOver(const std::string &arrive,
                              const std::string &wait) {
    return "@!%p4 bra READ;\nst.shared.u32 [%r3], %r1;\n" + arrive +
           "bra DONE;\nREAD:\n" + wait + "ld.shared.u32 %r4, [%r3];\nDONE:\n";
  }
};

TEST_F(NamedBarriers, ArriveAndSync) {
  for (int id = 0; id != 16; ++id) {
    const std::string n = std::to_string(id);
    expectClean(
        handOver("bar.arrive " + n + ", 64;\n", "bar.sync " + n + ", 64;\n"));
    expectClean(handOver("barrier.cta.arrive " + n + ", 64;\n",
                         "barrier.sync " + n + ", 64;\n"));
  }
  // The arrival is no wait.
  expectAmong(Kind::Race, "with nothing to order the two",
              handOver("bar.sync 1, 64;\nst.shared.u32 [%r3], 5;\n",
                       "bar.arrive 1, 64;\n"));
}

TEST_F(NamedBarriers, Counts) {
  expectFinding(Kind::Deadlock, "barrier 2 (64 of 96 threads have arrived)",
                "bar.sync 2, 96;\n");
  expectFinding(Kind::InvalidOperand, "must be a multiple of 32",
                "bar.sync 2, 40;\n");
  expectAmong(Kind::InvalidOperand, "barrier 2 is used for 64 threads",
              handOver("bar.arrive 2, 96;\n", "bar.sync 2, 64;\n"));
  expectAmong(Kind::InvalidOperand, "barrier 16 is not among the 16",
              "bar.sync 16, 64;\n");
}

/// Two warps hand a slot to and fro, as in a ring of turns.
TEST_F(NamedBarriers, Turns) {
  const std::string turns = R"(
    mov.u32 %r5, 0;
    @!%p4 bra SECOND;
  FIRST:
    st.shared.u32 [%r3], %r5;
    bar.arrive 1, 64;
    bar.sync 2, 64;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p6, %r5, 5; @%p6 bra FIRST;
    bra DONE;
  SECOND:
    bar.sync 1, 64;
    ld.shared.u32 %r6, [%r3];
    setp.ne.u32 %p7, %r6, %r5; @%p7 trap;
    bar.arrive 2, 64;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p6, %r5, 5; @%p6 bra SECOND;
  DONE:
  )";
  expectClean(turns);
  std::string without = turns;
  without.replace(without.find("bar.arrive 2, 64;"), 17, "");
  expectFinding(Kind::Deadlock, "waits at barrier 2 (32 of 64", without);
  without = turns;
  without.replace(without.find("bar.sync 2, 64;"), 15, "bar.arrive 2, 64;");
  EXPECT_FALSE(runBody(without).clean());
}

TEST_F(NamedBarriers, OneLaneIsElected) {
  expectClean("elect.sync %r5|%p5, -1;\n@%p5 st.shared.u32 [%r11], 1;\n"
              "@!%p4 bra DONE;\nDONE: bar.sync 0;\n"
              "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
              "nanosleep.u32 20;\nfence.proxy.async.global;\n");
}

} // namespace
