//===- VariantsTest.cpp - A source, compiled as launches ask --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/Variants.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::jit;

namespace {

/// A source of the kernels "k" and "other" on X[n], that counts.
class Variants : public testing::Test {
protected:
  KernelSource getSource() {
    return KernelSource(
        [&](const CompileOptions &options) -> llvm::Expected<CompiledModule> {
          compiled.push_back(options);
          if (!failure.empty())
            return llvm::createStringError(failure);
          CompiledModule module;
          module.output = "code " + std::to_string(compiled.size());
          for (const char *name : {"k", "other"}) {
            if (!options.kernel.empty() && options.kernel != name)
              continue;
            CompiledKernel &kernel = module.kernels.emplace_back();
            kernel.description.name = name;
            kernel.description.arguments = {
                spec::pointer("X", spec::ElementType::F32, 4),
                spec::scalar("n", spec::ElementType::I32),
                spec::scalar("a", spec::ElementType::F32)};
            kernel.threadsPerBlock = 64;
            kernel.staticSharedBytes = 1;
            kernel.dynamicSharedBytes = 2;
            if (options.pipeline.tensorMaps)
              kernel.tensorMaps = maps;
          }
          return module;
        });
  }
  std::unique_ptr<VariantSet> create() {
    CompileOptions options;
    options.kernel = "k";
    return llvm::cantFail(VariantSet::create(getSource(), options, "--kernel"));
  }
  static VariantKey makeKey(VariantSet &set, uint64_t address, uint64_t n,
                            bool areDisjoint = false) {
    spec::ArgumentBlock values(set.getArguments());
    values.set(0, address);
    values.set(1, n);
    return VariantKey::ofLaunch(set.getArguments(), values, areDisjoint, 16);
  }

  /// Of n numbers of X.
  static spec::TensorMap makeMap() {
    spec::TensorMap map;
    map.extents = {{1, {1}}};
    map.box = {32};
    return map;
  }

  /// Of kernels that may have them.
  std::vector<spec::TensorMap> maps;
  std::vector<CompileOptions> compiled;
  std::string failure;
};

TEST_F(Variants, AreCompiledOnce) {
  std::unique_ptr<VariantSet> set = create();
  EXPECT_EQ(llvm::cantFail(set->getBase())->getPtx(), "code 1");
  Variant *wide = llvm::cantFail(set->get(makeKey(*set, 64, 12)));
  EXPECT_EQ(wide->getPtx(), "code 2");
  EXPECT_EQ(llvm::cantFail(set->get(makeKey(*set, 32, 4))), wide);
  EXPECT_NE(llvm::cantFail(set->get(makeKey(*set, 8, 4))), wide);
  EXPECT_EQ(compiled.size(), 3u);
  using Promises = std::vector<DivisibilityPromise>;
  EXPECT_EQ(compiled[0].pipeline.divisibility, Promises());
  EXPECT_EQ(compiled[1].pipeline.divisibility, (Promises{{"X", 16}, {"n", 4}}));
  EXPECT_EQ(compiled[1].kernel, "k");
  EXPECT_EQ(compiled[1].emit, Level::PTX);
  ASSERT_EQ(set->getAll().size(), 3u);
  EXPECT_EQ(set->getAll()[0], llvm::cantFail(set->getBase()));
  EXPECT_EQ(set->getAll()[1], wide);
}

TEST_F(Variants, TheBaseServesLaunchesThatAllowNoMore) {
  std::unique_ptr<VariantSet> set = create();
  EXPECT_EQ(llvm::cantFail(set->get(makeKey(*set, 4, 3))),
            llvm::cantFail(set->getBase()));
  EXPECT_EQ(
      llvm::cantFail(set->get(VariantKey::ofDeclared(set->getArguments()))),
      llvm::cantFail(set->getBase()));
  EXPECT_EQ(compiled.size(), 1u);
}

TEST_F(Variants, OnesOfALazySetAreMadeWhenTheyAreNeeded) {
  CompileOptions options;
  options.kernel = "k";
  std::unique_ptr<VariantSet> set =
      llvm::cantFail(VariantSet::create(getSource(), options, "--kernel",
                                        /*compilesBase=*/false));
  ASSERT_EQ(compiled.size(), 1u);
  EXPECT_EQ(compiled[0].emit, Level::Tile);
  EXPECT_EQ(set->getDescription().name, "k");
  EXPECT_TRUE(set->getAll().empty());
  Variant *wide = llvm::cantFail(set->get(makeKey(*set, 64, 12)));
  EXPECT_EQ(llvm::cantFail(set->getFirst()), wide);
  EXPECT_EQ(compiled.size(), 2u);
  EXPECT_NE(llvm::cantFail(set->getBase()), wide);
  EXPECT_EQ(set->getAll().size(), 2u);
}

TEST_F(Variants, AreEmittedAtOtherLevels) {
  std::unique_ptr<VariantSet> set = create();
  Variant *wide = llvm::cantFail(set->get(makeKey(*set, 64, 12)));
  EXPECT_EQ(llvm::cantFail(set->emit(*wide, Level::NVVM)), "code 3");
  EXPECT_EQ(compiled[2].emit, Level::NVVM);
  EXPECT_EQ(compiled[2].pipeline.divisibility,
            compiled[1].pipeline.divisibility);
}

TEST_F(Variants, KnowWhetherTensorsAreApart) {
  std::unique_ptr<VariantSet> set = create();
  Variant *apart = llvm::cantFail(set->get(makeKey(*set, 64, 12, true)));
  EXPECT_NE(llvm::cantFail(set->get(makeKey(*set, 64, 12))), apart);
  EXPECT_EQ(compiled[1].pipeline.disjoint, std::vector<std::string>{"X"});
  EXPECT_EQ(compiled[2].pipeline.disjoint, std::vector<std::string>());
  EXPECT_EQ(compiled[1].pipeline.divisibility,
            compiled[2].pipeline.divisibility);
}

TEST_F(Variants, HaveConstantsForIntegersThatAreOne) {
  std::unique_ptr<VariantSet> set = create();
  Variant *one = llvm::cantFail(set->get(makeKey(*set, 64, 1)));
  EXPECT_EQ(llvm::cantFail(set->get(makeKey(*set, 128, 1))), one);
  Variant *odd = llvm::cantFail(set->get(makeKey(*set, 64, 3)));
  EXPECT_NE(odd, one);
  EXPECT_EQ(llvm::cantFail(set->get(makeKey(*set, 64, 5))), odd);
  ASSERT_EQ(compiled.size(), 3u);
  using Constants = std::vector<ArgumentConstant>;
  EXPECT_EQ(compiled[0].pipeline.constants, Constants());
  EXPECT_EQ(compiled[1].pipeline.constants, (Constants{{"n", 1}}));
  EXPECT_EQ(compiled[2].pipeline.constants, Constants());
  EXPECT_EQ(compiled[1].pipeline.divisibility,
            compiled[2].pipeline.divisibility);
  EXPECT_EQ(llvm::cantFail(set->emit(*one, Level::NVVM)), "code 4");
  EXPECT_EQ(compiled[3].pipeline.constants, (Constants{{"n", 1}}));
}

/// The key of a launch with such bits for each argument.
static VariantKey makeKey(llvm::ArrayRef<spec::Argument> arguments,
                          llvm::ArrayRef<uint64_t> bits) {
  spec::ArgumentBlock values(arguments);
  for (auto [index, value] : llvm::enumerate(bits))
    values.set(index, value);
  return VariantKey::ofLaunch(arguments, values, {/*areDisjoint=*/true}, 16);
}

TEST(VariantKey, KnowsIntegersThatAreOne) {
  using spec::ElementType;
  spec::Argument arguments[] = {spec::scalar("flag", ElementType::I1),
                                spec::scalar("a", ElementType::I8),
                                spec::scalar("b", ElementType::I64),
                                spec::pointer("X", ElementType::I8),
                                spec::scalar("f", ElementType::F16),
                                spec::scalar("d", ElementType::F64)};
  VariantKey ones = makeKey(arguments, {1, 1, 1, 1, 1, 1});
  for (unsigned index = 0; index < std::size(arguments); ++index) {
    EXPECT_EQ(ones.isOne(index), index < 3) << index;
    EXPECT_EQ(ones.getDivisibility(index), 1u) << index;
  }
  EXPECT_TRUE(ones.areDisjoint());
  EXPECT_TRUE(ones.withoutTensorMaps().isOne(2));
  // Neither 0 nor the negative number of the same low bits, nor 2^32 + 1.
  VariantKey others =
      makeKey(arguments, {0, 0x81, (uint64_t(1) << 32) + 1, 16, 1, 1});
  for (unsigned index = 0; index < std::size(arguments); ++index)
    EXPECT_FALSE(others.isOne(index)) << index;
  EXPECT_FALSE(ones == others);
  // What multiplies the most is not taken for a 1.
  arguments[1].divisibility = 1u << 30;
  VariantKey declared = VariantKey::ofDeclared(arguments);
  EXPECT_FALSE(declared.isOne(1));
  EXPECT_EQ(declared.getDivisibility(1), 1u << 30);
}

TEST(VariantKey, ReadsNoGapsInWhichAnArrayMayLie) {
  spec::Argument arguments[] = {spec::pointer("X", spec::ElementType::I8),
                                spec::pointer("Y", spec::ElementType::I8)};
  spec::ArgumentBlock values(arguments);
  PipelineOptions options;
  auto make = [&](bool areInterleaved) {
    return VariantKey::ofLaunch(arguments, values,
                                {/*areDisjoint=*/true, areInterleaved}, 16);
  };
  EXPECT_FALSE(make(false) == make(true));
  make(false).applyTo(options, arguments);
  EXPECT_TRUE(options.readsGaps);
  VariantKey::ofDeclared(arguments).applyTo(options, arguments);
  EXPECT_TRUE(options.readsGaps);
  make(true).withoutBatches().applyTo(options, arguments);
  EXPECT_FALSE(options.readsGaps);
  // Still no byte is in both.
  EXPECT_EQ(options.disjoint, (std::vector<std::string>{"X", "Y"}));
}

TEST(VariantKey, KnowsShortArrays) {
  spec::Argument arguments[] = {spec::pointer("X", spec::ElementType::I8)};
  spec::ArgumentBlock values(arguments);
  auto make = [&](bool areShort) {
    runtime::Overlap overlap(/*areDisjoint=*/true);
    overlap.areShort = areShort;
    return VariantKey::ofLaunch(arguments, values, overlap, 16);
  };
  EXPECT_FALSE(make(false) == make(true));
  PipelineOptions options;
  make(true).withPairedAxes(7).withProductParts(3).applyTo(options, arguments);
  EXPECT_TRUE(options.shortArrays);
  EXPECT_EQ(options.pairedAxes, 7);
  make(true).withPairedAxes(7).withoutTensorMaps().applyTo(options, arguments);
  EXPECT_TRUE(options.shortArrays);
  EXPECT_EQ(options.pairedAxes, 0);
  make(false).withPairedAxes(7).applyTo(options, arguments);
  EXPECT_FALSE(options.shortArrays);
  EXPECT_EQ(options.pairedAxes, 7);
  VariantKey::ofDeclared(arguments).applyTo(options, arguments);
  EXPECT_FALSE(options.shortArrays);
}

TEST(VariantKey, HasNoConstantsOfWhatIsNotSpecialized) {
  spec::Argument arguments[] = {spec::scalar("n", spec::ElementType::I32, 8)};
  arguments[0].isSpecialized = false;
  VariantKey key = makeKey(arguments, {1});
  EXPECT_FALSE(key.isOne(0));
  EXPECT_EQ(key.getDivisibility(0), 8u);
  PipelineOptions options;
  options.constants = {{"n", 1}};
  key.applyTo(options, arguments);
  EXPECT_TRUE(options.constants.empty());
}

TEST(VariantKey, TakesADivisorOfZeroForAMultipleOfNothing) {
  spec::Argument arguments[] = {spec::scalar("m", spec::ElementType::I32),
                                spec::scalar("n", spec::ElementType::I32)};
  arguments[1].isDivisor = true;
  auto get = [&](uint64_t n) {
    VariantKey key = makeKey(arguments, {0, n});
    EXPECT_EQ(key.getDivisibility(0), 16u);
    return key.getDivisibility(1);
  };
  EXPECT_EQ(get(0), 1u);
  EXPECT_EQ(get(48), 16u);
  EXPECT_EQ(get(6), 2u);
}

TEST(VariantKey, SaysWhichBitsOfDivisorsAreNotZero) {
  spec::Argument arguments[] = {spec::scalar("m", spec::ElementType::I32),
                                spec::scalar("n", spec::ElementType::I64)};
  arguments[1].isDivisor = true;
  auto apply = [&](uint64_t n) {
    PipelineOptions options;
    makeKey(arguments, {48, n}).applyTo(options, arguments);
    return options;
  };
  EXPECT_TRUE(apply(uint64_t(1) << 32).nonzero.empty());
  EXPECT_EQ(apply(1 << 16).nonzero, (std::vector<std::string>{"n"}));
  EXPECT_TRUE(apply(1 << 16).nonzeroHalves.empty());
  EXPECT_EQ(apply(1 << 15).nonzeroHalves, (std::vector<std::string>{"n"}));
  EXPECT_TRUE(apply(1 << 15).nonzero.empty());
}

TEST(VariantKey, NamesWhatIsNegative) {
  spec::Argument arguments[] = {spec::scalar("m", spec::ElementType::I32),
                                spec::scalar("n", spec::ElementType::I64),
                                spec::scalar("x", spec::ElementType::F32)};
  auto apply = [&](int64_t m, int64_t n) {
    PipelineOptions options;
    VariantKey key = makeKey(arguments, {static_cast<uint32_t>(m),
                                         static_cast<uint64_t>(n), 0x80000000});
    EXPECT_EQ(key.getDivisibility(0), 16u);
    key.applyTo(options, arguments);
    return options.negative;
  };
  EXPECT_TRUE(apply(0, 1).empty());
  EXPECT_EQ(apply(-16, 7), (std::vector<std::string>{"m"}));
  EXPECT_EQ(apply(32, std::numeric_limits<int64_t>::min()),
            (std::vector<std::string>{"n"}));
  arguments[1].isSpecialized = false;
  EXPECT_TRUE(apply(32, 7).empty());
  EXPECT_EQ(apply(32, -7), (std::vector<std::string>{"n"}));
}

TEST(VariantKey, CountsTheTripsOfShortRows) {
  spec::Argument arguments[] = {spec::scalar("m", spec::ElementType::I32),
                                spec::scalar("n", spec::ElementType::I64),
                                spec::scalar("k", spec::ElementType::I32)};
  arguments[1].loopStep = 128;
  arguments[1].maxTrips = 4;
  auto count = [&](int64_t n) {
    VariantKey key = makeKey(arguments, {256, static_cast<uint64_t>(n), 256});
    EXPECT_EQ(key.getTrips(0), 0u);
    EXPECT_EQ(key.getTrips(2), 0u);
    return key.getTrips(1);
  };
  EXPECT_EQ(count(1), 1u);
  EXPECT_EQ(count(128), 1u);
  EXPECT_EQ(count(129), 2u);
  EXPECT_EQ(count(512), 4u);
  for (int64_t n : {INT64_MIN, int64_t(-128), int64_t(0), int64_t(513),
                    INT64_MAX, (int64_t(1) << 32) + 128})
    EXPECT_EQ(count(n), 0u) << n;
  // Launches of as many trips share a variant.
  VariantKey key = makeKey(arguments, {256, 136, 256});
  EXPECT_TRUE(key == makeKey(arguments, {256, 152, 256}));
  EXPECT_FALSE(key == makeKey(arguments, {256, 104, 256}));
  EXPECT_EQ(key.withoutBatches().getTrips(1), 2u);
  EXPECT_TRUE(key.areDisjoint());
  PipelineOptions options;
  key.applyTo(options, arguments);
  EXPECT_EQ(options.trips,
            (std::vector<TripsPromise>{{"n", /*step=*/128, /*trips=*/2}}));
  VariantKey::ofDeclared(arguments).applyTo(options, arguments);
  EXPECT_TRUE(options.trips.empty());
  // Who wants one variant for all has one.
  arguments[1].isSpecialized = false;
  EXPECT_EQ(count(128), 0u);
}

TEST(VariantKey, SaysInHowManyPartsProductsAreDivided) {
  spec::Argument arguments[] = {spec::scalar("k", spec::ElementType::I32)};
  VariantKey key = makeKey(arguments, {256});
  EXPECT_EQ(key.getProductParts(), 1u);
  VariantKey divided = key.withProductParts(4);
  EXPECT_EQ(divided.getProductParts(), 4u);
  EXPECT_FALSE(divided == key);
  EXPECT_TRUE(divided.withProductParts(1) == key);
  EXPECT_EQ(divided.withProductParts(3).getProductParts(), 3u);
  EXPECT_EQ(divided.withProductParts(8).withProductParts(3).getProductParts(),
            3u);
  EXPECT_EQ(divided.withoutTensorMaps().getProductParts(), 4u);
  EXPECT_TRUE(divided.areDisjoint() == key.areDisjoint());
  EXPECT_TRUE(divided.mayUseTensorMaps());
  PipelineOptions options;
  divided.applyTo(options, arguments);
  EXPECT_EQ(options.productParts, 4);
  key.applyTo(options, arguments);
  EXPECT_EQ(options.productParts, 1);
}

TEST(VariantKey, SaysAlongWhichAxesProgramsCopyTogether) {
  spec::Argument arguments[] = {spec::scalar("k", spec::ElementType::I32)};
  VariantKey key = makeKey(arguments, {256});
  EXPECT_EQ(key.getPairedAxes(), 0u);
  VariantKey paired = key.withPairedAxes(2);
  EXPECT_EQ(paired.getPairedAxes(), 2u);
  EXPECT_FALSE(paired == key);
  EXPECT_TRUE(paired.withPairedAxes(0) == key);
  EXPECT_EQ(paired.getDivisibility(0), key.getDivisibility(0));
  EXPECT_EQ(paired.getProductParts(), 1u);
  // What is copied together is boxes.
  EXPECT_EQ(paired.withoutTensorMaps().getPairedAxes(), 0u);
  PipelineOptions options;
  paired.applyTo(options, arguments);
  EXPECT_EQ(options.pairedAxes, 2);
  VariantKey::ofDeclared(arguments).applyTo(options, arguments);
  EXPECT_EQ(options.pairedAxes, 0);
}

TEST(VariantKey, TellsInWhichPartOfATileARowEnds) {
  spec::Argument arguments[] = {spec::scalar("m", spec::ElementType::I32),
                                spec::scalar("n", spec::ElementType::I64)};
  arguments[1].columns = 4096;
  auto getPart = [&](int64_t n) {
    VariantKey key = makeKey(arguments, {256, static_cast<uint64_t>(n)});
    EXPECT_EQ(key.getPart(0), 0u);
    return key.getPart(1);
  };
  EXPECT_EQ(getPart(1), 1u);
  EXPECT_EQ(getPart(256), 1u);
  EXPECT_EQ(getPart(257), 2u);
  EXPECT_EQ(getPart(3840), 15u);
  EXPECT_EQ(getPart(3841), 16u);
  EXPECT_EQ(getPart(4096), 16u);
  for (int64_t n :
       {INT64_MIN, int64_t(-1), int64_t(0), int64_t(4097), INT64_MAX})
    EXPECT_EQ(getPart(n), 0u) << n;
  // Launches of a part share a variant, if they are alike in all else.
  VariantKey key = makeKey(arguments, {256, 4087});
  EXPECT_TRUE(key == makeKey(arguments, {256, 4095}));
  EXPECT_FALSE(key == makeKey(arguments, {256, 3839}));
  EXPECT_EQ(key.withoutBatches().getPart(1), 16u);
  PipelineOptions options;
  key.applyTo(options, arguments);
  EXPECT_EQ(options.bounds,
            (std::vector<BoundsPromise>{{"n", /*least=*/3841, /*most=*/4096}}));
  VariantKey::ofDeclared(arguments).applyTo(options, arguments);
  EXPECT_TRUE(options.bounds.empty());
  // What a kernel says itself holds for all launches.
  arguments[1].most = 5000;
  EXPECT_EQ(getPart(4095), 0u);
  arguments[1].most = INT64_MAX;
  arguments[1].isSpecialized = false;
  EXPECT_EQ(getPart(4095), 0u);
}

TEST(VariantKey, TellsPartsOfShortTilesWhereLanesHaveSingleColumns) {
  spec::Argument arguments[] = {spec::scalar("n", spec::ElementType::I32)};
  arguments[0].columns = 512;
  auto getPart = [&](uint64_t n) { return makeKey(arguments, {n}).getPart(0); };
  EXPECT_EQ(getPart(1), 1u);
  EXPECT_EQ(getPart(333), 11u);
  EXPECT_EQ(getPart(334), 11u);
  EXPECT_EQ(getPart(353), 12u);
  // Rows of vectors.
  EXPECT_EQ(getPart(332), 0u);
  EXPECT_EQ(getPart(512), 0u);
  arguments[0].columns = 1024;
  EXPECT_EQ(getPart(332), 6u);
}

TEST(VariantKey, LeavesRoomForRotationsInPartsOfLongRows) {
  spec::Argument arguments[] = {spec::scalar("n", spec::ElementType::I32)};
  arguments[0].columns = 65536;
  auto getBounds = [&](uint64_t n) {
    PipelineOptions options;
    makeKey(arguments, {n}).applyTo(options, arguments);
    return std::pair(options.bounds[0].least, options.bounds[0].most);
  };
  auto pair = [](int64_t least, int64_t most) {
    return std::pair(least, most);
  };
  EXPECT_EQ(getBounds(1), pair(1, 4096 - 63));
  EXPECT_EQ(getBounds(4033), pair(1, 4096 - 63));
  EXPECT_EQ(getBounds(4034), pair(4097 - 63, 8192 - 63));
  EXPECT_EQ(getBounds(50257), pair(49153 - 63, 53248 - 63));
  EXPECT_EQ(getBounds(65535), pair(61441 - 63, 65536));
  // Rows that begin with vectors are not rotated.
  EXPECT_EQ(getBounds(53248), pair(49153, 53248));
  EXPECT_EQ(getBounds(53256), pair(53249 - 63, 57344 - 63));
}

TEST_F(Variants, AreThereWithTensorMapsAndWithout) {
  maps = {makeMap()};
  std::unique_ptr<VariantSet> set = create();
  VariantKey key = makeKey(*set, 64, 12);
  EXPECT_TRUE(key.mayUseTensorMaps());
  EXPECT_FALSE(key.withoutTensorMaps().mayUseTensorMaps());
  Variant *with = llvm::cantFail(set->get(key));
  EXPECT_EQ(with->image.tensorMaps, maps);
  Variant *without = llvm::cantFail(set->get(key.withoutTensorMaps()));
  EXPECT_TRUE(without->image.tensorMaps.empty());
  EXPECT_EQ(llvm::cantFail(set->get(key)), with);
  EXPECT_EQ(compiled[1].pipeline.divisibility,
            compiled[2].pipeline.divisibility);
  EXPECT_EQ(llvm::cantFail(set->emit(*without, Level::PTX)), "code 4");
  EXPECT_FALSE(compiled[3].pipeline.tensorMaps);
  EXPECT_TRUE(compiled[3].pipeline.lacksTensorMaps);
  EXPECT_FALSE(compiled[1].pipeline.lacksTensorMaps);
  // The rest of a key is what it was.
  VariantKey apart = makeKey(*set, 64, 12, /*areDisjoint=*/true);
  EXPECT_TRUE(apart.withoutTensorMaps().areDisjoint());
  EXPECT_FALSE(key.withoutTensorMaps().areDisjoint());
}

TEST_F(Variants, OfALaunchTakeNoTensorMapsThatItCannotHave) {
  std::unique_ptr<VariantSet> set = create();
  auto get = [&](uint64_t address) {
    compiled.clear();
    spec::ArgumentBlock values(set->getArguments());
    values.set(0, address);
    values.set(1, 8);
    return llvm::cantFail(
        set->getForLaunch(values, {/*areDisjoint=*/true}, 16));
  };
  EXPECT_TRUE(get(72)->key.mayUseTensorMaps());
  EXPECT_EQ(compiled.size(), 1u);
  // What was made without maps is kept.
  set = create();
  maps = {makeMap()};
  EXPECT_EQ(get(64)->image.tensorMaps, maps);
  EXPECT_EQ(compiled.size(), 1u);
  Variant *without = get(72);
  EXPECT_EQ(compiled.size(), 2u);
  EXPECT_EQ(get(72), without);
  EXPECT_TRUE(compiled.empty());
  EXPECT_TRUE(without->image.tensorMaps.empty());
  EXPECT_FALSE(without->key.mayUseTensorMaps());
  EXPECT_EQ(without->key.getDivisibility(0), 8u);
}

TEST_F(Variants, WhoWantsNoTensorMapsGetsNone) {
  PipelineOptions options;
  options.tensorMaps = false;
  makeKey(*create(), 64, 12).applyTo(options, {});
  EXPECT_FALSE(options.tensorMaps);
}

TEST_F(Variants, FailuresAreTriedAgain) {
  std::unique_ptr<VariantSet> set = create();
  failure = "no compiler today";
  llvm::Expected<Variant *> made = set->get(makeKey(*set, 64, 12));
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(llvm::toString(made.takeError()), failure);
  failure.clear();
  EXPECT_TRUE(bool(set->get(makeKey(*set, 64, 12))));
}

TEST_F(Variants, AnImageHasWhatALaunchNeeds) {
  const runtime::KernelImage image = llvm::cantFail(create()->getBase())->image;
  EXPECT_EQ(image.code, "code 1");
  EXPECT_EQ(image.entry, "k");
  EXPECT_EQ(image.threadsPerBlock, 64u);
  EXPECT_EQ(image.staticSharedBytes, 1u);
  EXPECT_EQ(image.dynamicSharedBytes, 2u);
}

TEST_F(Variants, DeclaringMakesNoCode) {
  CompileOptions options;
  options.kernel = "other";
  spec::KernelDescription declared =
      llvm::cantFail(declareKernel(getSource(), options, "--kernel"));
  EXPECT_EQ(declared.name, "other");
  EXPECT_EQ(declared.arguments.size(), 3u);
  EXPECT_EQ(compiled[0].emit, Level::Tile);
}

TEST_F(Variants, AKernelIsNamedWhereThereAreSeveral) {
  auto fail = [&](llvm::StringRef name) {
    CompileOptions options;
    options.kernel = name;
    return llvm::toString(
        declareKernel(getSource(), options, "--kernel").takeError());
  };
  EXPECT_EQ(fail(""), "the source has several kernels, name one with "
                      "--kernel: k, other");
  EXPECT_EQ(fail("third"),
            "the source has no kernel 'third'; it has: k, other");
  EXPECT_EQ(llvm::toString(
                VariantSet::create(getSource(), {}, "kernel=").takeError()),
            "the source has several kernels, name one with kernel=: k, other");
}

} // namespace
