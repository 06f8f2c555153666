//===- ProductEngine.cpp - What multiplies, and why -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"

#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What a thread needs of registers beside the sums: addresses, descriptors,
/// counters. What sums leave is halves of all there are or nothing, so the
/// number matters little.
static constexpr unsigned kRegistersBesideSums = 24;

/// The instructions of a product that stand in a row in each thread. With more,
/// compilers take minutes, and ptxas gigabytes.
static constexpr int64_t kMostInstructions = 1 << 14;
/// The same of registers that hold sums: four times what any thread has.
static constexpr int64_t kMostSumRegisters = 1 << 10;

namespace {
/// What the target and the options allow products.
struct EngineSetting {
  std::optional<GpuTarget> target;
  bool usesWgmma;
  unsigned numWarps;
  /// Registers of each thread; 0 where the target is not known.
  unsigned registersPerThread = 0;

  EngineSetting(KernelOp kernel, bool usesWgmma)
      : target(getTarget(kernel)), usesWgmma(usesWgmma),
        numWarps(kernel.getNumWarpsOrDefault()) {
    if (target)
      registersPerThread =
          target->registersPerThread(numWarps * target->warpSize);
  }

  /// Without a target there is what all targets have.
  bool has(bool GpuTarget::*feature) const {
    return !feature || (target && (*target).*feature);
  }
};
} // namespace

void tilewright::tile::setEngine(DotOp dot, const EngineChoice &choice) {
  dot.setEngine(choice.engine);
  dot->removeAttr(kEngineReasonAttr);
  dot->removeAttr(kTurnedAttr);
  if (choice.reason.empty())
    return;
  dot->setAttr(kEngineReasonAttr,
               StringAttr::get(dot.getContext(), choice.reason));
  dot.emitRemark("by ") << stringifyEngine(choice.engine) << ": "
                        << choice.reason;
}

/// The 32-bit registers of a thread that hold the sums.
static int64_t countSumRegisters(DotOp dot, int numWarps) {
  auto type = cast<RankedTensorType>(dot.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  return bytes / (int64_t(lanesPerWarp) * numWarps * bytesPerWord);
}

/// Whether the next iteration goes on with the sums.
static bool isCarried(DotOp dot) {
  return llvm::any_of(dot->getUsers(), [&](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() &&
           user->getBlock() == dot->getBlock();
  });
}

/// Registers for sums of other products that the loop carries beside these.
static int64_t countSumsBeside(DotOp dot, int numWarps) {
  if (!isCarried(dot))
    return 0;
  int64_t sums = 0;
  for (auto other : dot->getBlock()->getOps<DotOp>())
    if (other != dot && isCarried(other))
      sums += countSumRegisters(other, numWarps);
  return sums;
}

/// Registers for the sums of a product by that engine, and for what its loop
/// carries beside it. Sums of parts of K that are added in f32 stand beside
/// those of all.
static int64_t countAllSums(DotOp dot, Engine engine, int numWarps) {
  bool addsParts = engine == Engine::Wgmma && dot.getImprecise() &&
                   static_cast<int64_t>(*dot.getImprecise()) <= dot.getK();
  return countSumRegisters(dot, numWarps) * (addsParts ? 2 : 1) +
         countSumsBeside(dot, numWarps);
}

static bool holdsSums(DotOp dot, Engine engine, const EngineSetting &setting) {
  return setting.registersPerThread == 0 ||
         countAllSums(dot, engine, setting.numWarps) + kRegistersBesideSums <=
             setting.registersPerThread;
}

/// The operands that the engine cannot read as they come from global memory.
static SmallVector<int64_t> findOperandsAcrossK(DotOp dot,
                                                const EngineInfo &engine,
                                                const AxisInfoAnalysis &axes) {
  SmallVector<int64_t> operands;
  unsigned bytes = getElementBytes(dot.getOperandType());
  if (engine.anyOrderBytes == 0 || bytes == engine.anyOrderBytes)
    return operands;
  for (unsigned operand : {0u, 1u})
    if (isStoredAcrossK(dot, operand, axes))
      operands.push_back(operand);
  return operands;
}

/// The same where threads do not turn them. The left one, or with operands
/// exchanged the right one, may come from registers, where each word is by
/// itself.
static std::optional<int64_t>
findUnreadableOperand(DotOp dot, const EngineInfo &engine,
                      const AxisInfoAnalysis &axes, bool isExchanged = false) {
  int64_t bytes = getElementBytes(dot.getOperandType());
  if (bytes == engine.turnedBytes)
    return std::nullopt;
  for (int64_t operand : findOperandsAcrossK(dot, engine, axes))
    if (bytes < bytesPerWord || operand == (isExchanged ? 0 : 1))
      return operand;
  return std::nullopt;
}

/// Why an engine that has an instruction for a product of M x N cannot make it;
/// empty where it can.
static std::string whyNot(DotOp dot, ArrayRef<int64_t> shape,
                          const EngineInfo &engine,
                          const AxisInfoAnalysis &axes,
                          const EngineSetting &setting,
                          bool isExchanged = false) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  int64_t bytes = getElementBytes(a.getElementType());
  StringRef name = stringifyEngine(engine.engine);
  if (engine.engine == Engine::Wgmma && !setting.usesWgmma)
    return "wgmma is turned off (--warpgroup-dots=false)";
  if (engine.engine == Engine::Wgmma && !dot.getImprecise() &&
      getProductType(dot).hasImpreciseSums)
    return "wgmma adds products of 8-bit floats with fewer bits than f32 has: "
           "say how many may be, with 'imprecise' (max_num_imprecise_acc), or "
           "multiply them as f16";
  if (engine.readsShared && dot.getType().getRank() != 2)
    return llvm::formatv("{0} takes tiles of two dimensions: multiply one pair "
                         "of matrices at a time",
                         name);
  if (setting.numWarps < engine.warps)
    return llvm::formatv("{0} takes {1} warps, and the kernel has {2}: use "
                         "num_warps = {1}",
                         name, engine.warps, setting.numWarps);
  if (shape[0] < engine.leastM && shape[1] < engine.leastM)
    return llvm::formatv("{0} takes {1} rows or columns, and the tile is "
                         "{2}x{3}: use tiles of {1} of either or more",
                         name, engine.leastM, shape[0], shape[1]);
  if (shape[0] < engine.leastM)
    return llvm::formatv("{0} takes {1} rows, and M is {2}: use tiles of {1} "
                         "rows or more, or swap the operands",
                         name, engine.leastM, shape[0]);
  if (dot.getK() * bytes < engine.leastKBytes)
    return llvm::formatv("{0} takes {1} elements along K, and K is {2}: use "
                         "tiles of {1} or more along K",
                         name, engine.leastKBytes / bytes, dot.getK());
  if (std::optional<int64_t> operand =
          findUnreadableOperand(dot, engine, axes, isExchanged))
    return llvm::formatv("operand {0} is stored along {1}, and {2} reads tf32 "
                         "from shared tiles only where it is stored along K: "
                         "have its rows along K in memory",
                         *operand == 0 ? "A" : "B", *operand == 0 ? "M" : "N",
                         name);
  if (engine.readsShared && !holdsSums(dot, engine.engine, setting))
    return llvm::formatv(
        "the accumulators{0} take {1} registers of a thread, and "
        "one of {2} warps has {3}: too few are left for {4}; "
        "use smaller tiles or more warps",
        countSumsBeside(dot, setting.numWarps) == 0 ? "" : " of the loop",
        countAllSums(dot, engine.engine, setting.numWarps), setting.numWarps,
        setting.registersPerThread, name);
  return "";
}

/// Why an engine that can make a product should not, unless that is written;
/// empty where it should.
static std::string whyRatherNot(ArrayRef<int64_t> shape,
                                const EngineInfo &engine,
                                const EngineSetting &setting) {
  if (engine.warps == 1 || keepsWarpgroupsBusy(shape, setting.numWarps))
    return "";
  return llvm::formatv("{0}x{1} is too small to be shared out to the {2} "
                       "warpgroups of {3} warps: each takes {4}x{5}; use fewer "
                       "warps or a larger tile",
                       shape[0], shape[1], setting.numWarps / engine.warps,
                       setting.numWarps, engine.leastM, engine.leastN);
}

/// The best engine of the target that makes the product, and why not the best
/// of all.
static EngineChoice chooseEngine(DotOp dot, const AxisInfoAnalysis &axes,
                                 const EngineSetting &setting) {
  const ProductType &type = getProductType(dot);
  int64_t shape[] = {dot.getM(), dot.getN()};
  EngineChoice choice{type.engines.front(), ""};
  for (Engine candidate : llvm::reverse(type.engines)) {
    const EngineInfo &engine = getEngineInfo(candidate);
    if (!setting.has(engine.feature))
      continue;
    std::string reason;
    if (candidate != type.engines.front())
      reason = whyNot(dot, shape, engine, axes, setting);
    if (reason.empty())
      reason = whyRatherNot(shape, engine, setting);
    choice.engine = candidate;
    if (reason.empty())
      break;
    choice.reason = std::move(reason);
  }
  // Of what has a better one for other types.
  bool isBestOfTarget = choice.engine == Engine::MmaSync &&
                        !setting.has(getEngineInfo(Engine::Wgmma).feature);
  if (choice.reason.empty() && !isBestOfTarget)
    choice.reason = type.whyNotBest.str();
  return choice;
}

bool tilewright::tile::isMadeExchanged(DotOp dot, const AxisInfoAnalysis &axes,
                                       bool usesWgmma) {
  EngineSetting setting(dot->getParentOfType<KernelOp>(), usesWgmma);
  const EngineInfo &best = getEngineInfo(getProductType(dot).engines.back());
  int64_t exchanged[] = {dot.getN(), dot.getM()};
  bool isWorthIt = dot.getM() < best.leastM ||
                   findUnreadableOperand(dot, best, axes).has_value();
  return dot.getEngine().value_or(best.engine) == best.engine &&
         setting.has(best.feature) && isWorthIt &&
         whyNot(dot, exchanged, best, axes, setting, /*isExchanged=*/true)
             .empty() &&
         whyRatherNot(exchanged, best, setting).empty();
}

/// Whether the engine that is written on the product can make it here.
static LogicalResult checkWrittenEngine(DotOp dot, const AxisInfoAnalysis &axes,
                                        const EngineSetting &setting) {
  const EngineInfo &engine = getEngineInfo(*dot.getEngine());
  StringRef name = stringifyEngine(engine.engine);
  if (setting.target && !setting.has(engine.feature))
    return dot.emitOpError("is to be made by ")
           << name << ", which " << setting.target->name << " does not have";
  // The first one makes whatever there is.
  if (engine.engine == getProductType(dot).engines.front())
    return success();
  std::string reason =
      whyNot(dot, {dot.getM(), dot.getN()}, engine, axes, setting);
  if (reason.empty())
    return success();
  return dot.emitOpError("cannot be made by ") << name << ": " << reason;
}

/// The registers of a thread that hold what an iteration multiplies.
static int64_t countOperandRegisters(DotOp dot, int numWarps,
                                     const AxisInfoAnalysis &axes) {
  if (getEngineInfo(dot.getEngineOrDefault()).readsShared)
    return 0;
  RegisterLayoutAttr sums = chooseAccumulatorLayout(dot, numWarps, axes);
  int64_t bytes = 0;
  for (unsigned operand : {0u, 1u})
    bytes +=
        layOutOperand(dot, operand, sums.getLayout()).inputSize("register") *
        getElementBytes(getElementTypeOrSelf(dot.getA().getType()));
  return bytes / bytesPerWord;
}

/// Registers for fragments of one step along K, and of the next, which is read
/// meanwhile. FMAs read an element at a time.
static int64_t countStepRegisters(DotOp dot, int64_t operands) {
  const EngineInfo &engine = getEngineInfo(dot.getEngineOrDefault());
  if (engine.readsShared || engine.engine == Engine::Fma)
    return 0;
  auto a = cast<RankedTensorType>(dot.getA().getType());
  int64_t k = MmaShape::get(getElementBytes(a.getElementType())).k;
  return std::min(operands, 2 * operands * k / dot.getK());
}

/// Whether threads can hold the operands, of what does not read them from
/// shared tiles.
static LogicalResult checkRegisters(DotOp dot, const AxisInfoAnalysis &axes,
                                    const EngineSetting &setting) {
  if (getEngineInfo(dot.getEngineOrDefault()).readsShared)
    return success();
  return checkOperands(
      dot, chooseAccumulatorLayout(dot, setting.numWarps, axes).getLayout());
}

/// What does not stay in registers costs more than the products.
static void warnOfSpills(DotOp dot, const AxisInfoAnalysis &axes,
                         const EngineSetting &setting) {
  if (setting.registersPerThread == 0)
    return;
  int numWarps = setting.numWarps;
  int64_t beside = countSumsBeside(dot, numWarps);
  int64_t sums = countSumRegisters(dot, numWarps) + beside;
  int64_t operands = countOperandRegisters(dot, numWarps, axes);
  // ptxas reads operands one step of K after the other if it must, up to some
  // length of the code (docs/decisions/0011-product-engines.md).
  int64_t most = int64_t(setting.registersPerThread) *
                 (dot.getEngineOrDefault() == Engine::Fma ? 4 : 2);
  bool tooManySums = !holdsSums(dot, dot.getEngineOrDefault(), setting);
  bool tooLargeSteps =
      sums + countStepRegisters(dot, operands) + kRegistersBesideSums >
      setting.registersPerThread;
  if (!tooManySums && !tooLargeSteps && sums + operands <= most)
    return;
  InFlightDiagnostic warning =
      dot.emitWarning(beside == 0 ? "this product takes "
                                  : "this product and those beside it take ");
  warning << sums << " registers of each thread for "
          << (beside == 0 ? "its" : "their") << " accumulators";
  if (!tooManySums)
    warning << " and " << operands << " for operands";
  warning << ", and a thread of " << numWarps
          << (numWarps == 1 ? " warp" : " warps") << " has "
          << setting.registersPerThread << " for all it does: some "
          << (tooManySums ? "will" : "are likely to")
          << " spill to memory, which is slow; use "
          << (tooManySums     ? "smaller tiles"
              : tooLargeSteps ? "smaller tiles or more warps"
                              : "tiles with a smaller K");
}

/// Instructions of a thread by mma.sync or FMA; wgmma takes fewer.
static int64_t countInstructions(DotOp dot, int numWarps) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  int64_t products = cast<RankedTensorType>(dot.getType()).getNumElements() *
                     dot.getK() / numWarps;
  if (dot.getEngineOrDefault() == Engine::Fma)
    return products / lanesPerWarp;
  MmaShape mma = MmaShape::get(getElementBytes(a.getElementType()));
  // Before sm_90, f64 takes four for one of the others.
  int64_t perFragment = a.getElementType().isF64() ? 4 : 1;
  return products / (mma.m * mma.n * mma.k) * perFragment;
}

LogicalResult tilewright::tile::checkProduct(DotOp dot, int numWarps) {
  int64_t sums = countSumRegisters(dot, numWarps);
  if (sums > kMostSumRegisters)
    return dot.emitError("this product takes ")
           << sums << " registers of each thread for its accumulators, more "
           << "than " << kMostSumRegisters
           << ": use smaller tiles or more warps";
  int64_t count = countInstructions(dot, numWarps);
  if (count <= kMostInstructions)
    return success();
  return dot.emitOpError("is ")
         << count << " instructions in a row for each thread, more than "
         << kMostInstructions << ": use smaller tiles or more warps";
}

bool tilewright::tile::hasProducts(Operation *op) {
  return anyOpIn<ProductOpInterface>(*op);
}

bool tilewright::tile::hasOwnProducts(Operation *op) {
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return llvm::any_of(region.getOps(), llvm::IsaPred<ProductOpInterface>);
  });
}

/// Says which operands are turned.
static void markTurned(DotOp dot, const AxisInfoAnalysis &axes) {
  const EngineInfo &engine = getEngineInfo(dot.getEngineOrDefault());
  SmallVector<int64_t> operands = findOperandsAcrossK(dot, engine, axes);
  if (!operands.empty())
    dot->setAttr(kTurnedAttr, Builder(dot).getDenseI64ArrayAttr(operands));
}

LogicalResult tilewright::tile::assignEngines(KernelOp kernel, bool usesWgmma) {
  SmallVector<DotOp> dots;
  kernel.walk([&](DotOp dot) { dots.push_back(dot); });
  if (dots.empty())
    return success();
  AxisInfoAnalysis axes(kernel);
  EngineSetting setting(kernel, usesWgmma);
  for (DotOp dot : dots) {
    if (!dot.getEngine())
      setEngine(dot, chooseEngine(dot, axes, setting));
    else if (failed(checkWrittenEngine(dot, axes, setting)))
      return failure();
    markTurned(dot, axes);
    if (failed(checkRegisters(dot, axes, setting)))
      return failure();
    warnOfSpills(dot, axes, setting);
  }
  return success();
}
