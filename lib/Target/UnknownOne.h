//===- UnknownOne.h - A number that ptxas does not know ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_UNKNOWNONE_H
#define TILEWRIGHT_LIB_TARGET_UNKNOWNONE_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace tilewright {

/// 1 in 32 bits, computed where the function begins, of which neither LLVM nor
/// ptxas knows that it is 1: what is computed with it stays as it is written.
llvm::Value *makeUnknownOne(llvm::Function &function);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_UNKNOWNONE_H
