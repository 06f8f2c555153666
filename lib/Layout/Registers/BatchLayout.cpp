//===- BatchLayout.cpp - Register layouts of several products -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/BatchLayout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

using Bases = std::vector<LinearLayout::Point>;

/// The first dimension counts the matrices.
static bool saysWhich(const LinearLayout::Point &basis) {
  return basis[0] != 0;
}

static LinearLayout create(Bases registers, Bases lanes, Bases warps,
                           ArrayRef<int64_t> shape) {
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", std::move(lanes)},
                                        {"warp", std::move(warps)}},
                                       shape));
}

LinearLayout
tilewright::batchAccumulatorLayout(int64_t batch, unsigned numWarps,
                                   function_ref<LinearLayout(unsigned)> one) {
  int64_t groups = std::min<int64_t>(batch, numWarps);
  LinearLayout matrix = one(numWarps / groups).insertUnitDim(0);
  Bases registers = matrix.bases("register").vec();
  Bases warps = matrix.bases("warp").vec();
  for (int64_t bit = 1; bit < batch; bit *= 2)
    (bit < groups ? warps : registers)
        .push_back({static_cast<int32_t>(bit), 0, 0});
  SmallVector<int64_t, 3> shape(matrix.shape());
  shape[0] = batch;
  return create(std::move(registers), matrix.bases("lane").vec(),
                std::move(warps), shape);
}

LinearLayout tilewright::dropBatch(const LinearLayout &layout) {
  LinearLayout matrix = layout.dropDim(0);
  Bases registers;
  for (auto [whole, basis] :
       zip_equal(layout.bases("register"), matrix.bases("register")))
    if (!saysWhich(whole))
      registers.push_back(basis);
  return create(std::move(registers), matrix.bases("lane").vec(),
                matrix.bases("warp").vec(), matrix.shape());
}

LinearLayout tilewright::addBatch(const LinearLayout &matrix,
                                  const LinearLayout &batch) {
  LinearLayout own = matrix.insertUnitDim(0);
  Bases registers = own.bases("register").vec();
  copy_if(batch.bases("register"), std::back_inserter(registers), saysWhich);
  Bases warps = own.bases("warp").vec();
  for (auto [basis, other] : zip_equal(warps, batch.bases("warp")))
    if (saysWhich(other))
      basis = other;
  SmallVector<int64_t, 3> shape(own.shape());
  shape[0] = batch.shape()[0];
  return create(std::move(registers), own.bases("lane").vec(), std::move(warps),
                shape);
}

bool tilewright::isBatchLayout(const LinearLayout &layout) {
  auto saysNothingElse = [](const LinearLayout::Point &basis) {
    return !saysWhich(basis) || (basis[1] == 0 && basis[2] == 0);
  };
  ArrayRef<LinearLayout::Point> registers = layout.bases("register");
  return layout.rank() == 3 && all_of(registers, saysNothingElse) &&
         all_of(layout.bases("warp"), saysNothingElse) &&
         none_of(layout.bases("lane"), saysWhich) &&
         is_sorted(registers, [](const LinearLayout::Point &a,
                                 const LinearLayout::Point &b) {
           return saysWhich(a) < saysWhich(b);
         });
}
