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
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::jit;
namespace fs = llvm::sys::fs;

namespace {

/// A device that takes machine code, and remembers what it loads.
class MachineCodeDevice : public runtime::FakeDevice {
public:
  MachineCodeDevice() : FakeDevice([](const runtime::HostArguments &) {}) {}

  bool takesMachineCode() const override { return true; }
  llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>
  load(const runtime::KernelImage &image) override {
    loads.push_back(image.code);
    if (refusesMachineCode && image.code.find("machine") == 0)
      return llvm::createStringError("for another GPU");
    return std::make_unique<runtime::LoadedKernel>(image);
  }

  bool refusesMachineCode = false;
  std::vector<std::string> loads;
};

/// Every field: one more has to be named here.
auto getFields(const spec::Argument &argument) {
  const auto &[name, type, kind, divisibility, isDisjoint, isWritten,
               isSpecialized, isDivisor, loopStep, maxTrips, columns,
               productStep, hasFullProducts, rowBytes, least, most] = argument;
  return std::tuple(name, type, kind, divisibility, isDisjoint, isWritten,
                    isSpecialized, isDivisor, loopStep, maxTrips, columns,
                    productStep, hasFullProducts, rowBytes, least, most);
}

/// A source of the kernel "k" on X[n], that counts.
class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("TILEWRIGHT_PTXAS");
    ASSERT_FALSE(fs::createUniqueDirectory("tilewright-cache", folder));
  }
  void TearDown() override {
    unsetenv("TILEWRIGHT_PTXAS");
    EXPECT_FALSE(fs::remove_directories(folder));
  }

  /// Names a program as ptxas, of which each run is a line of a file.
  void usePtxas(llvm::StringRef name, llvm::StringRef end = "") {
    std::string path = (folder + "/" + name).str();
    std::error_code code;
    llvm::raw_fd_ostream(path, code)
        << "#!/bin/sh\necho run >> " << folder << "/runs\n"
        << end << "\n{ printf 'machine code of '; cat \"$4\"; } > \"$6\"\n";
    ASSERT_FALSE(code);
    ASSERT_FALSE(fs::setPermissions(path, fs::all_all));
    setenv("TILEWRIGHT_PTXAS", path.c_str(), /*overwrite=*/1);
  }
  size_t countPtxasRuns() {
    auto runs = llvm::MemoryBuffer::getFile(folder + "/runs");
    return runs ? (*runs)->getBuffer().count('\n') : 0;
  }

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
          kernel.tensorMaps = maps;
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
  std::vector<spec::TensorMap> maps;
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
  description.arguments[1] = {"n",
                              spec::ElementType::I32,
                              spec::ArgumentKind::Scalar,
                              /*divisibility=*/2,
                              /*isDisjoint=*/false,
                              /*isWritten=*/true,
                              /*isSpecialized=*/false,
                              /*isDivisor=*/true,
                              /*loopStep=*/3,
                              /*maxTrips=*/4,
                              /*columns=*/5,
                              /*productStep=*/6,
                              /*hasFullProducts=*/true,
                              /*rowBytes=*/7,
                              /*least=*/INT64_MIN + 1,
                              /*most=*/INT64_MAX - 1};
  description.requiresTensorMaps = true;
  create(/*compilesBase=*/false);
  std::optional<KernelCache::Program> program = open().loadProgram();
  ASSERT_TRUE(program);
  EXPECT_EQ(program->text, "the program");
  EXPECT_EQ(program->notes, "some notes");
  EXPECT_EQ(program->description.name, "k");
  EXPECT_EQ(program->description.shapes, description.shapes);
  EXPECT_EQ(program->description.grid, description.grid);
  EXPECT_TRUE(program->description.requiresTensorMaps);
  EXPECT_EQ(program->description.references, description.references);
  ASSERT_EQ(program->description.arguments.size(), 2u);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(getFields(program->description.arguments[i]) ==
                getFields(description.arguments[i]))
        << i;
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

TEST_F(KernelCacheTest, KeepsTensorMaps) {
  spec::TensorMap map;
  map.type = spec::ElementType::F16;
  map.extents = {{1, {1}}, {-3, {}}};
  map.strides = {{2, {1, 1}}};
  map.box = {64, 8};
  map.swizzleBytes = 128;
  maps = {map, spec::TensorMap()};
  std::unique_ptr<VariantSet> set = create();
  compiled.clear();
  EXPECT_EQ(llvm::cantFail(restore()->getBase())->image.tensorMaps, maps);
  EXPECT_TRUE(compiled.empty());
  // The variant without is another one.
  VariantKey without =
      VariantKey::ofDeclared(set->getArguments()).withoutTensorMaps();
  llvm::cantFail(restore()->get(without));
  EXPECT_EQ(compiled.size(), 1u);
}

TEST_F(KernelCacheTest, VariantsOfAnotherFormAreNotThere) {
  std::unique_ptr<VariantSet> set = create();
  VariantKey key = VariantKey::ofDeclared(set->getArguments());
  EXPECT_TRUE(open().loadVariant(key));
  // As it was before there were tensor maps.
  DiskCache disk(folder, 1 << 30);
  std::string place = makeDigest({"variant", "key", key.getBytes(), ""});
  std::string entry = disk.get(place).value_or("");
  constexpr llvm::StringLiteral part = R"(,"tensor_maps":[])";
  size_t begin = entry.find(part);
  ASSERT_NE(begin, std::string::npos) << entry;
  ASSERT_TRUE(disk.put(place, entry.erase(begin, part.size())));
  EXPECT_FALSE(open().loadVariant(key));
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
  MachineCodeDevice device;
  usePtxas("ptxas");
  auto load = [&] {
    device.loads.clear();
    return llvm::cantFail(loadCached(open(), device, target, key, image));
  };
  EXPECT_EQ(load()->getName(), "k");
  EXPECT_EQ(load()->getName(), "k");
  EXPECT_EQ(device.loads, std::vector<std::string>{"machine code of ptx"});
  EXPECT_EQ(countPtxasRuns(), 1u);
  // Another ptxas makes its own.
  usePtxas("another-ptxas");
  load();
  EXPECT_EQ(countPtxasRuns(), 2u);
  // Code that is refused is not the end.
  device.refusesMachineCode = true;
  load();
  EXPECT_EQ(device.loads,
            (std::vector<std::string>{"machine code of ptx", "ptx"}));
  usePtxas("a-third-one", "exit 1");
  load();
  EXPECT_EQ(device.loads, std::vector<std::string>{"ptx"});
  // Where none is named, the device takes PTX.
  unsetenv("TILEWRIGHT_PTXAS");
  load();
  EXPECT_EQ(device.loads, std::vector<std::string>{"ptx"});
  EXPECT_EQ(countPtxasRuns(), 3u);
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
  MachineCodeDevice device;
  usePtxas("ptxas");
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
