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

/// The PTX without instructions on 16 bits that ptxas 13.0 has wrong.
///
/// neg.s16, abs.s16: it keeps 16 bits in registers of 32 and negates them there
/// (seen for sm_90a): of -32768 it makes 32768, which a shift, a comparison or
/// a conversion then takes for positive. It does the same with `sub.s16 d, 0,
/// a`, but not with a product, behind which it extends the sign anew.
///
/// max, min of .s16 and .u16: for sm_90 to sm_103 there is an instruction that
/// also says whether the first operand was taken. ptxas takes that for whether
/// the result equals the second one, a constant, so `max(x, 7) == 7` holds for
/// x >= 7 (seen on an H100). Two such in a function with arithmetic of f16 or
/// bf16 make it end with a segmentation fault. In 32 bits it compares.
///
/// cvt.u64.u16 of a sum: for sm_80 to sm_90 it adds in 64 bits, where 16 wrap,
/// so that `base + cvt(x + 1023)` is an address 65536 bytes too far (seen on an
/// H200). By way of 32 bits it masks.
std::string repairNarrowIntegers(llvm::StringRef ptx);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_PTXREPAIRS_H
