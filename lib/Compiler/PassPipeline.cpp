//===- PassPipeline.cpp - The order of the passes ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/PassPipeline.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Conversion/ArithToNVVM/Passes.h"
#include "tilewright/Conversion/MathToNVVM/Passes.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;

/// Ops that say the same, or nothing, are left out.
static void simplify(OpPassManager &kernel, const PipelineOptions &options) {
  if (!options.optimize)
    return;
  kernel.addPass(tile::createTileCanonicalize());
  kernel.addPass(createCSEPass());
}

// As the options of tile-specialize and tile-unroll-rows have them.
static std::string toText(const DivisibilityPromise &promise) {
  return promise.argument + ":" + std::to_string(promise.divisibility);
}
static std::string toText(const ArgumentConstant &constant) {
  return constant.argument + ":" + std::to_string(constant.value);
}
static std::string toText(const BoundsPromise &promise) {
  return promise.argument + ":" + std::to_string(promise.least) + ":" +
         std::to_string(promise.most);
}
static std::string toText(const TripsPromise &promise) {
  return promise.argument + ":" + std::to_string(promise.step) + ":" +
         std::to_string(promise.trips);
}

template <typename T>
static SmallVector<std::string> toTexts(const std::vector<T> &list) {
  return llvm::map_to_vector<6>(list,
                                [](const T &entry) { return toText(entry); });
}

/// Who asks for other layouts wants to see what they cost.
static bool mayBeSwizzled(StringRef sharedLayout) {
  return sharedLayout == "auto" || sharedLayout == "swizzle";
}

/// Whether layouts are chosen by what accesses cost.
static bool isChosen(StringRef sharedLayout) {
  return mayBeSwizzled(sharedLayout) || sharedLayout == "pad";
}

/// What may be relied on, which programs blocks run, and what of it is a block
/// of a view.
static void addPassesOfPrograms(OpPassManager &kernel,
                                const PipelineOptions &options) {
  kernel.addPass(tile::createTileSpecialize(
      {toTexts(options.divisibility), llvm::to_vector(options.disjoint),
       toTexts(options.constants), toTexts(options.bounds), options.numWarps,
       options.numStages, llvm::to_vector(options.require)}));
  if (options.batchPrograms)
    kernel.addPass(tile::createTileSpreadPrograms());
  kernel.addPass(tile::createTileCheckProgram());
  // Folds may take a loop that never ends for one that is never entered.
  kernel.addPass(tile::createTileCheckLoops());
  simplify(kernel, options);
  kernel.addPass(tile::createTileFlattenRows());
  kernel.addPass(tile::createTileUnrollRows({toTexts(options.trips)}));
  simplify(kernel, options);
  kernel.addPass(tile::createTileReuseLoads());
  kernel.addPass(tile::createTileFindExtremesFirst());
  kernel.addPass(tile::createTileMultiplyHalves());
  kernel.addPass(tile::createTileAddInProducts());
  kernel.addPass(tile::createTileReduceBehindLoops());
  simplify(kernel, options);
  if (options.batchPrograms) {
    kernel.addPass(tile::createTileBatchPrograms());
    kernel.addPass(tile::createTilePersistRows());
    kernel.addPass(tile::createTileAddOnce());
  }
  simplify(kernel, options);
  kernel.addPass(tile::createTileRewriteInductions());
  kernel.addPass(tile::createTileSettlePromises(
      {llvm::to_vector(options.nonzero), llvm::to_vector(options.nonzeroHalves),
       llvm::to_vector(options.negative)}));
  kernel.addPass(tile::createTileRecognizeBlocks({options.shortArrays}));
  kernel.addPass(tile::createTileRotateRows());
  kernel.addPass(tile::createTileComparePlaces());
  kernel.addPass(tile::createTileBranchWholeBlocks());
  simplify(kernel, options);
  kernel.addPass(tile::createTileHoistLoads());
  if (options.readsGaps)
    kernel.addPass(tile::createTileMoveRows());
  kernel.addPass(tile::createTileOrderPrograms());
  kernel.addPass(tile::createTileBranchWholeRows());
  kernel.addPass(tile::createTileLoadRowsAhead());
  kernel.addPass(tile::createTileCombineRowsAhead());
  kernel.addPass(tile::createTileLoadGroups());
}

/// Which thread has what, and who combines it.
static void addPassesOfRegisters(OpPassManager &kernel,
                                 const PipelineOptions &options) {
  kernel.addPass(tile::createTileExchangeOperands({options.warpgroupDots}));
  kernel.addPass(tile::createTileAssignRegisterLayouts(
      {options.warpgroupDots, isChosen(options.sharedLayout)}));
  kernel.addPass(tile::createTileFillAtReads());
  kernel.addPass(tile::createTileRaiseConversions());
  kernel.addPass(tile::createTileNarrowConversions());
  kernel.addPass(tile::createTileHoistConversions());
  kernel.addPass(tile::createTileSplitReductions());
  kernel.addPass(tile::createTileNarrowReductions());
  kernel.addPass(tile::createTileSplitScans());
  kernel.addPass(tile::createTileRunInFirstThread());
  kernel.addPass(tile::createTileLoadInFirstThread());
  kernel.addPass(tile::createTileShareResults());
}

/// What goes through shared memory, when, and where it lies there.
static void addPassesOfSharedMemory(OpPassManager &kernel,
                                    const PipelineOptions &options) {
  kernel.addPass(tile::createTileDivideProducts({options.productParts}));
  kernel.addPass(tile::createTileClusterPrograms({options.pairedAxes}));
  kernel.addPass(tile::createTilePersist({options.tensorMaps}));
  kernel.addPass(tile::createTileStageOperands());
  kernel.addPass(tile::createTileLowerConversions());
  kernel.addPass(tile::createTilePipeline());
  kernel.addPass(tile::createTileSelectWarpgroupDots());
  kernel.addPass(tile::createTileIssueDots());
  if (options.tensorMaps && mayBeSwizzled(options.sharedLayout))
    kernel.addPass(tile::createTileSelectTmaStores());
  kernel.addPass(tile::createTileAssignSharedLayouts({options.sharedLayout}));
  kernel.addPass(tile::createTileCheckVectorWidth());
  simplify(kernel, options);
  kernel.addPass(tile::createTileJoinDots());
  kernel.addPass(tile::createTileSelectTma({options.tensorMaps}));
  kernel.addPass(tile::createTileSelectTmaLoads(
      {options.tensorMaps && mayBeSwizzled(options.sharedLayout)}));
  kernel.addPass(tile::createTileLoadUnderProducts());
  kernel.addPass(tile::createTileReadLate());
  kernel.addPass(tile::createTileCopyRowsAhead());
  kernel.addPass(tile::createTileStoreRowsBehind());
  kernel.addPass(tile::createTileMoveRuns());
  kernel.addPass(tile::createTileJoinExchanges());
  kernel.addPass(tile::createTileAllocateShared());
  kernel.addPass(tile::createTileLowerChannels());
}

/// Which accesses wait for which, and which warps do them.
static void addPassesOfOrder(OpPassManager &kernel,
                             const PipelineOptions &options) {
  if (options.optimize)
    kernel.addPass(createCSEPass());
  kernel.addPass(tile::createTileLoadOperandsAhead());
  kernel.addPass(tile::createTileOrderAddresses());
  kernel.addPass(tile::createTileIssueLoadsFirst());
  kernel.addPass(tile::createTileLoadAtTripStart());
  kernel.addPass(tile::createTileLoadTogether());
  kernel.addPass(tile::createTileLoadAlone());
  kernel.addPass(tile::createTileLoadAtOnce());
  kernel.addPass(tile::createTileInsertBarriers());
  kernel.addPass(tile::createTileSplitRoles());
  kernel.addPass(tile::createTilePrefetchBoxes());
  kernel.addPass(tile::createTileShareBoxes());
  kernel.addPass(tile::createTileLeaveOutRows());
  kernel.addPass(tile::createTileSinkScalars());
}

void tilewright::buildPlacementPipeline(OpPassManager &module,
                                        const PipelineOptions &options) {
  module.addPass(tile::createTileSetTarget({options.target.name.str()}));
  OpPassManager &kernel = module.nest<tile::KernelOp>();
  addPassesOfPrograms(kernel, options);
  addPassesOfRegisters(kernel, options);
  addPassesOfSharedMemory(kernel, options);
  addPassesOfOrder(kernel, options);
  kernel.addPass(tile::createTileCheckRequirements({options.lacksTensorMaps}));
  kernel.addPass(tile::createTileCheckChannels());
}

void tilewright::buildLoweringPipeline(OpPassManager &module,
                                       const PipelineOptions &options) {
  // Of a placed program that was read, too.
  module.addPass(tile::createTileSetTarget({options.target.name.str()}));
  module.nest<tile::KernelOp>().addPass(tile::createTileLowerMbarriers());
  module.addPass(createConvertTileToNVVM());
  if (options.optimize) {
    // What is said twice is left out early, since there is much of it; the rest
    // of the cleaning is LLVM's, which does it faster.
    module.addPass(createCSEPass());
    module.addPass(createJoinEdgesAtUse());
    module.addPass(createPackCarriedWords());
    module.addPass(createKeepInSlots());
    module.addPass(createRecomputeInLoops());
    module.addPass(createCopyInParts());
    module.addPass(createStrengthReducePointers());
    module.addPass(createPackMasks());
    module.addPass(createPackKeptHalves());
    module.addPass(createReadAcrossBarriers());
    module.addPass(createSpreadCopies());
    module.addPass(createPairConversions());
    module.addPass(createUpdateInParts());
    module.addPass(createComputeInParts());
    module.addPass(createStaggerWarpgroups());
    module.addPass(createAlternateFragments());
  }
  module.addPass(createConvertArithToNVVM());
  module.addPass(createConvertMathToNVVM());
  module.addPass(arith::createArithExpandOpsPass());
  module.addPass(createConvertMathToLLVMPass());
  // None of its patterns fails once it has begun. What it keeps to undo them
  // takes time in the square of branches that follow one another.
  SCFToControlFlowPassOptions branches;
  branches.allowPatternRollback = false;
  module.addPass(createSCFToControlFlowPass(branches));
  module.addPass(createArithToLLVMConversionPass());
  module.addPass(createConvertControlFlowToLLVMPass());
  module.addPass(createConvertNVVMToLLVMPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  if (options.optimize) {
    // Phases of exchanges (Exchanges.h).
    module.addPass(createMem2Reg());
    // By now there is no arith left whose patterns change results (see
    // tile-canonicalize).
    module.addPass(createCanonicalizerPass());
    module.addPass(createCSEPass());
  }
  // Source lines for the profiler and the simulator: .loc directives in PTX.
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  module.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
  module.addPass(createAttachSourceLines());
}

namespace {
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::desc("GPU target"),
      llvm::cl::init(GpuTarget::getDefault().name.str())};
  Option<std::string> sharedLayout{
      *this, "shared-layout",
      llvm::cl::desc("auto, none, pad, pad:N or swizzle"),
      llvm::cl::init("auto")};
  Option<int> numWarps{*this, "num-warps",
                       llvm::cl::desc("warps a program; 0: as the kernel says"),
                       llvm::cl::init(0)};
  Option<int> numStages{
      *this, "num-stages",
      llvm::cl::desc("tiles in flight in a loop; 0: as the kernel says"),
      llvm::cl::init(0)};
  Option<bool> warpgroupDots{
      *this, "warpgroup-dots",
      llvm::cl::desc("products by wgmma, where the target has it"),
      llvm::cl::init(true)};
  Option<bool> tensorMaps{
      *this, "tensor-maps",
      llvm::cl::desc("bulk copies by tensor maps, where the target has them"),
      llvm::cl::init(true)};
  Option<bool> batchPrograms{
      *this, "batch-programs",
      llvm::cl::desc("several programs a block, where each takes a short row"),
      llvm::cl::init(true)};
  Option<int> productParts{
      *this, "product-parts",
      llvm::cl::desc("blocks that sum parts of a program's products"),
      llvm::cl::init(1)};
  Option<int> pairedAxes{
      *this, "paired-axes",
      llvm::cl::desc("axes along which a cluster has several programs"),
      llvm::cl::init(0)};
  Option<bool> readsGaps{
      *this, "reads-gaps",
      llvm::cl::desc("what lies between rows of an array may be read"),
      llvm::cl::init(true)};
  Option<bool> shortArrays{
      *this, "short-arrays",
      llvm::cl::desc("all arrays are of less than 2^31 bytes"),
      llvm::cl::init(false)};
  Option<bool> optimize{
      *this, "optimize",
      llvm::cl::desc("leave out what is said twice or has no effect"),
      llvm::cl::init(true)};
};
} // namespace

using PipelineBuilder = void (*)(OpPassManager &, const PipelineOptions &);

static llvm::Expected<PipelineOptions>
toOptions(const CommandLineOptions &line) {
  llvm::Expected<GpuTarget> target = GpuTarget::parse(line.target);
  if (!target)
    return target.takeError();
  PipelineOptions options;
  options.target = *target;
  options.sharedLayout = line.sharedLayout;
  options.numWarps = line.numWarps;
  options.numStages = line.numStages;
  options.warpgroupDots = line.warpgroupDots;
  options.tensorMaps = line.tensorMaps;
  options.batchPrograms = line.batchPrograms;
  options.productParts = line.productParts;
  options.pairedAxes = line.pairedAxes;
  options.readsGaps = line.readsGaps;
  options.shortArrays = line.shortArrays;
  options.optimize = line.optimize;
  return options;
}

static void registerPipeline(StringRef name, StringRef description,
                             PipelineBuilder build) {
  registerPassPipeline(
      name, description,
      [build](OpPassManager &manager, StringRef text,
              function_ref<LogicalResult(const Twine &)> onError) {
        CommandLineOptions line;
        if (failed(line.parseFromString(text)))
          return failure();
        llvm::Expected<PipelineOptions> options = toOptions(line);
        if (!options)
          return onError(llvm::toString(options.takeError()));
        build(manager, *options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(CommandLineOptions());
      });
}

void tilewright::registerPipelines() {
  registerPipeline("tile-placement", "From a tile program to a placed one",
                   buildPlacementPipeline);
  registerPipeline("tile-lowering", "From a placed program to threads",
                   buildLoweringPipeline);
}
