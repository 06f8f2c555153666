//===- PtxRepairs.h - PTX that ptxas understands right ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_PTXREPAIRS_H
#define TILEWRIGHT_LIB_TARGET_PTXREPAIRS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewright {

/// The PTX with negations and absolute values of 16 bits written as products.
///
/// ptxas 13.0 (seen for sm_90a) keeps 16 bits in registers of 32 and negates
/// them there: of -32768 it makes 32768, which a shift, a comparison or a
/// conversion then takes for positive. It does the same with `sub.s16 d, 0, a`,
/// but not with a product, behind which it extends the sign anew.
std::string repairNarrowNegations(llvm::StringRef ptx);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_PTXREPAIRS_H
