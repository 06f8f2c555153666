//===- ConversionChoice.cpp - Registers, shuffles or memory ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/ConversionChoice.h"

#include "tilewright/Layout/Algebra/CountOf.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace llvm;
using namespace tilewright;

/// The wavefronts of a store and a load in the best layout; none if the tile is
/// too large for any.
static std::optional<int64_t> countSharedWavefronts(const LinearLayout &from,
                                                    const LinearLayout &to,
                                                    unsigned elementBytes) {
  SharedAccess accesses[] = {{SharedAccessKind::Store, from, elementBytes},
                             {SharedAccessKind::Load, to, elementBytes}};
  Expected<SharedLayoutChoice> choice = chooseSharedLayout(
      from.shape(), elementBytes, accesses, SharedLayoutPolicy());
  if (!choice) {
    consumeError(choice.takeError());
    return std::nullopt;
  }
  int64_t wavefronts = 0;
  for (const SharedAccessCost &cost : choice->candidates[choice->winner].costs)
    wavefronts += cost.wavefronts;
  return wavefronts;
}

ConversionChoice tilewright::chooseConversion(const LinearLayout &from,
                                              const LinearLayout &to,
                                              unsigned elementBytes) {
  ConversionChoice choice;
  choice.warps = std::max(from.inputSize("warp"), to.inputSize("warp"));
  if (mapRegisters(from, to)) {
    choice.way = ConversionWay::Registers;
    return choice;
  }
  choice.plan = planShuffles(from, to, elementBytes);
  if (!choice.plan)
    return choice;
  choice.wavefronts = countSharedWavefronts(from, to, elementBytes);
  if (!choice.wavefronts ||
      choice.getShuffleCycles() <= choice.getSharedCycles())
    choice.way = ConversionWay::Shuffles;
  return choice;
}

double tilewright::countConversionCycles(const LinearLayout &from,
                                         const LinearLayout &to,
                                         unsigned elementBytes) {
  ConversionChoice choice = chooseConversion(from, to, elementBytes);
  if (choice.way == ConversionWay::Registers)
    return 0;
  if (choice.way == ConversionWay::Shuffles)
    return choice.getShuffleCycles();
  if (!choice.wavefronts)
    choice.wavefronts = countSharedWavefronts(from, to, elementBytes);
  return choice.wavefronts ? choice.getSharedCycles()
                           : std::numeric_limits<double>::infinity();
}

std::string ConversionChoice::getReason() const {
  if (way == ConversionWay::Registers)
    return "each thread has its elements already";
  if (!plan)
    return "a warp lacks elements that it needs";
  std::string reason =
      formatv("{0}, {1} and {2} a warp are {3:F1} cycles",
              countOf(plan->countShuffles(), "shuffle"),
              countOf(plan->countSelects(), "select"),
              countOf(plan->countMoves(), "move"), getShuffleCycles());
  if (!wavefronts)
    return reason + "; shared memory cannot hold the tile";
  reason += formatv("; shared memory would be {0} and a barrier, {1:F1} cycles",
                    countOf(*wavefronts, "wavefront"), getSharedCycles());
  return reason;
}
