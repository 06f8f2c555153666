//===- KernelCacheTest.cpp - One kernel in the cache on disk --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/KernelCache.h"
#include "FakeDevice.h"
#include "tilewright/Jit/Kernel.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::jit;
namespace fs = llvm::sys::fs;

namespace {

/// A device that takes machine code, and counts.
class AssemblingDevice : public runtime::FakeDevice {
public:
  AssemblingDevice() : FakeDevice([](const runtime::HostArguments &) {}) {}

  bool takesMachineCode() const override { return true; }
  std::string getAssembler() const override { return assembler; }
  llvm::Expected<std::string>
  assemble(const runtime::KernelImage &image) override {
    ++assemblies;
    if (failsToAssemble)
      return llvm::createStringError("no linker");
    return "machine code of " + image.code;
  }
  llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>
  load(const runtime::KernelImage &image) override {
    loads.push_back(image.code);
    if (refusesMachineCode && image.code.find("machine") == 0)
      return llvm::createStringError("for another GPU");
    return std::make_unique<runtime::LoadedKernel>(image.entry,
                                                   image.threadsPerBlock);
  }

  std::string assembler = "a driver";
  bool failsToAssemble = false, refusesMachineCode = false;
  unsigned assemblies = 0;
  std::vector<std::string> loads;
};

/// A source of the kernel "k" on X[n], that counts.
class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("TILEWRIGHT_PTXAS");
    ASSERT_FALSE(fs::createUniqueDirectory("tilewright-cache", folder));
  }
  void TearDown() override { fs::remove_directories(folder); }

  KernelCache open(llvm::StringRef key = "key") {
    return KernelCache(DiskCache(folder, 1 << 30), key.str());
  }
  KernelSource getSource() {
    return KernelSource(
        [&](const CompileOptions &options) -> llvm::Expected<CompiledModule> {
          compiled.push_back(options);
          CompiledModule module;
          module.target = llvm::cantFail(GpuTarget::parse("sm_90a"));
          module.output = code;
          CompiledKernel &kernel = module.kernels.emplace_back();
          kernel.description = description;
          kernel.report.name = "k";
          kernel.threadsPerBlock = 64;
          kernel.staticSharedBytes = 1;
          kernel.dynamicSharedBytes = 2;
          return module;
        },
        "the program");
  }
  static CompileOptions getOptions() {
    CompileOptions options;
    options.pipeline.target = llvm::cantFail(GpuTarget::parse("sm_90a"));
    return options;
  }
  std::unique_ptr<VariantSet> create(bool compilesBase = true) {
    return llvm::cantFail(VariantSet::create(getSource(), getOptions(),
                                             "--kernel", compilesBase, open(),
                                             "some notes"));
  }
  std::unique_ptr<VariantSet> restore() {
    return VariantSet::restore(getSource(), getOptions(), open(),
                               open().loadProgram()->description);
  }

  llvm::SmallString<128> folder;
  std::string code = "code";
  std::vector<CompileOptions> compiled;
  spec::KernelDescription description = {
      "k",
      {spec::pointer("X", spec::ElementType::F32, 4),
       spec::scalar("n", spec::ElementType::I32)},
      {"X[n]"},
      {"ceildiv(n, 64)"},
      {"X[i] = X[i] + 1"}};
};

TEST_F(KernelCacheTest, KeepsPrograms) {
  EXPECT_FALSE(open().loadProgram());
  description.arguments[0].isDisjoint = true;
  description.arguments[0].isWritten = false;
  description.arguments[1].isSpecialized = false;
  create(/*compilesBase=*/false);
  std::optional<KernelCache::Program> program = open().loadProgram();
  ASSERT_TRUE(program);
  EXPECT_EQ(program->text, "the program");
  EXPECT_EQ(program->notes, "some notes");
  EXPECT_EQ(program->description.name, "k");
  EXPECT_EQ(program->description.shapes, description.shapes);
  EXPECT_EQ(program->description.grid, description.grid);
  EXPECT_EQ(program->description.references, description.references);
  ASSERT_EQ(program->description.arguments.size(), 2u);
  const spec::Argument &x = program->description.arguments[0];
  EXPECT_EQ(x.name, "X");
  EXPECT_TRUE(x.isPointer() && x.isDisjoint && x.isSpecialized);
  EXPECT_FALSE(x.isWritten);
  EXPECT_EQ(x.divisibility, 4u);
  const spec::Argument &n = program->description.arguments[1];
  EXPECT_EQ(n.type, spec::ElementType::I32);
  EXPECT_FALSE(n.isPointer() || n.isDisjoint || n.isSpecialized);
  EXPECT_FALSE(open("other key").loadProgram());
}

TEST_F(KernelCacheTest, FoundVariantsAreNotCompiled) {
  std::unique_ptr<VariantSet> set = create();
  spec::ArgumentBlock values(set->getArguments());
  values.set(0, 64);
  VariantKey wide = VariantKey::ofLaunch(set->getArguments(), values, true, 16);
  llvm::cantFail(set->get(wide));
  EXPECT_EQ(compiled.size(), 2u);

  compiled.clear();
  std::unique_ptr<VariantSet> later = restore();
  Variant *found = llvm::cantFail(later->get(wide));
  EXPECT_EQ(llvm::cantFail(later->getBase())->getPtx(), "code");
  EXPECT_TRUE(compiled.empty());
  EXPECT_EQ(found->getPtx(), "code");
  EXPECT_EQ(found->image.entry, "k");
  EXPECT_EQ(found->image.threadsPerBlock, 64u);
  EXPECT_EQ(found->image.staticSharedBytes, 1u);
  EXPECT_EQ(found->image.dynamicSharedBytes, 2u);
  EXPECT_EQ(found->image.blocksPerMultiprocessor,
            llvm::cantFail(set->get(wide))->image.blocksPerMultiprocessor);
  // What is not there is made, and then kept.
  values.set(0, 4);
  VariantKey narrow =
      VariantKey::ofLaunch(set->getArguments(), values, true, 16);
  llvm::cantFail(later->get(narrow));
  EXPECT_EQ(compiled.size(), 1u);
  llvm::cantFail(restore()->get(narrow));
  EXPECT_EQ(compiled.size(), 1u);
}

TEST_F(KernelCacheTest, AReportIsMadeWhenItIsAskedFor) {
  // Where there is a ptxas, it is asked too.
  code = ".version 8.0\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k() { ret; }\n";
  create();
  std::unique_ptr<VariantSet> later = restore();
  Variant *base = llvm::cantFail(later->getBase());
  compiled.clear();
  EXPECT_EQ(llvm::cantFail(later->getReport(*base))->name, "k");
  EXPECT_EQ(compiled.size(), 1u);
  EXPECT_EQ(llvm::cantFail(later->getReport(*base))->name, "k");
  EXPECT_EQ(compiled.size(), 1u);
}

TEST_F(KernelCacheTest, MachineCodeIsMadeOnce) {
  VariantKey key = VariantKey::ofDeclared(description.arguments);
  runtime::KernelImage image;
  image.code = "ptx";
  image.entry = "k";
  GpuTarget target = getOptions().pipeline.target;
  AssemblingDevice device;
  auto load = [&] {
    device.loads.clear();
    return llvm::cantFail(loadCached(open(), device, target, key, image));
  };
  EXPECT_EQ(load()->getName(), "k");
  EXPECT_EQ(load()->getName(), "k");
  EXPECT_EQ(device.loads, std::vector<std::string>{"machine code of ptx"});
  EXPECT_EQ(device.assemblies, 1u);
  // Another driver makes its own.
  device.assembler = "another driver";
  load();
  EXPECT_EQ(device.assemblies, 2u);
  // Code that is refused is not the end.
  device.refusesMachineCode = true;
  load();
  EXPECT_EQ(device.loads,
            (std::vector<std::string>{"machine code of ptx", "ptx"}));
  device.assembler = "a third one";
  device.failsToAssemble = true;
  load();
  EXPECT_EQ(device.loads, std::vector<std::string>{"ptx"});
  // A device without an assembler takes PTX.
  device.assembler = "";
  load();
  EXPECT_EQ(device.loads, std::vector<std::string>{"ptx"});
  EXPECT_EQ(device.assemblies, 3u);
}

TEST_F(KernelCacheTest, ARestoredKernelLaunches) {
  create();
  compiled.clear();
  Kernel::Settings settings;
  settings.isLazy = true;
  std::unique_ptr<Kernel> kernel = llvm::cantFail(
      Kernel::restore(getSource(), getOptions(), settings, open(),
                      open().loadProgram()->description));
  EXPECT_EQ(kernel->getName(), "k");
  AssemblingDevice device;
  SpecializedKernel *launches = llvm::cantFail(kernel->getLaunches());
  launches->keepDeclared(0);
  launches->keepDeclared(1);
  spec::ArgumentBlock values(launches->getArguments());
  ASSERT_FALSE(
      llvm::errorToBool(launches->launch({device, values, {1, 1, 1}})));
  EXPECT_EQ(device.loads, std::vector<std::string>{"machine code of code"});
  EXPECT_TRUE(compiled.empty());
}

} // namespace
