//===- ParserTest.cpp - PTX syntax, errors and fuzzing --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright::sim;

namespace {

std::string errorOf(const std::string &ptx) {
  llvm::Expected<Module> module = Module::parse(ptx);
  return module ? "" : llvm::toString(module.takeError());
}

/// The error of a kernel whose body starts in line 12.
std::string bodyError(const std::string &body) {
  return errorOf(wrapKernel(body));
}

TEST(Parser, DescribesKernels) {
  const Module module = parseOrDie(R"(
.version 8.0
.target sm_90a, debug
.address_size 64
.shared .align 16 .b8 unused[100];
.shared .align 16 .b8 used[100];
.extern .shared .align 128 .b8 dynamic[];
.visible .entry first(
  .param .u64 .ptr .global .align 16 p,
  .param .u32 n,
  .param .align 8 .b8 s[24]
)
.reqntid 128, 1, 1
.minnctapersm 1
{
  .reg .b64 %rd<2>;
  mov.u64 %rd0, used;
  mov.u64 %rd1, dynamic;
  ret;
}
.visible .entry second() .maxntid 256 { ret; }
)");
  EXPECT_EQ(module.target(), "sm_90a");
  ASSERT_EQ(module.kernels().size(), 2u);
  const KernelInfo &first = module.kernels()[0];
  EXPECT_EQ(first.name, "first");
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[1].offset, 8u);
  EXPECT_EQ(first.parameters[2].offset, 16u);
  EXPECT_EQ(first.parameters[2].size, 24u);
  EXPECT_EQ(first.argumentBytes, 40u);
  EXPECT_EQ(first.requiredThreads[0], 128u);
  EXPECT_EQ(first.staticSharedBytes, 100u);
  EXPECT_EQ(module.findKernel("second")->maximumThreads, 256u);
  EXPECT_EQ(module.findKernel("third"), nullptr);
}

/// Files may be named behind the code, as LLVM does.
TEST(Parser, ErrorsNameTheSource) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k() {\n  .reg .b32 %r<3>;\n"
                           "  .loc 2 17 5\n  ";
  const std::string tail = "\n  ret;\n}\n\t.file\t1 \"other.py\"\n"
                           "\t.file\t2 \"dir/kernel.py\"\n";
  EXPECT_EQ(errorOf(head + "frob.b32 %r1;" + tail),
            "line 7: unknown instruction 'frob': frob.b32 %r1, of "
            "dir/kernel.py:17");
  EXPECT_EQ(errorOf(head + "mov.b32 %r1, %r2 ((;" + tail),
            "line 7: expected ';' before '(', of dir/kernel.py:17");
}

TEST(Parser, ErrorsNameLineAndText) {
  EXPECT_EQ(bodyError("frob.u32 %r1, %r2;"),
            "line 12: unknown instruction 'frob': frob.u32 %r1, %r2");
  EXPECT_EQ(bodyError("add.funny.u32 %r1, %r2, %r3;"),
            "line 12: '.funny' is not supported on 'add': "
            "add.funny.u32 %r1, %r2, %r3");
  EXPECT_EQ(bodyError("add.u32 %r1, %r2;"),
            "line 12: expected 3 operands, found 2: add.u32 %r1, %r2");
  EXPECT_EQ(bodyError("add.u64 %r1, %rd2, %rd3;"),
            "line 12: a .b32 register is too narrow for .u64: "
            "add.u64 %r1, %rd2, %rd3");
  EXPECT_EQ(bodyError("bra NOWHERE;"),
            "line 12: label 'NOWHERE' is not defined: bra NOWHERE");
  EXPECT_EQ(bodyError("mov.u32 %r1, %r99;"),
            "line 12: '%r99' is neither a declared register nor a special "
            "register that the simulator models");
  EXPECT_EQ(bodyError("mov.u32 %r1, missing;"),
            "line 12: 'missing' is not declared: mov.u32 %r1, missing");
  EXPECT_EQ(bodyError("@%r1 bra X; X:"),
            "line 12: '%r1' is not a predicate register");
  EXPECT_EQ(bodyError("add.u32 %r1, %r2, ;"),
            "line 12: expected an operand before ';'");
  EXPECT_EQ(bodyError("call unknown, ();"),
            "line 12: only calls of named functions are supported: "
            "call unknown, ()");
  EXPECT_EQ(bodyError("cp.async.cg.shared.global [%r1], [%rd1], 8;"),
            "line 12: cp.async copies 4, 8 or 16 bytes, and with .cg 16: "
            "cp.async.cg.shared.global [%r1], [%rd1], 8");
  EXPECT_EQ(bodyError("ld.shared.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%r1];"),
            "line 12: vectors of 32 bytes are for .global and for elements of "
            "4 or 8 bytes, .v8 for vectors of 32 bytes: "
            "ld.shared.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%r1]");
  // No vectors of PTX, though ordinary accesses take as many bytes.
  for (llvm::StringRef access :
       {"ld.global.v8.f16x2", "ld.global.v8.b16", "ld.global.v4.f32x2"}) {
    std::string values = access.contains("v8")
                             ? "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"
                             : "{%rd1, %rd2, %rd3, %rd4}";
    EXPECT_TRUE(
        llvm::StringRef(bodyError((access + " " + values + ", [%rd1];").str()))
            .starts_with("line 12: vectors of 32 bytes are for"))
        << access.str();
  }
  for (const char *access : {"red.global.max.v2.f32", "red.shared.add.v2.f32",
                             "red.global.add.v2.u32"}) {
    EXPECT_NE(bodyError(access + std::string(" [%rd1], {%r1, %r2};")), "")
        << access;
  }
  EXPECT_EQ(bodyError("red.global.exch.b32 [%rd1], %r1;"),
            "line 12: the operation is not supported on .b32: "
            "red.global.exch.b32 [%rd1], %r1");
  EXPECT_EQ(bodyError("div.rn.f32x2 %rd1, %rd2, %rd3;"),
            "line 12: type .f32x2 is not supported: "
            "div.rn.f32x2 %rd1, %rd2, %rd3");
  EXPECT_EQ(bodyError("mad.rn.f32x2 %rd1, %rd2, %rd3, %rd1;"),
            "line 12: type .f32x2 is not supported: "
            "mad.rn.f32x2 %rd1, %rd2, %rd3, %rd1");
  EXPECT_EQ(bodyError("neg.f32x2 %rd1, %rd2;"),
            "line 12: type .f32x2 is not supported: neg.f32x2 %rd1, %rd2");
  EXPECT_EQ(bodyError("add.rn.sat.f32x2 %rd1, %rd2, %rd3;"),
            "line 12: .f32x2 takes no .sat: "
            "add.rn.sat.f32x2 %rd1, %rd2, %rd3");
  EXPECT_EQ(bodyError("X: ret; X: ret;"),
            "line 12: label 'X' is defined twice");
  EXPECT_EQ(errorOf("hello"), "line 1: expected a directive before 'hello'");
  EXPECT_EQ(errorOf(".visible .entry k() {"),
            "line 1: the text ends inside function 'k'");
}

/// What is wrong with each of some texts, less the line.
void expectErrors(
    llvm::function_ref<std::string(const std::string &)> errorOf,
    llvm::ArrayRef<std::pair<const char *, const char *>> mistakes) {
  for (auto [text, message] : mistakes)
    EXPECT_EQ(llvm::StringRef(errorOf(text)).split(": ").second, message)
        << text;
}

TEST(Parser, SaysWhatIsWrongWithDeclarations) {
  expectErrors(
      errorOf,
      {{".global .align 4 b[4];", "the declaration has no type"},
       {".global .align 3 .b8 b[4];",
        "an alignment is a power of two up to 1024"},
       {".global .align x .b8 b[4];", "expected a number before 'x'"},
       {".global .pred p;", "'.pred' is not expected in a declaration"},
       {".global .b8 4;", "expected the name of a variable before '4'"},
       {".global .b8 b[];", "'b' has no size"},
       {".global .b8 b[99999999999];", "'b' is too large"},
       {".global .b8 b; .global .b8 b;", "'b' is declared twice"},
       {".global .b8 b[2] = {1, 2, 3};", "'b' has too many initial values"},
       {".global .b32 b = other;", "an address needs a .b64 or .u64 variable"},
       {".global .b32 b = *;", "'*' is not supported in an initialiser"},
       {".texref t;", "directive '.texref' is not supported here"},
       {".pragma \"x\"", "the text ends inside a directive"},
       {".file 1 name", "expected a file name"},
       {".section .debug", "the text ends inside a section"},
       {".section .debug { .b8 1", "the text ends inside a section"},
       {".func 1() {}", "expected the name of a function before '1'"},
       {".func f(.reg .b32 x) {}",
        "register parameters of functions are not supported"},
       {".func f(.b32 x) {}", "expected '.param' before 'b32'"},
       {".extern .func f() {}", "an external function has no body"}});
}

TEST(Parser, SaysWhatIsWrongWithStatements) {
  expectErrors(
      bodyError,
      {{".reg x;", "expected the type of a register"},
       {".reg .v2 .b32 x;", "vector registers are not supported"},
       {".reg .b7 x;", "'.b7' is not the type of a register"},
       {".reg .b128 x;", "128-bit registers are not supported"},
       {".reg .b32 4;", "expected the name of a register before '4'"},
       {".reg .b32 x<4000000000>;", "too many registers"},
       {".visible x;", "directive '.visible' is not supported here"},
       {"T: .branchtargets 4;", "expected a label before '4'"},
       {"@4 ret;", "expected a predicate register before '4'"},
       {"@%p1 4;", "expected an instruction before '4'"},
       {"selp.b32 %r1, %r2, %r3, !%r4;",
        "expected a predicate register after '!'"},
       {"setp.eq.u32 %p1|4, %r1, %r2;", "expected a register after '|'"},
       {"ld.global.b32 %r1, [{%r1}];",
        "an address is a register, a variable or a number"},
       {"mov.b32 %r1, %r2.x;", "selecting '.x' of a register is not supported"},
       {"mov.b32 %r1, {{{{{{{{{%r2}}}}}}}}};",
        "operands are nested too deeply"}});
  std::string many = "mov.b32 %r1";
  for (int i = 0; i < 257; ++i)
    many += ", %r2";
  EXPECT_EQ(bodyError(many + ";"), "line 12: too many operands");
}

TEST(Parser, AcceptsWhatCompilersWrite) {
  // Scopes with registers and labels of one name, predicated and vector
  // accesses with cache hints, as inline assembly of tile compilers has them.
  EXPECT_EQ(bodyError(R"(
    .loc 1 20 30, function_name $L__info_string0, inlined_at 1 40 8
    .pragma "nounroll";
    mov.b64 %rd0, 0x0;
    createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;
    @%p1 ld.global.L1::evict_last.L2::cache_hint.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ], %rd9;
    @!%p1 mov.u32 %r1, 0x0;
    { .reg .pred p; .reg .b32 %t; setp.ne.b32 p, %r1, 0; @p bra L; mov.u32 %t, 1; L: }
    { .reg .pred p; .reg .b64 %t; setp.ne.b32 p, %r1, 0; @p bra L; mov.u64 %t, 1; L: }
    ld.global.nc.L2::128B.v2.f32 {%f1, %f2}, [%rd1+-8];
    st.global.cs.v4.f32 [%rd1], {%f1, %f2, 0f3F800000, 1.5};
    shfl.sync.bfly.b32 %r5, %r6, 0x10, 0x1f, 0xffffffff;
    redux.sync.add.s32 %r5, %r6, -1;
    mov.b32 {%h1, %h2}, %r1;
    /* a comment */ // another
    bar.warp.sync -1;
    fence.acq_rel.gpu;
    ld.acquire.gpu.global.u32 %r1, [%rd1];
    atom.global.acq_rel.gpu.cas.b32 %r1, [%rd1], %r2, %r3;
    cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;
    $L_tbl: .branchtargets A, B;
    brx.idx %r1, $L_tbl;
    A: B:
  )"),
            "");
}

/// Any text must give a module or an error. Mutations of real kernels reach
/// deeper than random bytes.
class ParserFuzz : public DeviceTest {};

TEST_F(ParserFuzz, MutatedKernelsNeverCrash) {
  for (const char *name :
       {"basic.ptx", "warp.ptx", "llvm.ptx", "triton/matmul_wgmma.ptx"}) {
    auto buffer = llvm::MemoryBuffer::getFile(
        llvm::Twine(TILEWRIGHT_SIMULATOR_KERNELS) + "/" + name);
    ASSERT_TRUE(bool(buffer));
    llvm::SmallVector<llvm::StringRef, 0> lines;
    (*buffer)->getBuffer().split(lines, '\n');
    for (int round = 0; round != 150; ++round) {
      // A window of the file, so that later text is reached as well.
      const size_t first = random() % 4 ? 0 : random() % lines.size();
      std::string text;
      for (size_t i = first; i != lines.size(); ++i)
        text += lines[i].str() + "\n";
      for (unsigned edits = 1 + random() % 4; edits != 0; --edits) {
        const size_t at = random() % text.size();
        switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
        default:
          text[at] = "{}[](),;:.@!%|+-0x\""[random() % 20];
        }
        if (text.empty())
          text = " ";
      }
      errorOf(text);
    }
  }
}

/// Statements of the instructions of Hopper, and all their words in any order.
TEST_F(ParserFuzz, MixedWordsNeverCrash) {
  const std::vector<std::string> statements = {
      "mbarrier.init.shared::cta.b64 [%r1], 32;",
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], %r2;",
      "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1+8], 3;",
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
      "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], 0, 9;",
      "mbarrier.pending_count.b64 %r1, %rd1;",
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];",
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): long statements.
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
      "multicast::cluster.L2::cache_hint [%r1], [%rd1], 16, [%r2], %h1, %rd2;",
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
      "[%r1], [%r2], 16, [%r3];",
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], "
      "[%r1], 16;",
      "cp.async.bulk.wait_group.read 0;",
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%r1], [%rd1, {%r2, %r3, 4}], [%r5];",
      "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], "
      "[%r1];",
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
      "[%rd1, {%r2, %r3}], [%r1];",
      "cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r2, %r3}];",
      "prefetch.param.tensormap [a];",
      "setmaxnreg.inc.sync.aligned.u32 232;",
      "barrier.cluster.arrive.release.aligned;",
      "mapa.shared::cluster.u32 %r1, %r2, %r3;",
      "getctarank.shared::cluster.u32 %r1, %r2;",
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
      "[%r1], {%r2, %r3, %r4, %r5}, [%r6];",
  };
  std::vector<std::string> words;
  for (const std::string &statement : statements) {
    EXPECT_EQ(bodyError(statement), "");
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(statement, parts, ".,; ");
    words.insert(words.end(), parts.begin(), parts.end());
  }
  for (int round = 0; round != 4000; ++round) {
    std::string text = statements[random() % statements.size()];
    for (unsigned edits = 1 + random() % 3; edits != 0; --edits) {
      const size_t at = random() % text.size();
      const std::string &word = words[random() % words.size()];
      const size_t end = text.find_first_of(".,; ", at);
      switch (random() % 3) {
      case 0: // another word in place of this one
        text.replace(at, end - at, word);
        break;
      case 1:
        text.insert(at, (random() % 2 ? "." : ", ") + word);
        break;
      default:
        text.erase(at, end - at);
      }
    }
    bodyError(text);
  }
}

TEST(Parser, HostileText) {
  EXPECT_NE(bodyError("add.u32 %r1, " + std::string(100000, '{')), "");
  EXPECT_NE(bodyError("add.u32 %r1, " + std::string(100000, '[')), "");
  EXPECT_NE(bodyError("ld.u32 %r1, [%rd1" + std::string(100000, '+')), "");
  EXPECT_NE(errorOf(".global .b8 x[99999999999999999999];"), "");
  EXPECT_NE(errorOf(".global .b8 x[4294967295][4294967295];"), "");
  EXPECT_NE(bodyError(".reg .b32 %many<4000000000>;"), "");
  EXPECT_EQ(bodyError(std::string(20000, '{') + std::string(20000, '}')), "");
  EXPECT_NE(errorOf(std::string("\0\0\0", 3)), "");
  EXPECT_NE(errorOf(".version"), "line 1: ");
}

//===----------------------------------------------------------------------===//
// Kernels of LLVM's back end
//===----------------------------------------------------------------------===//

class LLVMKernels : public DeviceTest {
protected:
  const Module module = loadKernels("llvm.ptx");
};

TEST_F(LLVMKernels, Transpose) {
  std::vector<float> x(1024);
  for (int i = 0; i != 1024; ++i)
    x[i] = static_cast<float>(i);
  const uint64_t y = blank<float>(1024);
  const LaunchReport report = runClean(module, "transpose", {1}, {32},
                                       ArgumentBlock().add(upload(x)).add(y));
  for (int i = 0; i != 1024; ++i)
    ASSERT_EQ(download<float>(y, 1024)[i], x[i % 32 * 32 + i / 32]);
  EXPECT_EQ(report.counts.sharedLoadWavefronts, 32u);
}

TEST_F(LLVMKernels, InlineAssembly) {
  std::vector<int> x(32);
  for (int i = 0; i != 32; ++i)
    x[i] = i;
  const uint64_t y = blank<int>(32);
  runClean(module, "inlineAssembly", {1}, {32},
           ArgumentBlock().add(upload(x)).add(y));
  auto step = [](int v, int limit) { return (v > limit ? v * 2 : v) + 1; };
  for (int i = 0; i != 32; ++i)
    EXPECT_EQ(download<int>(y, 32)[i], step(step(i ^ 1, 10), 20));
}

TEST_F(LLVMKernels, Mixed) {
  std::vector<uint16_t> x(128);
  for (int i = 0; i != 128; ++i) // halves 1.0 + i / 1024
    x[i] = static_cast<uint16_t>(0x3c00 + i);
  const uint64_t y = blank<float>(32);
  runClean(module, "mixed", {1}, {32}, ArgumentBlock().add(upload(x)).add(y),
           128);
  for (int i = 0; i != 32; ++i) {
    const int other = i ^ 1;
    const double v = 1 + (other * 4 + other % 4) / 1024.0;
    // In [2, 4) halves are 1/512 apart.
    EXPECT_EQ(download<float>(y, 32)[i],
              std::nearbyint((v * v + 1) * 512) / 512);
  }
}

} // namespace
