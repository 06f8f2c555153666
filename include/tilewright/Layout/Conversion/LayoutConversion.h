//===- LayoutConversion.h - From one register layout to another -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_CONVERSION_LAYOUTCONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_LAYOUTCONVERSION_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

/// For two register layouts of one shape: for each register of `to`, the
/// register of `from` in which the same thread already holds the element. None
/// where some element must come from another thread, or from a register that is
/// another one in each thread.
///
/// Two columns held as register[1,2] lane[32,1] and as lane[32,1] register[1,2]
/// are one layout; register[1,2] lane[32,1] to register[2,1] lane[16,1]
/// lane[1,2] moves data between lanes.
std::optional<llvm::SmallVector<unsigned>>
mapRegisters(const LinearLayout &from, const LinearLayout &to);

/// For each register, the first one of a thread that holds the same element.
llvm::SmallVector<unsigned> canonicalRegisters(const LinearLayout &layout);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_CONVERSION_LAYOUTCONVERSION_H
