//===- PtxasTest.cpp - ptxas: its log, its errors, its absence ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/Ptxas.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace tilewright;

TEST(PtxasLog, OneKernel) {
  auto kernels = parsePtxasLog(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'transpose' for 'sm_90a'
ptxas info    : Function properties for transpose
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 38 registers, used 1 barriers, 16896 bytes smem, 360 bytes cmem[0]
ptxas info    : Compile time = 11.583 ms
)");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "transpose");
  EXPECT_EQ(kernels[0].registers, 38u);
  EXPECT_EQ(kernels[0].staticSharedBytes, 16896u);
  EXPECT_EQ(kernels[0].stackFrameBytes, 0u);
}

/// A device function has its own lines between those of the kernels.
TEST(PtxasLog, SpillsOfTwoKernelsAndADeviceFunction) {
  auto kernels = parsePtxasLog(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    96 bytes stack frame, 120 bytes spill stores, 136 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 96 bytes cumulative stack size, 352 bytes cmem[0]
ptxas info    : Compile time = 3.1 ms
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 352 bytes cmem[0]
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].stackFrameBytes, 96u);
  EXPECT_EQ(kernels[0].spillStoreBytes, 120u);
  EXPECT_EQ(kernels[0].spillLoadBytes, 136u);
  EXPECT_EQ(kernels[0].registers, 255u);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].spillStoreBytes, 0u);
  EXPECT_EQ(kernels[1].registers, 24u);
}

/// The line stands in front of those of the kernel that it names, or behind.
TEST(PtxasLog, ProductsThatWait) {
  auto kernels = parsePtxasLog(R"(ptxas info    : 0 bytes gmem
ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'second'
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    2824 bytes stack frame, 2824 bytes spill stores, 3000 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].whySerialized, "");
  EXPECT_EQ(kernels[1].whySerialized,
            "insufficient register resources for the wgmma pipeline");
}

TEST(PtxasLog, OtherTextIsSkipped) {
  EXPECT_TRUE(parsePtxasLog("").empty());
  EXPECT_TRUE(parsePtxasLog("Used registers\n: Used \nbytes smem").empty());
  // A number beyond 32 bits is no number.
  auto kernels = parsePtxasLog("Compiling entry function 'k'\n"
                               ": Used 99999999999999999999 registers");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].registers, 0u);
}

namespace {

/// Sets an environment variable and puts the old value back.
class ScopedEnvironment {
public:
  ScopedEnvironment(const char *name, const char *value) : name(name) {
    if (const char *previous = getenv(name))
      old = previous;
    setenv(name, value, 1);
  }
  ~ScopedEnvironment() {
    if (old)
      setenv(name, old->c_str(), 1);
    else
      unsetenv(name);
  }
  ScopedEnvironment(const ScopedEnvironment &) = delete;
  ScopedEnvironment &operator=(const ScopedEnvironment &) = delete;

private:
  const char *name;
  std::optional<std::string> old;
};

} // namespace

TEST(Ptxas, VariableThatNamesNoProgramIsAnError) {
  for (const char *path : {"/nonexistent/ptxas", "/etc/passwd", "/tmp"}) {
    ScopedEnvironment variable("TILEWRIGHT_PTXAS", path);
    Expected<std::optional<Ptxas>> ptxas = Ptxas::find();
    ASSERT_FALSE(ptxas) << path;
    EXPECT_EQ(toString(ptxas.takeError()),
              "TILEWRIGHT_PTXAS is '" + std::string(path) +
                  "', which is not a program that can be run; set it to the "
                  "path of ptxas or unset it");
  }
}

/// Any program serves here: what is tested is that its failure is reported.
TEST(Ptxas, ProgramThatFailsIsAnErrorThatNamesIt) {
  Expected<PtxasOutput> output =
      Ptxas("/bin/false").assemble("", GpuTarget::all().front());
  ASSERT_FALSE(output);
  EXPECT_TRUE(
      StringRef(toString(output.takeError()))
          .starts_with("/bin/false does not accept this PTX for sm_80"));
}

TEST(Ptxas, ProgramThatCannotBeRunIsAnError) {
  Expected<PtxasOutput> output =
      Ptxas("/nonexistent/ptxas").assemble("", GpuTarget::all().front());
  ASSERT_FALSE(output);
  EXPECT_TRUE(StringRef(toString(output.takeError()))
                  .starts_with("/nonexistent/ptxas cannot be run: "));
}

/// It does where it is not told how many blocks run at once.
TEST(Ptxas, RegistersOfRolesThatItIgnoresAreAnError) {
  std::optional<Ptxas> ptxas = cantFail(Ptxas::find());
  if (!ptxas)
    GTEST_SKIP() << "no ptxas on this machine";
  GpuTarget target = cantFail(GpuTarget::parse("sm_90a"));
  auto assemble = [&](const std::string &bounds) {
    return ptxas->assemble(".version 8.0\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k()\n.reqntid 256\n" +
                               bounds +
                               "{\nsetmaxnreg.dec.sync.aligned.u32 40;\n"
                               "ret;\n}\n",
                           target);
  };
  Expected<PtxasOutput> output = assemble("");
  ASSERT_FALSE(output);
  std::string error = toString(output.takeError());
  EXPECT_TRUE(StringRef(error).contains(
      "ignores the setmaxnreg of this PTX for sm_90a:\nptxas info"))
      << error;
  output = assemble(".minnctapersm 1\n");
  EXPECT_TRUE(bool(output)) << toString(output.takeError());
}

TEST(Ptxas, ErrorInPtxCarriesItsLine) {
  std::optional<Ptxas> ptxas = cantFail(Ptxas::find());
  if (!ptxas)
    GTEST_SKIP() << "no ptxas on this machine";
  Expected<PtxasOutput> output = ptxas->assemble(
      ".version 7.4\n.target sm_80\n.address_size 64\nnonsense\n",
      cantFail(GpuTarget::parse("sm_80")));
  ASSERT_FALSE(output);
  std::string error = toString(output.takeError());
  EXPECT_TRUE(StringRef(error).contains("<ptx>, line 4")) << error;
}
