//===- PtxEmitterTest.cpp - LLVM IR to PTX, and what LLVM rejects ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/PtxEmitter.h"
#include "tilewright/Target/Ptxas.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// PTX of a module in LLVM's text form, or the error's text.
static std::string compile(StringRef ir, const GpuTarget &target,
                           const PtxOptions &options = {}) {
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(ir, diagnostic, *context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  if (!module)
    return "";
  Expected<std::string> ptx =
      emitPtx(std::move(context), std::move(module), target, options);
  return ptx ? *ptx : toString(ptx.takeError());
}

static GpuTarget sm90a() { return cantFail(GpuTarget::parse("sm_90a")); }

static constexpr StringRef scaleKernel = R"(
define ptx_kernel void @scale(ptr addrspace(1) %p, float %s) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr addrspace(1) %p, i32 %tid
  %x = load float, ptr addrspace(1) %at
  %y = fmul contract float %x, %s
  %z = fadd contract float %y, %s
  store float %z, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";

TEST(PtxEmitter, EveryTargetGetsItsVersionAndName) {
  for (const GpuTarget &target : GpuTarget::all()) {
    std::string ptx = compile(scaleKernel, target);
    std::string version =
        (".version " + Twine(target.ptxVersion / 10) + "." +
         Twine(target.ptxVersion % 10) + "\n.target " + target.name + "\n")
            .str();
    EXPECT_TRUE(StringRef(ptx).contains(version)) << ptx;
    EXPECT_TRUE(StringRef(ptx).contains(".visible .entry scale(")) << ptx;
    EXPECT_TRUE(StringRef(ptx).contains("fma.rn.f32")) << ptx;
  }
}

// ptxas takes neg.s16 and abs.s16 of -32768 for 32768.
TEST(PtxEmitter, NarrowNegationsAreProducts) {
  std::string ptx = compile(R"(
define ptx_kernel void @negate(ptr addrspace(1) %p) {
  %x = load i16, ptr addrspace(1) %p
  %n = sub i16 0, %x
  %h = ashr i16 %n, 6
  store i16 %h, ptr addrspace(1) %p
  %a = call i16 @llvm.abs.i16(i16 %x, i1 false)
  %q = getelementptr i16, ptr addrspace(1) %p, i32 1
  store i16 %a, ptr addrspace(1) %q
  ret void
}
declare i16 @llvm.abs.i16(i16, i1)
)",
                            sm90a());
  StringRef text = ptx;
  EXPECT_FALSE(text.contains("neg.s16")) << ptx;
  EXPECT_FALSE(text.contains("abs.s16")) << ptx;
  EXPECT_EQ(text.count("mul.lo.s16"), 2u) << ptx;
  EXPECT_EQ(text.count("max.s32"), 1u) << ptx;
}

// Of a loop, both are one register, which has the number until the end.
TEST(PtxEmitter, NarrowMagnitudesMayReplaceTheirNumbers) {
  std::string ptx = compile(R"(
define ptx_kernel void @magnitude(ptr addrspace(1) %p, i32 %n) {
entry:
  %start = load i16, ptr addrspace(1) %p
  br label %loop
loop:
  %x = phi i16 [ %start, %entry ], [ %a, %body ]
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %a = call i16 @llvm.abs.i16(i16 %x, i1 false)
  %next = add i32 %i, 1
  br label %loop
end:
  store i16 %x, ptr addrspace(1) %p
  ret void
}
declare i16 @llvm.abs.i16(i16, i1)
)",
                            sm90a());
  StringRef text = ptx;
  EXPECT_TRUE(text.contains("cvt.u16.u32 %rs1, %wide0;")) << ptx;
  EXPECT_TRUE(text.contains("mul.lo.s16 \t%negated, %rs1, -1;")) << ptx;
  EXPECT_TRUE(text.contains("cvt.s32.s16 %wide1, %rs1;")) << ptx;
}

// What somebody has written stays: all of a line, its comment, and what is not
// ended in it.
TEST(PtxEmitter, NarrowInstructionsMayStandBesideOthers) {
  std::string ptx = compile(R"(
define ptx_kernel void @text(ptr addrspace(1) %p) {
  %x = load i16, ptr addrspace(1) %p
  %y = call i16 asm "max.s16 $0, $1, 7; add.s16 $0, $0, 3; // neg.s16 a, b;",
      "=h,h"(i16 %x)
  %z = call i16 asm "min.s16 $0,\0A $1, 9;", "=h,h"(i16 %y)
  store i16 %z, ptr addrspace(1) %p
  ret void
}
)",
                            sm90a());
  StringRef text = ptx;
  EXPECT_TRUE(text.contains("max.s32 %wide0, %wide0, 7;")) << ptx;
  EXPECT_TRUE(text.contains("%wide0; } add.s16 ")) << ptx;
  EXPECT_TRUE(text.contains(", 3; // neg.s16 a, b;\n")) << ptx;
  EXPECT_TRUE(text.contains("min.s16 %rs2,\n %rs3, 9;")) << ptx;
}

// ptxas adds in 64 bits what is widened from 16 at once, as an address.
TEST(PtxEmitter, SumsOf16BitsAreWidenedByWayOf32) {
  std::string ptx = compile(R"(
define ptx_kernel void @wrap(ptr addrspace(1) %p) {
  %x = load i16, ptr addrspace(1) %p
  %sum = add i16 %x, 1023
  %wide = zext i16 %sum to i64
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %wide
  store i8 0, ptr addrspace(1) %q
  ret void
}
)",
                            sm90a());
  StringRef text = ptx;
  EXPECT_FALSE(text.contains("cvt.u64.u16")) << ptx;
  EXPECT_EQ(text.count("cvt.u32.u16 %wide"), 1u) << ptx;
  EXPECT_EQ(text.count("cvt.u64.u32"), 1u) << ptx;
}

/// Functions of two numbers of 16 bits in a row, at each address one.
static std::string compileExtrema(StringRef second) {
  std::string ir = "define ptx_kernel void @k(ptr addrspace(1) %p, i16 %y) {\n"
                   "  %x = load i16, ptr addrspace(1) %p\n";
  for (StringRef name : {"smax", "smin", "umax", "umin"})
    ir += ("  %" + name + " = call i16 @llvm." + name + ".i16(i16 %x, i16 " +
           second + ")\n  store volatile i16 %" + name +
           ", ptr addrspace(1) %p\n")
              .str();
  ir += "  ret void\n}\n";
  for (StringRef name : {"smax", "smin", "umax", "umin"})
    ir += ("declare i16 @llvm." + name + ".i16(i16, i16)\n").str();
  return compile(ir, sm90a());
}

// ptxas takes `max(x, 7) == 7` of 16 bits for x >= 7.
TEST(PtxEmitter, NarrowExtremaAreWide) {
  std::string ptx = compileExtrema("%y");
  for (const char *wide :
       {"max.s32 %wide0, %wide0, %wide1;", "min.s32 %wide0, %wide0, %wide1;",
        "max.u32 %wide0, %wide0, %wide1;", "min.u32 %wide0, %wide0, %wide1;"})
    EXPECT_EQ(StringRef(ptx).count(wide), 1u) << wide << ptx;
  EXPECT_EQ(StringRef(ptx).count("cvt.s32.s16 %wide"), 4u) << ptx;
  EXPECT_EQ(StringRef(ptx).count("cvt.u32.u16 %wide"), 4u) << ptx;
}

TEST(PtxEmitter, ConstantsOfNarrowExtremaAreExtended) {
  std::string ptx = compileExtrema("-7");
  for (const char *wide :
       {"max.s32 %wide0, %wide0, -7;", "min.s32 %wide0, %wide0, -7;",
        "max.u32 %wide0, %wide0, 65529;", "min.u32 %wide0, %wide0, 65529;"})
    EXPECT_EQ(StringRef(ptx).count(wide), 1u) << wide << ptx;
}

TEST(PtxEmitter, PtxasAcceptsEveryTarget) {
  std::optional<Ptxas> ptxas = cantFail(Ptxas::find());
  if (!ptxas)
    GTEST_SKIP() << "no ptxas on this machine";
  for (const GpuTarget &target : GpuTarget::all()) {
    Expected<PtxasOutput> output =
        ptxas->assemble(compile(scaleKernel, target), target);
    ASSERT_TRUE(static_cast<bool>(output)) << toString(output.takeError());
    ASSERT_EQ(output->kernels.size(), 1u);
    EXPECT_EQ(output->kernels[0].name, "scale");
    EXPECT_GT(output->kernels[0].registers, 0u);
    EXPECT_EQ(StringRef(output->cubin.data(), 4), "\177ELF");
  }
}

/// The widest global access of each target is one instruction in its PTX
/// version.
TEST(PtxEmitter, WideGlobalAccessFollowsTheFeature) {
  constexpr StringRef copyKernel = R"(
define ptx_kernel void @copy(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load <8 x float>, ptr addrspace(1) %p, align 32
  store <8 x float> %x, ptr addrspace(1) %q, align 32
  ret void
}
)";
  for (const GpuTarget &target : GpuTarget::all()) {
    std::string ptx = compile(copyKernel, target);
    bool wide = StringRef(ptx).contains("ld.global.v4.b64") ||
                StringRef(ptx).contains("ld.global.v8.b32");
    EXPECT_EQ(wide, target.wideGlobalAccess) << ptx;
  }
}

/// What follows one branch decides the next, and LLVM would copy what stands
/// between into both: then each copy would have a part of the warp.
TEST(PtxEmitter, ProductsStayWithTheWholeWarp) {
  constexpr StringRef kernel = R"(
define ptx_kernel void @product(ptr addrspace(1) %p, double %a, double %b) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %first, label %all
first:
  store volatile double 1.0, ptr addrspace(1) %p
  br label %all
all:
  %again = phi i1 [ true, %first ], [ false, %0 ]
  %d = call {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(
      double %a, double %b, double %a, double %b)
  %x = extractvalue {double, double} %d, 0
  store volatile double %x, ptr addrspace(1) %p
  br i1 %again, label %second, label %done
second:
  store volatile double 2.0, ptr addrspace(1) %p
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(
    double, double, double, double)
)";
  EXPECT_EQ(StringRef(compile(kernel, sm90a())).count("mma.sync"), 1u);
}

TEST(PtxEmitter, CodeIsTheSameAgain) {
  EXPECT_EQ(compile(scaleKernel, sm90a()), compile(scaleKernel, sm90a()));
}

TEST(PtxEmitter, OptimizationLevelIsObeyed) {
  constexpr StringRef ir = R"(
define ptx_kernel void @k(ptr addrspace(1) %p) {
  %slot = alloca i32
  store i32 7, ptr %slot
  %x = load volatile i32, ptr %slot
  %y = load i32, ptr %slot
  store i32 %y, ptr addrspace(1) %p
  ret void
}
)";
  PtxOptions unoptimized;
  unoptimized.optimize = false;
  EXPECT_NE(compile(ir, sm90a()), compile(ir, sm90a(), unoptimized));
}

TEST(PtxEmitter, MalformedModuleIsAnError) {
  auto context = std::make_unique<LLVMContext>();
  auto module = std::make_unique<Module>("malformed", *context);
  Function *function =
      Function::Create(FunctionType::get(Type::getVoidTy(*context), false),
                       GlobalValue::ExternalLinkage, "empty_block", *module);
  BasicBlock::Create(*context, "entry", function);
  Expected<std::string> ptx =
      emitPtx(std::move(context), std::move(module), sm90a());
  ASSERT_FALSE(ptx);
  EXPECT_TRUE(StringRef(toString(ptx.takeError()))
                  .starts_with("the LLVM module is malformed: Basic Block"));
}

/// tcgen05 has no instruction on sm_90a: the code generator's fatal error.
static constexpr StringRef unselectableKernel = R"(
define ptx_kernel void @k(ptr addrspace(6) %p) {
  call void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6) %p, i32 32)
  ret void
}
declare void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6), i32)
)";

TEST(PtxEmitter, InstructionThatTheTargetLacksIsAnError) {
  std::string error = compile(unselectableKernel, sm90a());
  EXPECT_TRUE(StringRef(error).starts_with(
      "LLVM cannot compile this module for sm_90a: "))
      << error;
  EXPECT_TRUE(StringRef(error).contains("annot select")) << error;
}

TEST(PtxEmitter, NextModuleCompilesAfterAFatalError) {
  std::string before = compile(scaleKernel, sm90a());
  for (int i = 0; i < 3; ++i)
    compile(unselectableKernel, sm90a());
  EXPECT_EQ(compile(scaleKernel, sm90a()), before);
}

/// An error that LLVM reports through its diagnostics, not as a fatal one.
TEST(PtxEmitter, DiagnosedErrorIsAnError) {
  std::string error = compile(R"(
define ptx_kernel void @k(ptr %p) {
  %x = call i32 asm "mov.u32 $0, %laneid;", "={nowhere}"()
  store i32 %x, ptr %p
  ret void
}
)",
                              sm90a());
  EXPECT_TRUE(StringRef(error).starts_with(
      "LLVM cannot compile this module for sm_90a: "))
      << error;
}
