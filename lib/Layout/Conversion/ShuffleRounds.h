//===- ShuffleRounds.h - Conversions in one round or several ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One round (ShufflePlan.h) has the fewest shuffles, but where it exchanges k
// bits of the register with k of the lane, some 2 k selects a register. Bit by
// bit it is half a shuffle and 3/2 selects a register for each:
//
//      bits   one round                     bit by bit
//      1      1/2 shuffle, 3/2 selects      the same
//      2      3/4, 4                        1, 3
//      3      7/8, 6                        3/2, 9/2
//      5      31/32, 10                     5/2, 15/2
//
// By the cycles of ShufflePlan.h, two and three bits are cheaper one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEROUNDS_H
#define TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEROUNDS_H

#include "tilewright/Layout/Conversion/ShufflePlan.h"

namespace tilewright {

/// The plans of one round, as for listShufflePlans().
std::vector<ShufflePlan> listOneRoundPlans(const LinearLayout &from,
                                           const LinearLayout &to,
                                           unsigned elementBytes);

/// A round for each bit of the lane that is a bit of the register before, then
/// one for the rest. None where that is one round, where a round reads from
/// other lanes than lane ^ constant, or where rounds pack other elements
/// together.
std::optional<ShufflePlan> planInRounds(const LinearLayout &from,
                                        const LinearLayout &to,
                                        unsigned elementBytes);

/// The one of least cycles, the first of equal ones.
std::optional<ShufflePlan> takeCheapest(std::vector<ShufflePlan> plans);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_CONVERSION_SHUFFLEROUNDS_H
