//===- ConvergenceTest.cpp - What all threads of a warp do together -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows one branch decides the next, and LLVM's simplifycfg copies what
// stands between into both; then each copy would have a part of the warp. Its
// code generator duplicates the tails of branches. Each collective instruction
// is put in both places: there is one of it in the PTX.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/PtxEmitter.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// An instruction in LLVM's text form, and how PTX begins it.
struct Collective {
  const char *name;
  const char *declaration;
  const char *call;
  const char *ptx;
};

void PrintTo(const Collective &collective, std::ostream *os) {
  *os << collective.name;
}
} // namespace

static const Collective collectives[] = {
    {"Product", R"(declare {double, double}
        @llvm.nvvm.mma.m8n8k4.row.col.f64(double, double, double, double))",
     R"(%d = call {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(
            double 1.0, double 2.0, double 3.0, double 4.0)
        %x = extractvalue {double, double} %d, 0
        store volatile double %x, ptr addrspace(1) %p)",
     "mma.sync"},
    {"MatrixLoad", R"(declare i32
        @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3)))",
     R"(%d = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(
            ptr addrspace(3) %s)
        store volatile i32 %d, ptr addrspace(1) %p)",
     "ldmatrix.sync"},
    {"Shuffle", "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)",
     R"(%d = call i32 @llvm.nvvm.shfl.sync.bfly.i32(
            i32 -1, i32 %tid, i32 1, i32 31)
        store volatile i32 %d, ptr addrspace(1) %p)",
     "shfl.sync"},
    {"Barrier", "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
     "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "bar"},
    {"InlineFence", "",
     R"(call void asm sideeffect "wgmma.fence.sync.aligned;", ""())",
     "wgmma.fence"},
    {"InlineProduct", "",
     R"(%d = call i32 asm sideeffect
            "wgmma.mma_async.sync.aligned $0, $1;", "=r,r"(i32 %tid)
        store volatile i32 %d, ptr addrspace(1) %p)",
     "wgmma.mma_async"},
};

class Convergence : public testing::TestWithParam<Collective> {};

/// PTX of a kernel body with that instruction.
static std::string compile(const Collective &collective, const char *format,
                           bool optimize) {
  std::string ir = formatv(format, collective.call).str() +
                   "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
                   collective.declaration;
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(ir, diagnostic, *context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str() << ir;
  if (!module)
    return "";
  PtxOptions options;
  options.optimize = optimize;
  Expected<std::string> ptx =
      emitPtx(std::move(context), std::move(module),
              cantFail(GpuTarget::parse("sm_90a")), options);
  return ptx ? *ptx : toString(ptx.takeError());
}

/// So often, not as part of a declaration or of a longer name.
static size_t countLines(StringRef ptx, StringRef instruction) {
  std::string line = ("\t" + instruction).str();
  return ptx.count(StringRef(line));
}

TEST_P(Convergence, StaysBetweenBranches) {
  constexpr const char *kernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %s) {{
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %first, label %all
first:
  store volatile double 1.0, ptr addrspace(1) %p
  br label %all
all:
  %again = phi i1 [ true, %first ], [ false, %0 ]
  {0}
  br i1 %again, label %second, label %done
second:
  store volatile double 2.0, ptr addrspace(1) %p
  br label %done
done:
  ret void
}
)";
  std::string ptx = compile(GetParam(), kernel, /*optimize=*/true);
  EXPECT_EQ(countLines(ptx, GetParam().ptx), 1u) << ptx;
}

TEST_P(Convergence, StaysBehindBranches) {
  // A tail of two instructions, if {0} is one, that leads back.
  constexpr const char *kernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %s) {{
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %next = load volatile i32, ptr addrspace(1) %p
  switch i32 %next, label %done [ i32 7, label %a
                                  i32 90, label %b ]
a:
  store volatile double 1.0, ptr addrspace(1) %p
  br label %all
b:
  store volatile float 2.0, ptr addrspace(1) %p
  br label %all
all:
  {0}
  br label %head
done:
  ret void
}
)";
  for (bool optimize : {false, true}) {
    std::string ptx = compile(GetParam(), kernel, optimize);
    EXPECT_EQ(countLines(ptx, GetParam().ptx), 1u) << ptx;
  }
}

INSTANTIATE_TEST_SUITE_P(Convergence, Convergence,
                         testing::ValuesIn(collectives),
                         [](const testing::TestParamInfo<Collective> &info) {
                           return std::string(info.param.name);
                         });
