//===- SpecializedKernelTest.cpp - Variants, plans and launches -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/SpecializedKernel.h"
#include "FakeDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <thread>

using namespace tilewright;
using namespace tilewright::jit;
using namespace tilewright::runtime;
using spec::ElementType;
using Divisibility = std::vector<unsigned>;

namespace {

/// A kernel on X[M, N] and Y[N], with variants that keep a list.
class SpecializedKernelTest : public testing::Test {
protected:
  SpecializedKernelTest() : device(nullptr) {
    device.kernel = [&](const HostArguments &launch) { grid = launch.grid; };
    description.name = "k";
    description.arguments = {spec::pointer("X", ElementType::F32, 4),
                             spec::pointer("Y", ElementType::F32),
                             spec::scalar("M", ElementType::I64),
                             spec::scalar("N", ElementType::I32),
                             spec::scalar("alpha", ElementType::F32)};
    description.shapes = {"X[M, 2 * N]", "Y[N]"};
    description.grid = {"ceildiv(M, 64)", "N"};
  }

  std::unique_ptr<SpecializedKernel>
  create(bool specializes = true, unsigned mostDivisibility = maxDivisibility) {
    return llvm::cantFail(SpecializedKernel::create(
        description,
        [&](const VariantKey &key) -> llvm::Expected<const KernelImage *> {
          if (!failure.empty())
            return llvm::createStringError(failure);
          Divisibility &divisibility = asked.emplace_back();
          for (unsigned i = 0; i < description.arguments.size(); ++i)
            divisibility.push_back(key.getDivisibility(i));
          askedDisjoint.push_back(key.areDisjoint());
          askedOne.push_back(key.isOne(3));
          expectationsWhenAsked = device.expectations;
          askedMaps.push_back(key.mayUseTensorMaps());
          KernelImage &image =
              key.mayBatchPrograms() ? images[key.mayUseTensorMaps()] : single;
          if (key.mayBatchPrograms())
            image.blockPrograms = blockPrograms;
          image.entry = "k";
          image.threadsPerBlock = 128;
          if (key.mayUseTensorMaps())
            image.tensorMaps = maps;
          return &image;
        },
        specializes, mostDivisibility));
  }

  spec::ArgumentBlock makeArguments(llvm::ArrayRef<uint64_t> bits) const {
    spec::ArgumentBlock arguments(description.arguments);
    for (auto [index, value] : llvm::enumerate(bits))
      arguments.set(index, value);
    return arguments;
  }

  std::string launch(SpecializedKernel &kernel, uint64_t x, uint64_t m,
                     uint64_t n, GridSize blocks = {1, 1, 1}) {
    spec::ArgumentBlock arguments = makeArguments({x, 64, m, n, 2});
    return llvm::toString(kernel.launch({device, arguments, blocks}));
  }

  FakeDevice device;
  spec::KernelDescription description;
  /// Without tensor maps and with those that there are.
  KernelImage images[2];
  /// With one program a block.
  KernelImage single;
  std::array<unsigned, 3> blockPrograms = {1, 1, 1};
  std::vector<spec::TensorMap> maps;
  std::vector<bool> askedMaps;
  std::vector<Divisibility> asked;
  std::vector<bool> askedDisjoint;
  /// Of N.
  std::vector<bool> askedOne;
  unsigned expectationsWhenAsked = 0;
  std::string failure;
  GridSize grid = {};
};

TEST_F(SpecializedKernelTest, PlansFromTheScalars) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  auto plan = llvm::cantFail(kernel->plan({0, 0, 100, 7, 0}));
  EXPECT_EQ(plan->extents[0], (llvm::SmallVector<int64_t>{100, 14}));
  EXPECT_EQ(plan->extents[1], (llvm::SmallVector<int64_t>{7}));
  EXPECT_EQ(plan->grid, (GridSize{2, 7, 1}));
  EXPECT_EQ(plan, llvm::cantFail(kernel->plan({0, 0, 100, 7, 0})));
  EXPECT_NE(plan, llvm::cantFail(kernel->plan({0, 0, 100, 8, 0})));
  EXPECT_TRUE(asked.empty());
}

TEST_F(SpecializedKernelTest, ManySizesDoNotFillTheMemory) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  for (uint64_t m = 0; m < 5000; ++m) {
    auto plan = llvm::cantFail(kernel->plan({0, 0, m, 7, 0}));
    ASSERT_EQ(plan->extents[0][0], int64_t(m));
  }
}

TEST_F(SpecializedKernelTest, PlansFailWithTheFaultyClause) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  auto plan = kernel->plan({0, 0, uint64_t(-1), 7, 0});
  ASSERT_FALSE(plan);
  EXPECT_TRUE(llvm::StringRef(llvm::toString(plan.takeError())).contains("M"));
}

TEST_F(SpecializedKernelTest, FindsWhereSizesCanBeRead) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  auto find = [&](unsigned scalar) {
    SizeSource source =
        kernel->getSizeSource(scalar).value_or(SizeSource{~0u, ~0u});
    return std::make_pair(source.argument, source.axis);
  };
  EXPECT_EQ(find(2), std::make_pair(0u, 0u));
  // Not in 2 * N.
  EXPECT_EQ(find(3), std::make_pair(1u, 0u));
  EXPECT_FALSE(kernel->getSizeSource(4));
  EXPECT_EQ(kernel->getShapeText(0), "X[M, 2 * N]");
}

TEST_F(SpecializedKernelTest, ReliesOnWhatTheWidestAccessNeeds) {
  std::unique_ptr<SpecializedKernel> kernel = create(true, 32);
  EXPECT_EQ(launch(*kernel, 0x1000, 96, 48), "");
  EXPECT_EQ(launch(*kernel, 0x1010, 96, 48), "");
  EXPECT_EQ(asked,
            (std::vector<Divisibility>{Divisibility{32, 32, 32, 16, 1},
                                       Divisibility{16, 32, 32, 16, 1}}));
}

TEST_F(SpecializedKernelTest, LoadsOneVariantForEachDivisibility) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_EQ(launch(*kernel, 256, 12, 64, {3, 2, 1}), "");
  EXPECT_EQ(grid, (GridSize{3, 2, 1}));
  EXPECT_EQ(asked, (std::vector<Divisibility>{{16, 16, 4, 16, 1}}));
  EXPECT_EQ(launch(*kernel, 512, 4, 128), "");
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(launch(*kernel, 8, 4, 127), "");
  EXPECT_EQ(asked.back(), (Divisibility{8, 16, 4, 1, 1}));
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_EQ(device.launches, 3u);
}

TEST_F(SpecializedKernelTest, LoadsOneVariantMoreForAOne) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  for (uint64_t n : {3, 1, 5, 1, 7})
    EXPECT_EQ(launch(*kernel, 16, 4, n), "");
  EXPECT_EQ(askedOne, (std::vector<bool>{false, true}));
  // Not where the argument keeps what is declared.
  kernel = create();
  kernel->keepDeclared(3);
  for (uint64_t n : {3, 1, 16})
    EXPECT_EQ(launch(*kernel, 16, 4, n), "");
  EXPECT_EQ(askedOne, (std::vector<bool>{false, true, false}));
}

TEST_F(SpecializedKernelTest, WithoutSpecializingItKeepsThePromises) {
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  EXPECT_EQ(launch(*kernel, 16, 12, 64), "");
  EXPECT_EQ(launch(*kernel, 4, 1, 1), "");
  EXPECT_EQ(asked, (std::vector<Divisibility>{{4, 1, 1, 1, 1}}));
}

TEST_F(SpecializedKernelTest, PromisesOfLaunchesAreVerified) {
  auto verify = [&](bool specializes, uint64_t x) {
    spec::ArgumentBlock arguments = makeArguments({x, 1, 1, 1, 1});
    return llvm::toString(create(specializes)->verifyPromises(arguments));
  };
  EXPECT_EQ(verify(/*specializes=*/false, 12), "");
  EXPECT_EQ(verify(/*specializes=*/false, 6),
            "'X' is at 0x6, 2 bytes past a multiple of 4, on which the "
            "compiled code relies; compile 'k' with divisibility 2 for it");
  // Launches get a variant for what they have.
  EXPECT_EQ(verify(/*specializes=*/true, 6), "");
}

TEST_F(SpecializedKernelTest, SomeArgumentsKeepWhatIsDeclared) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  kernel->keepDeclared(0);
  kernel->keepDeclared(3);
  EXPECT_EQ(launch(*kernel, 16, 12, 64), "");
  EXPECT_EQ(launch(*kernel, 4, 12, 1), "");
  EXPECT_EQ(asked, (std::vector<Divisibility>{{4, 16, 4, 1, 1}}));
  auto verify = [&](uint64_t x, uint64_t y) {
    return llvm::toString(
        kernel->verifyPromises(makeArguments({x, y, 1, 1, 1})));
  };
  EXPECT_EQ(verify(12, 1), "");
  EXPECT_EQ(verify(6, 1),
            "'X' is at 0x6, 2 bytes past a multiple of 4, on which the "
            "compiled code relies; compile 'k' with divisibility 2 for it");
}

TEST_F(SpecializedKernelTest, VariantsArePreparedForNoDevice) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  spec::ArgumentBlock arguments = makeArguments({16, 64, 1, 1, 1});
  EXPECT_EQ(llvm::toString(kernel->prepare(arguments, false)), "");
  EXPECT_EQ(asked, (std::vector<Divisibility>{{16, 16, 1, 1, 1}}));
  failure = "no compiler today";
  EXPECT_EQ(llvm::toString(kernel->prepare(arguments, true)), failure);
}

TEST_F(SpecializedKernelTest, PromisesMayBeLarge) {
  for (unsigned promise : {128u, 256u, 1u << 30}) {
    description.arguments[0].divisibility = promise;
    EXPECT_EQ(launch(*create(/*specializes=*/false), promise, 1, 1), "");
    EXPECT_EQ(asked.back(), (Divisibility{promise, 1, 1, 1, 1}));
  }
}

TEST_F(SpecializedKernelTest, TensorsThatAreApartGetTheirVariant) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  spec::ArgumentBlock arguments = makeArguments({16, 64, 16, 16, 2});
  for (bool areDisjoint : {true, false, true})
    EXPECT_EQ(llvm::toString(
                  kernel->launch({device, arguments, {1, 1, 1}, areDisjoint})),
              "");
  EXPECT_EQ(askedDisjoint, (std::vector<bool>{true, false}));
}

TEST_F(SpecializedKernelTest, TensorsInGapsOfOthersGetTheirVariant) {
  // Of kernels that promise to share nothing, too.
  for (spec::Argument &argument : description.arguments)
    argument.isDisjoint = argument.isPointer();
  std::unique_ptr<SpecializedKernel> kernel = create();
  spec::ArgumentBlock arguments = makeArguments({16, 64, 16, 16, 2});
  for (bool areInterleaved : {false, true, false, true})
    EXPECT_EQ(llvm::toString(kernel->launch(
                  {device, arguments, {1, 1, 1}, {true, areInterleaved}})),
              "");
  EXPECT_EQ(askedDisjoint, (std::vector<bool>{false, false}));
}

/// Of M numbers of X.
static spec::TensorMap makeMap() {
  spec::TensorMap map;
  map.extents = {{1, {2}}};
  map.box = {32};
  return map;
}

TEST_F(SpecializedKernelTest, LaunchesWithoutTensorMapsGetTheirVariant) {
  maps = {makeMap()};
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  std::vector<size_t> taken;
  device.onLaunch = [&](const runtime::Launch &launch) {
    taken.push_back(launch.kernel.getTensorMaps().size());
  };
  EXPECT_EQ(launch(*kernel, 16, 1, 1), "");
  EXPECT_EQ(askedMaps, std::vector<bool>{true});
  EXPECT_EQ(launch(*kernel, 8, 1, 1), "");
  EXPECT_EQ(launch(*kernel, 16, uint64_t(1) << 31, 1), "");
  EXPECT_EQ(launch(*kernel, 32, 1, 1), "");
  EXPECT_EQ(taken, (std::vector<size_t>{1, 0, 0, 1}));
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, false}));
}

TEST_F(SpecializedKernelTest, WhatIsLoadedIsForLaunchesThatCanHaveItsMaps) {
  maps = {makeMap()};
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  EXPECT_EQ(launch(*kernel, 16, 1, 1), "");
  spec::ArgumentBlock even = makeArguments({32, 64, 1, 1, 2});
  spec::ArgumentBlock odd = makeArguments({8, 64, 1, 1, 2});
  EXPECT_TRUE(kernel->find({device, even, {1, 1, 1}}));
  EXPECT_FALSE(kernel->find({device, odd, {1, 1, 1}}));
}

TEST_F(SpecializedKernelTest, KernelsThatRequireMapsRefuseLaunchesWithout) {
  maps = {makeMap()};
  description.requiresTensorMaps = true;
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  const char *refusal = "'k' requires bulk copies, which this launch cannot "
                        "have: the address of 'X' is no multiple of 16 bytes";
  EXPECT_EQ(launch(*kernel, 16, 1, 1), "");
  EXPECT_EQ(launch(*kernel, 8, 1, 1), refusal);
  spec::ArgumentBlock odd = makeArguments({8, 64, 1, 1, 2});
  EXPECT_EQ(llvm::toString(kernel->prepare(odd, false)), refusal);
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, true}));
  // There is nothing to copy.
  EXPECT_EQ(launch(*kernel, 8, 0, 1), "");
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, true, false}));
}

TEST_F(SpecializedKernelTest, KernelsWithoutTensorMapsHaveOneVariant) {
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  for (uint64_t x : {16, 8, 0})
    EXPECT_EQ(launch(*kernel, x, 0, 1), "");
  EXPECT_EQ(askedMaps, std::vector<bool>{true});
  EXPECT_EQ(device.launches, 3u);
}

TEST_F(SpecializedKernelTest, PreparesTheVariantWithoutTensorMapsToo) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  spec::ArgumentBlock odd = makeArguments({8, 64, 1, 1, 1});
  EXPECT_EQ(llvm::toString(kernel->prepare(odd, false)), "");
  EXPECT_EQ(askedMaps, std::vector<bool>{true});
  maps = {makeMap()};
  EXPECT_EQ(llvm::toString(kernel->prepare(odd, false)), "");
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, true, false}));
  spec::ArgumentBlock even = makeArguments({16, 64, 1, 1, 1});
  EXPECT_EQ(llvm::toString(kernel->prepare(even, false)), "");
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, true, false, true}));
}

TEST_F(SpecializedKernelTest, FailuresOfTheVariantWithoutAreTold) {
  maps = {makeMap()};
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_EQ(launch(*kernel, 16, 0, 1), "");
  EXPECT_EQ(askedMaps, (std::vector<bool>{true, false}));
  failure = "no compiler today";
  EXPECT_EQ(launch(*kernel, 16, 0, 1), "");
  EXPECT_EQ(launch(*kernel, 8, 0, 1), failure);
}

TEST_F(SpecializedKernelTest, LaunchesOfFewProgramsHaveABlockForEach) {
  blockPrograms = {8, 1, 1};
  device.setMultiprocessors(10);
  std::unique_ptr<SpecializedKernel> kernel = create();
  std::vector<unsigned> taken;
  device.onLaunch = [&](const runtime::Launch &launch) {
    taken.push_back(launch.kernel.getBlockPrograms()[0]);
  };
  spec::ArgumentBlock arguments = makeArguments({16, 64, 1, 1, 2});
  auto find = [&](int64_t programs) {
    return kernel->find({device, arguments, {programs, 1, 1}});
  };
  EXPECT_EQ(find(80), nullptr);
  EXPECT_EQ(launch(*kernel, 16, 1, 1, {80, 1, 1}), "");
  EXPECT_EQ(find(72), nullptr);
  EXPECT_EQ(launch(*kernel, 16, 1, 1, {72, 1, 1}), "");
  EXPECT_EQ(launch(*kernel, 16, 1, 1, {81, 1, 1}), "");
  EXPECT_EQ(taken, (std::vector<unsigned>{8, 1, 8}));
  EXPECT_EQ(find(72)->getBlockPrograms()[0], 1u);
  EXPECT_EQ(find(80)->getBlockPrograms()[0], 8u);
}

TEST_F(SpecializedKernelTest, WhatCannotOverlapHasOneVariant) {
  description.arguments[0].isDisjoint = true;
  std::unique_ptr<SpecializedKernel> kernel = create();
  spec::ArgumentBlock arguments = makeArguments({16, 64, 16, 16, 2});
  for (bool areDisjoint : {true, false})
    EXPECT_EQ(llvm::toString(
                  kernel->launch({device, arguments, {1, 1, 1}, areDisjoint})),
              "");
  EXPECT_EQ(askedDisjoint, std::vector<bool>{false});
}

TEST_F(SpecializedKernelTest, WithoutSpecializingNothingIsApart) {
  std::unique_ptr<SpecializedKernel> kernel = create(/*specializes=*/false);
  spec::ArgumentBlock arguments = makeArguments({16, 64, 16, 16, 2});
  EXPECT_EQ(
      llvm::toString(kernel->launch({device, arguments, {1, 1, 1}, true})), "");
  EXPECT_EQ(askedDisjoint, std::vector<bool>{false});
}

TEST_F(SpecializedKernelTest, BrokenPromisesOfViewsAreRefused) {
  description.arguments[0].isDisjoint = true;
  description.arguments[0].isWritten = false;
  TensorView x, y;
  x.address = y.address = 64;
  x.extents = y.extents = {16};
  TensorArgument tensors[] = {{0, &x}, {1, &y}};
  EXPECT_EQ(llvm::toString(create()->compareTensors(tensors).takeError()),
            "'X' and 'Y' share memory, and the kernel writes 'Y', while its "
            "code relies on it that they do not: pass a copy, or write "
            "tile.may_overlap at 'X' in the kernel");
}

TEST_F(SpecializedKernelTest, AnotherDeviceLoadsTheSameCode) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_EQ(launch(*kernel, 16, 16, 16), "");
  FakeDevice other([&](const HostArguments &) {});
  spec::ArgumentBlock arguments = makeArguments({16, 16, 16, 16, 2});
  EXPECT_EQ(llvm::toString(kernel->launch({other, arguments, {1, 1, 1}})), "");
  EXPECT_EQ(other.launches, 1u);
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0], asked[1]);
}

TEST_F(SpecializedKernelTest, TheDeviceMayPrepareWhileTheCompilerWorks) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_EQ(launch(*kernel, 1024, 64, 8), "");
  EXPECT_EQ(expectationsWhenAsked, 1u);
  EXPECT_EQ(launch(*kernel, 1024, 64, 8), "");
  EXPECT_EQ(device.expectations, 1u);
}

TEST_F(SpecializedKernelTest, NoBlocksAreNoLaunch) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_EQ(launch(*kernel, 16, 0, 16, {0, 16, 1}), "");
  EXPECT_EQ(device.launches, 0u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(SpecializedKernelTest, FailuresAreTriedAgain) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  failure = "no compiler today";
  EXPECT_EQ(launch(*kernel, 16, 16, 16), "no compiler today");
  failure.clear();
  EXPECT_EQ(launch(*kernel, 16, 16, 16), "");
}

TEST_F(SpecializedKernelTest, KernelsWithoutClausesTakeTheCallersGrid) {
  description.shapes.clear();
  description.grid.clear();
  std::unique_ptr<SpecializedKernel> kernel = create();
  EXPECT_FALSE(kernel->hasGrid());
  auto plan = llvm::cantFail(kernel->plan({0, 0, 1, 1, 0}));
  EXPECT_FALSE(plan->grid);
  EXPECT_TRUE(plan->extents[0].empty());
  EXPECT_EQ(launch(*kernel, 16, 16, 16, {5, 1, 1}), "");
  EXPECT_EQ(grid, (GridSize{5, 1, 1}));
}

TEST_F(SpecializedKernelTest, SaysWhatIsWrongWithTheClauses) {
  description.shapes.pop_back();
  auto kernel = SpecializedKernel::create(description, nullptr);
  ASSERT_FALSE(kernel);
  EXPECT_TRUE(llvm::StringRef(llvm::toString(kernel.takeError()))
                  .contains("the pointer 'Y' has no shape"));
}

TEST_F(SpecializedKernelTest, ThreadsShareVariants) {
  std::unique_ptr<SpecializedKernel> kernel = create();
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<unsigned> failures = 0;
  std::mutex mutex;
  device.kernel = [](const HostArguments &) {};
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (uint64_t m = 0; m < 200; ++m) {
        llvm::cantFail(kernel->plan({0, 0, m, 7, 0}));
        std::lock_guard<std::mutex> lock(mutex); // The fake is not for threads.
        failures += !launch(*kernel, 16, m, 16).empty();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0u);
  // Multiples of 1, 2, 4, 8 and 16, and 1 itself.
  EXPECT_EQ(asked.size(), 6u);
}

} // namespace
