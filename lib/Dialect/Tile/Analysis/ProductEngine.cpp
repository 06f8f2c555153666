//===- ProductEngine.cpp - What multiplies, and why -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"

#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
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

StringRef tilewright::tile::stringifyEngine(Engine engine) {
  switch (engine) {
  case Engine::Fma:
    return "FMA";
  case Engine::MmaSync:
    return "mma.sync";
  case Engine::Wgmma:
    return "wgmma";
  }
  llvm_unreachable("all engines are named above");
}

Engine tilewright::tile::getEngine(DotOp dot) {
  auto written = dot->getAttrOfType<StringAttr>(kEngineAttr);
  if (written && written == stringifyEngine(Engine::Wgmma))
    return Engine::Wgmma;
  return dot.usesTensorCores() ? Engine::MmaSync : Engine::Fma;
}

void tilewright::tile::setEngine(DotOp dot, const EngineChoice &choice) {
  MLIRContext *context = dot.getContext();
  dot->removeAttr(kEngineAttr);
  dot->removeAttr(kEngineReasonAttr);
  // Others are what the types say.
  if (choice.engine == Engine::Wgmma)
    dot->setAttr(kEngineAttr,
                 StringAttr::get(context, stringifyEngine(choice.engine)));
  if (choice.reason.empty())
    return;
  dot->setAttr(kEngineReasonAttr, StringAttr::get(context, choice.reason));
  dot.emitRemark("by ") << stringifyEngine(choice.engine) << ": "
                        << choice.reason;
}

/// The 32-bit registers of a thread that hold the sums.
static int64_t countSumRegisters(DotOp dot, int numWarps) {
  auto type = cast<RankedTensorType>(dot.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  return bytes / (int64_t(lanesPerWarp) * numWarps * 4);
}

static bool holdsSums(DotOp dot, int numWarps, const EngineSetting &setting) {
  return setting.registersPerThread == 0 ||
         countSumRegisters(dot, numWarps) + kRegistersBesideSums <=
             setting.registersPerThread;
}

static bool hasWgmmaType(DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getA().getType());
  return isa<Float16Type, BFloat16Type>(element) || element.isInteger(8) ||
         dot.getTf32();
}

/// The operand that wgmma cannot read as it comes from global memory: rows
/// across K are for elements of 2 bytes.
static std::optional<unsigned>
findOperandAcrossK(DotOp dot, const AxisInfoAnalysis &axes) {
  if (getElementBytes(getElementTypeOrSelf(dot.getA().getType())) == 2)
    return std::nullopt;
  for (unsigned operand : {0u, 1u})
    if (getMemoryOrder(dot.getOperand(operand), axes).value_or(1 - operand) ==
        operand)
      return operand;
  return std::nullopt;
}

/// Why warpgroups do not multiply what they have an instruction for; empty
/// where they do.
static std::string whyNotWgmma(DotOp dot, int numWarps,
                               const AxisInfoAnalysis &axes,
                               const EngineSetting &setting) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getType()).getShape();
  int64_t bytes = getElementBytes(a.getElementType());
  if (!setting.usesWgmma)
    return "wgmma is turned off (--warpgroup-dots=false)";
  if (numWarps < static_cast<int>(WarpgroupMma::warps))
    return llvm::formatv("wgmma takes {0} warps, and the kernel has {1}",
                         WarpgroupMma::warps, numWarps);
  if (shape[0] < WarpgroupMma::m)
    return llvm::formatv("wgmma takes {0} rows, and M is {1}", WarpgroupMma::m,
                         shape[0]);
  if (!fitsWarpgroups(shape, numWarps))
    return llvm::formatv("{0}x{1} is too small to be shared out to the {2} "
                         "warpgroups of {3} warps: each takes {4}x{5}",
                         shape[0], shape[1], numWarps / WarpgroupMma::warps,
                         numWarps, WarpgroupMma::m, WarpgroupMma::leastN);
  if (a.getDimSize(1) * bytes < WarpgroupMma::kBytes)
    return llvm::formatv("wgmma takes {0} elements along K, and K is {1}",
                         WarpgroupMma::kBytes / bytes, a.getDimSize(1));
  if (std::optional<unsigned> operand = findOperandAcrossK(dot, axes))
    return llvm::formatv("operand {0} is stored along {1}, and wgmma reads {2} "
                         "only where both operands are stored along K",
                         *operand == 0 ? "A" : "B", *operand == 0 ? "M" : "N",
                         dot.getTf32() ? "tf32" : "i8");
  if (!holdsSums(dot, numWarps, setting))
    return llvm::formatv("the accumulators take {0} registers of a thread, and "
                         "one of {1} warps has {2}: too few are left for wgmma",
                         countSumRegisters(dot, numWarps), numWarps,
                         setting.registersPerThread);
  return "";
}

static EngineChoice chooseEngine(DotOp dot, int numWarps,
                                 const AxisInfoAnalysis &axes,
                                 const EngineSetting &setting) {
  if (!dot.usesTensorCores())
    return {Engine::Fma, "f32 is multiplied exactly; with 'tf32' after the "
                         "operands tensor cores do it"};
  if (!setting.hasWgmma)
    return {Engine::MmaSync, ""};
  if (getElementTypeOrSelf(dot.getA().getType()).isFloat(8))
    return {Engine::MmaSync,
            "wgmma adds products of 8-bit floats with fewer bits"};
  if (!hasWgmmaType(dot))
    return {Engine::MmaSync, ""};
  std::string reason = whyNotWgmma(dot, numWarps, axes, setting);
  return {reason.empty() ? Engine::Wgmma : Engine::MmaSync, reason};
}

/// The registers of a thread that hold what an iteration multiplies.
static int64_t countOperandRegisters(DotOp dot, int numWarps,
                                     const AxisInfoAnalysis &axes) {
  if (getEngine(dot) == Engine::Wgmma)
    return 0; // They stay in shared memory.
  RegisterLayoutAttr sums = chooseAccumulatorLayout(dot, numWarps, axes);
  int64_t bytes = 0;
  for (unsigned operand : {0u, 1u})
    bytes += dot.inferOperandLayout(operand, sums).getNumRegisters() *
             getElementBytes(getElementTypeOrSelf(dot.getA().getType()));
  return bytes / 4;
}

/// What does not stay in registers costs more than the products.
static void warnOfSpills(DotOp dot, int numWarps, const AxisInfoAnalysis &axes,
                         const EngineSetting &setting) {
  if (setting.registersPerThread == 0)
    return;
  int64_t sums = countSumRegisters(dot, numWarps);
  int64_t operands = countOperandRegisters(dot, numWarps, axes);
  // ptxas reads operands one step of K after the other if it must, up to some
  // length of the code (docs/decisions/0011-product-engines.md).
  int64_t most =
      setting.registersPerThread * (getEngine(dot) == Engine::Fma ? 4 : 2);
  bool tooManySums = !holdsSums(dot, numWarps, setting);
  if (!tooManySums && sums + operands <= most)
    return;
  InFlightDiagnostic warning = dot.emitWarning("this product takes ");
  warning << sums << " registers of each thread for its accumulators";
  if (!tooManySums)
    warning << " and " << operands << " for operands";
  warning << ", and a thread of " << numWarps
          << (numWarps == 1 ? " warp" : " warps") << " has "
          << setting.registersPerThread << " for all it does: some "
          << (tooManySums ? "will" : "are likely to")
          << " spill to memory, which is slow; use "
          << (tooManySums ? "smaller tiles" : "tiles with a smaller K");
}

/// By mma.sync or FMA; wgmma takes fewer.
static int64_t countInstructions(DotOp dot, int numWarps) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  int64_t products = cast<RankedTensorType>(dot.getType()).getNumElements() *
                     a.getDimSize(1) / numWarps;
  if (!dot.usesTensorCores())
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

void tilewright::tile::assignEngines(KernelOp kernel,
                                     const EngineSetting &setting) {
  SmallVector<DotOp> dots;
  kernel.walk([&](DotOp dot) { dots.push_back(dot); });
  if (dots.empty())
    return;
  AxisInfoAnalysis axes(kernel);
  int numWarps = kernel.getNumWarpsOrDefault();
  for (DotOp dot : dots) {
    setEngine(dot, chooseEngine(dot, numWarps, axes, setting));
    warnOfSpills(dot, numWarps, axes, setting);
  }
}
