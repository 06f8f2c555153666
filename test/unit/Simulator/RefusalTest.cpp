//===- RefusalTest.cpp - Forms of PTX that no instruction has -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction does not have is refused where it is decoded, with the
// reason, and never taken for something else.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tilewright::sim;

namespace {

struct Refusal {
  const char *statement, *reason;
};

void expectRefused(llvm::ArrayRef<Refusal> refusals,
                   const std::string &globals = "",
                   const std::string &target = "sm_90a") {
  for (auto [statement, reason] : refusals) {
    llvm::Expected<Module> module = Module::parse(
        wrapKernel(statement + std::string(";"), globals, target));
    if (module) {
      ADD_FAILURE() << "decoded: " << statement;
      continue;
    }
    std::string error = llvm::toString(module.takeError());
    EXPECT_TRUE(llvm::StringRef(error).ends_with(std::string(": ") + reason +
                                                 ": " + statement))
        << error;
  }
}

TEST(Refusal, Operands) {
  expectRefused(
      {{"add.u32 %r1, %p1, %r3",
        "a predicate register stands where a value is needed"},
       {"add.u32 %r1, %clock, %r3", "only 'mov' can read a clock"},
       {"add.u32 %r1, [%rd1], %r3", "an operand has the wrong form"},
       {"add.u32 1, %r2, %r3", "the destination is not a register"},
       {"selp.b32 %r1, %r2, %r3, %r4", "expected a predicate register"},
       {"setp.eq.u32 %r1, %r2, %r3", "expected a predicate register"},
       {"ld.global.u32 %r1, %rd1", "operand 2 is not an address"},
       {"setmaxnreg.inc.sync.aligned.u32 %r1",
        "operand 1 is not a constant integer"},
       {"bra %r1", "operand 1 is not a label"},
       {"brx.idx %r1, TABLE", "the branch table is not defined"},
       {"cvt.u32 %r1, %r2", "the instruction has too few types"},
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16 %r1, %r2, %r3, %r4",
        "the instruction has too few modifiers"}});
  expectRefused({{"mov.u64 %rd1, there", "'there' is defined in another "
                                         "module"}},
                ".extern .global .b32 there;");
}

TEST(Refusal, Calls) {
  const std::string callee =
      ".func (.param .b32 out) f(.param .b32 in) { ret; }";
  expectRefused({{"call (%r1), f, (%r2)",
                  "arguments and results of calls must be .param variables"},
                 {"call f", "the call does not match the function's "
                            "parameters"}},
                callee);
}

TEST(Refusal, Integers) {
  expectRefused(
      {{"shf.b32 %r1, %r2, %r3, %r4",
        "shf needs .l or .r, and .clamp or .wrap"},
       {"abs.u32 %r1, %r2", "a signed type is needed"},
       {"add.cc.u16 %h1, %h2, %h3", "a type of 32 or 64 bits is needed"},
       {"madc.u32 %r1, %r2, %r3, %r4",
        "needs .lo or .hi, and a type of 32 or 64 bits"},
       {"add.sat.u32 %r1, %r2, %r3", ".sat needs .s32"},
       {"mad.hi.sat.u32 %r1, %r2, %r3, %r4", ".sat needs .s32"},
       {"mul.u32 %r1, %r2, %r3", "needs .lo, .hi or .wide"},
       {"mad.u32 %r1, %r2, %r3, %r4", "needs .lo, .hi or .wide"},
       {"setp.num.u32 %p1, %r2, %r3", "the comparison needs a floating type"},
       {"setp.u32 %p1, %r2, %r3", "a comparison such as .eq is needed"}});
}

TEST(Refusal, Floats) {
  expectRefused(
      {{"cvt.rn.f16x2.f64 %r1, %d1, %d2", "only .f32 can be packed"},
       {"cvt.f32.f16x2 %f1, %r2", "a packed type does not convert to a single "
                                  "one"},
       {"cvt.pack.u8.s32.b32 %r1, %r2, %r3, %r4", "cvt.pack needs .sat"},
       {"cvt.pack.sat.u8.u32.b32 %r1, %r2, %r3, %r4",
        "cvt.pack converts from .s32"},
       {"add.rn.sat.f64 %d1, %d2, %d3", ".f64 takes neither .sat nor .ftz"},
       {"div.full.f64 %d1, %d2, %d3", "only .f32 is supported"},
       {"testp.f32 %p1, %f1", "testp needs a property such as .finite"}});
  expectRefused({{"add.ftz.f32.f16 %f1, %h1, %f2",
                  "operands of mixed types take no .ftz"}},
                "", "sm_100a");
}

TEST(Refusal, Memory) {
  expectRefused(
      {{"ld.global.v2.u32 %r1, [%rd1]",
        "the value has the wrong number of elements or type"},
       {"red.shared.add.v2.f32 [%rd1], {%f1, %f2}",
        "there is no such vector of .f32"},
       {"red.global.add.v2.f32 [%rd1], %f1",
        "the value has the wrong number of elements"},
       {"atom.global.add.v2.f32 %f1, [%rd1], {%f2, %f3}",
        "the result has the wrong number of elements"},
       {"mov.b64 {%h1, %h2, %h3}, %rd1", "the vector does not fit .b64"},
       {"cvta.u64 %rd1, %rd2", "a state space is needed"},
       {"cvta.shared.u32 %r1, %r2",
        "only 64-bit generic addresses are supported"},
       {"fence", "a fence needs a scope"},
       {"fence.proxy.tensormap", "only .alias and .async are supported"}});
}

TEST(Refusal, Warps) {
  expectRefused(
      {{"barrier.red.aligned.pred %p1, 0, %p2", "the reduction is malformed"},
       {"barrier.arrive 0",
        "needs .sync, .arrive with a thread count, or .red"},
       {"shfl.sync.b32 %r1, %r2, 1, 31, -1",
        "needs a mode such as .bfly, and .b32"},
       {"vote.sync.b32 %r1, %p1, -1", "needs .all, .any, .uni or .ballot"},
       {"redux.sync.add.u64 %rd1, %rd2, -1",
        "needs an operation, and a 32-bit integer type"},
       {"elect.sync %r1, -1", "elect.sync needs a register and a predicate"},
       {"setmaxnreg.sync.aligned.u32 40",
        "setmaxnreg is .inc or .dec, with .sync.aligned"},
       {"setmaxnreg.inc.sync.aligned.u32 41",
        "the count is a multiple of 8 from 24 to 256"}});
}

TEST(Refusal, Copies) {
  expectRefused(
      {{"cp.async.ca.shared [%r1], [%rd1], 16",
        "cp.async copies from .global to .shared"},
       {"cp.async.bulk.prefetch.global [%rd1], 64",
        "a bulk prefetch is .L2.global"},
       {"cp.async.bulk.shared::cluster.global [%r1], [%rd1], 64, [%r2]",
        "a bulk copy is to .shared with .mbarrier::complete_tx::bytes, or from "
        ".shared::cta to .global with .bulk_group"},
       {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [%rd1], "
        "[%r1], 64",
        "only sums from .shared::cta to .global are supported"},
       {"cp.async.bulk.tensor.2d.shared::cluster.global"
        ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3]",
        "a box is [map, {coordinates}], as many as .1d to .5d says"},
       {"cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1, {%r2, "
        "%r3}], [%r4]",
        "a tensor copy is from .global to .shared with "
        ".mbarrier::complete_tx::bytes, or from .shared::cta to .global with "
        ".bulk_group"},
       {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group.min "
        "[%rd1, {%r1}], [%r2]",
        "only sums from .shared::cta to .global are supported"}});
}

/// Which way they go says the order of the spaces.
TEST(Refusal, CopiesTheOtherWay) {
  const char *tensor =
      "a tensor copy is from .global to .shared with "
      ".mbarrier::complete_tx::bytes, or from .shared::cta to .global with "
      ".bulk_group";
  const char *sum = "only sums from .shared::cta to .global are supported";
  expectRefused(
      {{"cp.async.ca.global.shared [%rd1], [%r1], 16",
        "cp.async copies from .global to .shared"},
       {"cp.reduce.async.bulk.shared::cta.global.bulk_group.add.u32 [%r1], "
        "[%rd1], 64",
        sum},
       {"cp.async.bulk.tensor.1d.global.shared::cta"
        ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3]",
        tensor},
       {"cp.async.bulk.tensor.1d.shared::cta.global.bulk_group [%rd1, {%r1}], "
        "[%r2]",
        tensor},
       {"cp.reduce.async.bulk.tensor.1d.shared::cta.global.bulk_group.add "
        "[%rd1, {%r1}], [%r2]",
        sum}});
}

TEST(Refusal, Clusters) {
  expectRefused(
      {{"mapa.u32 %r1, %r2, 1", "a generic address has 64 bits"},
       {"st.async.b32 [%r1], %r2, [%r3]",
        "st.async is .shared::cluster.mbarrier::complete_tx::bytes"},
       {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], "
        "%r2, [%r3]",
        "the value has the wrong number of elements"},
       {"mbarrier.arrive.shared::cluster.b64 %rd1, [%r1]",
        "an arrival at an mbarrier of .shared::cluster gives no state"},
       {"cp.async.mbarrier.arrive.shared::cluster.b64 [%r1]",
        "the mbarrier lies in .shared::cta"},
       {"mbarrier.try_wait.shared::cluster.b64 %p1, [%r1], %rd1",
        "a thread waits for mbarriers of .shared::cta"}});
}

TEST(Refusal, Matrices) {
  expectRefused(
      {{"ldmatrix.sync.aligned.m16n16.x1.shared.b16 {%r1}, [%r2]",
        "only .m8n8 is supported"},
       {"ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r1}, [%r2]",
        "only .b16 is supported"},
       {"ldmatrix.sync.aligned.m8n8.shared.b16 {%r1}, [%r2]",
        "needs .x1, .x2 or .x4"},
       {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2]",
        "the number of registers does not match"},
       {"movmatrix.sync.aligned.m8n8.b16 %r1, %r2",
        "only .m8n8.trans.b16 is supported"},
       {"mma.sync.aligned.m16n9k16.row.col.f32.f16.f16.f32 %r1, %r2, %r3, %r4",
        "the shape is not supported"},
       {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 %r1, %r2, %r3, %r4",
        "only .row.col is supported"},
       {"mma.sync.aligned.m16n8k17.row.col.f32.f16.f16.f32 %r1, %r2, %r3, %r4",
        "the combination of shape and types is not supported"},
       {"mma.sync.aligned.m16n8k16.row.col.f32.e3m2.f16.f32 %r1, %r2, %r3, "
        "%r4",
        "'.e3m2' is not an element type that is supported"}});
}

TEST(Refusal, Warpgroups) {
  const std::string product = "wgmma.mma_async.sync.aligned.m64n8k16";
  const std::string registers = " {%f1, %f2, %f3, %f4}, %rd1, %rd2, ";
  auto expect = [&](const std::string &form, const std::string &constants,
                    const char *reason) {
    const std::string statement = product + form + registers + constants;
    expectRefused({{statement.c_str(), reason}});
  };
  const std::string halves = ".f32.f16.f16";
  expect(halves, "2, 1, 1, 0, 0", "scale-d is a predicate, 0 or 1");
  expect(halves, "1, 2, 1, 0, 0", "imm-scale-a and imm-scale-b are 1 or -1");
  expect(halves, "1, 1, 1, 2, 0", "imm-trans-a and imm-trans-b are 0 or 1");
  expect(".f32.f16.bf16", "1, 1, 1, 0, 0",
         "the combination of shape and types is not supported");
  expectRefused({{"wgmma.mma_async.sync.aligned.m64n8.f32.f16.f16 %rd1, %rd2",
                  "the shape is not supported"},
                 {"wgmma.fence.aligned", "wgmma needs .sync.aligned"}});
  expectRefused({{"wgmma.fence.sync.aligned", "wgmma needs .target sm_90a, and "
                                              "the module is for sm_80"}},
                "", "sm_80");
}

/// What a launch asks for that the kernel, or a GPU, does not have.
class LaunchRefusal : public DeviceTest {
protected:
  std::string errorOf(const std::string &kernel, Dim3 grid, Dim3 block) {
    const Module module =
        parseOrDie(".version 8.8\n.target sm_90a\n.address_size 64\n" + kernel);
    auto report = launch(module, "k", device, grid, block, 0, {}, options);
    if (report)
      return "";
    std::string error = llvm::toString(report.takeError());
    llvm::StringRef reason = error;
    EXPECT_TRUE(reason.consume_front("kernel 'k': ")) << error;
    return reason.str();
  }
};

TEST_F(LaunchRefusal, Shapes) {
  const std::string kernel = ".visible .entry k() { ret; }";
  EXPECT_EQ(errorOf(kernel, {1}, {1}), "");
  EXPECT_EQ(errorOf(kernel, {1, 65536}, {1}),
            "the grid is larger than a GPU's");
  EXPECT_EQ(errorOf(kernel, {1u << 31}, {1}),
            "the grid is larger than a GPU's");
  EXPECT_EQ(errorOf(kernel, {1}, {0}),
            "an extent of the grid or the block is zero");
  EXPECT_EQ(errorOf(kernel, {1}, {1, 1, 65}),
            "a block of 65 threads is over the limit of 1024, 64 in z");
}

TEST_F(LaunchRefusal, Promises) {
  const std::string body = "{ ret; }";
  const std::string required = ".visible .entry k() .reqntid 64, 2, 1 " + body;
  EXPECT_EQ(errorOf(required, {1}, {64, 2}), "");
  EXPECT_EQ(errorOf(required, {1}, {128}),
            "the kernel requires blocks of 64 x 2 x 1 threads");
  const std::string bounded = ".visible .entry k() .maxntid 64 " + body;
  EXPECT_EQ(errorOf(bounded, {1}, {64}), "");
  EXPECT_EQ(errorOf(bounded, {1}, {65}),
            "the kernel allows at most 64 threads a block, not 65");
}

TEST_F(LaunchRefusal, Initialisers) {
  EXPECT_EQ(errorOf(".shared .b32 inside;\n.global .u64 to = inside;\n"
                    ".visible .entry k() { ret; }",
                    {1}, {1}),
            "the initialiser of 'to' needs 'inside', which is not a global "
            "variable");
}

} // namespace
