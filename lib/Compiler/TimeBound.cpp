//===- TimeBound.cpp - What limits a kernel ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeBound.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/Analysis/TripCount.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Multiplications with addition that a product's units do in a clock.
static double getRate(const ProductReport &product, const GpuTarget &target) {
  if (product.instruction == "FMA")
    return target.f32PerClock;
  double rate = target.tensorPerClock;
  // Where warpgroups multiply 8-bit floats, mma.sync casts them to f16 first.
  bool isFloat8 = StringRef(product.operandType).starts_with("f8");
  if (isFloat8 && target.wgmma && product.instruction == "mma.sync")
    return rate;
  return llvm::StringSwitch<double>(product.operandType)
      .Cases({"f16", "bf16"}, rate)
      .Case("tf32", rate / 2)
      .Case("f64", target.tensorF64PerClock)
      .Default(2 * rate);
}

/// Elements that an op other than a product computes, each by an instruction of
/// a lane at the least; and their type.
static std::pair<int64_t, Type> countElements(Operation *op) {
  auto count = [](Value tile) -> std::pair<int64_t, Type> {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    if (!type)
      return {0, nullptr};
    return {type.getNumElements(), type.getElementType()};
  };
  if (isa<CombineOpInterface>(op))
    return count(op->getOperand(0));
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1)
    return count(op->getResult(0));
  return {0, nullptr};
}

static void addArithmetic(TimeBound &bound, Operation *root,
                          function_ref<bool(Operation *)> isPart,
                          const GpuTarget &target) {
  double lanes = target.partitionsPerSM * target.warpSize;
  root->walk([&](Operation *op) {
    auto [elements, type] = countElements(op);
    if (elements == 0 || !isPart(op))
      return;
    double rate = type.isF64()   ? target.f64PerClock
                  : type.isF32() ? target.f32PerClock
                                 : lanes;
    int64_t count = elements * getTripCount(op).count;
    bound.operations += count;
    bound.arithmetic += count / rate;
  });
}

/// The bound of those records, and of that arithmetic, which are a part. How
/// often accesses happen says `getTrips`.
template <typename IsRecord>
static TimeBound
boundPart(Operation *root, const KernelReport &report, const GpuTarget &target,
          IsRecord isRecord, function_ref<bool(Operation *)> isPart,
          function_ref<int64_t(const AccessReport &)> getTrips) {
  TimeBound bound;
  bound.device = target.device.str();
  for (const ProductReport &product : report.products) {
    if (!isRecord(product))
      continue;
    int64_t operations = product.trips * product.getOperations();
    bound.operations += operations;
    bound.sharedMemory += product.trips * product.operandWavefronts;
    (product.instruction == "FMA" ? bound.arithmetic : bound.tensorCores) +=
        double(operations) / (2 * getRate(product, target));
  }
  for (const AccessReport &access : report.accesses) {
    if (!isRecord(access))
      continue;
    int64_t trips = getTrips(access);
    if (access.wavefronts)
      bound.sharedMemory += trips * access.wavefronts->count;
    bound.globalBytes +=
        trips * (access.sectors ? access.sectors->count * bytesPerSector
                                : access.globalBytes);
  }
  // A shuffle passes the data banks as a load does.
  for (const ConversionReport &conversion : report.conversions)
    if (isRecord(conversion))
      bound.sharedMemory += conversion.trips * conversion.choice.warps *
                            conversion.choice.plan->countShuffles();
  bound.l2 = double(bound.globalBytes) / target.l2BytesPerClock;
  bound.memory = bound.globalBytes / target.memoryBytesPerClock;
  addArithmetic(bound, root, isPart, target);
  return bound;
}

TimeBound tilewright::boundTime(KernelOp kernel, const KernelReport &report,
                                const GpuTarget &target) {
  return boundPart(
      kernel, report, target, [](const auto &) { return true; },
      [](Operation *) { return true; },
      [](const AccessReport &access) { return access.trips; });
}

TimeBound tilewright::boundTime(LoopLikeOpInterface loop, unsigned number,
                                const KernelReport &report,
                                const GpuTarget &target) {
  return boundPart(
      loop, report, target,
      [&](const auto &record) { return record.loop == number; },
      [&](Operation *op) {
        return op->getParentOfType<LoopLikeOpInterface>() == loop;
      },
      // What was copied in front of the loop is work of its trips.
      [](const AccessReport &access) { return access.tripsOfLoops; });
}
