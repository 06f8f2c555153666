//===- ChannelTest.cpp - A warp that copies for warps that multiply -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product as compilers schedule it for Hopper: one warp copies slots by bulk
// tensor copies, a warpgroup multiplies them, and two mbarriers for each slot
// hand it to and fro. It must be right for each number of steps and in each
// order; and each of its mutants must be reported, or give another result.
//
//===----------------------------------------------------------------------===//

#include "BulkTest.h"
#include "WarpgroupTest.h"

using namespace tilewright::sim;

namespace {

constexpr int slotBytes = 8192;

/// Text around a loop over %r40 up to `steps`, with the slot's place in %r41,
/// its mbarriers in %r42 (full) and %r43 (empty), and its parity in %r44.
std::string loop(const std::string &label, int steps, int stages,
                 const std::string &body) {
  return "mov.u32 %r40, 0;\n" + label + ": setp.ge.u32 %p9, %r40, " +
         std::to_string(steps) + "; @%p9 bra " + label + "END;\n" +
         "rem.u32 %r45, %r40, " + std::to_string(stages) + ";\n" +
         "div.u32 %r44, %r40, " + std::to_string(stages) +
         "; and.b32 %r44, %r44, 1;\n"
         "mad.lo.u32 %r41, %r45, 8192, %r11;\n"
         "mad.lo.u32 %r42, %r45, 8, %r10;\nadd.u32 %r43, %r42, 32;\n" +
         body + "add.u32 %r40, %r40, 1; bra " + label + ";\n" + label +
         "END:\n";
}

std::string waitFor(const std::string &label, const std::string &where,
                    const std::string &parity) {
  return label + ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [" + where +
         "], " + parity + "; @!%p3 bra " + label + ";\n";
}

class Channels : public BulkTest {
protected:
  const int stages = 2;
  std::vector<int> values;
  int columns = 0;

  void SetUp() override {
    attributes = ".reqntid 256 .maxnreg 136";
    threads = 256;
    tileBytes = 4 * slotBytes;
    begin = "@%p1 bra READY;\n";
    for (int slot = 0; slot != 2; ++slot)
      begin += "mbarrier.init.shared::cta.b64 [%r10+" +
               std::to_string(8 * slot) +
               "], 1;\nmbarrier.init.shared::cta.b64 [%r10+" +
               std::to_string(32 + 8 * slot) + "], 4;\n";
    begin += "fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\n"
             "setp.lt.u32 %p4, %r1, 128;\n";
  }

  /// The tensor, 64 rows of `steps` slots, and room for the result.
  void prepare(int steps) {
    columns = 64 * std::max(steps, 1);
    values.clear();
    std::vector<uint16_t> image;
    for (int i = 0; i != 64 * columns; ++i) {
      values.push_back(int(random() % 7) - 3);
      image.push_back(static_cast<uint16_t>(typeF16.encode(values.back())));
    }
    TensorMap tensor;
    tensor.element = TensorMap::Element::F16;
    tensor.address = upload(image);
    tensor.rank = 2;
    tensor.extents[0] = static_cast<uint64_t>(columns);
    tensor.extents[1] = 64;
    tensor.strides[0] = static_cast<uint64_t>(columns) * 2;
    tensor.box[0] = tensor.box[1] = 64;
    tensor.swizzle = TensorMap::Swizzle::Bytes128;
    map = llvm::cantFail(tensor.encode());
    first = upload(std::vector<float>(128 * 32, -1));
  }

  std::string text(int steps) const {
    const CanonicalLayout layout = {3, false, 2, 16, 1024};
    std::string multiply, zeros;
    for (int k = 0; k != 4; ++k)
      multiply += "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " +
                  registerList("%acc", 0, 32) + ", %rd1" + std::to_string(k) +
                  ", %rd1" + std::to_string(k) + ", 1, 1, 1, 0, 0;\n";
    std::string descriptors = "bfe.u32 %r46, %r41, 4, 14; cvt.u64.u32 %rd10, "
                              "%r46; or.b64 %rd10, %rd10, " +
                              std::to_string(int64_t(layout.fields())) + ";\n";
    for (int k = 1; k != 4; ++k)
      descriptors += "add.u64 %rd1" + std::to_string(k) + ", %rd10, " +
                     std::to_string(2 * k) + ";\n";
    for (int i = 0; i != 32; ++i)
      zeros += "mov.b32 %acc" + std::to_string(i) + ", 0;\n";
    const std::string copies =
        "setmaxnreg.dec.sync.aligned.u32 40;\n"
        "setp.ne.u32 %p5, %r1, 128; @%p5 bra LEAVE;\n"
        "prefetch.tensormap [%rd3];\n" +
        loop("COPY", steps, stages,
             "xor.b32 %r47, %r44, 1;\n" + waitFor("FREE", "%r43", "%r47") +
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r42], 8192;\n"
                 "shl.b32 %r48, %r40, 6;\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
                 "::complete_tx::bytes [%r41], [%rd3, {%r48, 0}], [%r42];\n") +
        "LEAVE: exit;\n";
    const std::string products =
        "setmaxnreg.inc.sync.aligned.u32 232;\n" + zeros +
        "and.b32 %r49, %r1, 31; setp.eq.u32 %p6, %r49, 0;\n" +
        loop("MULTIPLY", steps, stages,
             waitFor("FULL", "%r42", "%r44") + descriptors +
                 "wgmma.fence.sync.aligned;\n" + multiply +
                 "wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;\n"
                 "@%p6 mbarrier.arrive.shared::cta.b64 _, [%r43];\n") +
        "shl.b32 %r50, %r1, 7; cvt.u64.u32 %rd52, %r50; add.u64 %rd52, %rd52, "
        "%rd1;\n" +
        moveText(/*isLoad=*/false, "%acc", 0, 32);
    return "@%p4 bra PRODUCTS;\n" + copies + "PRODUCTS:\n" + products;
  }

  /// D = A * A^T: thread t has rows and columns as wgmma's fragments do.
  bool isRight(int steps) {
    const std::vector<float> result = download<float>(first, 128 * 32);
    for (int thread = 0; thread != 128; ++thread)
      for (int i = 0; i != 32; ++i) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8,
                  column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        int sum = 0;
        for (int k = 0; k != 64 * steps; ++k)
          sum += values[size_t(row) * columns + k] *
                 values[size_t(column) * columns + k];
        if (result[size_t(thread) * 32 + i] != static_cast<float>(sum))
          return false;
      }
    return true;
  }
};

TEST_F(Channels, EachNumberOfSteps) {
  for (const int steps : {0, 1, 2, 3, 4, 7}) {
    prepare(steps);
    expectClean(text(steps));
    EXPECT_TRUE(isRight(steps)) << steps;
  }
}

TEST_F(Channels, Mutants) {
  constexpr int steps = 5;
  prepare(steps);
  const std::string right = text(steps), start = begin;
  struct Mutant {
    std::string from, to;
  };
  const std::string freeWait = waitFor("FREE", "%r43", "%r47"),
                    fullWait = waitFor("FULL", "%r42", "%r44"),
                    release =
                        "@%p6 mbarrier.arrive.shared::cta.b64 _, [%r43];\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n";
  const Mutant mutants[] = {
      {freeWait, ""},
      {fullWait, ""},
      {release, ""},
      {wait, ""},
      {wait + release, release + wait},
      {"wgmma.commit_group.sync.aligned;\n", ""},
      {"wgmma.fence.sync.aligned;\n", ""},
      {"xor.b32 %r47, %r44, 1;", "mov.b32 %r47, %r44;"},
      {"[%r42], %r44;", "[%r42], %r47;"},
      {"_, [%r42], 8192;", "_, [%r42], 4096;"},
      {"_, [%r42], 8192;", "_, [%r42], 16384;"},
      {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r42], 8192;",
       "mbarrier.arrive.shared::cta.b64 _, [%r42];"},
      // One stage fewer for one side.
      {"rem.u32 %r45, %r40, 2;\ndiv.u32 %r44, %r40, 2;",
       "rem.u32 %r45, %r40, 1;\ndiv.u32 %r44, %r40, 1;"},
      // Both in one place, with mbarriers apart.
      {"mad.lo.u32 %r41, %r45, 8192, %r11;", "mov.u32 %r41, %r11;"},
      {"shl.b32 %r48, %r40, 6;", "shl.b32 %r48, %r40, 5;"},
      {"setmaxnreg.dec.sync.aligned.u32 40;",
       "setmaxnreg.dec.sync.aligned.u32 248;"},
      {"setmaxnreg.dec.sync.aligned.u32 40;\n", ""},
  };
  for (const Mutant &mutant : mutants) {
    std::string text = right;
    const size_t at = text.find(mutant.from);
    ASSERT_NE(at, std::string::npos) << mutant.from;
    text.replace(at, mutant.from.size(), mutant.to);
    // In the order of warps and in others.
    bool survives = true;
    for (int seed = -1; seed != 4 && survives; ++seed) {
      options.seed.reset();
      if (seed >= 0)
        options.seed = seed;
      survives = runBody(text).clean() && isRight(steps);
    }
    EXPECT_FALSE(survives) << mutant.from << " -> " << mutant.to;
  }
  options.seed.reset();
  for (const std::string part :
       {"fence.mbarrier_init.release.cluster;\n", "bar.sync 0;\n"}) {
    begin = start;
    begin.erase(begin.find(part), part.size());
    EXPECT_FALSE(runBody(right).clean()) << part;
  }
}

} // namespace
