//===- SpecialRegister.h - %tid.x and its kin -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_SPECIALREGISTER_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_SPECIALREGISTER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace tilewright::sim {

/// The special registers of PTX ISA section 10 that are modelled. All but the
/// clocks are constant for a thread, so they are ordinary registers that are
/// filled once when a warp starts.
enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  DynamicSmemSize,
  TotalSmemSize,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  /// Not PTX: the offset of the current function's frame in local memory.
  LocalFrame,
  /// Not PTX: where the block's shared memory begins in that of its cluster.
  SharedWindow,
};

/// `name` as written, with the percent sign and the ".x" where there is one.
std::optional<SpecialRegister> specialRegisterFromName(llvm::StringRef name);
/// True for the registers that change while a kernel runs.
bool isClock(SpecialRegister reg);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_SPECIALREGISTER_H
