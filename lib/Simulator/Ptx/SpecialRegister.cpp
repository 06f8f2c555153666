//===- SpecialRegister.cpp - %tid.x and its kin ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/SpecialRegister.h"
#include "llvm/ADT/StringMap.h"
#include <string>

using namespace llvm;

namespace tilewright::sim {

static StringMap<SpecialRegister> makeNames() {
  using R = SpecialRegister;
  StringMap<R> names = {
      {"%laneid", R::LaneId},
      {"%warpid", R::WarpId},
      {"%nwarpid", R::NwarpId},
      {"%smid", R::SmId},
      {"%nsmid", R::NsmId},
      {"%gridid", R::GridId},
      {"%lanemask_eq", R::LanemaskEq},
      {"%lanemask_le", R::LanemaskLe},
      {"%lanemask_lt", R::LanemaskLt},
      {"%lanemask_ge", R::LanemaskGe},
      {"%lanemask_gt", R::LanemaskGt},
      {"%dynamic_smem_size", R::DynamicSmemSize},
      {"%total_smem_size", R::TotalSmemSize},
      {"%cluster_ctarank", R::ClusterCtarank},
      {"%cluster_nctarank", R::ClusterNctarank},
      {"%is_explicit_cluster", R::IsExplicitCluster},
      {"%clock", R::Clock},
      {"%clock_hi", R::ClockHi},
      {"%clock64", R::Clock64},
      {"%globaltimer", R::GlobalTimer},
      {"%globaltimer_lo", R::GlobalTimerLo},
      {"%globaltimer_hi", R::GlobalTimerHi},
  };
  const std::pair<StringRef, R> triples[] = {
      {"%tid", R::TidX},
      {"%ntid", R::NtidX},
      {"%ctaid", R::CtaidX},
      {"%nctaid", R::NctaidX},
      {"%clusterid", R::ClusteridX},
      {"%nclusterid", R::NclusteridX},
      {"%cluster_ctaid", R::ClusterCtaidX},
      {"%cluster_nctaid", R::ClusterNctaidX},
  };
  for (auto [name, first] : triples)
    for (unsigned axis = 0; axis != 3; ++axis)
      names[name.str() + "." + "xyz"[axis]] =
          static_cast<R>(static_cast<unsigned>(first) + axis);
  return names;
}

std::optional<SpecialRegister> specialRegisterFromName(StringRef name) {
  static const StringMap<SpecialRegister> names = makeNames();
  auto it = names.find(name);
  if (it == names.end())
    return std::nullopt;
  return it->second;
}

bool isClock(SpecialRegister reg) {
  return reg >= SpecialRegister::Clock && reg <= SpecialRegister::GlobalTimerHi;
}

} // namespace tilewright::sim
